"""Quantiles and tail probabilities, from `scipy.special` alone (`scipy.stats` takes a second to import)."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from statistics import NormalDist
from types import ModuleType
from typing import Any

Z95 = 1.959963984540054  # the 97.5 % quantile of the normal distribution


@cache
def special() -> Any:
    """The functions of `scipy.special`, imported when first needed.

    They stand in one compiled module. The package around it also imports what compiles Fortran and wraps every
    function for other kinds of arrays, which takes longer than all the rest of a small command: it is left out.

    >>> float(special().fdtri(5, 18, 0.975)) - float(import_module("scipy.special").fdtri(5, 18, 0.975))
    0.0
    """
    import scipy

    name = "scipy.special"
    # Another thread could ask for the package while a bare one stands in its place.
    if name not in sys.modules and threading.active_count() == 1:
        bare = ModuleType(name)
        bare.__path__ = [str(Path(scipy.__file__).with_name("special"))]
        sys.modules[name] = bare
        try:
            return import_module(f"{name}._ufuncs")
        except ImportError:
            pass
        finally:
            del sys.modules[name]  # whoever asks for the package itself gets all of it
    return import_module(name)


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t above one half, without scipy: every mean needs it, in commands that need nothing else.

    The tail is an incomplete beta function, convex in t, so that Newton's steps from the normal quantile, which lies
    below, never go too far. Of many degrees of freedom the expansion of Abramowitz & Stegun 26.7.5 is exact enough.

    >>> round(t_quantile(0.975, 10), 4)
    2.2281
    """
    z = NormalDist().inv_cdf(probability)
    if df >= 1000:
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + sum(term / df**power for power, term in enumerate(terms, 1))
    log_density = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    t = z
    for _ in range(100):
        density = math.exp(log_density - (df + 1) / 2 * math.log1p(t * t / df))
        step = (_t_tail(t, df) - (1 - probability)) / density
        t += step
        if abs(step) <= 1e-15 * t:
            break
    return t


def _t_tail(t: float, df: float) -> float:
    """The probability of a larger t: half the incomplete beta function at df/(df + t²), by its continued fraction."""
    a, b, x = df / 2, 0.5, df / (df + t * t)
    swapped = x > (a + 1) / (a + b + 2)  # where the fraction of the other side converges quickly
    if swapped:
        a, b, x = b, a, t * t / (df + t * t)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 500):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + term * d), 1 + term / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    part = math.exp(front) * fraction / a
    return (1 - part if swapped else part) / 2


def t_two_sided(t: float, df: float) -> float:
    """Two-sided p-value of a t statistic."""
    return float(2.0 * special().stdtr(df, -abs(t)))


def t_below(t: float, df: float) -> float:
    """Probability that Student's t lies below `t`."""
    return float(special().stdtr(df, t))


def f_quantile(probability: float, df1: float, df2: float) -> float:
    """Quantile of Fisher's F; fractional degrees of freedom are fine.

    >>> round(f_quantile(0.975, 5, 18), 4)
    3.382
    """
    return float(special().fdtri(df1, df2, probability))


def f_above(f: float, df1: float, df2: float) -> float:
    """Probability that Fisher's F lies above `f`."""
    return float(special().fdtrc(df1, df2, f))


def chi2_above(x: float, df: float) -> float:
    """Probability that chi-squared lies above `x`."""
    return float(special().chdtrc(df, x))


def normal_below(z: float) -> float:
    """Probability that a standard normal lies below `z`."""
    return float(special().ndtr(z))


def normal_quantile(probability: float) -> float:
    """Quantile of the standard normal.

    >>> round(normal_quantile(0.95), 4)
    1.6449
    """
    return float(special().ndtri(probability))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Quantile of the beta distribution.

    >>> round(beta_quantile(0.025, 9, 3), 4)
    0.4822
    """
    return float(special().betaincinv(a, b, probability))


def binomial(k: int, n: int) -> tuple[float, float]:
    """P(X ≤ k) and P(X = k) of n throws of a fair coin.

    >>> [round(p, 4) for p in binomial(2, 11)]
    [0.0327, 0.0269]
    """
    below = float(special().bdtr(k, n, 0.5))
    return below, below - (float(special().bdtr(k - 1, n, 0.5)) if k else 0.0)


def noncentral_f_ends(f: float, df1: float, df2: float) -> tuple[float, float]:
    """The noncentralities under which `f` is the 97.5 % and the 2.5 % quantile of Fisher's F: a 95 % interval.

    >>> [round(end, 2) for end in noncentral_f_ends(5.0, 2, 30)]
    [0.42, 26.37]
    """
    return _ends(lambda p: float(special().ncfdtrinc(df1, df2, p, f)), f_above(f, df1, df2))


def noncentral_chi2_ends(x: float, df: float) -> tuple[float, float]:
    """The same of chi-squared.

    >>> [round(end, 2) for end in noncentral_chi2_ends(8.0, 2)]
    [0.17, 21.62]
    """
    return _ends(lambda p: float(special().chndtrinc(x, df, p)), chi2_above(x, df))


def _ends(noncentrality: Callable[[float], float], p: float) -> tuple[float, float]:
    """Where even no effect makes so large a value likely, an end is 0."""
    return tuple(0.0 if 1 - p < probability else noncentrality(probability) for probability in (0.975, 0.025))  # type: ignore[return-value]
