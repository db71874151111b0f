"""A sample as its distinct values and how often each comes: all that a statistic of unordered values needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from haechi.stats.ratings import Floats, Integers, as_values


@dataclass(frozen=True)
class Sample:
    """Values without an order, counted; as large as there are different ones, however many there are.

    values: (kinds,) ascending, without NaN; count: (kinds,).
    """

    values: Floats
    count: Integers

    @classmethod
    def of(cls, values: Any) -> Sample:
        """Count values, NaN left out; what is a sample already stays as it is.

        >>> Sample.of([4, 5, float("nan"), 4])
        Sample(values=array([4., 5.]), count=array([2, 1]))
        """
        if isinstance(values, Sample):
            return values
        array = as_values(values)
        kinds, count = np.unique(array[~np.isnan(array)], return_counts=True)
        return cls(kinds, count)

    @property
    def n(self) -> int:
        """How many values there are.

        >>> Sample.of([4, 5, 4]).n
        3
        """
        return int(self.count.sum())

    @property
    def is_flat(self) -> bool:
        """Whether all values are the same, whatever rounding makes of their spread."""
        return self.values.size < 2

    @property
    def mean(self) -> float:
        """The mean.

        >>> Sample.of([1, 2, 3]).mean
        2.0
        """
        return float(self.values[0]) if self.values.size == 1 else float(self.count @ self.values / self.n)

    @property
    def variance(self) -> float:
        """The variance, n − 1 below.

        >>> Sample.of([1, 2, 3]).variance
        1.0
        """
        away: Floats = self.values - self.mean
        return 0.0 if self.is_flat else float(self.count @ away**2 / (self.n - 1))

    @property
    def sd(self) -> float:
        """The standard deviation, n − 1 below."""
        return float(np.sqrt(self.variance))

    @property
    def median(self) -> float:
        """The value in the middle; of an even number the mean of the two.

        >>> Sample.of([1, 2, 3, 9]).median
        2.5
        """
        ends = np.cumsum(self.count)
        middle = np.searchsorted(ends, [(self.n - 1) // 2, self.n // 2], "right")
        return float(self.values[middle].mean())

    def each(self) -> Floats:
        """The values one by one, ascending; for small samples.

        >>> Sample.of([5, 4, 4]).each().tolist()
        [4.0, 4.0, 5.0]
        """
        return np.repeat(self.values, self.count)


def aligned(samples: Sequence[Sample]) -> tuple[Floats, Integers]:
    """The values that any of the samples has, ascending, and a row of counts for each sample.

    >>> values, counts = aligned([Sample.of([1, 2]), Sample.of([2, 2, 3])])
    >>> values.tolist(), counts.tolist()
    ([1.0, 2.0, 3.0], [[1, 1, 0], [0, 2, 1]])
    """
    values: Floats = np.unique(np.concatenate([sample.values for sample in samples]))
    counts = np.zeros((len(samples), values.size), dtype=np.int64)
    for row, sample in zip(counts, samples, strict=True):
        row[np.searchsorted(values, sample.values)] = sample.count
    return values, counts
