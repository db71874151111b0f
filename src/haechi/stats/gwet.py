"""Gwet's AC1 and AC2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haechi.stats.chance_corrected import chance_corrected, observe
from haechi.stats.figure import Figure, Why, undefined
from haechi.stats.jackknife import FEWEST_EQUAL, FEWEST_ITEMS
from haechi.stats.patterns import Patterns, patterns
from haechi.stats.ratings import Given, as_ratings
from haechi.stats.reasons import CERTAIN_BY_CHANCE
from haechi.stats.weights import MOST_CATEGORIES, Weights, weight_matrix


def gwet_ac(
    ratings: Given, weights: Weights = "identity", categories: Sequence[float] | None = None
) -> Figure:
    """Agreement beyond chance that stays stable when nearly all ratings fall into one category.

    Formula: AC = (pa − pe)/(1 − pe), pe = Tw/(q(q−1)) Σ π_k (1 − π_k), Tw the sum of all weights, q the
    number of scale points. AC1 has identity weights, AC2 linear or quadratic ones. Interval: jackknife over
    items (see `jackknife_interval`), from ten items on, of AC1 from fifteen.

    ratings: (items, raters), NaN where missing.
    categories: the declared scale points, which set q and the weights; else the values that occur.
    Reference: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61, 29–48; Gwet 2014.
    R: irrCAC::gwet.ac1.raw.

    >>> from haechi.stats.examples import KRIPPENDORFF
    >>> [round(gwet_ac(KRIPPENDORFF, w).value, 5) for w in ("identity", "linear", "quadratic")]
    [0.77544, 0.85874, 0.914]
    """
    return gwet_from(patterns(as_ratings(ratings), categories), weights)


@np.errstate(all="ignore")
def gwet_from(found: Patterns, weights: Weights = "identity") -> Figure:
    """Gwet's AC from patterns that were already counted."""
    name = "AC1" if weights == "identity" else "AC2"
    q = found.values.size
    weight = None if weights == "identity" or q > MOST_CATEGORIES else weight_matrix(found.values, weights)
    observed = observe(found, weight)
    if isinstance(observed, Why):
        return undefined(observed, found.n_items, coefficient=name, weights=weights)
    if q < 2:
        return undefined(CERTAIN_BY_CHANCE, observed.n, coefficient=name, weights=weights)
    scale = (float(q) if weight is None else float(weight.sum())) / (q * (q - 1))
    return chance_corrected(
        observed,
        scale * (1 - observed.concentration),
        scale * (1 - observed.left_out),
        fewest=FEWEST_EQUAL if weight is None else FEWEST_ITEMS,
        coefficient=name,
        weights=weights,
        n_categories=q,
    )
