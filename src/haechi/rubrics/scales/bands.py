"""Bands: a measured number and the points that each stretch of it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from haechi.rubrics.fault import Fault
from haechi.rubrics.fields import Many
from haechi.rubrics.scales.base import MEANING, POINTS, WITHOUT_VALUE, Explained, Say, Scale
from haechi.rubrics.scales.number_range import Band
from haechi.rubrics.values import Level, Number, Off, Words, measured, plain
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl


class Bands(Scale):
    """A measured number, banded into points; the bands follow each other without hole or overlap.

    >>> b = Bands(type="bands", measure="seconds", bands=[{"range": "[0, 5]", "points": 5},
    ...                                                   {"range": "(5, inf)", "points": 0}])
    >>> b.points_of(5.0), b.points_of(5.0001), b.points_of(-1)
    (5.0, 0.0, None)
    """

    type: Literal["bands"]
    measure: str | None = None
    unit: Words | None = None
    bands: Annotated[tuple[Band, ...], Many(1)]
    missing: Number | None = None
    level: Level = "ordinal"

    def check(self) -> None:
        for first, second in zip(self.sorted, self.sorted[1:], strict=False):
            if not first.range.meets(second.range):
                pair = f"{first.range.say()}, {second.range.say()}"
                expected = Text("빈틈도 겹침도 없는 구간", "bands without hole or overlap")
                raise Fault(pair, expected, at=("bands", self.bands.index(second)))

    @property
    def sorted(self) -> list[Band]:
        return sorted(self.bands, key=lambda band: (band.range.low, not band.range.low_in))

    @property
    def points(self) -> tuple[float, ...]:
        missing = set() if self.missing is None else {self.missing}
        return tuple(sorted({band.points for band in self.bands} | missing))

    def points_of(self, value: float) -> float | None:
        for band in self.bands:
            low, low_in, high, high_in = band.range
            if (value > low or (low_in and value == low)) and (value < high or (high_in and value == high)):
                return band.points
        return None

    def read(self, raw: Any) -> str:
        value = measured(raw)
        if value is None or self.points_of(value) is None:
            raise Off(self._expected, raw)
        return plain(value)

    @property
    def _expected(self) -> Text:
        first, last = self.sorted[0].range, self.sorted[-1].range  # without a hole between them
        return first._replace(high=last.high, high_in=last.high_in).in_words()

    def value_hint(self, say: Say) -> str:
        return say(self._expected)

    @property
    def measured(self) -> tuple[str, ...]:
        return () if self.measure is None else (self.measure,)

    @property
    def bands_of_measure(self) -> tuple[Band, ...]:
        return self.bands

    def prompt_lines(self, say: Say) -> list[str]:
        return [f"- {say(band.text)}" for band in self.bands if band.text is not None]

    def page(self, say: Say) -> Explained:
        unit = f" ({say(self.unit)})" if self.unit else ""
        head = ((self.measure or say(Text("값", "value"))) + unit, say(POINTS), say(MEANING))
        rows = [(b.range.say(), plain(b.points), say(b.text) if b.text else "") for b in self.bands]
        missing = () if self.missing is None else (f"{say(WITHOUT_VALUE)}: {plain(self.missing)}",)
        return Explained(head, rows, missing)

    def points_of_column(self, values: pl.Expr) -> pl.Expr:
        """The points of a measured column; null where no band holds the number.

        >>> import polars as pl
        >>> bands = [{"range": "[0, 5]", "points": 5}, {"range": "(5, inf)", "points": 0}]
        >>> scale = Bands(type="bands", bands=bands)
        >>> pl.DataFrame({"s": [5.0, 5.0001, None]}).select(s=scale.points_of_column(pl.col("s")))["s"].to_list()
        [5.0, 0.0, None]
        """
        import polars as pl

        values = super().points_of_column(values)
        points = pl.lit(None, pl.Float64)
        for band in self.bands:
            low, low_in, high, high_in = band.range
            above = values >= low if low_in else values > low
            below = values <= high if high_in else values < high
            points = pl.when(above & below).then(pl.lit(band.points, pl.Float64)).otherwise(points)
        return points

    def points_of_measures(self, measures: Mapping[str, pl.Expr]) -> pl.Expr:
        import polars as pl

        (values,) = measures.values()
        return pl.coalesce(self.points_of_column(values), pl.lit(self.missing, pl.Float64))
