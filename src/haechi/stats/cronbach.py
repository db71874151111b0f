"""Cronbach's alpha with Feldt's interval."""

from __future__ import annotations

import numpy as np

from haechi.stats.distributions import f_quantile
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.mean_squares import MeanSquares, complete, mean_squares
from haechi.stats.ratings import Given, as_ratings
from haechi.stats.reasons import ITEMS_ALIKE


def cronbach_alpha(ratings: Given) -> Figure:
    """How consistently the raters (or the questions of a test) order the items.

    Formula: α = k/(k−1) · (1 − Σ variance of each column / variance of the row sums), which is ICC(3,k).
    Interval (Feldt): 1 − (1−α) F, with the 97.5 % and 2.5 % quantiles of F(n−1, (n−1)(k−1)).

    ratings: (items, raters); only complete rows enter, `n` counts them.
    References: Cronbach 1951, Psychometrika 16, 297–334; Feldt, Woodruff & Salih 1987, Applied Psychological
    Measurement 11, 93–103. R: psych::alpha, psych::alpha.ci.

    >>> figure = cronbach_alpha([[4, 5], [2, 3], [5, 5], [1, 2], [3, 3]])
    >>> round(figure.value, 4), [round(end, 4) for end in figure.ci95]
    (0.9639, [0.6528, 0.9962])
    """
    array = as_ratings(ratings)
    squares = mean_squares(array)
    if isinstance(squares, Why):
        return undefined(squares, complete(array).shape[0])
    return cronbach_from(squares)


def cronbach_from(squares: MeanSquares) -> Figure:
    """Cronbach's alpha from mean squares that were already computed."""
    n, k = squares.n, squares.k
    if squares.items == 0:
        return undefined(ITEMS_ALIKE, n)
    with np.errstate(all="ignore"):
        noise = np.float64(squares.error) / squares.items
        df1, df2 = n - 1, (n - 1) * (k - 1)
        ci95 = (1 - noise * f_quantile(0.975, df1, df2), 1 - noise * f_quantile(0.025, df1, df2))
        return figure(1 - noise, n, ci95, df=[df1, df2])
