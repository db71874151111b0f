"""Agreement on units that come in clusters, as the criteria of one item do: the interval leaves out whole clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from haechi.frozen import frozen
from haechi.stats.agreement import Agreement, agreement
from haechi.stats.coefficients import OWN, Coefficient
from haechi.stats.figure import Figure, Why
from haechi.stats.jackknife import jackknife_interval
from haechi.stats.lazy import LazyMapping
from haechi.stats.ratings import Floats, Given, Integers, Level, as_ratings

MOST_GROUPS = 100
"""More clusters than these are left out some at a time."""


@frozen
class ClusteredAgreement:
    """The agreement of raters on units; `clusters` has the number of each unit's cluster."""

    ratings: Floats
    clusters: Integers
    level: Level
    categories: tuple[float, ...] | None
    known: Mapping[str, Coefficient]

    @cached_property
    def whole(self) -> Agreement:
        """The agreement on all units, as if they were independent."""
        return self._of(np.ones(len(self.ratings), dtype=bool))

    @property
    def n_clusters(self) -> int:
        """How many clusters have a rating."""
        return len(np.unique(self.clusters[~np.isnan(self.ratings).all(axis=1)]))

    @cached_property
    def coefficients(self) -> Mapping[str, Figure]:
        """Every coefficient with the interval over clusters."""
        return LazyMapping(self.known, self._clustered)

    @cached_property
    def _left_out(self) -> list[Agreement]:
        rated = ~np.isnan(self.ratings).all(axis=1)
        names = np.unique(self.clusters[rated])
        group = np.arange(len(names)) % MOST_GROUPS
        of_unit = group[np.searchsorted(names, np.where(rated, self.clusters, names[0] if len(names) else 0))]
        return [self._of(rated & (of_unit != one)) for one in range(min(len(names), MOST_GROUPS))]

    def _of(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Agreement:
        rows = self.ratings[chosen]
        return agreement(rows, level=self.level, categories=self.categories, known=self.known)

    def _clustered(self, name: str) -> Figure:
        found = self.whole.coefficients[name]
        if found.value is None:
            return found
        left = [one.coefficients[name].value for one in self._left_out]
        values = np.array([np.nan if value is None else value for value in left])
        ends = jackknife_interval(found.value, values, np.ones(len(values), dtype=np.int64))
        held = {**found.details, "clusters": self.n_clusters}
        if isinstance(ends, Why):
            return replace(found, ci95=None, why_no_ci=ends, details=held)
        return replace(found, ci95=ends, why_no_ci=None, details=held)


def clustered_agreement(
    ratings: Given,
    clusters: Sequence[int] | Integers,
    level: Level = "nominal",
    categories: Sequence[float] | None = None,
    known: Mapping[str, Coefficient] = OWN,
) -> ClusteredAgreement:
    """Agreement on units in clusters: the coefficients of all units, their intervals over clusters.

    ratings: (units, raters), NaN where missing; clusters: (units,) the number of each unit's cluster. Of more than a hundred
    clusters a hundredth is left out at a time.
    Reference: Efron & Tibshirani 1993, chapter 11 (the jackknife); units of one cluster leave together.

    >>> ratings = [[1, 1], [0, 0], [1, 0], [1, 1]] * 5
    >>> found = clustered_agreement(ratings, [unit // 2 for unit in range(20)])
    >>> alone = found.whole.coefficients["krippendorff_alpha"]
    >>> found.n_clusters, found.coefficients["krippendorff_alpha"].value == alone.value
    (10, True)
    """
    array = as_ratings(ratings)
    points = None if categories is None else tuple(categories)
    return ClusteredAgreement(array, np.asarray(clusters, dtype=np.int64), level, points, known)
