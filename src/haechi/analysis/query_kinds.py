"""Queries counted by what their runs come to in every version: two versions of one query are not two queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from haechi.scoring.tally import Counts, N
from haechi.stats.ratings import Integers

QUERY = "\0query"
"""The column that says which rows are about the same query, whatever version was asked."""


class QueryKinds:
    """How many queries have the same counts in all their versions; grows with different queries, never with all of them.

    >>> kinds = QueryKinds(["runs", "passed"])
    >>> kinds.add(pl.DataFrame({QUERY: ["a", "a", "b", "c"], "runs": [3, 2, 3, 3], "passed": [0, 2, 1, 1]}))
    >>> runs, passed = kinds.by_version()
    >>> runs.tolist(), passed.tolist(), kinds.n.tolist()
    ([[2, 3], [3, 0]], [[2, 0], [1, 0]], [1, 2])
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._counts = Counts(self._names)

    def add(self, versions: pl.DataFrame) -> None:
        """Count queries: a row for each of their versions, all rows of a query in one frame."""
        whole = versions.select(QUERY, pl.col(self._names).cast(pl.Int64)).sort(self._names)
        self._counts.add(whole.group_by(QUERY, maintain_order=True).agg(self._names))

    @property
    def n(self) -> Integers:
        """(kinds,) how many queries are of each kind."""
        return self._counts.total()[N].to_numpy()

    def by_version(self) -> list[Integers]:
        """Of every name (kinds, versions), 0 where a query has fewer versions than another."""
        kinds = self._counts.total()
        many = kinds[self._names[0]].list.len().to_numpy()
        there = np.arange(many.max(initial=0)) < many[:, None]
        found = [np.zeros(there.shape, dtype=np.int64) for _ in self._names]
        for name, matrix in zip(self._names, found, strict=True):
            matrix[there] = kinds[name].explode().to_numpy()
        return found
