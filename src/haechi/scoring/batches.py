"""Scored items piece by piece, as often as they are asked for, from memory or from a file that waits on disk."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

import polars as pl

AT_ONCE = 500_000
"""Rows that are brought together in memory; more are put aside on disk by the hash of what brings them together."""
KEPT = "meta:"
"""Columns that are carried along only to group by begin with this."""
_SEED = 7
_FEW = 10_000  # rows: some megabytes, which are sooner kept than written and read


class Batches(Protocol):
    """The rows of scored items in frames; all rows of an item stand in the same frame."""

    def __call__(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """The frames in order, with some of the columns or all."""
        ...


def in_memory(frame: pl.DataFrame, later: Callable[[], pl.DataFrame] = pl.DataFrame) -> Batches:
    """One frame as the only piece; `later` makes further columns of its rows, when one of them is first asked for.

    >>> [piece.rows() for piece in in_memory(pl.DataFrame({"item": ["a"], "total": [1.0]}))(["total"])]
    [[(1.0,)]]
    """
    known = set(frame.columns)

    @cache
    def whole() -> pl.DataFrame:
        return frame.hstack(later())

    def batches(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        rows = frame if columns is not None and known.issuperset(columns) else whole()
        yield rows if columns is None else rows[list(columns)]

    return batches


def no_items(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
    """The items of a table whose summary alone was asked for."""
    raise ValueError(f"items were not asked for: {columns}")


class WaitingBatches:
    """Scored batches until they are asked for: few rows in memory, more on disk, where they go with the last who can ask."""

    def __init__(self) -> None:
        self._few: list[pl.DataFrame] = []
        self._folder: Path | None = None
        self._files: list[Path] = []
        self.rows = 0

    def write(self, batch: pl.DataFrame) -> None:
        """Put a batch aside; it comes back as it is, so that rows of an item that stand in it stay together."""
        self.rows += batch.height
        self._few.append(batch)
        if self.rows > _FEW:
            for one in self._few:
                self._put_on_disk(one)
            self._few = []

    def _put_on_disk(self, batch: pl.DataFrame) -> None:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="haechi-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._files.append(self._folder / f"{len(self._files):08d}.arrow")
        batch.write_ipc(self._files[-1], compression="lz4")

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """What was written, batch by batch; what stands behind a score (`details:NAME`) also by its name alone."""
        for frame in self._few:
            yield _named(frame, _places(columns, frame.columns))
        for file in self._files:
            places = _places(columns, [*pl.read_ipc_schema(file)])
            yield _named(pl.read_ipc(file, columns=[*dict.fromkeys(places.values())]), places)


def _places(columns: Sequence[str] | None, known: Sequence[str]) -> dict[str, str]:
    """The column in which each of the wanted ones stands."""
    return {name: name if name in known else f"details:{name}" for name in columns or known}


def _named(frame: pl.DataFrame, places: dict[str, str]) -> pl.DataFrame:
    return frame.select(pl.col(place).alias(name) for name, place in places.items())


def brought_together(pieces: Iterable[pl.DataFrame], key: str, rows: int) -> Iterator[pl.DataFrame]:
    """The same rows in other frames, each with all rows of the keys that are in it; within a frame they stay in order.

    `rows` is about how many there are.

    >>> pieces = [pl.DataFrame({"query": ["q1", "q2"]}), pl.DataFrame({"query": ["q1"]})]
    >>> [frame["query"].to_list() for frame in brought_together(pieces, "query", rows=3)]
    [['q1', 'q2', 'q1']]
    """
    buckets = -(-rows // AT_ONCE) or 1
    if buckets == 1:
        yield pl.concat(pieces)
        return
    with tempfile.TemporaryDirectory(prefix="haechi-") as made:
        folder, bucket = Path(made), "\0bucket"
        for number, piece in enumerate(pieces):
            placed = piece.with_columns((pl.col(key).hash(_SEED) % buckets).alias(bucket))
            for (place,), part in placed.partition_by(bucket, as_dict=True, include_key=False).items():
                part.write_ipc(folder / f"{place:06d}-{number:08d}.arrow", compression="lz4")
        for place in range(buckets):
            files = sorted(folder.glob(f"{place:06d}-*"))
            if files:
                yield pl.concat(map(pl.read_ipc, files))
