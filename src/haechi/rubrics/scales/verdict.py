"""Verdict: named verdicts, each worth points."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from haechi.regex import regex
from haechi.rubrics.fault import Fault
from haechi.rubrics.fields import Frozen, Many
from haechi.rubrics.scales.base import MEANING, POINTS, Choice, Explained, Say, Scale
from haechi.rubrics.values import Key, Level, Number, Off, Words, fold, plain
from haechi.text import Text, is_one_slip

if TYPE_CHECKING:
    import polars as pl

_NUMBER = r"-?\d{1,3}(?:\.\d{1,3})?"
# `GOOD`, `GOOD (4)`, `GOOD: its meaning`, `4`, `4점`, `4 (GOOD)`, `4: GOOD`
_SAID = regex(
    rf"(?P<before>[^\W\d][^\d(:,]*?)(?:\s*\((?P<points>{_NUMBER})점?\)|\s*[:,(]\s*(?P<words>\D*)|\s+[-–—]\s+(?P<more>\D*))?"
    rf"|(?P<first>{_NUMBER})점?(?:\s*[(:]\s*(?P<name>[^\W\d][^\d()]*?)\)?)?"
)
_OUTCOME, _OK, _FAILED = "outcome", "OK", "FAILED"


def _tight(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


class Label(Frozen):
    """One verdict: what it means and what it is worth."""

    points: Number
    text: Words


class Verdict(Scale):
    """Named verdicts, each worth points.

    >>> v = Verdict(type="verdict", labels={"GOOD": {"points": 4, "text": "좋음"}})
    >>> v.read("good"), v.worth, v.points
    ('GOOD', {'GOOD': 4.0}, (4.0,))
    """

    type: Literal["verdict"]
    labels: Annotated[dict[Key, Label], Many(1)]
    measure: str | None = None
    level: Level = "ordinal"

    is_category: ClassVar[bool] = True

    def check(self) -> None:
        seen: set[str] = set()
        for key in self.labels:
            if key.casefold() in seen:
                expected = Text(
                    "대소문자와 관계없이 서로 다른 등급", "verdicts that differ in more than capitals"
                )
                raise Fault(key, expected, at=("labels", key))
            seen.add(key.casefold())

    @property
    def worth(self) -> dict[str, float]:
        """The points of every verdict."""
        return {key: label.points for key, label in self.labels.items()}

    def read(self, raw: Any) -> str:
        text = fold(raw).casefold()
        for key in self.labels:
            if key.casefold() == text:
                return key
        known = ", ".join(self.labels)
        raise Off(Text(f"다음 중 하나: {known}", f"one of {known}"), raw)

    def spoken(self, text: str) -> str | None:
        """A verdict in other capitals and gaps, with or as its points, with its meaning behind it, or one letter off.

        >>> v = Verdict(type="verdict", labels={"WRONG_PLACE": {"points": 1, "text": "-"}, "GOOD": {"points": 4, "text": "-"}})
        >>> v.spoken("Wrong place"), v.spoken("GOOD (4점)"), v.spoken("4"), v.spoken("GOOD (1)"), v.spoken("GOOD or WRONG_PLACE")
        ('WRONG_PLACE', 'GOOD', 'GOOD', None, None)
        """
        found = _SAID.fullmatch(fold(text).strip("*_`\"' ."))
        if found is None or self.takes(text):
            return None
        names = [name for name in (found["before"], found["name"]) if name]
        numbers = [number for number in (found["first"], found["points"]) if number]
        meant = {*map(self._called, names), *map(self._worth, numbers)}
        meant |= {key for key in self.labels if key in (found["words"] or found["more"] or "")}
        return meant.pop() if len(meant) == 1 else None

    def _called(self, name: str) -> str | None:
        tight = _tight(name)
        same = [key for key in self.labels if _tight(key) == tight]
        close = same or [key for key in self.labels if len(tight) > 4 and is_one_slip(_tight(key), tight)]
        return close[0] if len(close) == 1 else None

    def _worth(self, number: str) -> str | None:
        said = [key for key, worth in self.worth.items() if float(number) == worth]
        return said[0] if len(said) == 1 else None

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(sorted(set(self.worth.values())))

    def points_by_rule(self, raw: Any) -> float:
        return self.worth[self.read(raw)]

    def category(self, points: float) -> str:
        return " / ".join(key for key, worth in self.worth.items() if worth == points) or super().category(
            points
        )

    @property
    def measured(self) -> tuple[str, ...]:
        return () if self.measure is None else (self.measure,)

    def refuse_measures(self, by_code: bool) -> None:
        if not by_code:
            super().refuse_measures(by_code)
        elif self.measure != _OUTCOME or set(self.labels) != {_OK, _FAILED}:
            raise self.wrong_measure(
                Text(
                    "`measure: outcome`과 등급 OK, FAILED",
                    "`measure: outcome` with the verdicts OK and FAILED",
                )
            )

    def choices(self, say: Say) -> tuple[Choice, ...]:
        labels = zip(self.labels.items(), self._keys(), strict=True)
        return tuple(Choice(name, key, name, say(label.text)) for (name, label), key in labels)

    def _keys(self) -> list[str]:
        """A verdict is given by the digit it is worth, if that is one digit and unlike the others."""
        digits = [plain(label.points) for label in self.labels.values()]
        if len(set(digits)) == len(digits) and all(len(digit) == 1 for digit in digits):
            return digits
        return [str(place) if place <= 9 else "" for place in range(1, len(digits) + 1)]

    def prompt_lines(self, say: Say) -> list[str]:
        return [f"- {key}: {say(label.text)}" for key, label in self.labels.items()]

    def value_hint(self, say: Say) -> str:
        return " | ".join(f'"{label}"' for label in self.labels)

    def value_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.labels)}

    def page(self, say: Say) -> Explained:
        head = (say(Text("등급", "verdict")), say(POINTS), say(MEANING))
        return Explained(
            head, [(key, plain(label.points), say(label.text)) for key, label in self.labels.items()]
        )

    def points_of_column(self, values: pl.Expr) -> pl.Expr:
        import polars as pl

        return values.replace_strict(self.worth, default=None, return_dtype=pl.Float64)

    def points_of_measures(self, measures: Mapping[str, pl.Expr]) -> pl.Expr:
        return self.points_of_column(measures[_OUTCOME])
