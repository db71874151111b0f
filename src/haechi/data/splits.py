"""Stretches of a large file: each can be read by itself, in any process, as rows with their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from haechi.data.files import LONGEST_RECORD, Row, check_exists, encoding_of, refuse
from haechi.data.readers import json_rows, parquet_rows, read_rows
from haechi.text import Text

BYTES = 8 * 1024 * 1024
_BATCH, _ROWS = 4096, 8192


class Stretch(Protocol):
    """Some of the rows of a file: small to send to another process, and read only there."""

    @property
    def size(self) -> float:
        """How much work it is; 1 for some thousands of rows."""
        ...

    def rows(self) -> Iterator[Row]:
        """The rows, as `read_rows` gives them."""
        ...


@dataclass(frozen=True)
class Lines:
    """The lines within a stretch of bytes; `before` lines come before it."""

    path: Path
    start: int
    stop: int
    before: int
    encoding: str
    size: float = 1.0

    def rows(self) -> Iterator[Row]:
        """The rows of the lines."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            text = file.read(self.stop - self.start).decode(self.encoding)
        return json_rows(self.path.name, enumerate(text.split("\n"), start=self.before + 1))


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file; `before` rows come before it."""

    path: Path
    group: int
    before: int
    size: float

    def rows(self) -> Iterator[Row]:
        """The rows of the group."""
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(self.path) as file:
            batches = file.iter_batches(batch_size=_BATCH, row_groups=[self.group])
            yield from parquet_rows(self.path.name, batches, self.before)


@dataclass(frozen=True)
class Whole:
    """A file of a format that can only be read from its beginning."""

    path: Path
    size: float = float("inf")

    def rows(self) -> Iterator[Row]:
        """All rows."""
        return read_rows(self.path)


def stretches(path: Path) -> Iterator[Stretch]:
    """The stretches of a file, in order.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "runs.jsonl"
    >>> _ = file.write_text('{"id": "a"}\\n{"id": "b"}\\n', "utf-8")
    >>> [row for stretch in stretches(file) for row in stretch.rows()]
    [Row(place='runs.jsonl:1', data={'id': 'a'}), Row(place='runs.jsonl:2', data={'id': 'b'})]
    """
    check_exists(path)
    kind = path.suffix.lower()
    if kind == ".parquet":
        return _row_groups(path)
    if kind == ".jsonl" and (encoding := encoding_of(path)) != "utf-16":  # a newline is one byte there
        return _lines(path, encoding)
    return iter([Whole(path)])


def _lines(path: Path, encoding: str) -> Iterator[Lines]:
    size, start, before = path.stat().st_size, 0, 0
    with path.open("rb") as file:
        while start < size:
            file.seek(start)
            count = file.read(BYTES).count(b"\n")
            overhang = file.readline(LONGEST_RECORD)
            if len(overhang) == LONGEST_RECORD:
                mebibytes = LONGEST_RECORD // 1024 // 1024
                found = Text(f"{mebibytes} MiB보다 긴 줄", f"a line longer than {mebibytes} MiB")
                expected = Text(f"{mebibytes} MiB 이하의 줄", f"a line of at most {mebibytes} MiB")
                raise refuse(f"{path.name}:{before + count + 1}", found, expected)
            stop = file.tell()
            # A mark of the encoding can only stand at the very beginning.
            yield Lines(path, start, stop, before, encoding if start == 0 else encoding.removesuffix("-sig"))
            start, before = stop, before + count + overhang.count(b"\n")


def _row_groups(path: Path) -> Iterator[RowGroup]:
    about, before = _about(path), 0
    for group in range(about.num_row_groups):
        rows = about.row_group(group).num_rows
        yield RowGroup(path, group, before, rows / _ROWS)
        before += rows


def _about(path: Path) -> Any:
    import pyarrow
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_metadata(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise refuse(path.name, str(error), Text("Parquet 파일", "a Parquet file")) from None


def more_rows_than(paths: list[Path], count: int) -> bool:
    """Whether files hold more rows than `count`; they are read no further than is needed to know."""
    left = count
    for path in paths:
        check_exists(path)
        kind = path.suffix.lower()
        if kind == ".parquet":
            left -= _about(path).num_rows
        elif kind == ".jsonl":
            left -= _count_lines(path, left)
        elif (
            kind != ".xlsx" and path.stat().st_size > left
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
