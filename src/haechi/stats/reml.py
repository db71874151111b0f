"""Restricted likelihood of two crossed factors: one is absorbed, the other kept as one matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.ratings import Floats, Integers

_CHUNK = 4_000_000
_FARTHEST, _CLOSE, _MOST_STEPS = 40.0, 1e-9, 100


@frozen
class Sums:
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
    def of(cls, absorbed: Integers, kept: Integers, value: Floats, count: Floats, q: int) -> Sums:
        sizes = np.bincount(absorbed, minlength=count.size)
        different = np.flatnonzero(np.bincount(sizes[sizes > 0]))  # `np.unique` would import `np.ma`
        together = np.zeros((different.size, q, q))
        values, squares = np.zeros((different.size, q)), np.zeros(different.size)
        order = np.argsort(absorbed, kind="stable")
        starts = np.cumsum(sizes) - sizes
        for g, size in enumerate(different.tolist()):
            own = np.flatnonzero(sizes == size)
            step = max(1, _CHUNK // max(q, size))
            for first in range(0, own.size, step):
                some = own[first : first + step]
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

    @cached_property
    def n(self) -> float:
        """How many ratings there are."""
        return float(self.own.sum())

    def met(self, weight: Floats) -> Floats:
        """(q, q) how often two levels of the kept factor meet, weighted by the size of the absorbed level."""
        q = self.own.size
        return (weight @ self.together.reshape(-1, q * q)).reshape(q, q)

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
        return int(np.count_nonzero(np.bincount(label[rated]))), float(share.max())

    def fit_one(self) -> tuple[float, float]:
        """The component of the absorbed factor and the residual, where the kept one has a single level: the mean."""
        if self.sum_of_squares - float((1 / self.size) @ self.squares) <= 1e-13 * self.sum_of_squares:
            absorbed, _, residual = self._exact(np.zeros(1))
            return absorbed, residual
        around = cache(lambda ratio: _around_mean(self, ratio))
        ratio = _root(lambda ratio: around(ratio)[0])
        _, residual = around(ratio)
        return ratio * residual, residual

    def fit(self) -> tuple[float, float, float]:
        """The components of the absorbed factor, of the kept one, and the residual."""
        at = _Profile(self, math.inf)
        if at.rest <= 1e-13 * self.sum_of_squares:
            return self._exact(at.effects)
        profile = cache(lambda ratio: _Profile(self, ratio))
        first = _root(lambda ratio: profile(ratio).slope)
        best = profile(first)
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

    def __init__(self, sums: Sums, given: float) -> None:
        fixed = math.isinf(given)
        grown = sums.size if fixed else 1 + given * sums.size
        shrunk = 1 / grown if fixed else given / grown
        information = np.diag(sums.own) - sums.met(shrunk)
        seen = sums.total - shrunk @ sums.values
        left = sums.sum_of_squares - float(shrunk @ sums.squares)
        d, u = np.linalg.eigh(information)
        d = np.maximum(d, 0.0)
        one, v = u.sum(axis=0), seen @ u
        if fixed:
            used = (d > 1e-9 * d.max(initial=0.0)) & (d > 1e-9)
            inverse = np.divide(1.0, d, out=np.zeros_like(d), where=used)
            self.rest, self.effects = left - float(v**2 @ inverse), u @ (v * inverse)
            return
        df = sums.n - 1
        axes = _Axes(d, one, v, left, df)
        self.ratio = _root(lambda ratio: axes.at(ratio).slope)
        best = axes.at(self.ratio)
        self.residual = best.rest / df
        inner = (u / (1 + self.ratio * d)) @ u.T
        slopes = 1 / grown**2
        met = sums.met(slopes)
        weight = inner.sum(axis=0)
        predicted = best.mean + self.ratio * (u @ ((v - best.mean * d * one) / (1 + self.ratio * d)))
        missed = float(slopes @ (sums.squares - 2 * sums.values @ predicted)) + predicted @ met @ predicted
        self.slope = (
            float(sums.levels @ (sums.size / grown))
            - self.ratio * float((inner * met).sum())
            - float(weight @ met @ weight) / best.precision
            - df * missed / best.rest
        )


def _around_mean(sums: Sums, given: float) -> tuple[float, float]:
    """What `_Profile` says of a kept factor with a single level and no variance: the slope and the residual."""
    grown = 1 + given * sums.size
    shrunk, slopes, df = given / grown, 1 / grown**2, sums.n - 1
    precision = float(sums.own[0] - sums.met(shrunk)[0, 0])
    total = float((sums.total - shrunk @ sums.values)[0])
    left = sums.sum_of_squares - float(shrunk @ sums.squares)
    mean = total / precision
    rest = left - mean * total * 2 + mean**2 * precision
    met = float(sums.met(slopes)[0, 0])
    missed = float(slopes @ (sums.squares - 2 * sums.values[:, 0] * mean)) + mean * met * mean
    slope = float(sums.levels @ (sums.size / grown)) - met / precision - df * missed / rest
    return slope, rest / df


class _Given(NamedTuple):
    """The likelihood where both ratios are given: its slope by the kept one, and what the other slope needs."""

    slope: float
    precision: float
    mean: float
    rest: float


class _Axes:
    """The axes in which the kept factor's information is diagonal, and what does not depend on its ratio.

    They are few, and asked for many times: plain numbers are quicker than arrays, which take longer to call than to compute.
    """

    def __init__(self, d: Floats, one: Floats, v: Floats, left: float, df: float) -> None:
        self._axes = list(zip(d.tolist(), one.tolist(), v.tolist(), strict=True))
        self._left, self._df = left, df
        self._sum, self._information = float(one @ v), float(one**2 @ d)

    def at(self, ratio: float) -> _Given:
        trace = precision = squared = seen = 0.0
        for d, one, v in self._axes:
            shrunk = 1 / (1 + ratio * d)
            known = d * shrunk
            trace += known
            precision += one * one * known
            squared += one * one * known * known
            seen += one * v * shrunk
        mean = seen / precision
        explained = pulled = 0.0
        for d, one, v in self._axes:
            away, shrunk = v - mean * d * one, 1 / (1 + ratio * d)
            explained += away * away * shrunk
            pulled += away * away * shrunk * shrunk
        rest = self._left - mean * self._sum * 2 + mean**2 * self._information - ratio * explained
        return _Given(trace - squared / precision - self._df * pulled / rest, precision, mean, rest)


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
    if (value < 0) == (beyond < 0):  # it goes on for ever: all the variance is here, or none
        return math.exp(there)
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
