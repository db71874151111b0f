"""The journal: what was asked of AI judges, and everything that came back.

A call is written before it leaves (`sent`), and its end is written when it is known: `answered`, `failed`, or
`lost` when the process that sent it is gone. While a call is open nobody else asks the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa

from haechi.data import Item
from haechi.store.database import now
from haechi.store.holders import clock, is_dead, lease_end
from haechi.store.jobs import doubt_lost, settle
from haechi.store.tables import calls, items, ratings


class Question(NamedTuple):
    """What one judge is asked about every item: a replicate and a part of the rubric (`""` is all of it)."""

    rater: str
    replicate: int
    part: str
    names: tuple[str, ...]


class Due(NamedTuple):
    """An item that lacks ratings; `number` orders items."""

    number: int
    item: Item
    lacks: tuple[str, ...]


def due_items(
    connection: sa.Connection,
    question: Question,
    kind: str,
    after: int,
    count: int,
    given_back: bool = False,
) -> list[Due]:
    """The next items without all their values and without an open call.

    given_back: only those that a worker held, gave back or lost, and nobody has asked about since.
    """
    only = (items.c.id.in_(_given_back(question)),) if given_back else ()
    query = (
        sa.select(items.c.number, items.c.id, items.c.kind, items.c.content, items.c.meta)
        .where(items.c.number > after, *_is_due(question, kind), *only)
        .order_by(items.c.number)
        .limit(count)
    )
    rows = connection.execute(query).all()
    has = _values(connection, question, [row.id for row in rows])
    return [
        Due(
            row.number,
            Item(row.id, row.kind, orjson.loads(row.content), orjson.loads(row.meta)),
            tuple(name for name in question.names if name not in has.get(row.id, ())),
        )
        for row in rows
    ]


def count_due(connection: sa.Connection, question: Question, kind: str) -> int:
    """How many items are due."""
    query = sa.select(sa.func.count()).select_from(items).where(*_is_due(question, kind))
    return int(connection.execute(query).scalar_one())


def _is_due(question: Question, kind: str) -> tuple[sa.ColumnElement[bool], ...]:
    open_call = sa.exists().where(
        calls.c.item == items.c.id,
        calls.c.rater == question.rater,
        calls.c.replicate == question.replicate,
        calls.c.part == question.part,
        calls.c.state == "sent",
    )
    given = sa.select(sa.func.count()).select_from(_given(question)).scalar_subquery()
    return items.c.kind == kind, ~open_call, given < len(question.names)


def _given_back(question: Question) -> sa.Select[tuple[str]]:
    later = calls.alias("later")
    asked_since = sa.exists().where(
        later.c.item == calls.c.item,
        later.c.rater == calls.c.rater,
        later.c.replicate == calls.c.replicate,
        later.c.part == calls.c.part,
        later.c.number > calls.c.number,
    )
    return sa.select(calls.c.item).where(
        calls.c.rater == question.rater,
        calls.c.state.in_(("lost", "cancelled")),
        calls.c.replicate == question.replicate,
        calls.c.part == question.part,
        ~asked_since,
    )


def _given(question: Question) -> sa.Subquery:
    later = ratings.alias("later")
    return (
        sa.select(ratings.c.number)
        .where(
            ratings.c.item == items.c.id,
            ratings.c.rater == question.rater,
            ratings.c.replicate == question.replicate,
            ratings.c.status == "ok",
            ratings.c.criterion.in_(question.names),
            ~sa.exists().where(later.c.replaces == ratings.c.number),
        )
        .correlate(items)
        .subquery()
    )


def _values(connection: sa.Connection, question: Question, ids: list[str]) -> dict[str, set[str]]:
    later = ratings.alias("later")
    query = sa.select(ratings.c.item, ratings.c.criterion).where(
        ratings.c.item.in_(ids),
        ratings.c.rater == question.rater,
        ratings.c.replicate == question.replicate,
        ratings.c.status == "ok",
        ~sa.exists().where(later.c.replaces == ratings.c.number),
    )
    found: dict[str, set[str]] = {}
    for row in connection.execute(query) if ids else ():
        found.setdefault(row.item, set()).add(row.criterion)
    return found


def known_calls(connection: sa.Connection, ids: Collection[str]) -> set[str]:
    """Which of these calls the journal has already."""
    return set(connection.scalars(sa.select(calls.c.id).where(calls.c.id.in_(list(ids)))))


def write_calls(connection: sa.Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Write calls into the journal; what a row leaves out stays empty. A holder holds them from now on."""
    if rows:
        until = lease_end(connection)
        held = ({"held_until": until if row.get("holder") else None} for row in rows)
        connection.execute(
            sa.insert(calls), [_BLANK | row | lease for row, lease in zip(rows, held, strict=True)]
        )


