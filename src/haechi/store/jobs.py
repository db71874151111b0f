"""Jobs: workers that judge one study together, wherever they run, and share one budget."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import NamedTuple

from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.holders import clock, is_dead, lease_end


class Spending(NamedTuple):
    """What a job has paid, what it may have to pay besides, and how much of that is on its way right now.

    The rest waits in batches, which may take a day, or was asked without an answer and may have been paid.
    """

    paid: float = 0.0
    reserved: float = 0.0
    live: float = 0.0


def join_job(connection: Connection, worker: str, wished: str | None = None) -> str:
    """Register a worker; without a wish it joins those that are at work, or begins a job of its own."""
    moment = clock(connection)
    known = connection.rows("SELECT name, job, held_until FROM workers ORDER BY at DESC")
    alive = [row for row in known if not is_dead(row.name, row.held_until, moment)]
    gone = {row.name for row in known} - {row.name for row in alive}
    connection.execute("DELETE FROM workers WHERE name = ANY(:names)", names=[*gone, worker])
    job = wished or (alive[0].job if alive else uuid.uuid4().hex)
    connection.execute(
        "INSERT INTO jobs (name, paid, doubtful, at) VALUES (:name, 0, 0, :at) ON CONFLICT DO NOTHING",
        name=job,
        at=now(),
    )
    connection.execute(
        "INSERT INTO workers (name, job, held_until, at) VALUES (:name, :job, :held_until, :at)",
        name=worker,
        job=job,
        held_until=lease_end(connection),
        at=now(),
    )
    return str(job)


def renew_worker(connection: Connection, worker: str) -> None:
    """Say that a worker is still there."""
    mine = "UPDATE workers SET held_until = :until WHERE name = :name"
    connection.execute(mine, until=lease_end(connection), name=worker)


def leave_job(connection: Connection, worker: str) -> None:
    """A worker has ended its work."""
    connection.execute("DELETE FROM workers WHERE name = :name", name=worker)


def workers_of(connection: Connection, job: str) -> list[str]:
    """The workers of a job that are at work."""
    moment = clock(connection)
    known = connection.rows("SELECT name, held_until FROM workers WHERE job = :job", job=job)
    return [row.name for row in known if not is_dead(row.name, row.held_until, moment)]


def spending(connection: Connection, job: str) -> Spending:
    """What all workers of a job have spent and may still have to pay."""
    known = connection.rows("SELECT paid, doubtful FROM jobs WHERE name = :job", job=job)
    paid, doubtful = known[0] if known else (0.0, 0.0)  # nobody has joined it yet
    ((reserved, live),) = connection.rows(
        """SELECT sum(reserved), sum(CASE WHEN way = 'live' THEN reserved ELSE 0 END)
        FROM calls WHERE job = :job AND state = 'sent'""",
        job=job,
    )
    return Spending(paid, doubtful + (reserved or 0.0), live or 0.0)


def charge_worst(connection: Connection, job: str, dollars: float) -> None:
    """Something may have been paid, nobody says what: it counts as its worst case."""
    _charge(connection, job, 0.0, dollars)


def doubt_lost(connection: Connection, ids: Collection[str], ended: bool = False) -> None:
    """Lost calls may have been paid: they count as their worst case, until an answer that comes late has `ended` that."""
    lost = connection.rows(
        """SELECT job, sum(reserved) AS worst FROM calls
        WHERE id = ANY(:ids) AND state = 'lost' AND job IS NOT NULL GROUP BY job""",
        ids=list(ids),
    )
    for row in lost:
        worst_case = row.worst or 0.0
        charge_worst(connection, row.job, -worst_case if ended else worst_case)


def settle_calls(connection: Connection, ids: Collection[str]) -> None:
    """Finished calls cost their jobs what they cost, no longer what they could have cost; unless nobody says."""
    finished = connection.rows(
        """SELECT job, sum(cost) AS cost, sum(CASE WHEN cost IS NULL THEN reserved ELSE 0 END) AS unknown
        FROM calls WHERE id = ANY(:ids) AND job IS NOT NULL GROUP BY job""",
        ids=list(ids),
    )
    for row in finished:
        _charge(connection, row.job, row.cost or 0.0, row.unknown or 0.0)


def _charge(connection: Connection, job: str, paid: float, doubtful: float) -> None:
    connection.execute(
        "UPDATE jobs SET paid = paid + :paid, doubtful = doubtful + :doubtful WHERE name = :job",
        paid=paid,
        doubtful=doubtful,
        job=job,
    )
