"""Quantiles and tail probabilities of the distributions that tests and intervals need, without scipy.

scipy takes longer to import than a small command takes altogether, and more room than all of haechi. The tests compare
every function here with scipy's on thousands of points.
"""

from __future__ import annotations

import math
from functools import lru_cache

from haechi.stats.incomplete import incomplete_beta, incomplete_gamma

Z95 = 1.959963984540054  # the 97.5 % quantile of the normal distribution
_KEPT = 4096  # quantiles depend on the design more than on the data, so that most are asked for many times
_EXACT = 1e-15
_MOST = 1e100  # degrees of freedom; more make no difference


def normal_below(z: float) -> float:
    """Probability that a standard normal lies below `z`.

    >>> round(normal_below(-1.96), 6), normal_below(0.0)
    (0.024998, 0.5)
    """
    return 0.5 * math.erfc(-z / math.sqrt(2))


def normal_quantile(probability: float) -> float:
    """Quantile of the standard normal: Newton's steps on the logarithm of the tail, which is concave.

    >>> round(normal_quantile(0.95), 4), normal_quantile(0.5), normal_quantile(0.0)
    (1.6449, 0.0, -inf)
    """
    if not 0 < probability < 1:
        return math.nan if not 0 <= probability <= 1 else math.copysign(math.inf, probability - 0.5)
    if abs(probability - 0.5) <= 0.25:  # near the middle the distance from it is what is known exactly
        share = 2 * (probability - 0.5)
        z = share * math.sqrt(math.pi / 2)
        for _ in range(20):
            step = (math.erf(z / math.sqrt(2)) - share) * math.sqrt(math.pi / 2) * math.exp(z * z / 2)
            z -= step
            if abs(step) <= _EXACT * abs(z):
                break
        return z
    tail = min(probability, 1 - probability)
    z = math.sqrt(-2 * math.log(2 * tail))
    for _ in range(50):
        above = normal_below(-z)
        step = math.log(above / tail) * above * math.sqrt(2 * math.pi) * math.exp(z * z / 2)
        z += step
        if abs(step) <= _EXACT * z:
            break
    return math.copysign(z, probability - 0.5)


def t_below(t: float, df: float) -> float:
    """Probability that Student's t lies below `t`.

    >>> round(t_below(-2.0, 10), 6)
    0.036694
    """
    tail = t_two_sided(t, df) / 2
    return tail if t < 0 else 1 - tail


def t_two_sided(t: float, df: float) -> float:
    """Two-sided p-value of a t statistic.

    >>> round(t_two_sided(2.0, 10), 6)
    0.073388
    """
    if math.isnan(t) or not df > 0:
        return math.nan
    df = min(df, _MOST)
    square = t * t / df
    share = 1 / (1 + square)
    return incomplete_beta(df / 2, 0.5, share, square * share if square < 1e300 else 1.0).lower


@lru_cache(_KEPT)
def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t; its square follows F(1, df).

    >>> round(t_quantile(0.975, 10), 4), round(t_quantile(0.1, 3.5), 4)
    (2.2281, -1.5766)
    """
    if probability == 0.5:
        return 0.0
    if not 0 < probability < 1 or not df > 0:
        return normal_quantile(probability) if df > 0 else math.nan
    df = min(df, _MOST)
    tail, middle = 2 * min(probability, 1 - probability), 2 * abs(probability - 0.5)
    size = math.sqrt(df) * math.exp(_log_odds(0.5, df / 2, middle, tail) / 2)
    return math.copysign(size, probability - 0.5)


def f_above(f: float, df1: float, df2: float) -> float:
    """Probability that Fisher's F lies above `f`; fractional degrees of freedom are fine.

    >>> round(f_above(4.0, 2, 20), 6)
    0.034572
    """
    if math.isnan(f) or not (df1 > 0 and df2 > 0):
        return math.nan
    df1, df2 = min(df1, _MOST), min(df2, _MOST)
    odds = max(f, 0.0) * df1 / df2
    return (
        0.0
        if math.isinf(odds)
        else incomplete_beta(df1 / 2, df2 / 2, odds / (1 + odds), 1 / (1 + odds)).upper
    )


@lru_cache(_KEPT)
def f_quantile(probability: float, df1: float, df2: float) -> float:
    """Quantile of Fisher's F; fractional degrees of freedom are fine.

    >>> round(f_quantile(0.975, 5, 18), 4)
    3.382
    """
    if not (df1 > 0 and df2 > 0 and 0 <= probability <= 1):
        return math.nan
    df1, df2 = min(df1, _MOST), min(df2, _MOST)
    return float(df2 / df1) * _odds(df1 / 2, df2 / 2, probability)


@lru_cache(_KEPT)
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution.

    >>> round(beta_quantile(0.025, 9, 3), 4)
    0.4822
    """
    odds = _odds(a, b, probability)
    return 1.0 if math.isinf(odds) else odds / (1 + odds)


def _odds(a: float, b: float, probability: float) -> float:
    """x/(1 − x) at the quantile of the beta distribution."""
    if probability in (0.0, 1.0):
        return math.inf if probability else 0.0
    log_odds = _log_odds(a, b, probability, 1 - probability)
    return math.exp(log_odds) if log_odds < 709 else math.inf


def _log_odds(a: float, b: float, lower: float, upper: float) -> float:
    """Where the tails of the beta distribution are these, over log(x/(1 − x)).

    There the logarithm of either tail is concave, so that Newton's steps on it find the way from everywhere; Halley's,
    with the second derivative beside, are fewer.
    """
    a, b, side = float(a), float(b), lower > upper
    if side:  # the smaller tail is known more exactly
        a, b, lower = b, a, upper
    held = math.log(a / b)
    place = held + normal_quantile(lower) * math.sqrt(1 / a + 1 / b)
    for _ in range(200):
        x, y = _shares(place)
        below, _, front = incomplete_beta(a, b, x, y)
        if below == 0 or front == 0:  # beyond what a number can hold
            place = (place + held) / 2
            continue
        held = place
        missing, slope = math.log(below / lower), front / below
        bend = (a * y - b * x - slope) * missing / slope / 2
        step = missing / slope / (1 - bend if abs(bend) < 0.5 else 1)
        place -= step
        if abs(step) <= _EXACT * max(1.0, abs(place)):
            break
    return -place if side else place


def _shares(log_odds: float) -> tuple[float, float]:
    """x and 1 − x, both exact."""
    odds = math.exp(-abs(log_odds))
    small, large = odds / (1 + odds), 1 / (1 + odds)
    return (large, small) if log_odds > 0 else (small, large)


def chi2_above(x: float, df: float) -> float:
    """Probability that chi-squared lies above `x`.

    >>> round(chi2_above(5.99, 2), 6)
    0.050037
    """
    if math.isnan(x) or not df > 0:
        return math.nan
    return incomplete_gamma(df / 2, x / 2)[1]


def binomial_below(k: int, n: int, share: float = 0.5) -> float:
    """P(X ≤ k) of n throws that succeed with probability `share`.

    >>> round(binomial_below(2, 11), 4), binomial_below(-1, 11), binomial_below(11, 11)
    (0.0327, 0.0, 1.0)
    """
    if k < 0 or k >= n:
        return float(k >= 0)
    return incomplete_beta(n - k, k + 1, 1 - share, share).lower
