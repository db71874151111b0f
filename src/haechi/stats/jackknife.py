"""The interval of a coefficient of agreement: how much it changes when one item is left out."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from haechi.stats.distributions import t_quantile
from haechi.stats.figure import NO_WIDTH, Why
from haechi.stats.ratings import Floats, Integers

FEWEST_ITEMS = 10
FEWEST_EQUAL = 15
"""The same for figures that only count whether several ratings are equal: a few items change them in large steps."""
FEWEST_RARE = 5
"""Items on which somebody gave another value than the most frequent one; chance agreement rests on them."""


@np.errstate(all="ignore")
def jackknife_interval(
    value: float, left_out: Floats, count: Integers, rare: int | None = None, fewest: int = FEWEST_ITEMS
) -> tuple[float, float] | Why:
    """The 95 % interval of a coefficient between −1 and 1 over items, or why there is none.

    Formula: s² = (n − 1)/n Σ (c₍ᵢ₎ − c̄)², c₍ᵢ₎ the coefficient without item i. On Fisher's scale, z = artanh c, the
    interval reaches t s/(1 − c²) beyond both the coefficient and its jackknife estimate n c − (n − 1) c̄, which takes
    off the bias. The degrees of freedom are those of a variance that a few items make up: 2n/(kurtosis − 1), between 2
    and n/2. Fewer items than `fewest`, or fewer than five with another value than the most frequent one (`rare`), carry
    no interval, nor do items that all say the same.

    left_out: (kinds,) the coefficient without one item of each kind; count: (kinds,) how many items are of that kind.
    Reference: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 11; Fisher 1921.
    Coverage: docs/statistics/coverage.md.

    >>> jackknife_interval(0.5, np.full(3, 0.5), np.array([2, 2, 2])).en
    'too few items for an interval: at least 10 are needed, there are 6'
    """
    n = int(count.sum())
    if n < fewest:
        return too_few(n, fewest)
    if rare is not None and rare < FEWEST_RARE:
        return too_rare(rare)
    if not np.isfinite(left_out).all():
        return too_rare(1)
    middle = float(count @ left_out) / n
    away = left_out - middle
    squares = float(count @ away**2)
    if squares <= 1e-28 or abs(value) >= 1:
        return NO_WIDTH
    kurtosis = n * float(count @ away**4) / squares**2
    df = max(2.0, min(n / 2, 2 * n / max(kurtosis - 1, 1e-9)))
    slope = 1 - value**2
    reach = t_quantile(0.975, df) * math.sqrt((n - 1) / n * squares) / slope
    bias = (n - 1) * (value - middle) / slope
    centre = math.atanh(value)
    return math.tanh(centre + min(0.0, bias) - reach), math.tanh(centre + max(0.0, bias) + reach)


@cache
def too_few(n: int, fewest: int = FEWEST_ITEMS) -> Why:
    """Fewer items than an interval needs."""
    return Why(
        f"구간을 구하기에는 항목이 적습니다: {fewest}개 이상이 필요한데 {n}개입니다",
        f"too few items for an interval: at least {fewest} are needed, there are {n}",
    )


def too_rare(rare: int) -> Why:
    """Too few items that differ from the most frequent value."""
    return Why(
        f"구간을 구하기에는 항목이 적습니다: 가장 흔한 값이 아닌 값이 있는 항목이 {FEWEST_RARE}개 이상이어야 하는데 {rare}개입니다",
        f"too few items for an interval: at least {FEWEST_RARE} with another value than the most frequent one are "
        f"needed, there are {rare}",
    )
