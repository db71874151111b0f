"""What Fleiss' kappa and Gwet's AC share: observed agreement per item, and the variance over items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from haechi.stats.distributions import t_quantile
from haechi.stats.figure import Figure, Why, figure
from haechi.stats.patterns import Patterns
from haechi.stats.ratings import Floats
from haechi.stats.reasons import (
    NO_PAIR,
    NOTHING,
    ONE_ITEM,
    ONE_RATER,
    too_many_categories,
)
from haechi.stats.weights import MOST_CATEGORIES


@dataclass(frozen=True)
class Observed:
    """Agreement as observed, per pattern.

    share: (p, q) share of each scale point among the ratings of a pattern.
    agreement: (p,) weighted agreement over the pairs of ratings of a pattern, 0 where there is no pair.
    prevalence: (q,) mean share of each scale point over items.
    """

    found: Patterns
    share: Floats
    agreement: Floats
    prevalence: Floats
    n: int
    n_paired: int

    @property
    def mean(self) -> float:
        """Observed agreement, over the items that have a pair."""
        return float(self.found.count @ self.agreement) / self.n_paired


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
        return ONE_RATER if found.rows.shape[1] < 2 else NO_PAIR
    tally = found.counts()
    size = found.size.astype(np.float64)
    alike = tally if weight is None else tally @ weight
    pairs = (tally * alike).sum(axis=1) - size
    agreement = pairs / np.maximum(size * (size - 1), 1.0)
    share = tally / size[:, None]
    return Observed(found, share, agreement, found.count @ share / n, n, n_paired)


def corrected(observed: Observed, expected: float, expected_per_item: Floats, **details: Any) -> Figure:
    """(pa − pe)/(1 − pe) with Gwet's general variance, which does not assume that raters agree by chance
    only.

    expected_per_item: (p,) what each pattern contributes to the expected agreement.
    Variance: 1/(n(n−1)) Σ (κ*_i − κ)², κ*_i = κ_i − 2(1−κ)(pe_i − pe)/(1−pe); interval by Student's t, n − 1.
    """
    n, found = observed.n, observed.found
    value = (observed.mean - expected) / (1 - expected)
    details = {"n_paired": observed.n_paired, **details}
    if n < 2:
        return figure(value, n, None, ONE_ITEM, **details)
    has_pair = found.size >= 2
    per_item = (n / observed.n_paired) * (observed.agreement - expected * has_pair) / (1 - expected)
    starred = per_item - 2 * (1 - value) * (expected_per_item - expected) / (1 - expected)
    variance = float(found.count @ (starred - value) ** 2) / (n * (n - 1))
    half = t_quantile(0.975, n - 1) * variance**0.5 if variance > 1e-28 else 0.0
    return figure(value, n, (value - half, min(1.0, value + half)), **details)
