"""The two-way table of variance that ICC and Cronbach's alpha are made of."""

from __future__ import annotations

import math

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import OVERFLOW, Why
from haechi.stats.ratings import Floats, Integers, row_sums, sum_of_squares
from haechi.stats.reasons import ALL_IDENTICAL, NOTHING, ONE_RATER, fewer_than


@frozen
class MeanSquares:
    """Mean squares of a complete matrix of n items × k raters."""

    n: int
    k: int
    items: float
    raters: float
    within: float
    error: float


def complete(ratings: Floats) -> Floats:
    """The items that every rater rated."""
    if ratings.size == 0 or not math.isnan(ratings.min()):
        return ratings
    return ratings[~np.isnan(ratings).any(axis=1)]


@np.errstate(all="ignore")
def mean_squares(ratings: Floats, count: Integers | None = None) -> MeanSquares | Why:
    """Mean squares of the complete items, or why there are none; `count` says how many items a row stands for.

    Rounding leaves sums of squares of about 1e-16 of the total where they are zero; these are set to zero,
    so that raters who agree exactly are seen to.
    """
    full = complete(ratings)
    k = full.shape[1]
    weight = None if count is None else count[~np.isnan(ratings).any(axis=1)].astype(np.float64)
    n = full.shape[0] if weight is None else int(weight.sum())
    if not ratings.size or np.isnan(ratings).all():
        return NOTHING
    if k < 2:
        return ONE_RATER
    if n < 2:
        return fewer_than(2, "모든 평가자가 평가한 항목", "items rated by all raters", n)
    if full.min() == full.max():
        return ALL_IDENTICAL
    if weight is None:
        centred = full - full.mean()
        row = row_sums(centred)
        column = np.array([centred[:, j].sum() for j in range(k)])
        squares, squared_rows = sum_of_squares(centred), sum_of_squares(row)
        sum_of_rows = row.sum()
    else:
        centred = full - weight @ row_sums(full) / (n * k)
        row, column = row_sums(centred), weight @ centred
        squares, squared_rows = float(weight @ row_sums(centred**2)), float(weight @ row**2)
        sum_of_rows = weight @ row
    grand = sum_of_rows**2 / (n * k)
    total = squares - grand
    if not math.isfinite(total):
        return OVERFLOW
    items = _snapped(squared_rows / k - grand, total)
    raters = _snapped(sum_of_squares(column) / n - grand, total)
    error = _snapped(total - items - raters, total)
    return MeanSquares(
        n,
        k,
        items=items / (n - 1),
        raters=raters / (k - 1),
        within=_snapped(total - items, total) / (n * (k - 1)),
        error=error / ((n - 1) * (k - 1)),
    )


def _snapped(part: float, total: float) -> float:
    return 0.0 if part < 1e-13 * total else float(part)
