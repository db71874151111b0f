"""Runs from a Parquet file, in slices of its rows; polars skips the pages before a slice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from haechi.errors import HaechiError
from haechi.scoring.runs.columns import Keys, Reading, keys_of, runs_of, shaped
from haechi.scoring.runs.parts import ROWS
from haechi.text import Text


@dataclass(frozen=True)
class SlicePart:
    """Some rows of a Parquet file."""

    path: Path | str
    start: int
    keys: Keys | None
    reading: Reading

    def batches(self) -> Iterator[pl.DataFrame]:
        """One batch; all columns are read only where a run must be shaped."""
        rows = _scan(self.path).slice(self.start, ROWS)
        runs = None
        if self.keys is not None:
            frame = rows.select({key for key in self.keys if key is not None}).collect()
            absent = pl.Series(values=[None], dtype=pl.Null).new_from_index(0, len(frame))
            runs = runs_of((absent if key is None else frame[key] for key in self.keys), self.reading)
        if runs is None:
            records = enumerate(rows.collect().iter_rows(named=True), start=self.start + 1)
            name = _name(self.path)
            runs = shaped(((f"{name}, row {row}", record) for row, record in records), self.reading)
        yield runs


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
    for start in range(0, count, ROWS):
        yield SlicePart(path, start, keys, reading)


def _scan(path: Path | str) -> pl.LazyFrame:
    return pl.scan_parquet(str(path), glob=False)  # a file may well be called runs[1].parquet


def _name(path: Path | str) -> str:
    return path.rsplit("/", 1)[-1] if isinstance(path, str) else path.name
