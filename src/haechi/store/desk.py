"""Who rates what at the desk: items are claimed a few at a time, answers arrive once, in order."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

import sqlalchemy as sa

from haechi.store.database import now
from haechi.store.tables import assignments, desk_raters, items
from haechi.store.tables import ratings as ratings_table

AHEAD = 8  # unfinished items a rater holds at most: enough to go on offline, few to give back
_APART = 5  # a repeated item comes at least this many items after its first time
CLEARED = "cleared by the rater"  # the reason of a rating that takes an answer back


@dataclass(frozen=True)
class Plan:
    """How items are given out.

    overlap: how many raters judge an item (None: every rater judges every item). seed: fixes the order, which
    differs from rater to rater. repeat_every, attention_every: how often an item comes a second time, and how
    often one whose answers are known.
    """

    overlap: int | None = None
    seed: int = 0
    repeat_every: int | None = None
    attention_every: int = 7


@dataclass(frozen=True)
class Assignment:
    """One item on a rater's list."""

    number: int
    item: str
    rater: str
    replicate: int
    position: int
    kind: str
    seconds: float
    finished: str | None


_COLUMNS = ("number", "item", "rater", "replicate", "position", "kind", "seconds", "finished")


def read_assignments(connection: sa.Connection, rater: str | None = None) -> list[Assignment]:
    """The list of a rater in its order, or all lists."""
    query = sa.select(*(assignments.c[name] for name in _COLUMNS))
    if rater is not None:
        query = query.where(assignments.c.rater == rater)
    ordered = query.order_by(assignments.c.rater, assignments.c.position)
    return [Assignment(*row) for row in connection.execute(ordered)]


def claim(connection: sa.Connection, rater: str, plan: Plan, decided: Collection[str] = ()) -> int:
    """Fill up a rater's list; says how many more ordinary items are there for the rater after that.

    `decided` are the items of which a rule says everything: nobody is asked about them.

    The transaction holds the table, and every place of an item is a row that can exist once: however many
    raters ask at the same moment, no item gets more raters than the plan says.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("LOCK TABLE assignments IN SHARE ROW EXCLUSIVE MODE"))
    held = read_assignments(connection, rater)
    mine = [assignment for assignment in held if assignment.item not in decided]
    settings = connection.execute(sa.select(desk_raters).where(desk_raters.c.name == rater)).one_or_none()
    quota = settings.quota if settings is not None else None
    only = settings.only_item if settings is not None else None
    ordinary = sum(assignment.kind == "item" for assignment in mine)
    taken = {assignment.item for assignment in held} | set(decided)
    open_items = _open_items(connection, taken, rater, plan, only)
    left = len(open_items) if quota is None else max(0, min(len(open_items), quota - ordinary))
    waiting = sum(assignment.finished is None for assignment in mine)
    if waiting > AHEAD // 2 or (left == 0 and waiting):
        return left
    special = _Special(connection, rater, plan, mine, taken)
    position = max((assignment.position for assignment in held), default=0)
    chosen = open_items[:left]
    while waiting < AHEAD and chosen:
        position += 1
        row = special.due(position)
        if row is None:
            item = chosen.pop(0)
            left -= 1
            row = {"item": item, "replicate": 1, "kind": "item", "slot": _free_slot(connection, item)}
        row |= {"rater": rater, "position": position, "seconds": 0.0, "at": now()}
        connection.execute(sa.insert(assignments), row)
        waiting += 1
    return left


def _free_slot(connection: sa.Connection, item: str) -> int:
    taken = set(connection.scalars(sa.select(assignments.c.slot).where(assignments.c.item == item)))
    return next(slot for slot in count(1) if slot not in taken)


def _open_items(
    connection: sa.Connection, taken: Collection[str], rater: str, plan: Plan, only: str | None
) -> list[str]:
    """The items that still have a free place; begun items first, else in the rater's own random order."""
    query = (
        sa.select(items.c.id, sa.func.count(assignments.c.slot))
        .outerjoin(assignments, assignments.c.item == items.c.id)
        .where(items.c.kind != "bare", ~_is_attention())
        .group_by(items.c.id)
    )
    if only is not None:
        query = query.where(items.c.id == only)
    rows = [row for row in connection.execute(query) if row[0] not in taken]
    if plan.overlap is not None:
        rows = [row for row in rows if row[1] < plan.overlap]
        # Begun items first: they are complete sooner, and agreement can be seen sooner.
        rows.sort(key=lambda row: (-row[1], _shuffled(plan.seed, rater, row[0])))
    else:
        rows.sort(key=lambda row: _shuffled(plan.seed, rater, row[0]))
    return [item for item, _ in rows]


