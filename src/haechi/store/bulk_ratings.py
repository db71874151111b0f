"""Very many ratings of judgements that are new to a study, as most are: none is looked up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from haechi.data.delimited import NotPlain
from haechi.data.progress import Advance
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.items import add_bare_items
from haechi.store.ratings import COLUMNS, Appended
from haechi.store.unknown_items import UnknownItems

if TYPE_CHECKING:
    import polars as pl

_ASKED_AT_ONCE = 5_000


def append_pieces(
    connection: Connection,
    pieces: Iterable[pl.DataFrame],
    rubric_version: str,
    arrival: str,
    newcomers: UnknownItems,
    advance: Advance,
) -> Appended:
    """Append checked ratings; `NotPlain` where a rater or an item is not as it must be for that.

    A judgement that comes twice, or that is there already, breaks a rule of the database.
    """
    import polars as pl

    done, moment = Appended(), now()
    raters: dict[str, str] = {}
    known: set[str] = set()
    for piece in pieces:
        for name, kind in piece.select("rater", "kind").unique().rows():
            if name not in raters:
                _register(connection, name, kind)
            if raters.setdefault(name, kind) != kind:
                raise NotPlain
        ids = [item for item in piece["item"].unique(maintain_order=True).to_list() if item not in known]
        known.update(ids)
        for start in range(0, len(ids), _ASKED_AT_ONCE):
            some = ids[start : start + _ASKED_AT_ONCE]
            if not newcomers.welcome(some) >= set(some):
                raise NotPlain
            done.bare_items += add_bare_items(connection, some, arrival)
        about = {
            "rubric": pl.lit(rubric_version),
            "arrival": pl.lit(arrival),
            "at": pl.col("at").fill_null(moment),
        }
        rows = piece.with_columns(**about)
        # A column without values is empty by itself: Python's SQLite takes longer to be told of an empty cell than of a full one.
        filled = [name for name in COLUMNS[:-1] if rows[name].null_count() < rows.height]
        connection.insert("ratings", filled, rows.select(filled).iter_rows())
        done.new += piece.height
        advance(piece.height)
    return done


def _register(connection: Connection, name: str, kind: str) -> None:
    """Make a rater known; one who is known as something else is for others to judge."""
    before = connection.value("SELECT kind FROM raters WHERE name = :name", name=name)
    if before is None:
        new = "INSERT INTO raters (name, kind, at) VALUES (:name, :kind, :at)"
        connection.execute(new, name=name, kind=kind, at=now())
    elif before != kind:
        raise NotPlain
