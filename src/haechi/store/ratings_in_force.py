"""The ratings in force as they are read: as a query, and all of them as a data frame."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from haechi.data.fields import RATER_PREFIX
from haechi.data.stances import ADJUDICATION
from haechi.store.connection import Connection
from haechi.store.display_order import read_shown
from haechi.store.rater_fields import read_fields

if TYPE_CHECKING:
    import polars as pl

_PIECE = 5_000
_COLUMNS = (
    *("item", "criterion", "rater", "kind", "value", "evidence"),
    *("replicate", "status", "reason", "stance", "rubric", "at"),
)
RATINGS = f"""SELECT {", ".join(_COLUMNS)}
    FROM ratings_in_force JOIN (SELECT name, kind FROM raters) AS known ON known.name = rater"""
"""The ratings in force, with the kind of their rater."""
MEASUREMENTS = f"{RATINGS} WHERE coalesce(stance, '') <> '{ADJUDICATION}'"
"""Those of them that measure something: without decisions on disputed items (`is_measurement`)."""


def rating_frame(connection: Connection, only: Collection[str] | None, with_order: bool) -> pl.DataFrame:
    """The ratings in force, of all items or only some, with what their raters say about themselves.

    with_order: whether a column says in which order the two answers of a pair were shown.
    """
    import polars as pl

    schema = dict.fromkeys(_COLUMNS, pl.String) | {"replicate": pl.Int64}
    pieces = []
    ids = {} if only is None else {"ids": list(only)}
    which = "WHERE item = ANY(:ids)" if ids else ""
    # A few at a time: rows of Python objects take many times the room of columns, and few stay near the processor.
    for rows in connection.stream_plain(f"{RATINGS} {which} ORDER BY number", _PIECE, **ids):
        columns = zip(schema.items(), zip(*rows, strict=True), strict=True)
        pieces.append(pl.DataFrame([pl.Series(name, values, dtype) for (name, dtype), values in columns]))
    every = pl.concat(pieces or [pl.DataFrame(schema=schema)])
    if fields := read_fields(connection):
        every = every.with_columns(
            pl.col("rater")
            .replace_strict(values, default=None, return_dtype=pl.String)
            .alias(RATER_PREFIX + field)
            for field, values in fields.items()
        )
    if not with_order:
        return every
    seen = {"item": pl.String, "rater": pl.String, "replicate": pl.Int64, "order": pl.String}
    orders = pl.DataFrame(read_shown(connection), schema=seen, orient="row")
    return every.join(orders, on=list(seen)[:3], how="left", maintain_order="left")
