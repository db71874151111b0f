"""What changed in how a judge was asked while a study was judged: ratings before and after are not one measurement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from haechi.data.judging_protocol import WORDS, JudgingProtocol
from haechi.frozen import frozen
from haechi.store.connection import Connection
from haechi.store.judging_protocols import ProtocolUse, asked_ways
from haechi.text import Text, plural


@frozen
class JudgeChange:
    """One thing that a judge was not always asked with: its values in the order of time, and how many calls each had.

    A value without calls is that of the run that is about to begin.
    """

    rater: str
    what: str
    values: tuple[tuple[Any, int], ...]

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        values = [{"value": value, "calls": calls} for value, calls in self.values]
        return {"rater": self.rater, "what": self.what, "values": values}

    @property
    def words(self) -> Text:
        """For people.

        >>> JudgeChange("gpt-5-mini", "temperature", ((None, 30), (0.0, 10))).words.en
        'gpt-5-mini: temperature changed, not set (30 calls) → 0.0 (10 calls)'
        """
        ko = " → ".join(_counted(value, calls).ko for value, calls in self.values)
        en = " → ".join(_counted(value, calls).say("en") for value, calls in self.values)
        name = WORDS[self.what]
        return Text(
            f"{self.rater}: 바뀐 것 — {name.ko}, {ko}", f"{self.rater}: {name.say('en')} changed, {en}"
        )


def _counted(value: Any, calls: int) -> Text:
    said = _said(value)
    many = Text(f"{calls:,}건", plural(calls, "call")) if calls else Text("이번", "now")
    return Text(f"{said.ko}({many.ko})", f"{said.say('en')} ({many.say('en')})")


def _said(value: Any) -> Text:
    if value is None:
        return Text("지정 안 함", "not set")
    if isinstance(value, Mapping):  # a price
        numbers = ", ".join(f"{name} {one:g}" for name, one in value.items() if isinstance(one, int | float))
        return Text(f"{value.get('as_of', '')} {numbers}".strip())
    return Text(str(value))


def changes(
    ways: Iterable[ProtocolUse], coming: Mapping[str, JudgingProtocol] | None = None
) -> list[JudgeChange]:
    """What changed, judge by judge; `coming` are the judges of a run that is about to begin, by rater.

    Where another tool asked, only the model that answered is known.
    """
    seen: dict[str, dict[str, dict[str, tuple[Any, int]]]] = {}
    for way in ways:
        if coming is None or way.rater in coming:
            parts = way.asking.parts if way.asking is not None else {}
            _count(seen.setdefault(way.rater, {}), {**parts, "version": way.version}, way.calls)
    for rater, asking in (coming or {}).items():
        if rater in seen:
            _count(seen[rater], asking.parts, 0)
    return [
        JudgeChange(rater, what, tuple(values.values()))
        for rater, found in seen.items()
        for what, values in found.items()
        if len(values) > 1
    ]


def _count(seen: dict[str, dict[str, tuple[Any, int]]], parts: Mapping[str, Any], calls: int) -> None:
    for what, value in parts.items():
        if what == "version" and value is None:
            continue
        values = seen.setdefault(what, {})
        key = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
        values[key] = (value, values.get(key, (value, 0))[1] + calls)


def study_changes(connection: Connection) -> list[JudgeChange]:
    """What changed inside a study, as the journal has it."""
    return changes(asked_ways(connection))
