"""What can be said of an agent run before it is scored: whether it failed, and what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from haechi.data.item import Item
from haechi.expectations.values import text

if TYPE_CHECKING:
    from haechi.expectations.checks import PreparedChecks
    from haechi.expectations.lines import ExpectationLine

VERSION = "version"
"""The meta field that tells the versions of an agent apart."""


def has_failed(content: Mapping[str, Any]) -> bool:
    """Whether a run failed as a whole: it has an error, or no payload that is an object.

    >>> has_failed({"payload": '{"assistantMessage": ""}'}), has_failed({"payload": "{"}), has_failed({"error": "timeout"})
    (False, True, True)
    """
    return bool(text(content.get("error"))) or read_payload(content.get("payload")) is None


def checks_of(item: Item) -> PreparedChecks | None:
    """The checks of a run: those joined to it, its own, those in its payload, else those of its expectation.

    >>> run = {"query": "q1", "expected": "1) 답변이 친절한가", "payload": "{}"}
    >>> checks_of(Item("r1", "run", run, {})).waiting
    ('답변이 친절한가',)
    """
    from haechi.expectations.checks import read

    return read(*_expected(item))


def expected_lines(item: Item) -> list[ExpectationLine]:
    """Every line of what is expected of a run, also where there is nothing to check.

    >>> run = {"query": "q1", "expected": "일정이 열린다\\n@check formType=LINK", "payload": "{}"}
    >>> [(line.text, line.kind) for line in expected_lines(Item("r1", "run", run, {}))]
    [('일정이 열린다', 'heading'), ('formType=LINK', 'check')]
    """
    from haechi.expectations.checks import lines_of

    return lines_of(*_expected(item))


def _expected(item: Item) -> tuple[str | None, str | None]:
    content = item.content
    listed = text(item.meta.get("accuracy_checks")) or text(content.get("accuracy_checks"))
    return text(content.get("expected")), listed or _in_payload(content.get("payload"))


def read_payload(given: Any) -> dict[str, Any] | None:
    """A payload that is an object, given as one or as text; None for any other.

    >>> read_payload('{"a": 1}'), read_payload({"a": 1}), read_payload("[1]")
    ({'a': 1}, {'a': 1}, None)
    """
    if isinstance(given, str):
        try:
            given = orjson.loads(given)
        except orjson.JSONDecodeError:
            return None
    return given if isinstance(given, dict) else None


def _in_payload(given: Any) -> str | None:
    if isinstance(given, str) and "accuracyChecks" not in given:
        return None
    listed = (read_payload(given) or {}).get("accuracyChecks")
    if listed is None or isinstance(listed, str):
        return listed
    try:
        return orjson.dumps(listed).decode()
    except orjson.JSONEncodeError:  # nested deeper than any check
        return None
