"""Who answers at random: a rater whose values have nothing to do with what the others see in the same items."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from haechi.frozen import frozen
from haechi.stats.corrections import holm
from haechi.stats.correlation import fisher_z
from haechi.stats.distributions import Z95, normal_below
from haechi.stats.figure import Figure, Lang, figure, undefined
from haechi.stats.ratings import Floats, Given, Level, as_ratings, distinct
from haechi.stats.reasons import CONSTANT, fewer_than

LEAST_ITEMS, LEAST_RATERS = 20, 3
_LEVEL = 0.05


@frozen
class WithOthers:
    """How one rater goes with the others: the correlation with their mean, and what that of a typical rater is.

    p: of the hypothesis that the true correlation is at least half of the typical one, corrected over the raters (Holm).
    flag: "random" where that is ruled out and the correlation may be 0, "reversed" where it is below 0.
    """

    rater: Hashable
    correlation: Figure
    typical: float | None
    p: float | None
    flag: Literal["random", "reversed"] | None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "correlation": self.correlation.as_json(lang),
            "typical": self.typical,
            "p": self.p,
            "flag": self.flag,
        }


def random_raters(
    *criteria: Given, raters: Sequence[Hashable] | None = None, levels: Sequence[Level] = ()
) -> tuple[WithOthers, ...]:
    """Find raters who answer at random, or with the scale upside down.

    Formula: r of the rater's values with the mean of the others on the same items, pooled over the criteria within each of
    them: Σ xy / √(Σ x² Σ y²), values less their means, each criterion divided by its SD; of labels one column for each,
    the others' share in place of their mean. Typical is the median r of the other raters
    among themselves. A rater is flagged when the
    hypothesis ρ ≥ typical/2 is rejected (Fisher's z with the number of items, one-sided, Holm over all raters, 5 %), and
    r is not above 0 with 95 % confidence: so that at most one study in twenty names anybody who goes with the others half
    as well as is usual. Fewer than 20 shared items or 3 raters are never enough. Reference: Fisher 1921, Metron 1, 3–32.
    R: cor(x, rowMeans(others)).

    criteria: each (items, raters), NaN where missing, the same items and raters; levels: of each criterion.

    >>> random = np.random.default_rng(1)
    >>> votes = np.rint(3 + random.normal(size=(120, 1)) + random.normal(0, 0.5, (120, 4)))
    >>> votes[:, 3] = random.integers(1, 6, 120)
    >>> [one.flag for one in random_raters(votes, raters=["ann", "bo", "cho", "dice"])]
    [None, None, None, 'random']
    """
    matrices = [as_ratings(one) for one in criteria]
    if not matrices or any(one.shape != matrices[0].shape for one in matrices):
        raise ValueError("give one or more criteria of the same shape (items × raters)")
    k = matrices[0].shape[1]
    names = list(raters) if raters is not None else list(range(k))
    if len(names) != k:
        raise ValueError(f"{k} raters, but {len(names)} names")
    columns = [
        column
        for j, one in enumerate(matrices)
        for column in _columns(one, levels[j] if levels else "interval")
    ]
    n = np.max([_shared(one).sum(axis=0) for one in matrices], axis=0)
    r = _correlations(columns, k)
    everyone = [_with_others(name, float(r[j]), int(n[j]), k) for j, name in enumerate(names)]
    return _flagged(everyone, columns)


@np.errstate(all="ignore")
def _correlations(columns: Sequence[Floats], k: int) -> Floats:
    sums = sum((_products(column) for column in columns), np.zeros((3, k)))
    r: Floats = sums[0] / np.sqrt(sums[1] * sums[2])
    return r


@np.errstate(all="ignore")
def _columns(ratings: Floats, level: Level) -> list[Floats]:
    """Amounts in units of their SD, none where that is 0 or beyond what can be computed; of names a column of 0 and 1 for each."""
    if level == "nominal":
        kinds = distinct(ratings[~np.isnan(ratings)])
        if kinds.size > 2:
            return [np.where(np.isnan(ratings), np.nan, ratings == kind) for kind in kinds]
    spread = np.nanstd(ratings) if (~np.isnan(ratings)).sum() > 1 else 0.0
    return [ratings / spread] if 0 < spread < np.inf else []


def _shared(ratings: Floats) -> Any:
    """Where a rater rated what somebody else rated too."""
    known = ~np.isnan(ratings)
    return known & (known.sum(axis=1, keepdims=True) > 1)


def _products(ratings: Floats) -> Floats:
    """(3, raters): Σ xy, Σ x², Σ y² of own values and the means of the others, both less their means."""
    shared, known = _shared(ratings), ~np.isnan(ratings)
    count = known.sum(axis=1)
    total = np.where(known, ratings, 0.0).sum(axis=1)
    found = np.zeros((3, ratings.shape[1]))
    for j in range(ratings.shape[1]):
        at = shared[:, j]
        if at.sum() < 2:
            continue
        x = ratings[at, j]
        y = (total[at] - x) / (count[at] - 1)
        x, y = x - x.mean(), y - y.mean()
        found[:, j] = x @ y, x @ x, y @ y
    return found


def _with_others(name: Hashable, r: float, n: int, raters: int) -> WithOthers:
    if raters < LEAST_RATERS:
        found = undefined(fewer_than(LEAST_RATERS, "평가자", "raters", raters), n)
    elif n < LEAST_ITEMS:
        found = undefined(
            fewer_than(LEAST_ITEMS, "다른 사람도 평가한 항목", "items that others rated too", n), n
        )
    elif not math.isfinite(r):
        found = undefined(CONSTANT, n)
    else:
        half = Z95 / math.sqrt(n - 3)
        z = fisher_z(r)
        found = figure(max(-1.0, min(1.0, r)), n, (math.tanh(z - half), math.tanh(z + half)))
    return WithOthers(name, found, None, None, None)


def _flagged(everyone: list[WithOthers], columns: Sequence[Floats]) -> tuple[WithOthers, ...]:
    known = [i for i, one in enumerate(everyone) if one.correlation.value is not None]
    if len(known) < LEAST_RATERS:
        return tuple(everyone)
    typical = [_typical(everyone, i, known, columns) for i in known]
    raw = [
        normal_below(
            (fisher_z(float(everyone[i].correlation)) - fisher_z(usual / 2))
            * math.sqrt(everyone[i].correlation.n - 3)
        )
        for i, usual in zip(known, typical, strict=True)
    ]
    found = list(everyone)
    for i, usual, p in zip(known, typical, holm(raw).tolist(), strict=True):
        one = everyone[i]
        low, high = one.correlation.ci95 or (1.0, 1.0)
        away = p < _LEVEL and low <= 0
        flag: Literal["random", "reversed"] | None = (
            None if not away else "reversed" if high < 0 else "random"
        )
        found[i] = replace(one, typical=usual, p=p, flag=flag)
    return tuple(found)


def _typical(everyone: list[WithOthers], i: int, known: Sequence[int], columns: Sequence[Floats]) -> float:
    """The median r of the others; without this rater in their means, where this rater may be the odd one."""
    others = [j for j in known if j != i]
    r = np.array([float(everyone[j].correlation) for j in others])
    low, _ = everyone[i].correlation.ci95 or (0.0, 0.0)
    if low <= 0:
        among = _correlations([np.delete(column, i, axis=1) for column in columns], len(everyone) - 1)
        r = among[[j - (j > i) for j in others]]
    there = np.sort(r[np.isfinite(r)])
    return max(0.0, float(there[(there.size - 1) // 2] + there[there.size // 2]) / 2) if there.size else 0.0