def _shuffled(seed: int, rater: str, item: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{rater}\0{item}".encode()).digest()


def _is_attention() -> sa.ColumnElement[bool]:
    """An attention item carries its known answers as `attention` in its meta."""
    return items.c.meta.contains('"attention":', autoescape=True)


class _Special:
    """Items that come a second time, and items whose answers are known."""

    def __init__(
        self,
        connection: sa.Connection,
        rater: str,
        plan: Plan,
        mine: list[Assignment],
        taken: Collection[str],
    ) -> None:
        self._plan = plan
        self._mine = {a.item: a for a in mine if a.kind == "item" and a.finished}
        for assignment in mine:
            if assignment.kind == "repeat":
                self._mine.pop(assignment.item, None)
        found = connection.scalars(sa.select(items.c.id).where(_is_attention(), items.c.kind != "bare"))
        known = (item for item in found if item not in taken)
        self._attention = sorted(known, key=lambda item: _shuffled(plan.seed, rater, item))

    def due(self, position: int) -> dict[str, Any] | None:
        every = self._plan.repeat_every
        if every and position % every == 0:
            earlier = [a for a in self._mine.values() if a.position <= position - _APART]
            if earlier:
                again = min(earlier, key=lambda assignment: assignment.position)
                del self._mine[again.item]
                return {"item": again.item, "replicate": 2, "kind": "repeat", "slot": None}
        if self._attention and position % self._plan.attention_every == 0:
            return {"item": self._attention.pop(0), "replicate": 1, "kind": "attention", "slot": None}
        return None


def find_assignment(connection: sa.Connection, rater: str, position: int) -> Assignment | None:
    """One place of a rater's list."""
    row = connection.execute(_ONE, {"rater": rater, "position": position}).one_or_none()
    return Assignment(*row) if row is not None else None


_ONE = sa.select(*(assignments.c[name] for name in _COLUMNS)).where(
    assignments.c.rater == sa.bindparam("rater"), assignments.c.position == sa.bindparam("position")
)


def answers_of(connection: sa.Connection, assignment: Assignment) -> dict[str, sa.Row[Any]]:
    """What was answered so far, the newest of each; see `is_answer` for those that were taken back."""
    given = {name: getattr(assignment, name) for name in ("item", "rater", "replicate")}
    rows = connection.execute(_OF_ASSIGNMENT, given).all()
    replaced = {row.replaces for row in rows}
    return {row.criterion: row for row in rows if row.number not in replaced}


_OF_ASSIGNMENT = sa.select(ratings_table).where(
    *(ratings_table.c[name] == sa.bindparam(name) for name in ("item", "rater", "replicate"))
)


def is_answer(row: sa.Row[Any]) -> bool:
    """Whether a rating is an answer, and not the taking back of one."""
    return bool(row.reason != CLEARED)


def is_new_answer(connection: sa.Connection, rater: str, answer_id: str) -> bool:
    """Note that an answer arrived; False if it had arrived before."""
    row = {"rater": rater, "id": answer_id, "at": now()}
    return bool(connection.execute(_ARRIVED, row).rowcount)


_ARRIVED = sa.text("INSERT INTO answers (rater, id, at) VALUES (:rater, :id, :at) ON CONFLICT DO NOTHING")


def note_progress(connection: sa.Connection, assignment: Assignment, seconds: float, finished: bool) -> None:
    """Note the time spent, which only grows, and whether everything is answered."""
    changes: dict[str, Any] = {}
    if seconds > assignment.seconds:
        changes["seconds"] = seconds
    if finished != (assignment.finished is not None):
        changes["finished"] = now() if finished else None
    if changes:
        here = assignments.c.number == assignment.number
        connection.execute(sa.update(assignments).where(here).values(changes))


def note_once(connection: sa.Connection, rater: str, column: str) -> None:
    """Note the moment at which a rater consented or was trained; the first one stays."""
    first = sa.and_(desk_raters.c.name == rater, desk_raters.c[column].is_(None))
    connection.execute(sa.update(desk_raters).where(first).values({column: now()}))


def desk_rater(connection: sa.Connection, name: str) -> sa.Row[Any] | None:
    """What the desk knows about a rater."""
    return connection.execute(sa.select(desk_raters).where(desk_raters.c.name == name)).one_or_none()


def desk_rater_names(connection: sa.Connection) -> Iterable[str]:
    """The raters of the desk, in the order they were made."""
    return connection.scalars(sa.select(desk_raters.c.name).order_by(desk_raters.c.at, desk_raters.c.name))
