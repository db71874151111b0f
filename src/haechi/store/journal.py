"""The journal: what was asked of AI judges, and everything that came back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from haechi.store.tables import calls


def known_calls(connection: sa.Connection, ids: Collection[str]) -> set[str]:
    """Which of these calls the journal has already."""
    return set(connection.scalars(sa.select(calls.c.id).where(calls.c.id.in_(list(ids)))))


def write_calls(connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
    """Write calls into the journal; what a row leaves out stays empty."""
    if rows:
        connection.execute(sa.insert(calls), [_BLANK | row for row in rows])


_BLANK: dict[str, Any] = {column.name: None for column in calls.c if column.name not in ("number",)} | {
    "replicate": 1,
    "part": "",
    "attempts": 1,
}
