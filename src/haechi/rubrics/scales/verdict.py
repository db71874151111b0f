"""Verdict: named verdicts, each worth points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from haechi.rubrics.fault import Fault
from haechi.rubrics.fields import Frozen, Many
from haechi.rubrics.scales.base import MEANING, POINTS, Choice, Explained, Say, Scale
from haechi.rubrics.values import Key, Level, Number, Off, Words, fold, plain
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

_OUTCOME, _OK, _FAILED = "outcome", "OK", "FAILED"


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
