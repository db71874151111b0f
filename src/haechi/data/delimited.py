"""Delimited text files as lines of cells, or a large one as columns: commas, semicolons or tabs, whatever the ending says.

Columns hold what the lines would: a file that is more than a header and lines of the same width has to be read line by line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from haechi.data.files import LONGEST_RECORD, open_text, refuse
from haechi.data.tables import AS_FOUND, InputTable, TableLine, TableReading, table_of
from haechi.data.workbooks import is_workbook
from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

LEAST = 200_000
"""Bytes of a file that is worth being read as columns; a smaller one is read sooner line by line."""
_GUARD = r"^'('*[=+\-@\t\r])"
"""An apostrophe that was put before a cell to keep it from becoming a formula, and what it guards."""
_GUARDED = re.compile(_GUARD)
_LOOKED_AT = 20
_BLOCK = 1 << 20


class NotPlain(Exception):
    """The table has to be read line by line."""


def delimited(path: Path, reading: TableReading) -> list[InputTable]:
    """The one table of the file."""
    return [
        table_of(path.name, _lines(path), lambda line: f"{path.name}:{line}", reading.header_row, strict=True)
    ]


def _lines(path: Path) -> Iterator[TableLine]:
    csv.field_size_limit(LONGEST_RECORD)
    with open_text(path) as file:
        reader = csv.reader(file, delimiter=_delimiter(file), strict=True)
        try:
            for fields in reader:
                yield TableLine(reader.line_num, list(map(_unguarded, fields)))
        except csv.Error as error:
            place = f"{path.name}:{reader.line_num + 1}"
            raise refuse(place, str(error), Text("올바른 CSV", "well-formed CSV")) from None


def is_large(path: Path) -> bool:
    """Whether a file is delimited text that is worth being read as columns."""
    return path.suffix.lower() in (".csv", ".tsv") and path.is_file() and path.stat().st_size >= LEAST


def plain_header(path: Path) -> tuple[str, ...]:
    """The names of the columns of a file that has them in its first line; raises `NotPlain` where more has to be understood."""
    try:
        demand(not is_workbook(path, named_so=False))
        (table,) = delimited(path, AS_FOUND)
    except HaechiError as error:
        raise NotPlain from error
    demand(bool(table.columns) and not table.said)
    return tuple(table.columns)


def column_pieces(path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The cells below the header as columns of texts, a piece at a time; raises `NotPlain` at what only lines tell.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_text("item,system\\nq1,'@m1\\n", "utf-8")
    >>> [piece.rows() for piece in column_pieces(file, plain_header(file))]
    [[('q1', '@m1')]]
    """
    import polars as pl

    with open_text(path) as file:
        separator = _delimiter(file)
    even, last, schema = None, columns[-1], dict.fromkeys(columns, pl.String)
    try:
        for number, block in enumerate(_blocks(path)):
            piece = pl.read_csv(block, has_header=False, separator=separator, schema=schema)
            blank = pl.all_horizontal(pl.all().fill_null("") == "")
            demand(not piece.select(blank.any()).item())  # a legend may follow
            piece = piece if number else piece[1:]
            if piece[last].null_count():  # as a line has that lost a field
                even = _is_even(path, separator, len(columns)) if even is None else even
                demand(even)
            # Few columns have a guarded cell, and looking at every cell for one takes longer than reading them.
            quoted = [cells for cells in piece if cells.str.starts_with("'").any()]
            yield piece.with_columns(cells.str.replace(_GUARD, "$1") for cells in quoted)
    except pl.exceptions.PolarsError as error:
        raise NotPlain from error


def demand(holds: bool) -> None:
    """Leave a table that is not plain to those who read it line by line."""
    if not holds:
        raise NotPlain


def _blocks(path: Path) -> Iterator[bytes]:
    """The file in blocks of whole lines; a line break between quotes ends no line.

    Polars reads ahead as much as it can where it is given the whole file.
    """
    held = b""
    with path.open("rb") as file:
        while read := file.read(_BLOCK):
            held += read
            demand(len(held) <= LONGEST_RECORD)
            end = held.rfind(b"\n") + 1
            while end and held.count(b'"', 0, end) % 2:
                end = held.rfind(b"\n", 0, end - 1) + 1
            if end:
                yield held[:end]
                held = held[end:]
    if held:
        yield held


def _is_even(path: Path, separator: str, width: int) -> bool:
    """Whether all lines have as many fields as the header; Polars fills up those that have fewer."""
    with open_text(path) as file:
        try:
            return all(len(line) == width for line in csv.reader(file, delimiter=separator, strict=True))
        except csv.Error:
            return False


def has_columns(path: Path) -> bool:
    """Whether a text file is a table: tabs stand in each of its first lines."""
    with open_text(path) as file:
        first = [line for _ in range(_LOOKED_AT) if (line := file.readline(LONGEST_RECORD)).strip()]
    return bool(first) and all("\t" in line for line in first)


def _delimiter(file: TextIO) -> str:
    """Commas, unless the header has more semicolons or tabs, as spreadsheets of some languages write them."""
    for _ in range(_LOOKED_AT):
        line = file.readline(LONGEST_RECORD)
        if not line or any(sign in line for sign in ",;\t"):
            break
    file.seek(0)
    return max(",;\t", key=line.count)


def _unguarded(field: str) -> str:
    """A cell as it was before an apostrophe was put before it to keep it from becoming a formula."""
    return field[1:] if field.startswith("'") and _GUARDED.match(field) else field
