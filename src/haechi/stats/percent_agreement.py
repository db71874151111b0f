"""Percent agreement: how often two raters of the same item gave the same value."""

from __future__ import annotations

from dataclasses import replace

from haechi.stats.figure import Figure, undefined
from haechi.stats.jackknife import FEWEST_EQUAL, too_few
from haechi.stats.mean_interval import mean_figure
from haechi.stats.patterns import Patterns, patterns
from haechi.stats.ratings import Given, as_ratings
from haechi.stats.reasons import NO_PAIR, NOTHING
from haechi.stats.sample import Sample


def percent_agreement(ratings: Given) -> Figure:
    """The share of agreeing pairs of ratings, averaged over items; chance is not taken off.

    Formula: mean over items of Σ_k r_k (r_k − 1) / (r (r − 1)), r_k ratings of value k among the item's r.
    Interval: that of a mean between 0 and 1 over items (see `mean_figure`), where an item's raters can agree in part
    from fifteen items on. `unanimous` is the share of items on which all agree.

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
        return undefined(NO_PAIR, 0)
    agreement = paired.agreeing() / (paired.size * (paired.size - 1))
    unanimous = float(paired.count @ (agreement == 1)) / n
    found_mean = mean_figure(Sample.counted(agreement, paired.count), (0.0, 1.0), unanimous=unanimous)
    if n < FEWEST_EQUAL and found_mean.ci95 and not ((agreement == 0) | (agreement == 1)).all():
        return replace(found_mean, ci95=None, why_no_ci=too_few(n, FEWEST_EQUAL))
    return found_mean
