"""Runs from rows of a Parquet file, as columns."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from haechi.data.sources import Source, name_of
from haechi.data.splits import RowSplit, cut_rows
from haechi.frozen import frozen
from haechi.scoring.runs.columns import FieldKeys, RunReading, keys_of, runs_of, shape_runs
from haechi.scoring.runs.parts import ROWS

PART = 4 * ROWS
"""Rows to a part: polars decodes whole row groups or pages, of which a short slice would use little."""


@frozen
class SlicePart:
    """The runs in some rows."""

    rows: RowSplit
    keys: FieldKeys | None
    reading: RunReading

    def batches(self) -> Iterator[pl.DataFrame]:
        """Batches of equal size; all columns are read only where a run must be shaped."""
        rows = self.rows.scan()
        if self.keys is None:
            yield self._shaped(rows.collect(), 0)
            return
        frame = rows.select({key for key in self.keys if key is not None}).collect()
        for start in range(0, len(frame), ROWS):
            batch = frame.slice(start, ROWS)
            absent = pl.Series(values=[None], dtype=pl.Null).new_from_index(0, len(batch))
            runs = runs_of((absent if key is None else batch[key] for key in self.keys), self.reading)
            yield self._shaped(rows.slice(start, ROWS).collect(), start) if runs is None else runs

    def _shaped(self, rows: pl.DataFrame, start: int) -> pl.DataFrame:
        records = enumerate(rows.iter_rows(named=True), start=self.rows.start + start + 1)
        name = name_of(self.rows.path)
        return shape_runs(((f"{name}, row {row}", record) for row, record in records), self.reading)


def slice_parts(path: Source, reading: RunReading) -> Iterator[SlicePart]:
    """The parts of a Parquet file on a disk, or in S3 by its address."""
    keys: FieldKeys | None = None
    for number, rows in enumerate(cut_rows(path, PART)):
        if not number:
            keys = keys_of(rows.scan().collect_schema().names(), reading)
        yield SlicePart(rows, keys, reading)
