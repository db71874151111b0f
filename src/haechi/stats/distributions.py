"""Quantiles and tail probabilities, from `scipy.special` alone (`scipy.stats` takes a second to import)."""

from __future__ import annotations

import sys
import threading
from functools import cache
from importlib import import_module
from pathlib import Path
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


def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t.

    >>> round(t_quantile(0.975, 10), 4)
    2.2281
    """
    return float(special().stdtrit(df, probability))


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
