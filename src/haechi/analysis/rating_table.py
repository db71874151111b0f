"""Ratings as columns over the same items: one column per criterion, rater and replicate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.human_ai import panel_mean
from haechi.stats.ratings import Floats, Level

_FEW = 10_000
"""Up to so many items the matrices of all criteria are kept; they are asked for again and again."""


class ColumnKey(NamedTuple):
    """Which ratings a column holds."""

    criterion: str
    rater: str
    replicate: int


@frozen
class ValueScale:
    """What is known about a criterion's values before looking at them.

    points: the scale points, if they are declared; labels: the names that the values 0, 1, 2 … stand for;
    width: the distance between the ends of the scale; derived: computed from other scores.
    """

    level: Level
    points: tuple[float, ...] | None = None
    labels: tuple[str, ...] = ()
    width: float | None = None
    derived: bool = False


@frozen
class CriterionRatings:
    """One criterion as everyone rated it: (items, raters), NaN where missing.

    `ratings` takes each rater's first replicate that has a value; `replicates` has all of them, (items,
    replicates), for the raters who rated more than once.
    """

    name: str
    ratings: Floats
    raters: tuple[str, ...]
    kinds: tuple[str, ...]
    declared: ValueScale
    replicates: Mapping[str, Floats] = field(default_factory=dict)

    def of(self, kind: str) -> tuple[Floats, tuple[str, ...]]:
        """The ratings of one kind of raters, and who they are.

        >>> rated = CriterionRatings("x", np.array([[1.0, 2.0]]), ("ann", "gpt"), ("human", "ai"), ValueScale("interval"))
        >>> rated.of("ai")
        (array([[2.]]), ('gpt',))
        """
        at = [i for i, one in enumerate(self.kinds) if one == kind]
        return self.ratings[:, at], tuple(self.raters[i] for i in at)

    def means_of(self, kind: str) -> Floats:
        """The same, of a rater who rated repeatedly the mean of the replicates: what scores are made of.

        >>> both = {"gpt": np.array([[1.0, 2.0]])}
        >>> CriterionRatings("x", np.array([[1.0]]), ("gpt",), ("ai",), ValueScale("interval"), both).means_of("ai")
        array([[1.5]])
        """
        first, raters = self.of(kind)
        means = first.copy()
        for place, rater in enumerate(raters):
            if rater in self.replicates:
                means[:, place] = panel_mean(self.replicates[rater])
        return means


class RatingTable:
    """All ratings of a study or a file, column by column.

    >>> table = RatingTable()
    >>> table.put(ColumnKey("x", "ann", 1), "human", np.array([0, 2]), np.array([4.0, 5.0]))
    >>> table.n_items = 3
    >>> table.rated("x").ratings.tolist()
    [[4.0], [nan], [5.0]]
    """

    def __init__(self, item_name: Callable[[int], str] = str) -> None:
        self.item_name = item_name
        self.n_items = 0
        self.kinds: dict[str, str] = {}
        self.declared: dict[str, ValueScale] = {}
        self._columns: dict[tuple[str, str], dict[int, _Column]] = {}
        self._kept: dict[str, CriterionRatings] = {}

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria, in the order in which they were declared, else in which they appeared."""
        return tuple(dict.fromkeys([*self.declared, *(criterion for criterion, _ in self._columns)]))

    @property
    def has_replicates(self) -> bool:
        """Whether a rater rated something more than once."""
        return any(replicate > 1 for own in self._columns.values() for replicate in own)

    def put(self, key: ColumnKey, kind: str, items: NDArray[np.integer], values: Floats) -> None:
        """Write some ratings into a column; items are their numbers."""
        self.kinds.setdefault(key.rater, kind)
        own = self._columns.setdefault((key.criterion, key.rater), {})
        if key.replicate not in own:
            own[key.replicate] = _Column(self.n_items)
        own[key.replicate].put(items, values)
        self._kept.clear()

    def twice(self) -> list[ColumnKey]:
        """The columns in which an item was written more than once."""
        return [
            ColumnKey(*names, replicate)
            for names, own in self._columns.items()
            for replicate, column in own.items()
            if column.has_duplicates
        ]

    def rated(self, criterion: str) -> CriterionRatings:
        """One criterion as a matrix of items × raters; kept, of many items only the last one."""
        declared = self.declared.get(criterion) or ValueScale("interval")
        kept = self._kept.get(criterion)
        if kept is None or kept.declared != declared:
            if self.n_items > _FEW:
                self._kept.clear()
            kept = self._kept[criterion] = self._matrix(criterion, declared)
        return kept

    def _matrix(self, criterion: str, declared: ValueScale) -> CriterionRatings:
        own = {rater: self._of(criterion, rater) for rater in self.kinds}
        raters = tuple(rater for rater, columns in own.items() if columns)
        matrix = np.full((self.n_items, len(raters)), np.nan)
        replicates: dict[str, Floats] = {}
        for j, rater in enumerate(raters):
            for column in own[rater]:  # the first replicate with a value stays
                column.fill(matrix[:, j])
            if len(own[rater]) > 1:
                replicates[rater] = np.full((self.n_items, len(own[rater])), np.nan)
                for k, column in enumerate(own[rater]):
                    column.fill(replicates[rater][:, k])
        kinds = tuple(self.kinds[rater] for rater in raters)
        return CriterionRatings(criterion, matrix, raters, kinds, declared, replicates)

    def scores_of(self, rater: str) -> tuple[Floats, tuple[str, ...]]:
        """What one rater gave, (items, criteria), without scores that are computed from others."""
        own = {name: self._of(name, rater) for name in self.criteria if not self.is_derived(name)}
        own = {name: columns for name, columns in own.items() if columns}
        scores = np.full((self.n_items, len(own)), np.nan)
        for j, columns in enumerate(own.values()):
            columns[0].fill(scores[:, j])
        return scores, tuple(own)

    def is_derived(self, criterion: str) -> bool:
        """Whether a criterion is computed from others."""
        return criterion in self.declared and self.declared[criterion].derived

    def _of(self, criterion: str, rater: str) -> list[_Column]:
        """The columns of one rater, the first replicate first."""
        return [column for _, column in sorted(self._columns.get((criterion, rater), {}).items())]


class _Column:
    """A column that grows; single precision as long as that is exact, which it is for rating scales."""

    def __init__(self, size: int) -> None:
        self._values: NDArray[Any] = np.full(size, np.nan, dtype=np.float32)
        self._seen: NDArray[np.bool_] = np.zeros(size, dtype=bool)
        self._rows = 0

    @np.errstate(over="ignore")  # what is too large for single precision is kept in double
    def put(self, items: NDArray[np.integer], values: Floats) -> None:
        if not items.size:
            return
        single = values.astype(np.float32) if self._values.dtype == np.float32 else values
        if single.dtype == np.float32 and not ((single == values) | np.isnan(values)).all():
            self._values, single = self._values.astype(np.float64), values
        self._grow(int(items.max()) + 1)
        self._values[items] = single
        self._seen[items] = True
        self._rows += items.size

    def _grow(self, size: int) -> None:
        if size > self._values.size:
            more = max(size, self._values.size + self._values.size // 2) - self._values.size
            self._values = np.append(self._values, np.full(more, np.nan, dtype=self._values.dtype))
            self._seen = np.append(self._seen, np.zeros(more, dtype=bool))

    @property
    def has_duplicates(self) -> bool:
        return int(np.count_nonzero(self._seen)) != self._rows

    def fill(self, empty: Floats) -> None:
        """Write the values where there are none yet."""
        known = empty[: self._values.size]
        np.copyto(known, self._values[: empty.size], where=np.isnan(known))
