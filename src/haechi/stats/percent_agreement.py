"""Percent agreement: how often two raters of the same item gave the same value."""

from __future__ import annotations

from typing import Any

import numpy as np

from haechi.stats.distributions import t_quantile
from haechi.stats.figure import Figure, figure, undefined
from haechi.stats.patterns import Patterns, patterns
from haechi.stats.ratings import Given, as_ratings
from haechi.stats.reasons import NO_PAIR, NOTHING, ONE_ITEM, ONE_RATER


def percent_agreement(ratings: Given) -> Figure:
    """The share of agreeing pairs of ratings, averaged over items; chance is not taken off.

    Formula: mean over items of Σ_k r_k (r_k − 1) / (r (r − 1)), r_k ratings of value k among the item's r.
    Interval: Student's t over items. `unanimous` is the share of items on which all agree.

    ratings: (items, raters), NaN where missing; `n` counts the items with two or more ratings.
    Reference: Gwet 2014, Handbook of Inter-Rater Reliability, chapter 2. R: irrCAC::pa.coeff.raw.

    >>> round(percent_agreement([[1, 1, 1], [1, 1, 2]]).value, 4)
    0.6667
    """
    return percent_from(patterns(as_ratings(ratings)))


def percent_from(found: Patterns) -> Figure:
    """Percent agreement from patterns that were already counted."""
    if not found.count.size:
        return undefined(NOTHING, 0)
    paired = found.at_least(2)
    n = paired.n_items
    if n == 0:
        return undefined(ONE_RATER if found.rows.shape[1] < 2 else NO_PAIR, 0)
    agreement = agreement_per_row(paired)
    value = float(paired.count @ agreement) / n
    unanimous = float(paired.count @ (agreement == 1)) / n
    if n < 2:
        return figure(value, n, None, ONE_ITEM, unanimous=unanimous)
    variance = float(paired.count @ (agreement - value) ** 2) / (n * (n - 1))
    half = t_quantile(0.975, n - 1) * variance**0.5 if variance > 1e-28 else 0.0
    return figure(value, n, (max(0.0, value - half), min(1.0, value + half)), unanimous=unanimous)


def agreement_per_row(paired: Patterns) -> Any:
    """(p,) share of agreeing pairs in each pattern; works for any number of distinct values."""
    equal = np.zeros(paired.count.size)
    width = paired.rows.shape[1]
    for i in range(width):
        for j in range(i):
            a, b = paired.rows[:, i], paired.rows[:, j]
            equal += (a == b) & (a < paired.values.size)
    return 2 * equal / (paired.size * (paired.size - 1))
