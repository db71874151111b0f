"""Variance components of items and raters, whoever rated what: by restricted maximum likelihood."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.figure import OVERFLOW, Why
from haechi.stats.mean_squares import MeanSquares
from haechi.stats.ratings import Floats, Given, Integers, as_values, codes_of
from haechi.stats.reasons import ALL_IDENTICAL, NO_PAIR, NOTHING, ONE_ITEM, ONE_RATER
from haechi.stats.reml import Sums

APART = Why(
    "함께 평가한 항목이 없는 평가자 집단들로 나뉘어 있어, 항목의 차이와 평가자의 차이를 나눌 수 없습니다",
    "the raters fall into groups that share no item: differences of items and of raters cannot be told apart",
)
NO_LOOP = Why(
    "평가가 너무 성겨서 평가자의 차이와 오차를 나눌 수 없습니다. 두 항목 이상을 함께 평가한 평가자들이 있어야 합니다",
    "the ratings are too sparse to tell raters from error: some raters must share two items or more",
)
TOO_WIDE = Why(
    "항목과 평가자가 모두 너무 많아 분산 성분을 계산하지 않습니다",
    "there are too many items and too many raters at once to compute variance components",
)
ComponentMethod = Literal["anova", "reml"]
_MOST_LEVELS, _MOST_CELLS = 3_000, 50_000_000
_MAIN_PIECE = 0.9
"""A few raters whom no item links to the others do no harm; with less than this share in one piece nothing is said."""


class Shape(NamedTuple):
    """How many items, raters and ratings; the harmonic mean of how many ratings an item has, and a rater gave."""

    items: int
    raters: int
    ratings: int
    per_item: float
    per_rater: float


@frozen
class Components:
    """Variance of the items, of the raters, and the residual, with its degrees of freedom and how they were found."""

    item: float
    rater: float
    residual: float
    shape: Shape
    df: int
    method: ComponentMethod

    def as_json(self) -> dict[str, float]:
        """The three variances."""
        return {"item": self.item, "rater": self.rater, "residual": self.residual}


class OneWay(NamedTuple):
    """Variance of the items and within them, where nobody asks who rated."""

    item: float
    within: float


def components_from(squares: MeanSquares) -> Components | Why:
    """The components of a complete design from its mean squares; what comes out below 0 is 0.

    >>> found = components_from(MeanSquares(n=6, k=4, items=11.2417, raters=32.4861, within=6.2639, error=1.0194))
    >>> round(found.item, 3), round(found.rater, 3), round(found.residual, 3)
    (2.556, 5.244, 1.019)
    """
    n, k = squares.n, squares.k
    if not math.isfinite(squares.items + squares.raters + squares.error):
        return OVERFLOW
    return Components(
        item=max(0.0, (squares.items - squares.error) / k),
        rater=max(0.0, (squares.raters - squares.error) / n),
        residual=squares.error,
        shape=Shape(n, k, n * k, float(k), float(n)),
        df=(n - 1) * (k - 1),
        method="anova",
    )


def components(item: Given, rater: Given, value: Given) -> Components | Why:
    """Variance components of ratings in long format by REML, or why there are none.

    Model: rating = mean + item + rater + residual, the three drawn independently from normal distributions; any item
    may have been rated by any raters, by one of them also repeatedly. On complete data the components are those of the
    analysis of variance, unless these are negative.

    Method: the factor with more levels is absorbed, which leaves sums over items with equally many ratings and one
    matrix as large as the other factor. For every ratio of the first component to the residual the best ratio of the
    second is a root in one variable (from one spectral decomposition); the first ratio is the root of the profile.
    References: Patterson & Thompson 1971, Biometrika 58, 545–554; Searle, Casella & McCulloch 1992, Variance
    Components. R: lme4::lmer(value ~ 1 + (1 | item) + (1 | rater)).

    >>> found = components([*"aabbccdd"], [*"xyxzyzxy"], [1, 2, 3, 3, 5, 6, 2, 4])
    >>> round(found.item, 4), round(found.rater, 4), round(found.residual, 4)
    (2.1032, 0.2223, 0.5751)
    """
    rows, items = codes_of(item)
    columns, raters = codes_of(rater)
    values = as_values(value)
    known = ~np.isnan(values)
    return Ratings(rows[known], columns[known], values[known], len(items), len(raters)).components()


def _harmonic_mean(sizes: NDArray[Any], count: Floats) -> float:
    """The harmonic mean of sizes that come so often each; equal ones are counted first, and lose nothing by rounding."""
    kinds, at = np.unique(sizes, return_inverse=True)
    often = np.bincount(at, weights=count)
    return float(often.sum() / (often / kinds).sum()) if kinds.size else 0.0


class Ratings:
    """Ratings one by one: the number of the item, of the rater, and the value; `count`: how many items each stands for."""

    def __init__(
        self,
        item: Integers,
        rater: Integers,
        value: Floats,
        items: int,
        raters: int,
        count: Floats | None = None,
    ) -> None:
        self.item, self.rater, self.items, self.raters = item, rater, items, raters
        self.count = np.ones(items) if count is None else count
        self.weight = self.count[item]
        with np.errstate(all="ignore"):
            self.value = value - self.weight @ value / self.weight.sum() if value.size else value

    @classmethod
    def of(cls, matrix: Floats, count: Integers | None = None) -> Ratings:
        """The ratings of a matrix of items × raters."""
        item, rater = np.nonzero(~np.isnan(matrix))
        times = None if count is None else count.astype(np.float64)
        return cls(item, rater, matrix[item, rater], matrix.shape[0], matrix.shape[1], times)

    def why_none(self) -> Why | None:
        """What is wanting for any variance to be estimated."""
        if not self.value.size:
            return NOTHING
        if self.shape.raters < 2:
            return ONE_RATER
        if self.shape.items < 2:
            return ONE_ITEM
        if self.shape.ratings == self.shape.items:
            return NO_PAIR
        if self.value.min() == self.value.max():
            return ALL_IDENTICAL
        return None if np.isfinite(self.weight @ self.value**2) else OVERFLOW

    @np.errstate(all="ignore")
    def components(self) -> Components | Why:
        """The components by REML."""
        why = self.why_none()
        if why is not None:
            return why
        swapped, sums = self._absorbed()
        if sums is None:
            return TOO_WIDE
        pieces, main = sums.pieces()
        if main < _MAIN_PIECE:
            return APART
        shape = self.shape
        df = shape.ratings - shape.items - shape.raters + pieces
        if df < 1:
            return NO_LOOP
        absorbed, kept, residual = sums.fit()
        if not math.isfinite(absorbed + kept + residual):
            return OVERFLOW
        item, rater = (kept, absorbed) if swapped else (absorbed, kept)
        return Components(item, rater, residual, shape, df, "reml")

    @cached_property
    def shape(self) -> Shape:
        """How many there are of everything."""
        of_item = np.bincount(self.item, minlength=self.items)
        of_rater = np.bincount(self.rater, weights=self.weight, minlength=self.raters)
        seen, gave = of_item > 0, of_rater[of_rater > 0]
        n, raters = int(self.count[seen].sum()), gave.size
        per_item = _harmonic_mean(of_item[seen], self.count[seen])
        per_rater = _harmonic_mean(gave, np.ones(raters))
        return Shape(n, raters, int(self.weight.sum()), per_item, per_rater)

    @np.errstate(all="ignore")
    def one_way(self) -> OneWay | Why:
        """Variance of items and within them by REML, whoever rated."""
        why = self.why_none()
        if why is not None:
            return why
        sums = Sums.of(self.item, np.zeros_like(self.rater), self.value, self.count, 1)
        item, within = sums.fit_one()
        return OneWay(item, within) if math.isfinite(item + within) else OVERFLOW

    def _absorbed(self) -> tuple[bool, Sums | None]:
        """The sums after absorbing the items, or the raters where there are fewer items; None if both are too many."""
        sides = [(False, self.item, self.rater, self.raters)]
        if (self.count == 1).all():
            sides.append((True, self.rater, self.item, self.items))
        for swapped, absorbed, kept, levels in sorted(sides, key=lambda side: side[3]):
            sizes = np.count_nonzero(np.bincount(np.bincount(absorbed)))
            if levels <= _MOST_LEVELS and sizes * levels**2 <= _MOST_CELLS:
                count = np.ones(self.raters) if swapped else self.count
                return swapped, Sums.of(absorbed, kept, self.value, count, levels)
        return False, None
