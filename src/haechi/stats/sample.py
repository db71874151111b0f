"""A sample as its distinct values and how often each comes: all that a statistic of unordered values needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from haechi.frozen import frozen
from haechi.stats.ratings import Floats, Given, Integers, as_values, distinct

NOISE = 1e-12
"""A spread of at most this share of the values themselves is what rounding leaves, not what was measured."""


@frozen
class Sample:
    """Values without an order, counted; as large as there are different ones, however many there are.

    values: (kinds,) ascending, without NaN; count: (kinds,).
    """

    values: Floats
    count: Integers

    @classmethod
    def of(cls, values: Given | Sample) -> Sample:
        """Count values, NaN left out; what is a sample already stays as it is.

        >>> Sample.of([4, 5, float("nan"), 4])
        Sample(values=array([4., 5.]), count=array([2, 1]))
        """
        if isinstance(values, Sample):
            return values
        array = as_values(values)
        kinds, count = np.unique(array[~np.isnan(array)], return_counts=True)
        return cls(kinds, count)

    @classmethod
    def counted(cls, values: Floats, count: Integers) -> Sample:
        """Values that may repeat, each of which stands for `count` equal ones.

        >>> Sample.counted(np.array([5.0, 4.0, 5.0]), np.array([1, 2, 3]))
        Sample(values=array([4., 5.]), count=array([2, 4]))
        """
        kinds, at = np.unique(values, return_inverse=True)
        return cls(kinds, np.bincount(at, weights=count, minlength=kinds.size).astype(np.int64))

    @cached_property
    def n(self) -> int:
        """How many values there are.

        >>> Sample.of([4, 5, 4]).n
        3
        """
        return int(self.count.sum())

    @cached_property
    def is_flat(self) -> bool:
        """Whether all values are the same, whatever rounding makes of their spread.

        >>> Sample.of([0.3, 0.1 + 0.2]).is_flat
        True
        """
        if self.values.size < 2:
            return True
        return bool(self.values[-1] - self.values[0] <= NOISE * self.largest)

    @cached_property
    def largest(self) -> float:
        """The largest absolute value; 0 where there is none.

        >>> Sample.of([-4, 3]).largest
        4.0
        """
        return float(np.abs(self.values[[0, -1]]).max()) if self.values.size else 0.0

    @cached_property
    def mean(self) -> float:
        """The mean.

        >>> Sample.of([1, 2, 3]).mean
        2.0
        """
        return float(self.values[0]) if self.values.size == 1 else float(self.count @ self.values / self.n)

    @cached_property
    def variance(self) -> float:
        """The variance, n − 1 below.

        >>> Sample.of([1, 2, 3]).variance
        1.0
        """
        away: Floats = self.values - self.mean
        return 0.0 if self.is_flat else float(self.count @ away**2 / (self.n - 1))

    @cached_property
    def sd(self) -> float:
        """The standard deviation, n − 1 below."""
        return float(np.sqrt(self.variance))

    @cached_property
    def median(self) -> float:
        """The value in the middle; of an even number the mean of the two.

        >>> Sample.of([1, 2, 3, 9]).median
        2.5
        """
        ends = np.cumsum(self.count)
        middle = np.searchsorted(ends, [(self.n - 1) // 2, self.n // 2], "right")
        return float(self.values[middle].mean())

    def without_noise(self, size: float) -> Sample:
        """Values whose amounts differ by rounding only as one value; size: of what they are the differences of.

        The signs stay, so that tests of signs and ranks find their ties and zeros.

        >>> Sample.of([0.3 - (0.1 + 0.2), 0.5, 0.8 - 0.3]).without_noise(0.8)
        Sample(values=array([0. , 0.5]), count=array([1, 2]))
        """
        amounts, at = np.unique(np.abs(np.append(self.values, 0.0)), return_inverse=True)
        starts = np.diff(amounts, prepend=-np.inf) > NOISE * size
        plain: Floats = amounts[starts][np.cumsum(starts) - 1][at[:-1]]
        values, kind = np.unique(np.copysign(plain, self.values) + 0.0, return_inverse=True)
        return Sample(values, np.bincount(kind, weights=self.count, minlength=values.size).astype(np.int64))

    def each(self) -> Floats:
        """The values one by one, ascending; for small samples.

        >>> Sample.of([5, 4, 4]).each().tolist()
        [4.0, 4.0, 5.0]
        """
        return np.repeat(self.values, self.count)


def count_rows(samples: Sequence[Sample]) -> tuple[Floats, Integers]:
    """The values that any of the samples has, ascending, and a row of counts for each sample.

    Values that differ by rounding only are one, so that equal scores tie however they were added up.

    >>> values, counts = count_rows([Sample.of([0.3, 2]), Sample.of([0.1 + 0.2, 2, 3])])
    >>> values.tolist(), counts.tolist()
    ([0.3, 2.0, 3.0], [[1, 1, 0], [1, 1, 1]])
    """
    values = distinct(np.concatenate([sample.values for sample in samples]))
    starts = np.diff(values, prepend=-np.inf) > NOISE * np.abs(values)
    place = np.cumsum(starts) - 1
    counts = np.zeros((len(samples), int(starts.sum())), dtype=np.int64)
    for row, sample in zip(counts, samples, strict=True):
        np.add.at(row, place[np.searchsorted(values, sample.values)], sample.count)
    return values[starts], counts
