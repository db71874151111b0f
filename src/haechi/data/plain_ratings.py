"""A long CSV of ratings whose columns have our own names, a piece at a time: nothing about it needs to be understood.

Every other table, and every plain one with a row that breaks a rule, is for `RatingReader`, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.data.rating_rules import RatingRules

if TYPE_CHECKING:
    import polars as pl

LEAST = 200_000
"""Bytes of a file that is worth it; a smaller one is read sooner row by row."""
_PIECE = 50_000
_NEEDED = {"item", "rater", "criterion", "value"}
_KNOWN = {*_NEEDED, "kind", "evidence", "replicate", "status", "reason", "stance", "at"}


class NotPlain(Exception):
    """The table has to be read row by row."""


def is_plain(path: Path) -> bool:
    """Whether a file is large, and its first line names our own columns, each once."""
    if path.suffix.lower() != ".csv" or not path.is_file() or path.stat().st_size < LEAST:
        return False
    with path.open("rb") as file:
        names = file.readline(10_000).decode("utf-8-sig", "replace").strip().split(",")
    return _NEEDED <= set(names) <= _KNOWN and len(set(names)) == len(names)


def plain_pieces(path: Path, rules: RatingRules) -> Iterator[pl.DataFrame]:
    """The ratings, checked, in the order of the file; raises `NotPlain` at what only a reader of rows can judge."""
    import polars as pl

    from haechi.data.rating_columns import PLACE, ROW, checked_ratings
    from haechi.errors import HaechiError

    try:
        table = pl.scan_csv(path, infer_schema=False, low_memory=True)
        for piece in table.collect_batches(chunk_size=_PIECE, maintain_order=True):
            placed = piece.with_columns(pl.lit(path.name).alias(PLACE)).with_row_index(ROW)
            if "at" not in piece.columns:
                placed = placed.with_columns(pl.lit(None, pl.String).alias("at"))
            yield checked_ratings(placed, rules)
    except (pl.exceptions.PolarsError, HaechiError) as error:
        raise NotPlain from error
