"""Batches at the providers: written before they leave, found again by their mark, collected once."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from haechi.store.database import now
from haechi.store.holders import clock, is_dead, lease_end
from haechi.store.tables import batches, calls


def begin_batch(connection: sa.Connection, identifier: str, rater: str, model: str, holder: str) -> None:
    """Note a batch that is being put together; nothing has left yet."""
    row = {"id": identifier, "rater": rater, "model": model, "state": "planned", "requests": 0}
    held = {"holder": holder, "held_until": lease_end(connection), "at": now()}
    connection.execute(sa.insert(batches), row | held)


def mark_batch(connection: sa.Connection, identifier: str, **changes: Any) -> None:
    """Change what is known of a batch."""
    connection.execute(sa.update(batches).where(batches.c.id == identifier).values(changes))


def end_batch(connection: sa.Connection, identifier: str, state: str, reason: str | None = None) -> None:
    """Close a batch."""
    mark_batch(connection, identifier, state=state, reason=reason, ended_at=now())


def renew_batch(connection: sa.Connection, identifier: str) -> None:
    """Hold a batch that is being sent for another while."""
    mark_batch(connection, identifier, held_until=lease_end(connection))


def batches_in(connection: sa.Connection, *states: str) -> list[sa.Row[Any]]:
    """The batches in these states, oldest first."""
    query = sa.select(batches).where(batches.c.state.in_(states)).order_by(batches.c.at, batches.c.id)
    return list(connection.execute(query))


def abandoned_batches(connection: sa.Connection) -> list[sa.Row[Any]]:
    """Batches that a process began to put together or to send before it was gone."""
    begun = batches_in(connection, "planned", "sending")
    moment = clock(connection)
    return [row for row in begun if is_dead(row.holder or "", row.held_until or 0, moment)]


def open_in_batch(connection: sa.Connection, identifier: str, after: str, count: int) -> list[str]:
    """The next calls of a batch that still wait, in the order of their ids."""
    query = (
        sa.select(calls.c.id)
        .where(calls.c.batch == identifier, calls.c.state == "sent", calls.c.id > after)
        .order_by(calls.c.id)
        .limit(count)
    )
    return list(connection.scalars(query))


def count_open_in_batch(connection: sa.Connection, identifier: str) -> int:
    """How many calls of a batch still wait."""
    query = sa.select(sa.func.count()).where(calls.c.batch == identifier, calls.c.state == "sent")
    return int(connection.execute(query).scalar_one())


def close_open_calls(connection: sa.Connection, identifier: str, state: str, reason: str) -> int:
    """End the calls of a batch that will never be answered."""
    waiting = sa.update(calls).where(calls.c.batch == identifier, calls.c.state == "sent")
    return connection.execute(waiting.values(state=state, reason=reason, answered_at=now())).rowcount
