"""Jobs: workers that judge one study together, wherever they run, and share one budget."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from haechi.store.database import now
from haechi.store.holders import clock, is_dead, lease_end
from haechi.store.tables import calls, jobs, workers


class Spending(NamedTuple):
    """What a job has paid, what it may have to pay besides, and how much of that is on its way right now.

    The rest waits in batches, which may take a day, or was asked without an answer and may have been paid.
    """

    paid: float = 0.0
    reserved: float = 0.0
    live: float = 0.0


def join_job(connection: sa.Connection, worker: str, wished: str | None = None) -> str:
    """Register a worker; without a wish it joins those that are at work, or begins a job of its own."""
    moment = clock(connection)
    known = connection.execute(sa.select(workers).order_by(workers.c.at.desc())).all()
    alive = [row for row in known if not is_dead(row.name, row.held_until, moment)]
    gone = {row.name for row in known} - {row.name for row in alive}
    connection.execute(sa.delete(workers).where(workers.c.name.in_(gone | {worker})))
    job = wished or (alive[0].job if alive else uuid.uuid4().hex)
    if connection.execute(sa.select(jobs.c.name).where(jobs.c.name == job)).first() is None:
        connection.execute(sa.insert(jobs), {"name": job, "paid": 0.0, "doubtful": 0.0, "at": now()})
    row = {"name": worker, "job": job, "held_until": lease_end(connection), "at": now()}
    connection.execute(sa.insert(workers), row)
    return job


def renew_worker(connection: sa.Connection, worker: str) -> None:
    """Say that a worker is still there."""
    mine = sa.update(workers).where(workers.c.name == worker)
    connection.execute(mine.values(held_until=lease_end(connection)))


def leave_job(connection: sa.Connection, worker: str) -> None:
    """A worker has ended its work."""
    connection.execute(sa.delete(workers).where(workers.c.name == worker))


def spending(connection: sa.Connection, job: str) -> Spending:
    """What all workers of a job have spent and may still have to pay."""
    known = sa.select(jobs.c.paid, jobs.c.doubtful).where(jobs.c.name == job)
    paid, doubtful = connection.execute(known).one()
    live = sa.func.sum(sa.case((calls.c.way == "live", calls.c.reserved), else_=0.0))
    open_calls = sa.select(sa.func.sum(calls.c.reserved), live).where(
        calls.c.job == job, calls.c.state == "sent"
    )
    reserved, on_its_way = connection.execute(open_calls).one()
    return Spending(paid, doubtful + (reserved or 0.0), on_its_way or 0.0)


def doubt(connection: sa.Connection, job: str, dollars: float) -> None:
    """Something may have been paid, nobody says what: it counts as its worst case."""
    theirs = sa.update(jobs).where(jobs.c.name == job)
    connection.execute(theirs.values(doubtful=jobs.c.doubtful + dollars))


def doubt_lost(connection: sa.Connection, which: sa.ColumnElement[bool], ended: bool = False) -> None:
    """Lost calls may have been paid: they count as their worst case, until an answer that comes late has `ended` that."""
    worst = sa.func.sum(calls.c.reserved).label("worst")
    query = sa.select(calls.c.job, worst).where(which, calls.c.state == "lost", calls.c.job.is_not(None))
    for row in connection.execute(query.group_by(calls.c.job)).all():
        worst_case = row.worst or 0.0
        doubt(connection, row.job, -worst_case if ended else worst_case)


def settle(connection: sa.Connection, ids: Collection[str]) -> None:
    """Finished calls cost their jobs what they cost, no longer what they could have cost; unless nobody says."""
    unknown = sa.case((calls.c.cost.is_(None), calls.c.reserved), else_=0.0)
    query = (
        sa.select(calls.c.job, sa.func.sum(calls.c.cost).label("cost"), sa.func.sum(unknown).label("unknown"))
        .where(calls.c.id.in_(list(ids)), calls.c.job.is_not(None))
        .group_by(calls.c.job)
    )
    for row in connection.execute(query).all():
        theirs = sa.update(jobs).where(jobs.c.name == row.job)
        changes = {
            "paid": jobs.c.paid + (row.cost or 0.0),
            "doubtful": jobs.c.doubtful + (row.unknown or 0.0),
        }
        connection.execute(theirs.values(changes))
