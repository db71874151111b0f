"""Counts of equal rows of ratings: what every figure of agreement needs to know, in pieces that add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from haechi.stats.patterns import distinct_rows, encode
from haechi.stats.ratings import Floats, Integers


@dataclass(frozen=True)
class Tally:
    """The different rows of a matrix of items × raters, and how many items show each.

    It is as large as there are different rows: with few scale points some hundred, whatever the number of
    items; with continuous values one for each item. `agreement(tally.rows, count=tally.count)` gives the
    figures of the whole matrix.

    rows: (p, raters), ascending, NaN where missing; count: (p,).
    """

    rows: Floats
    count: Integers

    @classmethod
    def of(cls, ratings: Floats, count: Integers | None = None) -> Tally:
        """Count the rows of a matrix; items without any rating are left out.

        >>> found = Tally.of(np.array([[1.0, 2.0], [np.nan, 2.0], [1.0, 2.0], [np.nan, np.nan]]))
        >>> found.rows.tolist(), found.count.tolist()
        ([[1.0, 2.0], [nan, 2.0]], [2, 1])
        """
        codes, values = encode(ratings)
        rows, times = distinct_rows(codes, values.size + 1, count)
        some = (rows < values.size).any(axis=1)
        return cls(np.append(values, np.nan)[rows[some]], times[some])

    @classmethod
    def sum(cls, tallies: Sequence[Tally]) -> Tally:
        """The tally of several disjoint sets of items taken together.

        >>> one = Tally.of(np.array([[1.0, 2.0]]))
        >>> Tally.sum([one, one]).count.tolist()
        [2]
        """
        rows = np.concatenate([tally.rows for tally in tallies])
        return cls.of(rows, np.concatenate([tally.count for tally in tallies]))
