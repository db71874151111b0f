"""Variance components of items and raters, whoever rated what: by restricted maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haechi.stats.figure import OVERFLOW, Why
from haechi.stats.mean_squares import MeanSquares
from haechi.stats.ratings import Floats, Given, Integers, as_values, codes_of
from haechi.stats.reasons import ALL_IDENTICAL, NO_PAIR, NOTHING, ONE_ITEM, ONE_RATER

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
Method = Literal["anova", "reml"]
_MOST_LEVELS, _MOST_CELLS = 3_000, 50_000_000
_CHUNK = 4_000_000
_FARTHEST, _CLOSE, _MOST_STEPS = 40.0, 1e-9, 100
_MAIN_PIECE = 0.9
"""A few raters whom no item links to the others do no harm; with less than this share in one piece nothing is said."""


class Shape(NamedTuple):
    """How many items, raters and ratings; the harmonic mean of how many ratings an item has, and a rater gave."""

    items: int
    raters: int
    ratings: int
    per_item: float
    per_rater: float


@dataclass(frozen=True)
class Components:
    """Variance of the items, of the raters, and the residual, with its degrees of freedom and how they were found."""

    item: float
    rater: float
    residual: float
    shape: Shape
    df: int
    method: Method

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
        per_item = n / float((self.count[seen] / of_item[seen]).sum()) if n else 0.0
        per_rater = raters / float((1 / gave).sum()) if n else 0.0
        return Shape(n, raters, int(self.weight.sum()), per_item, per_rater)

    @np.errstate(all="ignore")
    def one_way(self) -> OneWay | Why:
        """Variance of items and within them by REML, whoever rated."""
        why = self.why_none()
        if why is not None:
            return why
        sums = _Sums.of(self.item, np.zeros_like(self.rater), self.value, self.count, 1)
        item, _, within = sums.fit(kept=False)
        return OneWay(item, within) if math.isfinite(item + within) else OVERFLOW

    def _absorbed(self) -> tuple[bool, _Sums | None]:
        """The sums after absorbing the items, or the raters where there are fewer items; None if both are too many."""
        sides = [(False, self.item, self.rater, self.raters)]
        if (self.count == 1).all():
            sides.append((True, self.rater, self.item, self.items))
        for swapped, absorbed, kept, levels in sorted(sides, key=lambda side: side[3]):
            sizes = np.unique(np.bincount(absorbed)).size
            if levels <= _MOST_LEVELS and sizes * levels**2 <= _MOST_CELLS:
                count = np.ones(self.raters) if swapped else self.count
                return swapped, _Sums.of(absorbed, kept, self.value, count, levels)
        return False, None


@dataclass(frozen=True)
class _Sums:
    """All that the likelihood needs, over the levels of the absorbed factor with `size` ratings each.

    levels: (g,) how many there are; together: (g, q, q) how often two levels of the kept factor meet in one; values:
    (g, q) sums of an absorbed level's values where the kept one occurs; squares: (g,) squared sums of values; own: (q,)
    ratings of each kept level, total: (q,) sums of their values; sum_of_squares: of all values.
    """

    size: Floats
    levels: Floats
    together: Floats
    values: Floats
    squares: Floats
    own: Floats
    total: Floats
    sum_of_squares: float

    @classmethod
    def of(cls, absorbed: Integers, kept: Integers, value: Floats, count: Floats, q: int) -> _Sums:
        sizes = np.bincount(absorbed, minlength=count.size)
        different = np.unique(sizes[sizes > 0])
        together = np.zeros((different.size, q, q))
        values, squares = np.zeros((different.size, q)), np.zeros(different.size)
        order = np.argsort(absorbed, kind="stable")
        starts = np.cumsum(sizes) - sizes
        for g, size in enumerate(different.tolist()):
            own = np.flatnonzero(sizes == size)
            step = max(1, _CHUNK // max(q, size))
            for some in np.split(own, range(step, own.size, step)):
                at = order[starts[some][:, None] + np.arange(size)]
                place = kept[at] + q * np.arange(some.size)[:, None]
                met = np.bincount(place.ravel(), minlength=q * some.size).reshape(-1, q).astype(np.float64)
                sums, weight = value[at].sum(axis=1), count[some]
                together[g] += (met.T * weight) @ met
                values[g] += (sums * weight) @ met
                squares[g] += weight @ sums**2
        levels = np.array([count[sizes == size].sum() for size in different])
        weight = count[absorbed]
        return cls(
            different.astype(np.float64),
            levels,
            together,
            values,
            squares,
            np.bincount(kept, weights=weight, minlength=q).astype(np.float64),
            np.bincount(kept, weights=weight * value, minlength=q).astype(np.float64),
            float(weight @ value**2),
        )

    @property
    def n(self) -> float:
        """How many ratings there are."""
        return float(self.own.sum())

    def pieces(self) -> tuple[int, float]:
        """How many groups there are that nothing links, and the share of ratings in the largest."""
        links = self.together.sum(axis=0) > 0
        label: NDArray[np.int64] = np.arange(self.own.size)
        while True:
            lowest = np.where(links, label, self.own.size).min(axis=1, initial=self.own.size)
            if (lowest == label).all() or (lowest >= label).all():
                break
            label = np.minimum(label, lowest)
        rated = self.own > 0
        share = np.bincount(label[rated], weights=self.own[rated]) / self.n
        return np.unique(label[rated]).size, float(share.max())

    def fit(self, kept: bool = True) -> tuple[float, float, float]:
        """The components of the absorbed factor, of the kept one, and the residual; without the kept one if so wished."""
        at = _Profile(self, math.inf, kept)
        if at.rest <= 1e-13 * self.sum_of_squares:
            return self._exact(at.effects)
        first = _root(lambda ratio: _Profile(self, ratio, kept).slope)
        best = _Profile(self, first, kept)
        residual = best.residual
        return first * residual, best.ratio * residual, residual

    def _exact(self, effects: Floats) -> tuple[float, float, float]:
        """Without any residual the levels' effects are known, and their variances are those of samples."""
        squares = self.squares - 2 * self.values @ effects
        squares += np.einsum("gij,i,j->g", self.together, effects, effects)
        sums = (self.values.sum(axis=1) - self.together.sum(axis=1) @ effects) / self.size
        n, rated = float(self.levels.sum()), effects[self.own > 0]
        mean = float((sums / self.size).sum()) / n
        absorbed = (float((squares / self.size**2).sum()) - n * mean**2) / (n - 1)
        return max(0.0, absorbed), float(rated.var(ddof=1)) if rated.size > 1 else 0.0, 0.0


