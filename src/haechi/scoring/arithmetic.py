"""The rubric's arithmetic as column expressions: element → criterion → area → total."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from haechi.rubrics.formula import Formula
from haechi.rubrics.model import Derived, Missing, Rubric
from haechi.rubrics.scales import Bands, Checklist


def checklist_score(scale: Checklist, elements: Mapping[str, pl.Expr]) -> pl.Expr:
    """The score of a checklist; null as soon as one element that the formula needs is null.

    >>> scale = Checklist(type="checklist", formula="met + 1", elements=[
    ...     {"key": "a", "name": "가", "question": "가?"}, {"key": "b", "name": "나", "question": "나?"}])
    >>> frame = pl.DataFrame({"a": [1.0, 1.0], "b": [0.0, None]})
    >>> frame.select(s=checklist_score(scale, {"a": pl.col("a"), "b": pl.col("b")}))["s"].to_list()
    [2.0, None]
    """
    met = sum((elements[element.key] for element in scale.elements), start=pl.lit(0.0))
    score: pl.Expr = Formula(scale.formula).evaluate(
        {"met": met, "count": len(elements), **elements}
    ) + pl.lit(0.0)
    return score


def derived_score(derived: Derived, rubric: Rubric, missing: Missing) -> pl.Expr:
    """A derived score from the columns of its parts.

    A missing part makes it missing; with `renormalise` means are taken over the parts that are there.
    """
    parts = [pl.col(part) for part in derived.parts]
    if derived.by == "first":
        return pl.coalesce(parts)
    weights = list(derived.weights.values()) if derived.weights else [1.0] * len(parts)
    if derived.by == "share":
        reachable = sum(rubric.range(part)[1] for part in derived.parts)
        return pl.sum_horizontal(parts, ignore_nulls=False) / reachable
    if derived.by == "sum":
        return pl.sum_horizontal(parts, ignore_nulls=False)
    lenient = missing == "renormalise"
    weighted = [part * weight for part, weight in zip(parts, weights, strict=True)]
    present = [part.is_not_null() * weight for part, weight in zip(parts, weights, strict=True)]
    whole = pl.sum_horizontal(present) if lenient else pl.lit(float(sum(weights)))
    return pl.when(whole > 0).then(pl.sum_horizontal(weighted, ignore_nulls=lenient) / whole)


def banded(scale: Bands, measured: pl.Expr) -> pl.Expr:
    """The points of a measured column; null where no band holds the number.

    >>> bands = [{"range": "[0, 5]", "points": 5}, {"range": "(5, inf)", "points": 0}]
    >>> scale = Bands(type="bands", bands=bands)
    >>> pl.DataFrame({"s": [5.0, 5.0001, None]}).select(banded(scale, pl.col("s")))["s"].to_list()
    [5.0, 0.0, None]
    """
    points = pl.lit(None, pl.Float64)
    for band in scale.bands:
        low, low_in, high, high_in = band.range
        above = measured >= low if low_in else measured > low
        below = measured <= high if high_in else measured < high
        points = pl.when(above & below).then(pl.lit(band.points, pl.Float64)).otherwise(points)
    return points.alias(measured.meta.output_name())
