"""A quantile of a sample with its distribution-free interval: how slow are the slowest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from haechi.stats.distributions import Z95, binomial_below, t_quantile
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.ratings import Given, Integers, as_values
from haechi.stats.reasons import NOTHING, fewer_than
from haechi.stats.sample import Sample

_CLUSTERS = 20


class InClusters(NamedTuple):
    """Of every cluster how many values it has, and how many of these do not lie above the quantile; (clusters,) both."""

    below: Integers
    n: Integers

    @classmethod
    def of(cls, values: Given, clusters: Given, at: float) -> InClusters:
        """Count values, NaN left out; clusters: (n,) anything hashable.

        >>> InClusters.of([1, 2, 3, 9], ["a", "a", "b", "b"], 2.5).below.tolist()
        [2, 0]
        """
        array = as_values(values)
        known = ~np.isnan(array)
        _, whose = np.unique(np.asarray(clusters)[known], return_inverse=True)
        return cls(np.bincount(whose, array[known] <= at).astype(np.int64), np.bincount(whose))

    def worth(self) -> int:
        """How many independent values they are worth: n over the design effect, fewer for the clusters' few degrees of freedom.

        The design effect is the variance of the share below the quantile over clusters for each that independent values
        would have; it is never taken for less than 1. Reference: Korn & Graubard 1998, Survey Methodology 24, 193–201.

        >>> InClusters(np.array([5, 5, 0, 0]), np.array([5, 5, 5, 5])).worth()
        1
        """
        n, clusters = int(self.n.sum()), self.n.size
        share = float(self.below.sum()) / n
        if clusters < 2 or not 0 < share < 1:
            return n if clusters == n else min(n, clusters)
        apart = self.below - share * self.n
        effect = clusters / (clusters - 1) * float(apart @ apart) / (n * share * (1 - share))
        fewer = (t_quantile(0.975, n - 1) / t_quantile(0.975, clusters - 1)) ** 2
        return max(1, math.floor(n / max(1.0, effect) * fewer))


def quantile(values: Given | Sample, share: float, clusters: InClusters | None = None) -> Figure:
    """The value below which a share of the sample lies, with the interval between two order statistics.

    Formula: at place h = (n − 1)·share, counted from 0, between x₍⌊h⌋₎ and its successor in proportion (R's type 7,
    numpy's "linear"). Interval: from x₍l₎ to x₍u₎ with l = max{i : P(B < i) ≤ .025} and u = min{i : P(B ≥ i) ≤ .025},
    B binomial(n, share), so that it holds at least 95 % of the time whatever the distribution; where the sample is too
    small to have such an l or u there is none. Of values in clusters they are the ranks of as many independent values as these
    are worth, stretched over all; of a tail there is an interval from 20 clusters on. Reference: Hyndman & Fan 1996, The American Statistician 50, 361–365;
    Conover 1999, Practical Nonparametric Statistics, 143–148. R: quantile(type = 7), DescTools::QuantileCI.

    values: (n,) NaN left out, or a sample; share: above 0 and below 1; clusters: where values come in such.

    >>> found = quantile(range(1, 101), 0.9)
    >>> round(found.value, 2), found.ci95
    (90.1, (84.0, 96.0))
    >>> quantile([1, 2, 3], 0.95).why_no_ci.en
    'an interval of this quantile needs at least 72 values, found 3'
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1, found {share}")
    sample = Sample.of(values)
    n = sample.n
    if n == 0:
        return undefined(NOTHING, 0)
    ends = sample.count.cumsum()

    def at(rank: int) -> float:
        """The value of a rank, counted from 0."""
        return float(sample.values[ends.searchsorted(rank, "right")])

    place = (n - 1) * share
    low = at(math.floor(place))
    value = low + (place - math.floor(place)) * (at(math.ceil(place)) - low)
    if clusters is None or clusters.n.size == n:
        ranks = _ranks(n, share)
        if ranks is None:
            return figure(value, n, None, _too_few(share, n))
        return figure(value, n, (at(ranks[0] - 1), at(ranks[1] - 1)))
    worth, many = clusters.worth(), clusters.n.size
    ranks = _ranks(worth, share)
    if ranks is None or (many < _CLUSTERS and not 0.25 <= share <= 0.75):
        return figure(value, n, None, _too_few_clusters(share, worth, many), clusters=many)
    low_rank, high_rank = math.floor(ranks[0] * n / worth), math.ceil(ranks[1] * n / worth)
    return figure(value, n, (at(low_rank - 1), at(min(high_rank, n) - 1)), clusters=many)


def _ranks(n: int, share: float) -> tuple[int, int] | None:
    """The order statistics between which the quantile lies, counted from 1."""
    reach = Z95 * math.sqrt(n * share * (1 - share))  # near enough to begin with
    low, high = max(0, math.floor(n * share - reach)), min(n, math.ceil(n * share + reach)) + 1
    while low <= n and binomial_below(low, n, share) <= 0.025:
        low += 1
    while low > 0 and binomial_below(low - 1, n, share) > 0.025:
        low -= 1
    while high > 0 and 1 - binomial_below(high - 2, n, share) <= 0.025:
        high -= 1
    while high <= n and 1 - binomial_below(high - 1, n, share) > 0.025:
        high += 1
    return (low, high) if low >= 1 and high <= n else None


def _needed(share: float) -> int:
    return math.ceil(math.log(0.025) / math.log(max(share, 1 - share)))


def _too_few_clusters(share: float, worth: int, many: int) -> Why:
    needed = _needed(share)
    if worth >= needed:
        return fewer_than(_CLUSTERS, "묶음", "clusters", many)
    return Why(
        f"이 분위수의 구간에는 서로 독립인 값이 {needed}개 이상 필요한데, 묶음 {many}개의 값은 {worth}개만큼입니다",
        f"an interval of this quantile needs at least {needed} independent values, and those of {many} clusters are worth {worth}",
    )


def _too_few(share: float, n: int) -> Why:
    needed = _needed(share)
    return Why(
        f"이 분위수의 구간에는 값이 {needed}개 이상 필요합니다 ({n}개 있음)",
        f"an interval of this quantile needs at least {needed} values, found {n}",
    )
