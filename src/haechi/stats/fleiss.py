"""Fleiss' kappa for any number of raters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haechi.stats.chance_corrected import corrected, observe
from haechi.stats.figure import Figure, Why, undefined
from haechi.stats.patterns import Patterns, patterns
from haechi.stats.ratings import Given, as_ratings
from haechi.stats.reasons import CERTAIN_BY_CHANCE


def fleiss_kappa(ratings: Given, categories: Sequence[float] | None = None) -> Figure:
    """Agreement of several raters on categories beyond what their common habits would give.

    Formula: κ = (pa − pe)/(1 − pe); pa is the mean over items of the share of agreeing pairs, pe = Σ π_k²,
    π_k the mean share of category k. Interval: Gwet's general variance, never the one that assumes κ = 0.

    ratings: (items, raters), NaN where missing; items may have different numbers of ratings.
    References: Fleiss 1971, Psychological Bulletin 76, 378–382; Gwet 2014, Handbook of Inter-Rater
    Reliability, 4th ed., chapter 5 (missing ratings, variance). R: irrCAC::fleiss.kappa.raw.

    >>> figure = fleiss_kappa([[1, 1, 1], [1, 1, 2], [2, 2, 2], [2, 2, 2], [1, 2, 2]])
    >>> round(figure.value, 4), [round(end, 4) for end in figure.ci95]
    (0.4444, [-0.4805, 1.0])
    """
    return fleiss_from(patterns(as_ratings(ratings), categories))


@np.errstate(all="ignore")
def fleiss_from(found: Patterns) -> Figure:
    """Fleiss' kappa from patterns that were already counted."""
    observed = observe(found)
    if isinstance(observed, Why):
        return undefined(observed, found.n_items)
    prevalence = observed.prevalence
    if np.count_nonzero(prevalence) < 2:
        return undefined(CERTAIN_BY_CHANCE, observed.n, n_paired=observed.n_paired)
    return corrected(observed, float(prevalence @ prevalence), observed.share @ prevalence)
