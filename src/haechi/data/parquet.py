"""Parquet files a piece at a time, read and written by polars; however large the file, few rows are in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, Literal

import polars as pl

from haechi.data.files import no_parquet
from haechi.data.sources import Source, name_of

BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What polars raises for a file that is no Parquet, or a damaged one."""


def scan(path: Source) -> pl.LazyFrame:
    """A file as polars reads it; one that is called runs[1].parquet is not a pattern."""
    return pl.scan_parquet(str(path), glob=False)


def n_rows(path: Source) -> int:
    """How many rows a file has."""
    try:
        return int(scan(path).select(pl.len()).collect().item())
    except BROKEN as error:
        raise no_parquet(name_of(path), error) from None


def pieces(
    path: Source, rows: int, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None
) -> Iterator[pl.DataFrame]:
    """The rows from `start` to `stop`, in order, so many at once.

    >>> file = f"{tempfile.mkdtemp()}/t.parquet"
    >>> pl.DataFrame({"n": range(5)}).write_parquet(file)
    >>> [piece["n"].to_list() for piece in pieces(file, 2, start=1)]
    [[1, 2], [3, 4]]
    """
    wanted = scan(path).slice(start, None if stop is None else stop - start)
    try:
        for piece in (wanted if columns is None else wanted.select(columns)).collect_batches(chunk_size=rows):
            if piece.height:
                yield piece
    except BROKEN as error:
        raise no_parquet(name_of(path), error) from None


def write_pieces(
    frames: Iterable[pl.DataFrame],
    file: IO[bytes],
    compression: Literal["snappy", "zstd"] = "snappy",
    rows_to_a_group: int | None = None,
) -> int:
    """Write the pieces of one table into an open file; how many rows there were.

    More pieces than one wait in a folder until the last is there: polars writes a file in one go.

    >>> with tempfile.NamedTemporaryFile() as file:
    ...     write_pieces([pl.DataFrame({"n": [1]}), pl.DataFrame({"n": [2, 3]})], file)
    ...     pl.read_parquet(file.name)["n"].to_list()
    3
    [1, 2, 3]
    """
    waiting = iter(frames)
    first, second = next(waiting), next(waiting, None)
    if second is None:
        first.write_parquet(file, compression=compression, row_group_size=rows_to_a_group)
        return first.height
    with tempfile.TemporaryDirectory(prefix="haechi-") as folder:
        written, rows = [], 0
        for number, frame in enumerate(chain((first, second), waiting)):
            written.append(f"{folder}/{number:06d}.arrow")
            frame.write_ipc(written[-1])
            rows += frame.height
        table = pl.scan_ipc(written, glob=False)
        table.sink_parquet(file, compression=compression, row_group_size=rows_to_a_group)
    return rows
