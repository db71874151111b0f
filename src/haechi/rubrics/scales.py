"""The scales: each owns its allowed values, its points and its measurement level."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from haechi.rubrics.formula import Formula
from haechi.text import Text

Level = Literal["nominal", "ordinal", "interval", "ratio"]
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class Frozen(BaseModel):
    """A part of a rubric: unknown keys are refused and nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


def _words(value: Any) -> Any:
    if isinstance(value, str):
        return Text(value.strip())
    if isinstance(value, Text):
        return value
    fits = isinstance(value, dict) and value and set(value) <= {"ko", "en"}
    if fits and all(isinstance(text, str) for text in value.values()):
        return Text(value.get("ko", "").strip(), value.get("en", "").strip())
    raise ValueError("a text, or {ko: text, en: text}")


def _key(value: Any) -> Any:
    if not isinstance(value, str) or not KEY.fullmatch(value):
        raise ValueError("a key: a Latin letter, then letters, digits, _ or - (at most 64)")
    return value


Words = Annotated[Text, BeforeValidator(_words)]
Key = Annotated[str, BeforeValidator(_key)]


class Off(ValueError):
    """A value that is not on the scale; says what would be."""

    def __init__(self, expected: Text) -> None:
        super().__init__(expected.en)
        self.expected = expected


def fold(value: Any) -> str:
    """A raw value as trimmed text, full-width characters as their usual ones.

    >>> fold(" ４ "), fold(4.0), fold(True)
    ('4', '4', '1')
    """
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return unicodedata.normalize("NFKC", str(value)).strip()


