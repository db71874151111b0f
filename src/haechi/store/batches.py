"""Batches at the providers: written before they leave, found again by their mark, collected once."""

from __future__ import annotations

from typing import Any

from haechi.store.connection import Connection, DatabaseRow, setting
from haechi.store.database import now
from haechi.store.holders import clock, is_dead, lease_end


def begin_batch(connection: Connection, identifier: str, rater: str, model: str, holder: str) -> None:
    """Note a batch that is being put together; nothing has left yet."""
    connection.execute(
        """INSERT INTO batches (id, rater, model, state, requests, holder, held_until, at)
        VALUES (:id, :rater, :model, 'planned', 0, :holder, :held_until, :at)""",
        id=identifier,
        rater=rater,
        model=model,
        holder=holder,
        held_until=lease_end(connection),
        at=now(),
    )


def mark_batch(connection: Connection, identifier: str, **changes: Any) -> None:
    """Change what is known of a batch."""
    connection.execute(
        f"UPDATE batches SET {setting(changes)} WHERE id = :identifier", identifier=identifier, **changes
    )


def end_batch(connection: Connection, identifier: str, state: str, reason: str | None = None) -> None:
    """Close a batch."""
    mark_batch(connection, identifier, state=state, reason=reason, ended_at=now())


def renew_batch(connection: Connection, identifier: str) -> None:
    """Hold a batch that is being sent for another while."""
    mark_batch(connection, identifier, held_until=lease_end(connection))


def batches_in(connection: Connection, *states: str) -> list[DatabaseRow]:
    """The batches in these states, oldest first."""
    return connection.rows(
        """SELECT id, rater, model, state, remote, requests, holder, held_until, at, submitted_at
        FROM batches WHERE state = ANY(:states) ORDER BY at, id""",
        states=list(states),
    )


def batches_so_far(connection: Connection) -> list[DatabaseRow]:
    """All batches that left or may have left, newest first, with how many of their calls have come back."""
    return connection.rows(
        """SELECT id, rater, state, requests, reason, coalesce(submitted_at, at) AS sent, ended_at,
            (SELECT count(*) FROM calls WHERE batch = batches.id AND state = 'answered') AS answered,
            (SELECT count(*) FROM calls WHERE batch = batches.id AND state = 'failed') AS failed
        FROM batches WHERE requests > 0 ORDER BY at DESC, id"""
    )


def abandoned_batches(connection: Connection) -> list[DatabaseRow]:
    """Batches that a process began to put together or to send before it was gone."""
    begun = batches_in(connection, "planned", "sending")
    moment = clock(connection)
    return [row for row in begun if is_dead(row.holder or "", row.held_until or 0, moment)]


def open_in_batch(connection: Connection, identifier: str, after: str, count: int) -> list[str]:
    """The next calls of a batch that still wait, in the order of their ids."""
    return connection.values(
        """SELECT id FROM calls WHERE batch = :batch AND state = 'sent' AND id > :after
        ORDER BY id LIMIT :count""",
        batch=identifier,
        after=after,
        count=count,
    )


def count_open_in_batch(connection: Connection, identifier: str) -> int:
    """How many calls of a batch still wait."""
    query = "SELECT count(*) FROM calls WHERE batch = :batch AND state = 'sent'"
    return int(connection.value(query, batch=identifier))


def close_open_calls(connection: Connection, identifier: str, state: str, reason: str) -> int:
    """End the calls of a batch that will never be answered."""
    return connection.execute(
        """UPDATE calls SET state = :state, reason = :reason, answered_at = :answered_at
        WHERE batch = :batch AND state = 'sent'""",
        state=state,
        reason=reason,
        answered_at=now(),
        batch=identifier,
    )
