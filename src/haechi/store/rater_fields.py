"""What raters say about themselves: fields of the rater, such as an age band."""

from __future__ import annotations

from collections.abc import Mapping

from haechi.store.connection import Connection
from haechi.store.database import now


def keep_fields(connection: Connection, rater: str, fields: Mapping[str, str | None]) -> None:
    """Keep what a rater says; what was said before stays."""
    for field, value in fields.items():
        connection.execute(
            """INSERT INTO rater_fields (rater, field, value, at) VALUES (:rater, :field, :value, :at)
            ON CONFLICT DO NOTHING""",
            rater=rater,
            field=field,
            value=value,
            at=now(),
        )


def read_fields(connection: Connection) -> dict[str, dict[str, str | None]]:
    """What everybody has said: of every field the values by rater, in the order in which fields first came."""
    found: dict[str, dict[str, str | None]] = {}
    for row in connection.rows("SELECT field, rater, value FROM rater_fields ORDER BY at, field, rater"):
        found.setdefault(row.field, {})[row.rater] = row.value
    return found
