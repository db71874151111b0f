"""The incomplete beta and gamma functions, both tails of each: all distributions of `distributions` are made of them.

Scalars in, scalars out: that is what the statistics ask for. Each tail is exact by itself (a small one is not one less a
large one), from parameters of a hundredth to many millions.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from haechi.stats.ratings import Floats

# From here on a continued fraction takes hundreds of steps, and the integral itself is as smooth as a normal density.
MANY = 1000.0
_STIRLING = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
_ATANH = tuple(2 / power for power in range(29, 1, -2))
_NODES = 48
_LEAST = 1e-300  # products of smaller numbers are none
_NOTHING_LEFT = 45.0  # e^−45 of the integrand at its greatest


class Beta(NamedTuple):
    """I_x(a, b), 1 − I_x(a, b), and x^a y^b / B(a, b): the density over log(x/y)."""

    lower: float
    upper: float
    front: float


def incomplete_beta(a: float, b: float, x: float, y: float) -> Beta:
    """Both tails of the beta distribution; y is 1 − x, given beside it because the difference would lose its digits.

    The continued fraction of DLMF 8.17.22 on the side where it converges quickly; of two large parameters the integral,
    by Gauss and Legendre's rule from x to where nothing is left.

    >>> [round(part, 12) for part in incomplete_beta(2, 3, 0.25, 0.75)]
    [0.26171875, 0.73828125, 0.31640625]
    """
    a, b, x, y = float(a), float(b), float(x), float(y)  # numpy's own numbers are several times slower here
    if x < _LEAST or y < _LEAST:
        return Beta(0.0, 1.0, 0.0) if x < _LEAST else Beta(1.0, 0.0, 0.0)
    other = x * (a + b + 2) > a + 1
    if other:
        a, b, x, y = b, a, y, x
    front = beta_front(a, b, x, y)
    if a > MANY and b > MANY:
        slope = ((a - 1) * y - (b - 1) * x) / (x * y)
        part = front / (x * y) * _integral(slope, ((a - 1, -1 / x), (b - 1, 1 / y)))
    else:
        part = front * _beta_fraction(a, b, x, y)
    part = min(part, 1.0)
    return Beta(1 - part, part, front) if other else Beta(part, 1 - part, front)


def beta_front(a: float, b: float, x: float, y: float) -> float:
    """x^a y^b / B(a, b), after Loader 2000: nothing large is taken away from anything large.

    >>> round(beta_front(2, 3, 0.25, 0.75), 12)
    0.31640625
    """
    total, away = a + b, x * b - y * a
    power = a * _log_less(x * total / a, away / a) + b * _log_less(y * total / b, -away / b)
    power += _stirling(total) - _stirling(a) - _stirling(b)
    return math.sqrt(a / total * b / (2 * math.pi)) * _exp(power)


def incomplete_gamma(a: float, x: float) -> tuple[float, float]:
    """P(a, x) and Q(a, x): the series of DLMF 8.11.4 below, the continued fraction of 8.9.2 above; of a large a the integral.

    >>> [round(tail, 12) for tail in incomplete_gamma(1, 2)]
    [0.864664716763, 0.135335283237]
    """
    a, x = float(a), float(x)
    if x < _LEAST:
        return 0.0, 1.0
    if math.isinf(x):
        return 1.0, 0.0
    above = x > a + 1
    part = gamma_front(a, x)
    if a > MANY:
        side = 1 if above else -1
        part *= _integral(side * (1 - (a - 1) / x), ((a - 1, side / x),)) / x
    elif above:
        part *= _gamma_fraction(a, x)
    else:
        part *= _gamma_series(a, x)
    part = min(part, 1.0)
    return (1 - part, part) if above else (part, 1 - part)


def gamma_front(a: float, x: float) -> float:
    """x^a e^−x / Γ(a): the density of the gamma distribution over log x.

    >>> round(gamma_front(1, 2), 12)
    0.270670566473
    """
    power = a * _log_less(x / a, (x - a) / a) - _stirling(a)
    return math.sqrt(a / (2 * math.pi)) * _exp(power)


def _beta_fraction(a: float, b: float, x: float, y: float) -> float:
    """What x^a y^b / B(a, b) is multiplied by, by Lentz's way.

    The even part of DLMF 8.17.22: half the steps, and on the side that is asked for nothing is taken away from anything.
    """
    away, total, grown = a * y - b * x + 1, a + b, 1 + y
    c = fraction = a * away / (a + 1)
    d, m = 0.0, 1
    while m < 10_000:
        odd = a + 2 * m - 1
        part = m * (b - m) * x / odd
        above = (a + m - 1) * (total + m - 1) * x / odd * part
        below = m + part + (a + m) * (away + m * grown) / (odd + 2)
        d, c = 1 / (below + above * d), below + above / c
        step = c * d
        fraction *= step
        if abs(step - 1) < 3e-16:
            break
        m += 1
    return 1 / fraction


def _gamma_series(a: float, x: float) -> float:
    total = term = 1 / a
    while term > 1e-17 * total:
        a += 1
        term *= x / a
        total += term
    return total


def _gamma_fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c, d = math.inf, 1 / b
    fraction = d
    for m in range(1, 10_000):
        b += 2
        term = -m * (m - a)
        d, c = 1 / (b + term * d), b + term / c
        step = c * d
        fraction *= step
        if abs(step - 1) < 3e-16:
            break
    return fraction


def _integral(slope: float, parts: tuple[tuple[float, float], ...]) -> float:
    """∫₀ exp(−slope h + Σ power (log(1 + scale h) − scale h)) dh, to where nothing of it is left."""
    bend = sum(power * scale * scale for power, scale in parts)
    reach = 2 * _NOTHING_LEFT / (slope + math.sqrt(slope * slope + 2 * _NOTHING_LEFT * bend))
    nodes, weights = _gauss()
    h = nodes * reach
    power = -slope * h
    for size, scale in parts:
        power = power + size * _series(h * scale)
    return float(np.exp(power) @ weights) * reach


@cache
def _gauss() -> tuple[Floats, Floats]:
    """Nodes and weights between 0 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def _log_less(ratio: float, excess: float) -> float:
    """log(ratio) − excess, ratio = 1 + excess, without losing what is left of the difference."""
    return math.log(ratio) - excess if abs(excess) > 0.4 else _series(excess)


def _series(excess: Any) -> Any:
    """log(1 + excess) − excess, by the series of 2 atanh(r), r = excess / (2 + excess)."""
    r = excess / (2 + excess)
    square, total = r * r, 0.0
    for part in _ATANH:
        total = total * square + part
    return r * (square * total - excess)


def _stirling(a: float) -> float:
    """What Stirling's formula leaves of log Γ(a)."""
    if a < 10:
        return math.lgamma(a) - (a - 0.5) * math.log(a) + a - 0.5 * math.log(2 * math.pi)
    square, total = 1 / (a * a), 0.0
    for part in _STIRLING:
        total = total * square + part
    return total / a


def _exp(power: float) -> float:
    return math.exp(power) if power > -745 else 0.0