class _Profile:
    """The likelihood where the ratio of the absorbed component to the residual is given, and the other is the best.

    slope: the derivative of −2 log L by the given ratio; ratio: that of the kept component; residual: its variance.
    Where the given ratio is infinite, the absorbed factor is fixed: `rest` is the residual sum of squares of the fixed
    two-way model, and `effects` are those of the kept factor.
    """

    def __init__(self, sums: _Sums, given: float, kept: bool) -> None:
        fixed = math.isinf(given)
        shrunk = 1 / sums.size if fixed else given / (1 + given * sums.size)
        information = np.diag(sums.own) - np.tensordot(shrunk, sums.together, 1)
        seen = sums.total - shrunk @ sums.values
        left = sums.sum_of_squares - float(shrunk @ sums.squares)
        d, u = np.linalg.eigh(information)
        d = np.maximum(d, 0.0)
        one, v = u.sum(axis=0), seen @ u
        if fixed:
            used = (d > 1e-9 * d.max(initial=0.0)) & kept & (d > 1e-9)
            inverse = np.divide(1.0, d, out=np.zeros_like(d), where=used)
            self.rest, self.effects = left - float(v**2 @ inverse), u @ (v * inverse)
            return
        df = sums.n - 1
        at = partial(_Given, d, one, v, left, df)
        self.ratio = _root(lambda ratio: at(ratio).slope) if kept else 0.0
        best = at(self.ratio)
        self.residual = best.rest / df
        inner = (u / (1 + self.ratio * d)) @ u.T
        slopes = 1 / (1 + given * sums.size) ** 2
        met = np.tensordot(slopes, sums.together, 1)
        weight = inner.sum(axis=0)
        predicted = best.mean + self.ratio * (u @ ((v - best.mean * d * one) / (1 + self.ratio * d)))
        missed = float(slopes @ (sums.squares - 2 * sums.values @ predicted)) + predicted @ met @ predicted
        self.slope = (
            float(sums.levels @ (sums.size / (1 + given * sums.size)))
            - self.ratio * float((inner * met).sum())
            - float(weight @ met @ weight) / best.precision
            - df * missed / best.rest
        )


class _Given:
    """The likelihood where both ratios are given, in the axes in which the kept factor's information is diagonal."""

    def __init__(self, d: Floats, one: Floats, v: Floats, left: float, df: float, ratio: float) -> None:
        shrunk = 1 / (1 + ratio * d)
        self.precision = float(one**2 @ (d * shrunk))
        self.mean = float(one * v @ shrunk) / self.precision
        away = v - self.mean * d * one
        self.rest = left - self.mean * float(one @ v) * 2 + self.mean**2 * float(one**2 @ d)
        self.rest -= ratio * float(away**2 @ shrunk)
        self.slope = (
            float((d * shrunk).sum())
            - float(one**2 @ (d * shrunk) ** 2) / self.precision
            - df * float((away * shrunk) @ (away * shrunk)) / self.rest
        )


def _root(slope: Callable[[float], float]) -> float:
    """Where a slope turns positive, 0 if it is nowhere negative: false position (Illinois) in the logarithm."""
    if not slope(0.0) < 0:
        return 0.0
    here, there = 0.0, 0.0  # logarithms of ratios
    value = beyond = slope(1.0)
    while (value < 0) == (beyond < 0) and abs(there) < _FARTHEST:
        here, value = there, beyond
        there += 2.0 if beyond < 0 else -2.0
        beyond = math.exp(there) * slope(math.exp(there))
    for _ in range(_MOST_STEPS):
        if beyond == value:
            break
        middle = there - beyond * (there - here) / (beyond - value)
        done = abs(middle - there) < _CLOSE
        found = math.exp(middle) * slope(math.exp(middle))
        if (found < 0) != (beyond < 0):
            here, value = there, beyond
        else:
            value /= 2
        there, beyond = middle, found
        if done:
            break
    return math.exp(there)