def number(text: str) -> float | None:
    """A finite number written in plain digits, else None.

    >>> number("4.50"), number("NaN"), number("1_000")
    (4.5, None, None)
    """
    if not re.fullmatch(r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", text, re.ASCII):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def plain(value: float) -> str:
    """A number as short text: 4 rather than 4.0."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


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
        if levels != list(range(min(levels), max(levels) + 1)):
            raise ValueError(f"levels one after the other with no gap, not {levels}")
        if any(not text.ko for text in self.anchors.values()):
            raise ValueError("an anchor text for every level")
        return self

    @property
    def range(self) -> tuple[float, float]:
        return min(self.anchors), max(self.anchors)

    def read(self, raw: Any) -> str:
        value = number(re.sub(r"점$", "", fold(raw)))
        if value is None or value not in self.anchors:
            low, high = self.range
            raise Off(Text(f"{low}–{high} 사이의 정수", f"a whole number from {low} to {high}"))
        return plain(value)

    def points(self) -> dict[str, float]:
        return {str(level): float(level) for level in self.anchors}


_YES = {"1", "true", "yes", "y", "o", "예", "네", "충족", "met"}
_NO = {"0", "false", "no", "n", "x", "아니오", "아니요", "미충족", "unmet"}


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
        value = number(text)
        if text in _YES or value == 1:
            return "1"
        if text in _NO or value == 0:
            return "0"
        raise Off(Text("0(미충족) 또는 1(충족)", "0 (unmet) or 1 (met)"))

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
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f"every element key once; twice: {', '.join(twice)}")
        unknown = sorted(Formula(self.formula).names - {"met", "count", *keys})
        if unknown:
            raise ValueError(f"formula names an unknown element: {', '.join(unknown)}")
        _ = self.range
        return self

    @property
    def range(self) -> tuple[float, float]:
        count = len(self.elements)
        known = {"met": (0.0, float(count)), "count": (float(count), float(count))}
        known |= {element.key: (0.0, 1.0) for element in self.elements}
        return Formula(self.formula).bounds(known)

    def read(self, raw: Any) -> str:
        """A rater may give the criterion's score itself, for instance from a form of item scores."""
        low, high = self.range
        return _within(raw, low, high)


class Label(Frozen):
    """One verdict: what it means and what it is worth."""

    points: float = Field(allow_inf_nan=False)
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
        raise Off(Text(f"다음 중 하나: {known}", f"one of {known}"))

    def points(self) -> dict[str, float]:
        return {key: label.points for key, label in self.labels.items()}


class Interval(NamedTuple):
    """A stretch of numbers such as (5, 8].

    >>> Interval.read("(5, 8]")
    Interval(low=5.0, low_in=False, high=8.0, high_in=True)
    """

    low: float
    low_in: bool
    high: float
    high_in: bool

    @classmethod
    def read(cls, text: str) -> Interval:
        match = re.fullmatch(r"\s*([\[(])\s*(\S+?)\s*,\s*(\S+?)\s*([\])])\s*", text)
        ends = (
            [math.inf if e == "inf" else -math.inf if e == "-inf" else number(e) for e in match.groups()[1:3]]
            if match
            else []
        )
        if not match or ends[0] is None or ends[1] is None:
            raise ValueError(f"a range such as (5, 8] or [0, 5) or (20, inf), not {text!r}")
        interval = cls(ends[0], match[1] == "[", ends[1], match[4] == "]")
        if interval.low > interval.high or (
            interval.low == interval.high and not (interval.low_in and interval.high_in)
        ):
            raise ValueError(f"a range that holds a number, not {text!r}")
        return interval

    def meets(self, following: Interval) -> bool:
        """Whether `following` goes on exactly where this stretch ends."""
        return self.high == following.low and self.high_in != following.low_in


def _interval(value: Any) -> Any:
    return Interval.read(value) if isinstance(value, str) else value


class Band(Frozen):
    """A stretch of a measured number and the points it is worth."""

    range: Annotated[Interval, BeforeValidator(_interval)]
    points: float = Field(allow_inf_nan=False)
    text: Words | None = None


class Bands(Frozen):
    """A measured number, banded into points; the bands follow each other without hole or overlap.

    >>> b = Bands(type="bands", measure="seconds", bands=[{"range": "[0, 5]", "points": 5},
    ...                                                   {"range": "(5, inf)", "points": 0}])
    >>> b.points_of(5.0), b.points_of(5.0001), b.points_of(-1)
    (5.0, 0.0, None)
    """

    type: Literal["bands"]
    measure: str | None = None
    unit: Words | None = None
    bands: tuple[Band, ...] = Field(min_length=1)
    missing: float | None = None
    level: Level = "ordinal"

    @model_validator(mode="after")
    def _no_hole(self) -> Bands:
        for first, second in zip(self.sorted, self.sorted[1:], strict=False):
            if not first.range.meets(second.range):
                pair = f"{_say(first.range)} is not followed by {_say(second.range)}"
                raise ValueError(f"bands without hole or overlap: {pair}")
        return self

    @property
    def sorted(self) -> list[Band]:
        return sorted(self.bands, key=lambda band: (band.range.low, not band.range.low_in))

    @property
    def range(self) -> tuple[float, float]:
        points = [band.points for band in self.bands] + ([self.missing] if self.missing is not None else [])
        return min(points), max(points)

    def points_of(self, value: float) -> float | None:
        for band in self.bands:
            low, low_in, high, high_in = band.range
            if (value > low or (low_in and value == low)) and (value < high or (high_in and value == high)):
                return band.points
        return None

    def read(self, raw: Any) -> str:
        value = number(fold(raw))
        if value is None or self.points_of(value) is None:
            ends = self.sorted
            stretch = f"{_say(ends[0].range)} … {_say(ends[-1].range)}"
            raise Off(Text(f"다음 범위의 수: {stretch}", f"a number within {stretch}"))
        return plain(value)


class Computed(Frozen):
    """Points that a formula makes of measures, kept within low and high."""

    type: Literal["formula"]
    formula: str
    measures: tuple[Key, ...] = Field(min_length=1)
    low: float
    high: float
    missing: float | None = None
    level: Level = "interval"

    @model_validator(mode="after")
    def _known_names(self) -> Computed:
        unknown = sorted(Formula(self.formula).names - set(self.measures))
        if unknown:
            raise ValueError(f"formula names an unknown measure: {', '.join(unknown)}")
        if self.low >= self.high:
            raise ValueError("low below high")
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


def _within(raw: Any, low: float, high: float) -> str:
    value = number(fold(raw))
    if value is None or not low <= value <= high:
        ends = f"{plain(low)}–{plain(high)}"
        raise Off(Text(f"{ends} 사이의 수", f"a number from {ends}"))
    return plain(value)


def _say(interval: Interval) -> str:
    opening, closing = "[" if interval.low_in else "(", "]" if interval.high_in else ")"
    return f"{opening}{interval.low:g}, {interval.high:g}{closing}"
