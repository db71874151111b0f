"""The failing checks of a run with what stood there instead, for people who look for the cause."""

from __future__ import annotations

from typing import Any

from haechi.data.agent_run import checks_of, read_payload
from haechi.data.item import Item
from haechi.expectations import paths
from haechi.expectations.check import Check
from haechi.expectations.values import canonical, text
from haechi.text import Text, cut, first_few

_LONGEST, _MOST = 80, 5
_NOTHING = Text("없음", "nothing")


def failing_checks(item: Item, failing: str | None) -> str:
    """One line for each failing check, its name and what was found; `failing` are the names as scores have them.

    >>> payload = {"dataUIList": [{"uiValue": {"formType": "ACTION"}}]}
    >>> run = {"query": "q1", "expected": "@check formType=LINK; planId=7", "payload": payload}
    >>> print(failing_checks(Item("r1", "run", run, {}), "formType=LINK; planId=7"))
    formType=LINK ← ACTION
    planId=7 ← 없음
    """
    if not failing:
        return ""
    asked, payload = checks_of(item), read_payload(item.content.get("payload")) or {}
    known = {check.name: check for check in asked.checks} if asked is not None else {}
    lines = []
    for name in failing.split("; "):
        check = known.get(name)  # a line that a rater called unmet is none
        lines.append(f"{name} ← {_said(_found(check, payload))}" if check is not None else name)
    return "\n".join(lines)


def _found(check: Check, payload: dict[str, Any]) -> list[Any]:
    if check.meaning is not None:
        return check.meaning.found(payload)
    return paths.walk([payload], check.steps) if check.steps else []


def _said(found: list[Any]) -> str:
    shown = [cut(text(one) or canonical(one).decode(), _LONGEST) for one in found[: _MOST + 1]]
    return first_few(shown, _MOST) or _NOTHING.say()
