"""Cohen's kappa for two raters, unweighted and weighted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.jackknife import FEWEST_ITEMS, jackknife_interval, too_few
from haechi.stats.patterns import encode
from haechi.stats.ratings import Floats, Given, paired_values
from haechi.stats.reasons import CERTAIN_BY_CHANCE, NOTHING, too_many_categories
from haechi.stats.weights import MOST_CATEGORIES, Weights, weight_matrix


def cohen_kappa(
    a: Given, b: Given, weights: Weights = "identity", categories: Sequence[float] | None = None
) -> Figure:
    """Agreement of two raters beyond chance.

    Formula: κ = (po − pe) / (1 − pe), po = Σ w_ij p_ij, pe = Σ w_ij p_i. p_.j, with the weights of
    `weight_matrix`. Interval: jackknife over items (see `jackknife_interval`), from ten items on.

    a, b: (n,) the two raters' values for the same items; items that either left out are dropped.
    categories: the declared scale points; weights come from them, not from the values that happen to occur.
    References: Cohen 1960, 1968. R: psych::cohen.kappa, irr::kappa2.

    >>> figure = cohen_kappa([1, 1, 2, 2, 3], [1, 2, 2, 2, 3], categories=(1, 2, 3))
    >>> round(figure.value, 4)
    0.6875
    >>> round(cohen_kappa([1, 1, 2, 2, 3], [1, 2, 2, 2, 3], "quadratic", categories=(1, 2, 3)).value, 4)
    0.8
    """
    x, y = paired_values(a, b)
    table = contingency(x, y, categories)
    if isinstance(table, Why):
        return undefined(table, x.size, weights=weights)
    return kappa_from(*table, weights)


def contingency(
    x: Floats, y: Floats, categories: Sequence[float] | None = None
) -> tuple[Floats, Floats] | Why:
    """(q, q) how often x took the row's and y the column's scale point, and the scale points; or why not."""
    codes, values = encode(np.stack([x, y]), categories)
    q = values.size
    if x.size == 0:
        return NOTHING
    if q > MOST_CATEGORIES:
        return too_many_categories(q, MOST_CATEGORIES)
    joint = codes[0].astype(np.int32) * np.int32(q) + codes[1]
    return np.bincount(joint, minlength=q * q).reshape(q, q).astype(np.float64), values


@np.errstate(all="ignore")
def kappa_from(table: Floats, values: Floats, weights: Weights) -> Figure:
    """Kappa from a contingency table that was already counted."""
    n = int(table.sum())
    row, column = table.sum(axis=1), table.sum(axis=0)
    if np.count_nonzero(row + column) < 2:
        return undefined(CERTAIN_BY_CHANCE, n, weights=weights)
    weight = weight_matrix(values, weights)
    row_mean, column_mean = weight @ column, row @ weight
    observed, expected = float((weight * table).sum()), float(row @ row_mean)
    kappa = _kappa(observed, expected, n)
    if n < FEWEST_ITEMS:
        return figure(kappa, n, None, too_few(n), weights=weights)
    i, j = table.nonzero()
    left = _kappa(
        observed - weight[i, j], expected - row_mean[i] - column_mean[j] + weight[i, j], np.float64(n - 1)
    )
    rare = n - int(table.diagonal()[np.argmax(row + column)])
    ends = jackknife_interval(kappa, left, table[i, j].astype(np.int64), rare)
    if isinstance(ends, Why):
        return figure(kappa, n, None, ends, weights=weights)
    return figure(kappa, n, ends, weights=weights)


def _kappa(observed: Any, expected: Any, n: Any) -> Any:
    """From the sums of the weights over n items and over the n² pairs of margins."""
    po, pe = observed / n, expected / n**2
    return (po - pe) / (1 - pe)
