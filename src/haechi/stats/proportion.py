"""A share with Wilson's interval."""

from __future__ import annotations

import math

import numpy as np

from haechi.stats.distributions import Z95
from haechi.stats.figure import Figure, figure, undefined
from haechi.stats.ratings import Given, as_values
from haechi.stats.reasons import NOTHING


def proportion(values: Given) -> Figure:
    """The share of ones among 0/1 values with Wilson's 95 % score interval.

    Formula: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n). It never leaves 0…1 and works for 0 of n too.
    values: (n,) zeros and ones, NaN left out. Reference: Wilson 1927, Journal of the American Statistical
    Association 22, 209–212. R: binom::binom.wilson, prop.test(correct = FALSE).

    >>> figure = proportion([1, 1, 1, 0])
    >>> figure.value, [round(end, 4) for end in figure.ci95]
    (0.75, [0.3006, 0.9544])
    """
    array = as_values(values)
    known = array[~np.isnan(array)]
    if not np.isin(known, (0.0, 1.0)).all():
        raise ValueError("a proportion is taken of zeros and ones; other values were found")
    return wilson(int(known.sum()), known.size)


def wilson(successes: int, n: int) -> Figure:
    """A share with Wilson's 95 % score interval, from counts.

    Formula: that of `proportion`, (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n) with p = successes/n and z = 1.96.
    Reference: Wilson 1927, Journal of the American Statistical Association 22, 209–212.
    R: binom::binom.wilson(successes, n), prop.test(successes, n, correct = FALSE).

    >>> [round(end, 4) for end in wilson(0, 10).ci95]
    [0.0, 0.2775]
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n, found {successes} of {n}")
    if n == 0:
        return undefined(NOTHING, 0)
    return figure(successes / n, n, wilson_ends(successes / n, n), successes=successes)


def wilson_ends(share: float, n: float, quantile: float = Z95) -> tuple[float, float]:
    """The ends of Wilson's interval around a share of n values; 0 and 1 are met without rounding.

    >>> [round(end, 4) for end in wilson_ends(0.75, 4)]
    [0.3006, 0.9544]
    """
    z2 = quantile**2 / n
    half = quantile * math.sqrt(share * (1 - share) / n + z2 / (4 * n))
    low, high = (share + z2 / 2 - half) / (1 + z2), (share + z2 / 2 + half) / (1 + z2)
    return 0.0 if share == 0 else low, 1.0 if share == 1 else high
