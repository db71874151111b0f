"""The scales: each owns its allowed values, its points and its measurement level."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from haechi.rubrics.bands import Band, Bands, Interval
from haechi.rubrics.fault import Fault, shorten
from haechi.rubrics.formula import Formula
from haechi.rubrics.values import Frozen, Key, Level, Number, Off, Words, fold, measured, number, plain
from haechi.text import Text

__all__ = [
    "Band",
    "Bands",
    "Binary",
    "Checklist",
    "Computed",
    "Element",
    "Frozen",
    "Interval",
    "Key",
    "Label",
    "Level",
    "Likert",
    "Number",
    "Off",
    "Open",
    "Scale",
    "Shown",
    "Verdict",
    "Words",
    "fold",
    "number",
    "plain",
]


class Likert(Frozen):
    """Ordered levels, each with its anchor text.

    >>> Likert(type="likert", anchors={1: "나쁨", 2: "좋음"}).read("２점")
    '2'
    """

    type: Literal["likert"]
    anchors: dict[int, Words] = Field(min_length=2, max_length=101)
    level: Level = "ordinal"

    @model_validator(mode="after")
    def _no_hole(self) -> Likert:
        levels = list(self.anchors)
        if levels != sorted(levels) or levels[-1] - levels[0] != len(levels) - 1:
            expected = Text("빠짐없이 이어지는 단계", "levels one after the other with no gap")
            raise Fault(shorten(", ".join(map(str, levels))), expected, at=("anchors",))
        return self

    @property
    def range(self) -> tuple[float, float]:
        return min(self.anchors), max(self.anchors)

    def read(self, raw: Any) -> str:
        value = None if isinstance(raw, bool) else number(re.sub(r"점$", "", fold(raw)))
        if value is None or value not in self.anchors:
            low, high = self.range
            expected = Text(f"{low}–{high} 사이의 정수", f"a whole number from {low} to {high}")
            raise Off(expected, raw)
        return plain(value)

    def points(self) -> dict[str, float]:
        return {str(level): float(level) for level in self.anchors}


_YES = {"1", "true", "yes", "y", "o", "예", "네", "충족", "met", "○", "◯", "✓", "✔"}
_NO = {"0", "false", "no", "n", "x", "아니오", "아니요", "미충족", "unmet", "×", "✕", "✗", "✘"}


class Binary(Frozen):
    """Met or unmet.

    >>> Binary(type="binary").read("충족"), Binary(type="binary").read(0)
    ('1', '0')
    """

    type: Literal["binary"]
    met: Words = Text("충족", "met")
    unmet: Words = Text("미충족", "unmet")
    level: Level = "nominal"

    @property
    def range(self) -> tuple[float, float]:
        return 0, 1

    def read(self, raw: Any) -> str:
        text = fold(raw).casefold()
        if text in _YES:
            return "1"
        if text in _NO:
            return "0"
        value = number(text)
        if value in {0, 1}:
            return str(int(value))
        raise Off(Text("0(미충족) 또는 1(충족)", "0 (unmet) or 1 (met)"), raw)

    def points(self) -> dict[str, float]:
        return {"0": 0.0, "1": 1.0}


class Shown(Frozen):
    """How an element was rated in an example reply."""

    value: Literal[0, 1]
    evidence: str


class Element(Frozen):
    """One yes-or-no question of a checklist."""

    key: Key
    name: Words
    question: Words
    example: Shown | None = None


class Checklist(Frozen):
    """Binary elements whose answers a formula turns into the criterion's score.

    The formula may use `met` (how many elements are met), `count` (how many there are) and element keys.
    """

    type: Literal["checklist"]
    elements: tuple[Element, ...] = Field(min_length=1, max_length=200)
    formula: str = "met"
    level: Level = "interval"

    @model_validator(mode="after")
    def _known_names(self) -> Checklist:
        keys = [element.key for element in self.elements]
        for place, key in enumerate(keys):
            if key in keys[:place] or key in ("met", "count"):
                expected = Text(
                    "서로 다른 요소 키(met, count 제외)",
                    "element keys that differ (and are not met or count)",
                )
                raise Fault(key, expected, at=("elements", place, "key"))
        _known_names(self.formula, {"met", "count", *keys}, Text("요소", "element"))
        _ = self.range
        return self

    @property
    def range(self) -> tuple[float, float]:
        count = len(self.elements)
        known = {"met": (0.0, float(count)), "count": (float(count), float(count))}
        known |= {element.key: (0.0, 1.0) for element in self.elements}
        return _bounds(self.formula, known)

    def read(self, raw: Any) -> str:
        """A rater may give the criterion's score itself, for instance from a form of item scores."""
        low, high = self.range
        return _within(raw, low, high)


