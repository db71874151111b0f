"""Distributions of statistics where there is an effect: noncentral t, F and chi-squared, as Poisson mixtures."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from haechi.stats.distributions import chi2_above, f_above, normal_below
from haechi.stats.incomplete import beta_front, gamma_front, incomplete_beta, incomplete_gamma
from haechi.stats.ratings import Floats

# Half a noncentrality → the probability below, and how fast it falls.
_Below = Callable[[float], tuple[float, float]]
_FAR = 1e4  # so many standard errors away nothing is left on the other side of a critical t


def noncentral_t_below(t: float, df: float, away: float) -> float:
    """Probability that a noncentral t lies below `t`; away: the true effect in standard errors.

    Reference: Lenth 1989, Applied Statistics 38, 185–189 (AS 243). scipy: nctdtr. R: pt(ncp = ).

    >>> round(noncentral_t_below(2.0, 10, 1.5), 6)
    0.659154
    """
    if t < 0:
        return 1 - noncentral_t_below(-t, df, -away)
    if abs(away) > _FAR:
        return float(away < 0)
    mean, (x, y) = away * away / 2, (t * t / (df + t * t), df / (df + t * t))
    below = normal_below(-away)
    if x == 0:
        return below
    for first, sign in ((0.5, 1.0), (1.0, math.copysign(1, away))):
        counts = _counts(mean)
        weights = _poisson(counts + first - 0.5, mean)
        below += sign / 2 * float(weights @ _beta_below(counts + first, df / 2, x, y)[0])
    return min(1.0, max(0.0, below))


def noncentral_f_ends(f: float, df1: float, df2: float) -> tuple[float, float]:
    """The noncentralities under which `f` is the 97.5 % and the 2.5 % quantile of Fisher's F: a 95 % interval.

    >>> [round(end, 2) for end in noncentral_f_ends(5.0, 2, 30)]
    [0.42, 26.37]
    """
    odds = f * df1 / df2
    x, y = odds / (1 + odds), 1 / (1 + odds)

    def below(mean: float) -> tuple[float, float]:
        counts = _counts(mean)
        return _mixed(_poisson(counts, mean), _beta_below(counts + df1 / 2, df2 / 2, x, y))

    return _ends(below, f_above(f, df1, df2), f * df1)


def noncentral_chi2_ends(x: float, df: float) -> tuple[float, float]:
    """The same of chi-squared.

    >>> [round(end, 2) for end in noncentral_chi2_ends(8.0, 2)]
    [0.17, 21.62]
    """

    def below(mean: float) -> tuple[float, float]:
        counts = _counts(mean)
        return _mixed(_poisson(counts, mean), _gamma_below(counts + df / 2, x / 2))

    return _ends(below, chi2_above(x, df), x)


def _counts(mean: float) -> Floats:
    """What a Poisson variable may be, but for one in 10²⁰."""
    reach = 10 * math.sqrt(mean) + 50
    return np.arange(max(0.0, math.floor(mean - reach)), math.ceil(mean + reach))


def _poisson(counts: Floats, mean: float) -> Floats:
    """e^−mean mean^count / Γ(count + 1), also where the counts are halves."""
    if mean == 0:
        only: Floats = (counts == 0).astype(np.float64)
        return only
    return _sequence(mean / counts[1:], lambda i: gamma_front(float(counts[i]) + 1, mean) / mean)


def _gamma_below(a: Floats, x: float) -> tuple[Floats, Floats]:
    """P(a, x) of parameters one apart, and from each how far it falls to the next."""
    falls = _sequence(x / a[1:], lambda i: gamma_front(float(a[i]) + 1, x) / x)
    return _summed(incomplete_gamma(float(a[-1]) + 1, x)[0], falls)


def _beta_below(a: Floats, b: float, x: float, y: float) -> tuple[Floats, Floats]:
    """I_x(a, b) of parameters one apart, and from each how far it falls to the next."""
    falls = _sequence(x * (a[:-1] + b) / a[1:], lambda i: beta_front(float(a[i]), b, x, y) / float(a[i]))
    return _summed(incomplete_beta(float(a[-1]) + 1, b, x, y).lower, falls)


def _sequence(ratios: Floats, value: Callable[[int], float]) -> Floats:
    """All terms from the ratios between neighbours and the value of the largest, from which no rounding can grow."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    largest = int(logs.argmax())
    terms: Floats = value(largest) * np.exp(logs - logs[largest])
    return terms


def _summed(last: float, falls: Floats) -> tuple[Floats, Floats]:
    return last + falls[::-1].cumsum()[::-1], falls


def _mixed(weights: Floats, chain: tuple[Floats, Floats]) -> tuple[float, float]:
    below, falls = chain
    return float(weights @ below), float(weights @ falls)


def _ends(below: _Below, p: float, start: float) -> tuple[float, float]:
    """Where even no effect makes so large a value likely, an end is 0."""
    low, high = (0.0 if 1 - p < share else 2 * _solved(below, share, start / 2) for share in (0.975, 0.025))
    return low, high


def _solved(below: _Below, share: float, mean: float) -> float:
    """Newton's steps, kept between what is known to be too small and too large."""
    least, most = 0.0, math.inf
    for _ in range(200):
        found, fall = below(mean)
        least, most = (mean, most) if found > share else (least, mean)
        step = (found - share) / fall if fall else math.inf
        after = mean + step
        if not least < after < most:
            after = (least + most) / 2 if most < math.inf else 2 * mean + 1
        if abs(after - mean) <= 1e-14 * mean:
            break
        mean = after
    return mean
