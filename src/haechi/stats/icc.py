"""Intraclass correlation, the six forms of Shrout and Fleiss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from haechi.stats.components import Components, Ratings, Shape
from haechi.stats.distributions import f_quantile
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.lazy import LazyMapping
from haechi.stats.mean_interval import Bounds
from haechi.stats.mean_squares import MeanSquares, mean_squares
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


def icc(ratings: Given) -> dict[str, Figure]:
    """All six intraclass correlations with F-based 95 % intervals, whoever rated what.

    How much of the variance is between items rather than between raters or noise. (1,·): each item has its
    own raters; (2,·): raters are a sample, agreement in absolute terms; (3,·): these raters only,
    consistency. (·,1): one rater's score; (·,k): the mean of the k raters.

    Formula: from the mean squares of items (MSB), raters (MSJ), error (MSE) and within items (MSW):
        ICC(1,1) = (MSB − MSW) / (MSB + (k−1) MSW)          ICC(1,k) = (MSB − MSW) / MSB
        ICC(2,1) = (MSB − MSE) / (MSB + (k−1) MSE + k (MSJ − MSE) / n)
        ICC(2,k) = (MSB − MSE) / (MSB + (MSJ − MSE) / n)
        ICC(3,1) = (MSB − MSE) / (MSB + (k−1) MSE)          ICC(3,k) = (MSB − MSE) / MSB

    ratings: (items, raters), NaN where missing; `n` counts the items. The interval of ICC(2,k) is the Spearman–Brown
    transform of that of ICC(2,1), as in R's psych; R's irr gives a slightly different one. All intervals treat items
    as sampled.

    Where not every rater rated every item, the variances of items (a), raters (b) and the residual (e) are estimated by
    REML, see `components`:
        ICC(2,1) = a / (a + b + e)     ICC(3,1) = a / (a + e)     ICC(1,1) = a′ / (a′ + e′), raters not told apart
    and ·,k is the Spearman–Brown transform for k, the number of raters; `per_item` in the details has the same for the
    (harmonic) mean number of ratings that an item really has. The intervals are those of complete data with harmonic
    means in the place of k and n and the residual's own degrees of freedom, cut off at 0; how often they hold is in
    docs/statistics/coverage.md.

    References: Shrout & Fleiss 1979, Psychological Bulletin 86, 420–428; McGraw & Wong 1996, Psychological
    Methods 1, 30–46 (their names stand in the details); Thomas & Hultquist 1978, Annals of Statistics 6, 582–587
    (harmonic means). R: psych::ICC(x, lmer = FALSE); incomplete: lme4::lmer.

    >>> from haechi.stats.examples import SHROUT_FLEISS
    >>> figures = icc(SHROUT_FLEISS)
    >>> {name: round(one.value, 4) for name, one in figures.items()}  # doctest: +NORMALIZE_WHITESPACE
    {'ICC(1,1)': 0.1657, 'ICC(2,1)': 0.2898, 'ICC(3,1)': 0.7148,
     'ICC(1,k)': 0.4428, 'ICC(2,k)': 0.6201, 'ICC(3,k)': 0.9093}
    >>> [round(end, 4) for end in figures["ICC(2,1)"].ci95]
    [0.0188, 0.7611]
    """
    array = as_ratings(ratings)
    known = ~np.isnan(array)
    rated = array[known.any(axis=1)][:, known.any(axis=0)]
    if np.isnan(rated).any():
        return dict(icc_by_reml(Ratings.of(rated))[0])
    squares = mean_squares(rated)
    return no_icc(squares, len(rated)) if isinstance(squares, Why) else icc_from(squares)


def no_icc(why: Why, n: int) -> dict[str, Figure]:
    """Six figures without a value."""
    return {form: undefined(why, n, mcgraw_wong=MCGRAW_WONG[form]) for form in FORMS}


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
                (spearman_brown(absolute[0], k), spearman_brown(absolute[1], k)),
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


def icc_by_reml(ratings: Ratings) -> tuple[Mapping[str, Figure], Components | Why]:
    """The six forms of incomplete data, and the components that (2,·) and (3,·) are made of."""
    shape, found = ratings.shape, ratings.components()
    n, k, df = shape.items, shape.per_item, shape.items - 1

    def forms(form: str) -> dict[str, Figure]:
        """The two forms of one model, each model estimated when it is asked for."""
        if form == "1":
            one_way = ratings.one_way()
            if isinstance(one_way, Why):
                return no_icc(one_way, n)
            within = one_way.within
            return _forms(_of_variances(one_way.item, within, within, k, df, shape.ratings - n), form, shape)
        if isinstance(found, Why):
            return no_icc(found, n)
        error, noise = found.residual, found.rater + found.residual
        if form == "2":
            return _forms(_of_variances(found.item, error, noise, k, df, _satterthwaite(found)), form, shape)
        return _forms(_of_variances(found.item, error, error, k, df, found.df), form, shape)

    models = LazyMapping(["1", "2", "3"], forms)
    return LazyMapping(FORMS, lambda form: models[form[4]][form]), found


def _of_variances(
    item: float, error: float, noise: float, k: float, df: float, df_noise: float
) -> tuple[float, float, float]:
    """item / (item + noise) and its bounds; `error` is the part of the noise that differs from rating to rating."""
    if noise == 0:
        return 1.0, 1.0, 1.0
    between = error + k * item
    upper, lower = f_quantile(0.975, df, df_noise), f_quantile(0.975, df_noise, df)
    ends = [max(0.0, between / f - error) for f in (upper, 1 / lower)]
    low, high = (end / (end + k * noise) for end in ends)
    return item / (item + noise), low, high


def _satterthwaite(found: Components) -> float:
    """Degrees of freedom of the noise in ICC(2,1), a mixture of the raters' mean square and the residual's."""
    k, n = found.shape.per_item, found.shape.per_rater
    share = found.item / (found.item + found.rater + found.residual)
    of_raters = k * share * (found.rater + found.residual / n)
    rest = (1 - share + k * share * (1 - 1 / n)) * found.residual
    if of_raters + rest == 0:
        return float(found.df)
    return (of_raters + rest) ** 2 / (of_raters**2 / (found.shape.raters - 1) + rest**2 / found.df)


def _forms(one: tuple[float, float, float], form: str, shape: Shape) -> dict[str, Figure]:
    """The figure of one rater and that of the mean of all; beside it that of as many as an item really has."""
    single, mean = f"ICC({form},1)", f"ICC({form},k)"
    value, *ends = (spearman_brown(part, shape.raters) for part in one)
    here, low, high = (spearman_brown(part, shape.per_item) for part in one)
    return {
        single: figure(one[0], shape.items, one[1:], mcgraw_wong=MCGRAW_WONG[single]),
        mean: figure(
            value,
            shape.items,
            (ends[0], ends[1]),
            mcgraw_wong=MCGRAW_WONG[mean],
            k=shape.raters,
            per_item={"raters": shape.per_item, "value": here, "ci95": [low, high]},
        ),
    }


def spearman_brown(one: float, raters: float) -> float:
    """The reliability of the mean of so many raters, from that of one.

    >>> spearman_brown(0.5, 3)
    0.75
    """
    spread = 1 + one * (raters - 1)
    return one * raters / spread if spread > 0 else -np.inf