class Label(Frozen):
    """One verdict: what it means and what it is worth."""

    points: Number
    text: Words


class Verdict(Frozen):
    """Named verdicts, each worth points.

    >>> v = Verdict(type="verdict", labels={"GOOD": {"points": 4, "text": "좋음"}})
    >>> v.read("good"), v.points()
    ('GOOD', {'GOOD': 4.0})
    """

    type: Literal["verdict"]
    labels: dict[Key, Label] = Field(min_length=1)
    measure: str | None = None
    level: Level = "ordinal"

    @model_validator(mode="after")
    def _differ(self) -> Verdict:
        seen: set[str] = set()
        for key in self.labels:
            if key.casefold() in seen:
                expected = Text(
                    "대소문자와 관계없이 서로 다른 판정", "verdicts that differ in more than capitals"
                )
                raise Fault(key, expected, at=("labels", key))
            seen.add(key.casefold())
        return self

    @property
    def range(self) -> tuple[float, float]:
        points = [label.points for label in self.labels.values()]
        return min(points), max(points)

    def read(self, raw: Any) -> str:
        text = fold(raw).casefold()
        for key in self.labels:
            if key.casefold() == text:
                return key
        known = ", ".join(self.labels)
        raise Off(Text(f"다음 중 하나: {known}", f"one of {known}"), raw)

    def points(self) -> dict[str, float]:
        return {key: label.points for key, label in self.labels.items()}


class Computed(Frozen):
    """Points that a formula makes of measures, kept within low and high."""

    type: Literal["formula"]
    formula: str
    measures: tuple[Key, ...] = Field(min_length=1)
    low: Number
    high: Number
    missing: Number | None = None
    level: Level = "interval"

    @model_validator(mode="after")
    def _known_names(self) -> Computed:
        _known_names(self.formula, set(self.measures), Text("측정값", "measure"))
        if self.low >= self.high:
            found = f"{plain(self.low)}, {plain(self.high)}"
            raise Fault(found, Text("low < high", "low below high"), at=("high",))
        return self

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.high

    def read(self, raw: Any) -> str:
        return _within(raw, self.low, self.high)


class Open(Frozen):
    """Words that are kept, shown and exported, and enter no figure."""

    type: Literal["text"]
    level: Level = "nominal"

    def read(self, raw: Any) -> str:
        return str(raw).strip()


Scale = Annotated[
    Likert | Binary | Checklist | Verdict | Bands | Computed | Open,
    Field(discriminator="type"),
]


def _known_names(formula: str, known: set[str], noun: Text) -> None:
    """Refuse a formula that cannot be read or that names something unknown."""
    try:
        unknown = sorted(Formula(formula).names - known)
    except Fault as fault:
        raise Fault(fault.found, fault.expected, at=("formula",)) from None
    if unknown:
        names = shorten(", ".join(sorted(known)))
        expected = Text(f"아는 {noun.ko}: {names}", f"a known {noun.en}: {names}")
        raise Fault(", ".join(unknown), expected, at=("formula",))


def _bounds(formula: str, known: dict[str, tuple[float, float]]) -> tuple[float, float]:
    try:
        return Formula(formula).bounds(known)
    except Fault as fault:
        raise Fault(fault.found, fault.expected, at=("formula",)) from None


def _within(raw: Any, low: float, high: float) -> str:
    value = measured(raw)
    if value is None or not low <= value <= high:
        ends = f"{plain(low)}–{plain(high)}"
        raise Off(Text(f"{ends} 사이의 수", f"a number from {ends}"), raw)
    return plain(value)
