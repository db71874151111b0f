"""Batches whose process was gone before their id was written down: looked for at the provider, by their mark."""

from __future__ import annotations

import asyncio
import calendar
import time
from collections.abc import Callable

from haechi.judge.batch_status import BatchNews, unreachable
from haechi.judge.providers.base import Client, Misconfigured, TryAgain
from haechi.store.batches import close_open_calls, end_batch, mark_batch
from haechi.store.connection import DatabaseRow
from haechi.store.database import Database, now
from haechi.store.holders import LEASE, RENEWED_EVERY
from haechi.store.journal import open_calls
from haechi.text import Text

LATE = 30.0
"""Seconds after which a batch that the provider does not list has not arrived: until then it may be listed late."""
_LOOK = 2.0  # seconds between looks
_NOT_ARRIVED = Text("제공자에 도착하지 않음", "never arrived at the provider")


async def found_again(
    database: Database, row: DatabaseRow, client_of: Callable[[str], Client]
) -> BatchNews | None:
    """Look for a batch; None where it was found, and is out like the others from now on."""
    if row.state == "planned":  # nothing had left
        return _never_sent(database, row)
    try:
        remote = await _look_for(database, row, client_of(row.model))
    except TryAgain as error:
        return BatchNews(row.id, row.rater, "unknown", row.requests, words=str(error))
    except Misconfigured as error:
        return unreachable(row, error)
    if remote is None:
        return _never_sent(database, row)
    with database.write_alone() as connection:
        mark_batch(connection, row.id, state="submitted", remote=remote, submitted_at=now())
    return None


async def _look_for(database: Database, row: DatabaseRow, client: Client) -> str | None:
    """The id of a batch that may have arrived; sent a moment ago, it is looked for until it had time to be listed."""

    def ours(call: str) -> bool:
        with database.read() as connection:
            found = open_calls(connection, [call]).get(call)
        return found is not None and found.batch == row.id

    while True:
        remote = await client.find(row.id, _seconds(row.at), ours)
        left = _last_try(row) + LATE - time.time()
        if remote is not None or left <= 0:
            return remote
        await asyncio.sleep(min(_LOOK, left))


def _never_sent(database: Database, row: DatabaseRow) -> BatchNews:
    with database.write_alone() as connection:
        close_open_calls(connection, row.id, "cancelled", _NOT_ARRIVED.kept)
        end_batch(connection, row.id, "failed", _NOT_ARRIVED.kept)
    return BatchNews(row.id, row.rater, "never sent", row.requests, words=_NOT_ARRIVED.say())


def _last_try(row: DatabaseRow) -> float:
    """The last moment at which a request with this batch may have left: its process lived until it no longer renewed."""
    renewed = (row.held_until or 0.0) - LEASE
    return max(_seconds(row.submitted_at or row.at), min(renewed + RENEWED_EVERY, time.time()))


def _seconds(at: str) -> float:
    return calendar.timegm(time.strptime(at[:19], "%Y-%m-%dT%H:%M:%S"))
