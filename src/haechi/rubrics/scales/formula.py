"""Formula: points that a formula makes of measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from haechi.rubrics.fault import Fault
from haechi.rubrics.fields import Many
from haechi.rubrics.formula import Formula, refuse_unknown_names
from haechi.rubrics.scales.base import POINTS, WITHOUT_VALUE, Explained, Say, Scale, number_within
from haechi.rubrics.values import Key, Level, Number, plain
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl


class Computed(Scale):
    """Points that a formula makes of measures, kept within low and high."""

    type: Literal["formula"]
    formula: str
    measures: Annotated[tuple[Key, ...], Many(1)]
    low: Number
    high: Number
    missing: Number | None = None
    level: Level = "interval"

    def check(self) -> None:
        refuse_unknown_names(self.formula, set(self.measures), Text("측정값", "measure"))
        if self.low >= self.high:
            found = f"{plain(self.low)}, {plain(self.high)}"
            raise Fault(found, Text("low < high", "low below high"), at=("high",))

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.high

    def read(self, raw: Any) -> str:
        return number_within(raw, self.low, self.high)

    @property
    def measured(self) -> tuple[str, ...]:
        return self.measures

    @property
    def formula_of_measures(self) -> str:
        return self.formula

    def wrong_measure(self, expected: Text) -> Fault:
        return Fault(", ".join(sorted(set(self.measures))), expected, at=("measures",))

    def page(self, say: Say) -> Explained:
        notes = [f"{say(POINTS)} = {self.formula} ({plain(self.low)}–{plain(self.high)})"]
        notes += [] if self.missing is None else [f"{say(WITHOUT_VALUE)}: {plain(self.missing)}"]
        return Explained(notes=tuple(notes))

    def points_of_measures(self, measures: Mapping[str, pl.Expr]) -> pl.Expr:
        import polars as pl

        computed = Formula(self.formula).evaluate(measures)
        return pl.coalesce(computed.clip(self.low, self.high), pl.lit(self.missing, pl.Float64))
