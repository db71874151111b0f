"""Runs from a Parquet file, in slices of its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from haechi.errors import HaechiError
from haechi.scoring.runs.columns import Keys, Reading, keys_of, runs_of, shaped
from haechi.scoring.runs.parts import ROWS
from haechi.text import Text

PART = 4 * ROWS
"""Rows to a part: polars decodes whole row groups or pages, of which a short slice would use little."""


@dataclass(frozen=True)
class SlicePart:
    """Some rows of a Parquet file."""

    path: Path | str
    start: int
    keys: Keys | None
    reading: Reading

    def batches(self) -> Iterator[pl.DataFrame]:
        """Batches of equal size; all columns are read only where a run must be shaped."""
        rows = _scan(self.path).slice(self.start, PART)
        if self.keys is None:
            yield self._shaped(rows.collect(), self.start)
            return
        frame = rows.select({key for key in self.keys if key is not None}).collect()
        for start in range(0, len(frame), ROWS):
            batch = frame.slice(start, ROWS)
            absent = pl.Series(values=[None], dtype=pl.Null).new_from_index(0, len(batch))
            runs = runs_of((absent if key is None else batch[key] for key in self.keys), self.reading)
            yield (
                self._shaped(rows.slice(start, ROWS).collect(), self.start + start) if runs is None else runs
            )

    def _shaped(self, rows: pl.DataFrame, start: int) -> pl.DataFrame:
        records = enumerate(rows.iter_rows(named=True), start=start + 1)
        name = _name(self.path)
        return shaped(((f"{name}, row {row}", record) for row, record in records), self.reading)


def slice_parts(path: Path | str, reading: Reading) -> Iterator[SlicePart]:
    """The parts of a Parquet file on a disk, or in S3 by its address."""
    try:
        file = _scan(path)
        names, count = file.collect_schema().names(), file.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        expected = Text("Parquet 파일", "a Parquet file")
        todo = Text("파일을 확인하세요", "check the file")
        raise HaechiError.of(_name(path), str(error).splitlines()[0], expected, todo) from None
    keys = keys_of(names, reading)
    for start in range(0, count, PART):
        yield SlicePart(path, start, keys, reading)


def _scan(path: Path | str) -> pl.LazyFrame:
    return pl.scan_parquet(str(path), glob=False)  # a file may well be called runs[1].parquet


def _name(path: Path | str) -> str:
    return path.rsplit("/", 1)[-1] if isinstance(path, str) else path.name
