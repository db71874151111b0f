"""A quantile of a sample with its distribution-free interval: how slow are the slowest."""

from __future__ import annotations

import math

from haechi.stats.distributions import Z95, binomial_below
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.ratings import Given
from haechi.stats.reasons import NOTHING
from haechi.stats.sample import Sample


def quantile(values: Given | Sample, share: float) -> Figure:
    """The value below which a share of the sample lies, with the interval between two order statistics.

    Formula: at place h = (n − 1)·share, counted from 0, between x₍⌊h⌋₎ and its successor in proportion (R's type 7,
    numpy's "linear"). Interval: from x₍l₎ to x₍u₎ with l = max{i : P(B < i) ≤ .025} and u = min{i : P(B ≥ i) ≤ .025},
    B binomial(n, share), so that it holds at least 95 % of the time whatever the distribution; where the sample is too
    small to have such an l or u there is none. Reference: Hyndman & Fan 1996, The American Statistician 50, 361–365;
    Conover 1999, Practical Nonparametric Statistics, 143–148. R: quantile(type = 7), DescTools::QuantileCI.

    values: (n,) NaN left out, or a sample; share: above 0 and below 1.

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
    ranks = _ranks(n, share)
    if ranks is None:
        return figure(value, n, None, _too_few(share, n))
    return figure(value, n, (at(ranks[0] - 1), at(ranks[1] - 1)))


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


def _too_few(share: float, n: int) -> Why:
    needed = math.ceil(math.log(0.025) / math.log(max(share, 1 - share)))
    return Why(
        f"이 분위수의 구간에는 값이 {needed}개 이상 필요합니다 ({n}개 있음)",
        f"an interval of this quantile needs at least {needed} values, found {n}",
    )
