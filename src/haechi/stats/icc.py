"""Intraclass correlation, the six forms of Shrout and Fleiss."""

from __future__ import annotations

from typing import Any

import numpy as np

from haechi.stats.distributions import f_quantile
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.mean_squares import MeanSquares, complete, mean_squares
from haechi.stats.ratings import Given, as_ratings
from haechi.stats.reasons import ITEMS_ALIKE, UNBOUNDED

MCGRAW_WONG = {
    "ICC(1,1)": "ICC(1)",
    "ICC(2,1)": "ICC(A,1)",
    "ICC(3,1)": "ICC(C,1)",
    "ICC(1,k)": "ICC(k)",
    "ICC(2,k)": "ICC(A,k)",
    "ICC(3,k)": "ICC(C,k)",
}
FORMS = tuple(MCGRAW_WONG)

Bounds = tuple[float, float]


def icc(ratings: Given) -> dict[str, Figure]:
    """All six intraclass correlations with exact F-based 95 % intervals.

    How much of the variance is between items rather than between raters or noise. (1,·): each item has its
    own raters; (2,·): raters are a sample, agreement in absolute terms; (3,·): these raters only,
    consistency. (·,1): one rater's score; (·,k): the mean of the k raters.

    Formula, from the mean squares of items (MSB), raters (MSJ), error (MSE) and within items (MSW):
        ICC(1,1) = (MSB − MSW) / (MSB + (k−1) MSW)          ICC(1,k) = (MSB − MSW) / MSB
        ICC(2,1) = (MSB − MSE) / (MSB + (k−1) MSE + k (MSJ − MSE) / n)
        ICC(2,k) = (MSB − MSE) / (MSB + (MSJ − MSE) / n)
        ICC(3,1) = (MSB − MSE) / (MSB + (k−1) MSE)          ICC(3,k) = (MSB − MSE) / MSB

    ratings: (items, raters); only the items rated by all raters enter, `n` counts them.
    The interval of ICC(2,k) is the Spearman–Brown transform of that of ICC(2,1), as in R's psych; R's irr
    gives a slightly different one. All intervals treat items as sampled.

    References: Shrout & Fleiss 1979, Psychological Bulletin 86, 420–428; McGraw & Wong 1996, Psychological
    Methods 1, 30–46 (their names stand in the details). R: psych::ICC(x, lmer = FALSE).

    >>> from haechi.stats.examples import SHROUT_FLEISS
    >>> figures = icc(SHROUT_FLEISS)
    >>> {name: round(one.value, 4) for name, one in figures.items()}  # doctest: +NORMALIZE_WHITESPACE
    {'ICC(1,1)': 0.1657, 'ICC(2,1)': 0.2898, 'ICC(3,1)': 0.7148,
     'ICC(1,k)': 0.4428, 'ICC(2,k)': 0.6201, 'ICC(3,k)': 0.9093}
    >>> [round(end, 4) for end in figures["ICC(2,1)"].ci95]
    [0.0188, 0.7611]
    """
    array = as_ratings(ratings)
    squares = mean_squares(array)
    if isinstance(squares, Why):
        n = complete(array).shape[0]
        return {name: undefined(squares, n, mcgraw_wong=MCGRAW_WONG[name]) for name in FORMS}
    return icc_from(squares)


def icc_from(squares: MeanSquares) -> dict[str, Figure]:
    """The six forms from mean squares that were already computed."""
    with np.errstate(all="ignore"):
        n, k = np.float64(squares.n), np.float64(squares.k)
        msb, msj, msw, mse = map(np.float64, (squares.items, squares.raters, squares.within, squares.error))
        rounding = 1e-12 * (msb + msj + mse)
        spread = msb + (k - 1) * mse + k * (msj - mse) / n
        two = (msb - mse) / spread if spread > rounding else np.nan
        mean_spread = msb + (msj - mse) / n
        average = _average_f(msb, msw, n - 1, n * (k - 1))
        consistent = _average_f(msb, mse, n - 1, (n - 1) * (k - 1))
        absolute = _absolute(two, squares)
        values: dict[str, tuple[Any, Bounds]] = {
            "ICC(1,1)": ((msb - msw) / (msb + (k - 1) * msw), _single(average, k)),
            "ICC(2,1)": (two, absolute),
            "ICC(3,1)": ((msb - mse) / (msb + (k - 1) * mse), _single(consistent, k)),
            "ICC(1,k)": ((msb - msw) / msb, _mean(average)),
            "ICC(2,k)": (
                (msb - mse) / mean_spread if mean_spread > rounding else np.nan,
                _spearman_brown(absolute, k),
            ),
            "ICC(3,k)": ((msb - mse) / msb, _mean(consistent)),
        }
        return {name: _form(name, value, ci95, squares) for name, (value, ci95) in values.items()}


def _form(name: str, value: float, ci95: Bounds, squares: MeanSquares) -> Figure:
    if not np.isfinite(value):  # only items that differ less than noise make a denominator vanish
        return undefined(ITEMS_ALIKE, squares.n, mcgraw_wong=MCGRAW_WONG[name])
    return figure(float(value), squares.n, ci95, UNBOUNDED, mcgraw_wong=MCGRAW_WONG[name])


def _average_f(between: Any, noise: Any, df1: float, df2: float) -> tuple[Any, Any]:
    """The F ratio divided and multiplied by its 97.5 % quantiles: the bounds of the true ratio."""
    ratio = between / noise
    return ratio / f_quantile(0.975, df1, df2), ratio * f_quantile(0.975, df2, df1)


def _single(bounds: tuple[Any, Any], k: float) -> Bounds:
    low, high = (1.0 if np.isinf(f) else (f - 1) / (f + k - 1) for f in bounds)
    return low, high


def _mean(bounds: tuple[Any, Any]) -> Bounds:
    low, high = (1 - 1 / f for f in bounds)
    return low, high


def _absolute(rho: Any, squares: MeanSquares) -> Bounds:
    """Bounds of ICC(2,1); the fractional degrees of freedom are Satterthwaite's, multiplied out by MSE."""
    n, k = np.float64(squares.n), np.float64(squares.k)
    msb, msj, mse = map(np.float64, (squares.items, squares.raters, squares.error))
    if mse == 0 and msj == 0:
        return 1.0, 1.0
    a = k * rho * msj
    b = (n * (1 + (k - 1) * rho) - k * rho) * mse
    df = (k - 1) * (n - 1) * (a + b) ** 2 / ((n - 1) * a**2 + b**2)
    upper, lower = f_quantile(0.975, n - 1, df), f_quantile(0.975, df, n - 1)
    rest = k * msj + (k * n - k - n) * mse
    low = n * (msb - upper * mse) / (upper * rest + n * msb)
    high = n * (lower * msb - mse) / (rest + n * lower * msb)
    return min(low, high), max(low, high)  # equal but for rounding where items do not differ


def _spearman_brown(bounds: Bounds, k: float) -> Bounds:
    low, high = (
        bound * k / (1 + bound * (k - 1)) if 1 + bound * (k - 1) > 0 else -np.inf for bound in bounds
    )
    return low, high
