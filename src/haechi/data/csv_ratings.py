"""A large CSV of ratings a piece at a time: what its columns mean is found out once, and its rows are checked as columns.

A table with a title, a legend, checkboxes or merged cells, and every table with a row that breaks a rule, is for
`RatingReader`, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from haechi.data.delimited import NotPlain, column_pieces, demand, plain_header
from haechi.data.rating_reader import RatingReader
from haechi.data.understanding import Understanding

if TYPE_CHECKING:
    import polars as pl


class PlainTable(NamedTuple):
    """A table whose header is its first line, and how it is read."""

    path: Path
    columns: tuple[str, ...]
    how: Understanding


def plain_table(path: Path, reader: RatingReader) -> PlainTable:
    """How a file is read; raises `NotPlain` where more than its columns has to be understood."""
    columns = plain_header(path)
    ((table, how),) = reader.tables(path)
    demand(list(columns) == table.columns and not table.said)
    demand(not how.asked and how.column("email") is None)
    return PlainTable(path, columns, how)


def plain_pieces(table: PlainTable, reader: RatingReader) -> Iterator[pl.DataFrame]:
    """The ratings, checked, in the order of the file; raises `NotPlain` at what only a reader of rows can judge."""
    import polars as pl

    from haechi.data.column_rules import PLACE, ROW, checked_ratings
    from haechi.data.rating_columns import by_fields
    from haechi.errors import HaechiError

    how, moment = table.how, table.how.column("at")
    for texts in column_pieces(table.path, table.columns):
        if texts.is_empty():  # nothing but the header
            continue
        placed = texts.with_columns(pl.lit(table.path.name).alias(PLACE)).with_row_index(ROW)
        try:
            named = by_fields(placed, how, {"at": moment} if moment else {}).sort(ROW, maintain_order=True)
            demand(named[ROW].n_unique() == texts.height)  # a row without a rating is told of
            if not moment:
                named = named.with_columns(pl.lit(None, pl.String).alias("at"))
            yield checked_ratings(reader.completed(named), reader.rules)
        except (pl.exceptions.PolarsError, HaechiError) as error:
            raise NotPlain from error
