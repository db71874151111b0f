"""A large CSV of ratings a piece at a time: what its columns mean is found out once, and its rows are checked as columns.

A table with a title, a legend, checkboxes or merged cells, and every table with a row that breaks a rule, is for
`RatingReader`, which says what is wrong.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from haechi.data.delimited import GUARDED, delimited, delimiter_of
from haechi.data.files import LONGEST_RECORD, open_text
from haechi.data.ratings import RatingReader
from haechi.data.tables import AS_FOUND
from haechi.data.understanding import Understanding
from haechi.data.workbooks import is_workbook

if TYPE_CHECKING:
    import polars as pl

LEAST = 200_000
"""Bytes of a file that is worth it; a smaller one is read sooner row by row."""
_BLOCK = 1 << 20


class NotPlain(Exception):
    """The table has to be read row by row."""


class PlainTable(NamedTuple):
    """A table whose header is its first line, and how it is read."""

    path: Path
    columns: tuple[str, ...]
    separator: str
    how: Understanding


def is_large(path: Path) -> bool:
    """Whether a file is a CSV that is worth being read as columns."""
    return path.suffix.lower() in (".csv", ".tsv") and path.is_file() and path.stat().st_size >= LEAST


def plain_table(path: Path, reader: RatingReader) -> PlainTable:
    """How a file is read; raises `NotPlain` where more than its columns has to be understood."""
    _demand(not is_workbook(path, named_so=False))
    (raw,), ((table, how),) = delimited(path, AS_FOUND), reader.tables(path)
    columns = tuple(raw.columns)
    _demand(list(columns) == table.columns and not raw.said and not table.said)
    _demand(not how.asked and how.column("email") is None and not reader.keeps)
    return PlainTable(path, columns, delimiter_of(path), how)


def plain_pieces(table: PlainTable, reader: RatingReader) -> Iterator[pl.DataFrame]:
    """The ratings, checked, in the order of the file; raises `NotPlain` at what only a reader of rows can judge."""
    import polars as pl

    from haechi.data.column_rules import PLACE, ROW, checked_ratings
    from haechi.data.rating_columns import by_fields
    from haechi.errors import HaechiError

    how, last, moment = table.how, table.columns[-1], table.how.column("at")
    even = None
    try:
        for number, block in enumerate(_blocks(table.path)):
            piece = pl.read_csv(
                block,
                has_header=not number,
                separator=table.separator,
                schema=dict.fromkeys(table.columns, pl.String),
            )
            if piece.is_empty():  # nothing but the header
                continue
            if piece[last].null_count():  # as a line has that lost a field
                even = _is_even(table) if even is None else even
                _demand(even)
            texts = piece.with_columns(pl.all().str.replace(GUARDED, "$1"))
            placed = texts.with_columns(pl.lit(table.path.name).alias(PLACE)).with_row_index(ROW)
            named = by_fields(placed, how, {"at": moment} if moment else {}).sort(ROW, maintain_order=True)
            _demand(named[ROW].n_unique() == piece.height)  # a row without a rating is told of
            if not moment:
                named = named.with_columns(pl.lit(None, pl.String).alias("at"))
            yield checked_ratings(reader.completed(named), reader.rules)
    except (pl.exceptions.PolarsError, HaechiError) as error:
        raise NotPlain from error


def _blocks(path: Path) -> Iterator[bytes]:
    """The file in blocks of whole lines; a line break between quotes ends no line.

    Polars reads ahead as much as it can where it is given the whole file.
    """
    held = b""
    with path.open("rb") as file:
        while read := file.read(_BLOCK):
            held += read
            _demand(len(held) <= LONGEST_RECORD)
            end = held.rfind(b"\n") + 1
            while end and held.count(b'"', 0, end) % 2:
                end = held.rfind(b"\n", 0, end - 1) + 1
            if end:
                yield held[:end]
                held = held[end:]
    if held:
        yield held


def _demand(holds: bool) -> None:
    if not holds:
        raise NotPlain


def _is_even(table: PlainTable) -> bool:
    """Whether all lines have as many fields as the header; Polars fills up those that have fewer."""
    with open_text(table.path) as file:
        try:
            lines = csv.reader(file, delimiter=table.separator, strict=True)
            return all(len(line) == len(table.columns) for line in lines)
        except csv.Error:
            return False
