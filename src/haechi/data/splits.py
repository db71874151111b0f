"""A large file cut into splits: each can be read by itself, in any process. JSONL is cut by bytes, Parquet by rows."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from haechi.data.files import LONGEST_RECORD, Row, check_exists, encoding_of, too_long
from haechi.data.json_files import json_rows
from haechi.data.readers import parquet_rows, read_rows
from haechi.data.sources import Source
from haechi.frozen import frozen

if TYPE_CHECKING:
    import polars as pl

BYTES = 8 * 1024 * 1024
_BUFFER = 256 * 1024
_ROWS = 8192
ROWS = 12 * _ROWS
"""How many rows of a Parquet file are cut off at once."""


class Split(Protocol):
    """Some of the rows of a file: small to send to another process, and read only there."""

    @property
    def size(self) -> float:
        """How much work it is; 1 for some thousands of rows."""
        ...

    def rows(self) -> Iterator[Row]:
        """The rows, as `read_rows` gives them."""
        ...


@frozen
class LineSplit:
    """The lines within a range of bytes; `counted` lines come before it, if that is known."""

    path: Path
    start: int
    stop: int
    encoding: str = "utf-8"
    counted: int | None = None
    size: float = 1.0

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines that are not empty with their numbers, one after the other, since fresh memory is slow."""
        with self.path.open("rb", _BUFFER) as file:
            file.seek(self.start)
            # A mark of the encoding can only stand at the very beginning.
            if self.start == 0 and file.read(len(BOM_UTF8)) != BOM_UTF8:
                file.seek(0)
            left = self.stop - file.tell()
            for number, line in enumerate(file):
                left -= len(line)
                if not line.isspace():
                    yield number, line
                if left <= 0:
                    return

    def block(self) -> bytes:
        """All of them at once, without the mark of the encoding."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            block = file.read(self.stop - self.start)
        return block.removeprefix(BOM_UTF8) if self.start == 0 else block

    @property
    def before(self) -> int:
        """How many lines come before; if need be they are counted, which means reading all of them."""
        if self.counted is not None:
            return self.counted
        count, left = 0, self.start
        with self.path.open("rb") as file:
            while left and (chunk := file.read(min(BYTES, left))):
                count += chunk.count(b"\n")
                left -= len(chunk)
        return count

    def rows(self) -> Iterator[Row]:
        """The rows of the lines."""
        first = self.before + 1
        lines = ((first + number, line.decode(self.encoding)) for number, line in self.lines())
        return json_rows(self.path.name, lines)


@frozen
class RowSplit:
    """Some rows of a Parquet file; the first row of the file is 0."""

    path: Source
    start: int
    stop: int

    @property
    def size(self) -> float:
        """How much work it is."""
        return (self.stop - self.start) / _ROWS

    def scan(self) -> pl.LazyFrame:
        """The rows as columns."""
        from haechi.data.parquet import scan

        return scan(self.path).slice(self.start, self.stop - self.start)

    def rows(self) -> Iterator[Row]:
        """The rows one after the other."""
        return parquet_rows(self.path, self.start, self.stop)


@frozen
class WholeSplit:
    """A file of a format that can only be read from its beginning."""

    path: Path
    size: float = float("inf")

    def rows(self) -> Iterator[Row]:
        """All rows."""
        return read_rows(self.path)


def splits_of(path: Path) -> Iterator[Split]:
    """The splits of a file of any format, in order.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "runs.jsonl"
    >>> _ = file.write_text('{"id": "a"}\\n{"id": "b"}\\n', "utf-8")
    >>> [row for split in splits_of(file) for row in split.rows()]
    [Row(place='runs.jsonl:1', data={'id': 'a'}), Row(place='runs.jsonl:2', data={'id': 'b'})]
    """
    check_exists(path)
    kind = path.suffix.lower()
    if kind == ".parquet":
        return cut_rows(path, ROWS)
    if kind == ".jsonl" and (encoding := encoding_of(path)) != "utf-16":  # a newline is one byte there
        return cut_lines(path, encoding.removesuffix("-sig"), count=True)
    return iter([WholeSplit(path)])


def cut_lines(path: Path, encoding: str = "utf-8", count: bool = False) -> Iterator[LineSplit]:
    """A JSONL file cut by bytes; a line beyond the limit is refused before it is read into memory.

    With `count` the lines are counted on the way, which means reading the file.
    """
    size, start, counted = path.stat().st_size, 0, 0
    with path.open("rb") as file:
        while start < size:
            end = min(start + BYTES, size)
            file.seek(start if count else end)
            newlines = file.read(BYTES).count(b"\n") if count else 0
            overhang = file.readline(LONGEST_RECORD)
            if len(overhang) == LONGEST_RECORD:
                raise too_long(f"{path.name}:{LineSplit(path, end, size).before + 1}")
            stop = file.tell()
            yield LineSplit(path, start, stop, encoding, counted if count else None)
            start, counted = stop, counted + newlines + overhang.count(b"\n")


def cut_rows(path: Source, step: int) -> Iterator[RowSplit]:
    """A Parquet file, on a disk or in S3, cut after every so many rows."""
    from haechi.data.parquet import n_rows

    count = n_rows(path)
    return (RowSplit(path, start, min(start + step, count)) for start in range(0, count, step))


def more_rows_than(paths: list[Path], count: int) -> bool:
    """Whether files hold more rows than `count`; they are read no further than is needed to know."""
    left = count
    for path in paths:
        check_exists(path)
        kind = path.suffix.lower()
        if kind == ".parquet":
            from haechi.data.parquet import n_rows

            left -= n_rows(path)
        elif kind == ".jsonl":
            left -= _count_lines(path, left)
        elif (
            kind not in (".xlsx", ".xlsm") and path.stat().st_size > left
        ):  # a sheet ends at a million rows, and is slow to count
            left -= sum(1 for _ in islice(read_rows(path), left + 1))
        if left < 0:
            return True
    return False


def _count_lines(path: Path, enough: int) -> int:
    count = 0
    with path.open("rb") as file:
        while count <= enough and (chunk := file.read(BYTES)):
            count += chunk.count(b"\n")
    return count
