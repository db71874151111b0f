"""Fleiss' kappa for any number of raters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haechi.stats.chance_corrected import chance_corrected, observe
from haechi.stats.figure import Figure, Why, undefined
from haechi.stats.patterns import Patterns, patterns
from haechi.stats.ratings import Given, as_ratings
from haechi.stats.reasons import CERTAIN_BY_CHANCE


def fleiss_kappa(ratings: Given, categories: Sequence[float] | None = None) -> Figure:
    """Agreement of several raters on categories beyond what their common habits would give.

    Formula: κ = (pa − pe)/(1 − pe); pa is the mean over items of the share of agreeing pairs, pe = Σ π_k²,
    π_k the mean share of category k. Interval: jackknife over items (see `jackknife_interval`), from ten items on.

    ratings: (items, raters), NaN where missing; items may have different numbers of ratings.
    References: Fleiss 1971, Psychological Bulletin 76, 378–382; Gwet 2014, Handbook of Inter-Rater
    Reliability, 4th ed., chapter 5 (missing ratings). R: irrCAC::fleiss.kappa.raw, whose interval differs.

    >>> figure = fleiss_kappa([[1, 1, 1], [1, 1, 2], [2, 2, 2], [2, 2, 2], [1, 2, 2]])
    >>> round(figure.value, 4), figure.why_no_ci.en
    (0.4444, 'too few items for an interval: at least 10 are needed, there are 5')
    >>> fleiss_kappa([[1, 1, 1], [1, 1, 2], [2, 2, 2], [2, 2, 2], [1, 2, 2]] * 4)
    0.44 [0.04, 0.74]
    """
    return fleiss_from(patterns(as_ratings(ratings), categories))


@np.errstate(all="ignore")
def fleiss_from(found: Patterns) -> Figure:
    """Fleiss' kappa from patterns that were already counted."""
    observed = observe(found)
    if isinstance(observed, Why):
        return undefined(observed, found.n_items)
    if np.count_nonzero(observed.prevalence) < 2:
        return undefined(CERTAIN_BY_CHANCE, observed.n, n_paired=observed.n_paired)
    return chance_corrected(observed, observed.concentration, observed.left_out, found.n_rare)