def finish_calls(connection: sa.Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Write how calls ended; each row has the call's `id` and what is known of it."""
    if rows:
        columns = [name for name in rows[0] if name != "id"]
        change = (
            sa.update(calls)
            .where(calls.c.id == sa.bindparam("call"))
            .values({name: sa.bindparam(name) for name in columns})
        )
        doubt_lost(connection, calls.c.id.in_([row["id"] for row in rows]), ended=True)
        connection.execute(
            change, [{("call" if n == "id" else n): v for n, v in row.items()} for row in rows]
        )
        settle(connection, [row["id"] for row in rows])


def open_calls(connection: sa.Connection, ids: Collection[str]) -> dict[str, sa.Row[Any]]:
    """The calls among these that still wait for their answer, by id."""
    query = sa.select(calls).where(calls.c.id.in_(list(ids)), calls.c.state == "sent")
    return {row.id: row for row in connection.execute(query)}


def renew(connection: sa.Connection, holder: str) -> set[str]:
    """Hold the claims of a run for another while; gives those that it still has."""
    mine = (calls.c.holder == holder, calls.c.state == "sent")
    connection.execute(sa.update(calls).where(*mine).values(held_until=lease_end(connection)))
    return set(connection.scalars(sa.select(calls.c.id).where(*mine)))


def release(connection: sa.Connection, holder: str, state: str = "lost") -> int:
    """End the open live calls of a run, such as one that was stopped."""
    mine = sa.and_(calls.c.holder == holder, calls.c.state == "sent", calls.c.way == "live")
    ended = sa.update(calls).where(mine).values(state=state, answered_at=now()).returning(calls.c.id)
    ids = list(connection.scalars(ended))
    doubt_lost(connection, calls.c.id.in_(ids))
    return len(ids)


def release_dead(connection: sa.Connection) -> int:
    """End the open live calls of processes that are gone; says how many there were."""
    query = (
        sa.select(calls.c.holder, sa.func.max(calls.c.held_until).label("until"))
        .where(calls.c.state == "sent", calls.c.way == "live")
        .group_by(calls.c.holder)
    )
    held, moment = connection.execute(query).all(), clock(connection)
    dead = [row.holder for row in held if is_dead(row.holder or "", row.until or 0, moment)]
    return sum(release(connection, holder) for holder in dead)


def held_by_others(connection: sa.Connection, rater: str, holder: str) -> int:
    """How many live questions to a judge other workers hold."""
    query = sa.select(sa.func.count()).where(
        calls.c.rater == rater, calls.c.state == "sent", calls.c.way == "live", calls.c.holder != holder
    )
    return int(connection.execute(query).scalar_one())


def count_open(connection: sa.Connection, rater: str) -> int:
    """How many questions to a judge are open: in a batch, or held by another process."""
    query = sa.select(sa.func.count()).where(calls.c.rater == rater, calls.c.state == "sent")
    return int(connection.execute(query).scalar_one())


def spent(connection: sa.Connection) -> list[sa.Row[Any]]:
    """Per rater: calls, tokens, recorded cost, and how many calls have no known price."""
    unknown = sa.func.sum(sa.case((calls.c.cost.is_(None), 1), else_=0))
    query = (
        sa.select(
            calls.c.rater,
            sa.func.count().label("calls"),
            sa.func.sum(calls.c.input_tokens).label("input_tokens"),
            sa.func.sum(calls.c.output_tokens).label("output_tokens"),
            sa.func.sum(calls.c.cost).label("cost"),
            unknown.label("without_price"),
        )
        .where(calls.c.state.in_(("answered", "failed")))
        .group_by(calls.c.rater)
        .order_by(calls.c.rater)
    )
    return list(connection.execute(query))


def mean_output(connection: sa.Connection, rater: str) -> float | None:
    """How many tokens a judge's answers had so far, on average."""
    query = sa.select(sa.func.avg(calls.c.output_tokens)).where(calls.c.rater == rater)
    found = connection.execute(query).scalar_one_or_none()
    return None if found is None else float(found)


_BLANK: dict[str, Any] = {column.name: None for column in calls.c if column.name != "number"} | {
    "replicate": 1,
    "part": "",
    "attempts": 1,
}
