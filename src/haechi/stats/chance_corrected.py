"""What Fleiss' kappa and Gwet's AC share: observed agreement per item, and what it is without one item."""

from __future__ import annotations

from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Figure, Why, figure
from haechi.stats.jackknife import FEWEST_ITEMS, jackknife_interval
from haechi.stats.patterns import Patterns
from haechi.stats.ratings import Floats
from haechi.stats.reasons import NO_PAIR, NOTHING, too_many_categories
from haechi.stats.weights import MOST_CATEGORIES


@frozen
class Observed:
    """Agreement as observed, per pattern.

    agreement: (p,) weighted agreement over the pairs of ratings of a pattern, 0 where there is no pair.
    prevalence: (q,) mean share of each scale point over items.
    concentration: Σ prevalence²; left_out: (p,) the same without one item of a pattern.
    """

    found: Patterns
    agreement: Floats
    prevalence: Floats
    left_out: Floats
    n: int
    n_paired: int

    @property
    def mean(self) -> float:
        """Observed agreement, over the items that have a pair."""
        return float(self.found.count @ self.agreement) / self.n_paired

    @property
    def concentration(self) -> float:
        """Σ prevalence²: how often two ratings of different items agree by chance."""
        return float(self.prevalence @ self.prevalence)


def observe(found: Patterns, weight: Floats | None = None) -> Observed | Why:
    """Observed agreement under `weight` (q, q), by default only equal values agree; or why there is none.

    Items with one rating inform how often each scale point is used, items with two or more how well they
    agree.
    """
    if not found.count.size:
        return NOTHING
    if found.values.size > MOST_CATEGORIES:
        return too_many_categories(found.values.size, MOST_CATEGORIES)
    n = found.n_items
    n_paired = n if found.size.min() >= 2 else int(found.count[found.size >= 2].sum())
    if n_paired == 0:
        return NO_PAIR
    size = found.size.astype(np.float64)
    equal = found.agreeing()
    agreement = (equal if weight is None else found.agreeing(weight)) / np.maximum(size * (size - 1), 1.0)
    prevalence = found.spread(found.count / size) / n
    own = (equal + size) / size**2  # Σ share² of one item
    rest = n**2 * float(prevalence @ prevalence) - 2 * n * found.sums(prevalence) / size + own
    return Observed(found, agreement, prevalence, rest / max(n - 1, 1) ** 2, n, n_paired)


def chance_corrected(
    observed: Observed,
    expected: float,
    left_out: Floats,
    rare: int | None = None,
    fewest: int = FEWEST_ITEMS,
    **details: Any,
) -> Figure:
    """(pa − pe)/(1 − pe) with its interval over items, which does not assume that raters agree by chance only.

    left_out: (p,) the expected agreement without one item of each pattern; rare, fewest: see `jackknife_interval`.
    """
    n, found = observed.n, observed.found
    value = (observed.mean - expected) / (1 - expected)
    details = {"n_paired": observed.n_paired, **details}
    paired = (found.size >= 2).astype(np.float64)
    agreement = (observed.n_paired * observed.mean - observed.agreement) / (observed.n_paired - paired)
    ends = jackknife_interval(value, (agreement - left_out) / (1 - left_out), found.count, rare, fewest)
    if isinstance(ends, Why):
        return figure(value, n, None, ends, **details)
    return figure(value, n, ends, **details)
