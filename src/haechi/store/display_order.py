"""In which order raters saw the two answers of a pair."""

from __future__ import annotations

from collections.abc import Iterable

from haechi.store.connection import Connection

Seen = tuple[str, str, int, str]
"""Item, rater, replicate, and `ab` or `ba`."""


def note_shown(connection: Connection, seen: Iterable[Seen], anew: bool = False) -> None:
    """Keep in which order a pair was seen; what was told first holds, unless the verdict comes `anew`."""
    once = {told[:3]: told for told in seen}
    clash = "(item, rater, replicate) DO UPDATE SET first = excluded.first" if anew else "DO NOTHING"
    connection.many(
        "INSERT INTO shown (item, rater, replicate, first) VALUES (:item, :rater, :replicate, :first) "
        f"ON CONFLICT {clash}",
        list(once.values()),
    )


def read_shown(connection: Connection) -> list[Seen]:
    """Every order that was kept."""
    return [tuple(row) for row in connection.rows("SELECT item, rater, replicate, first FROM shown")]
