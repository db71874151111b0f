"""In which order raters saw the two answers of a pair."""

from __future__ import annotations

from collections.abc import Iterable

from haechi.store.connection import Connection

Seen = tuple[str, str, int, str]
"""Item, rater, replicate, and `ab` or `ba`."""


def note_shown(connection: Connection, seen: Iterable[Seen]) -> None:
    """Keep in which order a pair was seen; what was told first holds."""
    connection.many(
        "INSERT INTO shown (item, rater, replicate, first) VALUES (:item, :rater, :replicate, :first) "
        "ON CONFLICT DO NOTHING",
        list(dict.fromkeys(seen)),
    )


def read_shown(connection: Connection) -> list[Seen]:
    """Every order that was kept."""
    return [tuple(row) for row in connection.rows("SELECT item, rater, replicate, first FROM shown")]
