"""Runs from a Parquet file, in parts of its row groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from haechi.scoring.runs.columns import Keys, Reading, keys_of, runs_of, shaped
from haechi.scoring.runs.parts import ROWS


@dataclass(frozen=True)
class GroupPart:
    """The rows `start` to `stop` of a row group; `before` rows of the file are in earlier groups."""

    path: Path
    group: int
    start: int
    stop: int
    before: int
    reading: Reading

    def batches(self) -> Iterator[pl.DataFrame]:
        """Batches of moderate size, however large the row group is."""
        with _open(self.path) as file:
            keys = keys_of(file.schema_arrow.names, self.reading)
            columns = [key for key in dict.fromkeys(keys) if key is not None] if keys else None
            row = 0
            for batch in file.iter_batches(ROWS, row_groups=[self.group], columns=columns, use_threads=False):
                wanted = batch.slice(max(0, self.start - row), max(0, self.stop - max(row, self.start)))
                if wanted.num_rows:
                    yield self._runs(wanted, keys, self.before + max(row, self.start))
                row += batch.num_rows
                if row >= self.stop:
                    return

    def _runs(self, batch: pa.RecordBatch, keys: Keys | None, row: int) -> pl.DataFrame:
        if keys is not None:
            frame = pl.DataFrame(pl.from_arrow(batch))
            absent = pl.Series(values=[None], dtype=pl.Null).new_from_index(0, len(frame))
            runs = runs_of((absent if key is None else frame[key] for key in keys), self.reading)
            if runs is not None:
                return runs
        places = (f"{self.path.name}, row {row + number + 1}" for number in range(batch.num_rows))
        return shaped(zip(places, self._records(batch, row), strict=True), self.reading)

    def _records(self, batch: pa.RecordBatch, row: int) -> list[dict[str, Any]]:
        """All columns of the same rows: what the quick way does not read may matter when a run is shaped."""
        if set(batch.schema.names) == set(pq.read_schema(self.path).names):
            return batch.to_pylist()
        with _open(self.path) as file:
            whole = file.read_row_group(self.group, use_threads=False)
        return whole.slice(row - self.before, batch.num_rows).to_pylist()


def group_parts(path: Path, reading: Reading, workers: int) -> Iterator[GroupPart]:
    """The parts of a Parquet file: its row groups, cut up when there are too few for all workers."""
    with _open(path) as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    pieces = 1 if len(sizes) >= 2 * workers else workers
    before = 0
    for group, size in enumerate(sizes):
        step = max(ROWS, -(-size // pieces))
        for start in range(0, size, step):
            yield GroupPart(path, group, start, min(size, start + step), before, reading)
        before += size


def _open(path: Path) -> pq.ParquetFile:
    """With a buffer, so that a column of a large row group is not read at once."""
    return pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)
