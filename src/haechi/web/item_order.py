"""All items in the order of a figure: kept in order while single figures change, since sorting all anew takes long."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

_FURTHEST = "apart"  # from people, in whichever direction


class ItemOrder:
    """The rows of a table by a figure; rows without one come last, equal ones in the order of the table.

    sort: the column; with a minus before its name the highest come first.

    >>> frame = pl.DataFrame({"score": [2.0, None, 3.0, 2.0]})
    >>> order = ItemOrder(frame, "-score")
    >>> order.of(frame).to_list()
    [2, 0, 3, 1]
    >>> order.change([1])
    >>> order.of(pl.DataFrame({"score": [2.0, 2.5, 3.0, 2.0]})).to_list()
    [2, 1, 0, 3]
    """

    def __init__(self, frame: pl.DataFrame, sort: str) -> None:
        self._sort, self._keys = sort, _keys(frame[sort.removeprefix("-")], sort)
        self._rows = np.argsort(self._keys, kind="stable").astype(np.uint32)
        self._changed: set[int] = set()

    def change(self, rows: Iterable[int]) -> None:
        """The figures of some rows have changed: they are moved when the order is next asked for."""
        self._changed.update(rows)

    def of(self, frame: pl.DataFrame) -> pl.Series:
        """All rows of the table, as it is now, in order."""
        if self._changed:
            self._move(frame, np.array(sorted(self._changed)))
            self._changed = set()
        return pl.Series(self._rows)

    def _move(self, frame: pl.DataFrame, rows: NDArray[np.int64]) -> None:
        def place(row: int) -> tuple[float, int]:
            return float(self._keys[row]), int(row)

        leaving = [bisect_left(self._rows, place(row), key=place) for row in rows]
        staying = np.delete(self._rows, leaving)
        self._keys[rows] = _keys(frame[self._sort.removeprefix("-")][rows], self._sort)
        arriving = sorted(rows.tolist(), key=place)
        places = [bisect_left(staying, place(row), key=place) for row in arriving]
        # Made anew: who was given the former order still has it.
        self._rows = np.insert(staying, places, arriving)


def _keys(column: pl.Series, sort: str) -> NDArray[np.float64]:
    """What rows are sorted by, from the lowest."""
    figures = column.cast(pl.Float64).to_numpy()
    figures = np.abs(figures) if column.name == _FURTHEST else figures
    return np.where(np.isnan(figures), np.inf, -figures if sort.startswith("-") else figures)
