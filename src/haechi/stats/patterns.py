"""Ratings counted by equal rows: with few scale points a million items are a few hundred distinct rows.

All figures of agreement rest on this one count, whether the ratings are in memory or were counted in pieces before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.ratings import Floats, Integers, distinct

_FEW_POINTS = 64
_MOST_ORDERED = 1 << 12  # with more possible rows than this the order of raters within a row is given up


@frozen
class Patterns:
    """The distinct rows of a ratings matrix, the order of raters within a row being ignored if need be.

    values: (q,) the scale points, ascending: the declared ones, or those that occur.
    rows:   (p, m) positions in `values`, q where missing.
    count:  (p,) how many items show this row.
    size:   (p,) how many ratings the row holds.
    """

    values: Floats
    rows: NDArray[np.integer]
    count: Integers
    size: Integers

    @cached_property
    def n_items(self) -> int:
        """Items with at least one rating."""
        return int(self.count.sum())

    def at_least(self, ratings: int) -> Patterns:
        """Only the rows with that many ratings."""
        kept = self.size >= ratings
        if kept.all():
            return self
        return Patterns(self.values, self.rows[kept], self.count[kept], self.size[kept])

    def sums(self, per_value: Floats) -> Floats:
        """(p,) the sum over the ratings of each row of what belongs to their scale points, (q,)."""
        if (tally := self._tally) is not None:
            return tally @ per_value
        padded = np.append(per_value, 0.0)
        total: Floats = padded[self.rows[:, 0]]
        for column in range(1, self.rows.shape[1]):
            total += padded[self.rows[:, column]]
        return total

    def spread(self, per_row: Floats) -> Floats:
        """(q,) the sum over all ratings of each scale point of what belongs to their rows, (p,)."""
        if (tally := self._tally) is not None:
            return per_row @ tally
        total: Floats = np.zeros(self.values.size + 1)
        for column in self.rows.T:
            total += np.bincount(column, per_row, minlength=total.size)
        return total[:-1]

    def agreeing(self, weight: Floats | None = None) -> Floats:
        """(p,) the ordered pairs of ratings of each row that agree; weight: (q, q) how much two scale points do."""
        if (tally := self._tally) is not None:
            alike = tally if weight is None else tally @ weight
            pairs: Floats = (tally * alike).sum(axis=1) - self.size
            return pairs
        q, width = self.values.size, self.rows.shape[1]
        padded = None if weight is None else np.pad(weight, (0, 1))
        total = np.zeros(self.count.size)
        for i in range(width):
            for j in range(i):
                a, b = self.rows[:, i], self.rows[:, j]
                total += (a == b) & (a < q) if padded is None else padded[a, b]
        return 2 * total

    @property
    def n_rare(self) -> int:
        """Items on which somebody gave another value than the most frequent one."""
        most = int(np.argmax(self.spread(self.count.astype(np.float64))))
        if (tally := self._tally) is not None:
            return int(self.count[self.size > tally[:, most]].sum())
        other = (self.rows != most) & (self.rows < self.values.size)
        return int(self.count[other.any(axis=1)].sum())

    @cached_property
    def _tally(self) -> Floats | None:
        """`counts`, kept; None for many scale points, of which it would be far larger than the rows."""
        return self.counts() if self.values.size <= max(_FEW_POINTS, self.rows.shape[1]) else None

    def counts(self) -> Floats:
        """(p, q) how often each scale point occurs in each row; for few scale points."""
        q = self.values.size
        index = self.rows + (np.arange(self.rows.shape[0]) * (q + 1))[:, None]
        flat = np.bincount(index.ravel(), minlength=self.rows.shape[0] * (q + 1))
        return flat.reshape(-1, q + 1)[:, :q].astype(np.float64)


def patterns(ratings: Floats, categories: Sequence[float] | None = None) -> Patterns:
    """Count the rating patterns of a matrix of shape (items, raters); items without any rating are left out.

    >>> import numpy as np
    >>> found = patterns(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, np.nan]]))
    >>> found.count.tolist(), found.size.tolist()
    ([2, 1], [2, 1])
    """
    return count_patterns(*encode(ratings, categories))


def count_patterns(codes: NDArray[np.integer], values: Floats, count: Integers | None = None) -> Patterns:
    """The patterns of ratings that were already encoded; where they are many, raters' order is ignored.

    count: (rows,) how many items each row stands for, if not one. The result does not depend on the order of
    the rows, nor on how items are divided among them.
    """
    q, width = values.size, codes.shape[1]
    if (q + 1) ** width > _MOST_ORDERED and width > 1:
        codes = _packed(codes, q)
    return Patterns(values, *_rated_rows(codes, q, count))


@frozen
class PatternTally:
    """The different rows of a matrix of items × raters, and how many items show each.

    It is as large as there are different rows: with few scale points some hundred, whatever the number of
    items; with continuous values one for each item. `agreement(tally.rows, count=tally.count)` gives the
    figures of the whole matrix.

    rows: (p, raters), ascending, NaN where missing; count: (p,).
    """

    rows: Floats
    count: Integers

    @classmethod
    def of(cls, ratings: Floats, count: Integers | None = None) -> PatternTally:
        """Count the rows of a matrix; items without any rating are left out.

        >>> found = PatternTally.of(np.array([[1.0, 2.0], [np.nan, 2.0], [1.0, 2.0], [np.nan, np.nan]]))
        >>> found.rows.tolist(), found.count.tolist()
        ([[1.0, 2.0], [nan, 2.0]], [2, 1])
        """
        codes, values = encode(ratings)
        rows, times, _ = _rated_rows(codes, values.size, count)
        return cls(np.append(values, np.nan)[rows], times)

    @classmethod
    def sum(cls, tallies: Sequence[PatternTally]) -> PatternTally:
        """The tally of several disjoint sets of items taken together.

        >>> one = PatternTally.of(np.array([[1.0, 2.0]]))
        >>> PatternTally.sum([one, one]).count.tolist()
        [2]
        """
        rows = np.concatenate([tally.rows for tally in tallies])
        return cls.of(rows, np.concatenate([tally.count for tally in tallies]))


def _rated_rows(
    codes: NDArray[np.integer], q: int, count: Integers | None
) -> tuple[NDArray[np.integer], Integers, Integers]:
    """The different rows with a rating, how many items show each, and how many ratings each holds."""
    rows, count = distinct_rows(codes, q + 1, count)
    if rows.size and rows.max() < q:
        return rows, count, np.full(count.size, rows.shape[1])
    size = np.count_nonzero(rows < q, axis=1)
    if size.size and size.min() == 0:
        rows, count, size = rows[size > 0], count[size > 0], size[size > 0]
    return rows, count, size


def encode(ratings: Floats, categories: Sequence[float] | None = None) -> tuple[NDArray[np.integer], Floats]:
    """Ratings as positions in the ascending scale points, and these; missing is the position after."""
    codes, values = _encode_used(ratings)
    if categories is None:
        return codes, values
    declared = np.array(sorted({float(point) for point in categories}))
    place = np.searchsorted(declared, values)
    if values.size and (place[-1] == declared.size or (declared[place] != values).any()):
        outside = ", ".join(f"{value:g}" for value in np.setdiff1d(values, declared)[:5])
        raise ValueError(f"ratings outside the declared categories {declared.tolist()}: {outside}")
    if values.size < declared.size:
        codes = np.append(place, declared.size).astype(np.int16 if declared.size < 1 << 15 else np.int64)[
            codes
        ]
    return codes, declared


def _encode_used(ratings: Floats) -> tuple[NDArray[np.integer], Floats]:
    if ratings.size == 0:
        return np.zeros(ratings.shape, dtype=np.int64), np.zeros(0)
    low, high = float(ratings.min()), float(ratings.max())
    missing = None
    if math.isnan(low):
        missing = np.isnan(ratings)
        if missing.all():
            return np.zeros(ratings.shape, dtype=np.int64), np.zeros(0)
        low, high = float(np.nanmin(ratings)), float(np.nanmax(ratings))
    if high - low <= 254 and low.is_integer():
        codes = _small_whole_numbers(ratings, missing, low, high)
        if codes is not None:
            return _only_used(codes, low, int(high - low) + 1)
    known = ratings[~missing] if missing is not None else ratings
    values = distinct(known)
    return np.searchsorted(values, ratings), values  # NaN sorts behind everything


def _small_whole_numbers(
    ratings: Floats, missing: NDArray[np.bool_] | None, low: float, high: float
) -> NDArray[np.integer] | None:
    """The quick way for what scales usually are: subtract the lowest point and keep one byte."""
    shifted = ratings - low
    if missing is not None:
        shifted[missing] = high - low + 1
    codes = shifted.astype(np.uint8)
    return codes if (codes == shifted).all() else None


def _only_used(codes: NDArray[np.integer], low: float, width: int) -> tuple[NDArray[np.integer], Floats]:
    """Close the gaps: scale points between lowest and highest that nobody used."""
    if width <= 2:
        used = np.arange(width)
    else:
        hit = np.zeros(width + 1, dtype=bool)
        hit[codes.ravel()] = True
        used = np.flatnonzero(hit[:width])
    if used.size < width:
        place = np.full(width + 1, used.size, dtype=np.uint8)
        place[used] = np.arange(used.size)
        codes = place[codes]
    return codes, used + np.float64(low)


def _packed(codes: NDArray[np.integer], q: int) -> NDArray[np.integer]:
    """Each row sorted, so that missing cells stand at the end, and cut after the longest row."""
    codes = np.sort(codes, axis=1)
    longest = int(np.count_nonzero(codes < q, axis=1).max(initial=0))
    return codes[:, : max(longest, 1)]


def distinct_rows(
    codes: NDArray[np.integer], base: int, count: Integers | None = None
) -> tuple[NDArray[np.integer], Integers]:
    """The different rows of codes below `base`, in ascending order, and how many items show each."""
    n, width = codes.shape
    if width == 0 or n == 0:
        return codes, np.ones(n, dtype=np.int64) if count is None else count
    if base**width > 1 << 62:
        rows, place, times = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        return rows, times if count is None else _added(place.ravel(), count)
    key: NDArray[Any] = codes[:, 0].astype(np.int32 if base**width < 1 << 31 else np.int64)
    for column in range(1, width):
        key *= base
        key += codes[:, column]
    if base**width <= max(4 * n, 1 << 12):
        histogram = np.bincount(key) if count is None else _added(key, count)
        found = histogram.nonzero()[0]
        times = histogram[found]
    else:
        found, place, times = np.unique(key, return_inverse=True, return_counts=True)
        times = times if count is None else _added(place, count)
    return np.array(np.unravel_index(found, (base,) * width)).T, times


def _added(place: NDArray[np.integer], count: Integers) -> Integers:
    """The sum of counts at each place; whole numbers stay exact in double precision up to 2⁵³."""
    return np.bincount(place, weights=count).astype(np.int64)
