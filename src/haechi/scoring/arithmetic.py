"""The arithmetic of areas and totals as column expressions; a criterion's own is its scale's."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from haechi.rubrics.model import Missing, Rubric
from haechi.rubrics.parts import Derived

MEANS = ("mean", "weighted_mean")
"""The ways of making a score in which a part can be left out and the weights of the others stay."""


def derived_score(
    derived: Derived, rubric: Rubric, missing: Missing, left_out: Mapping[str, pl.Expr] | None = None
) -> pl.Expr:
    """A derived score from the columns of its parts.

    A missing part makes it missing; with `renormalise` means are taken over the parts that are there.
    left_out: of a mean, in which rows a part that is 0 does not count.
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
    weighted = (
        [part * weight for part, weight in zip(parts, weights, strict=True)] if derived.weights else parts
    )
    if not (lenient or left_out):
        return pl.sum_horizontal(weighted, ignore_nulls=False) / float(sum(weights))
    there = [part.is_not_null() if lenient else pl.lit(True) for part in parts]
    if left_out:
        there = [one & ~left_out[part] for one, part in zip(there, derived.parts, strict=True)]
    present = [one * weight for one, weight in zip(there, weights, strict=True)]
    whole = pl.sum_horizontal(present)
    return pl.when(whole > 0).then(pl.sum_horizontal(weighted, ignore_nulls=lenient) / whole)
