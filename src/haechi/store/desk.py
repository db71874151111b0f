"""Who rates what at the desk: items are claimed a few at a time, answers arrive once, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any, Literal

import orjson

from haechi.frozen import frozen
from haechi.store.connection import Connection, DatabaseRow, insert_into, setting
from haechi.store.database import now
from haechi.store.draws import drawn_for, drawn_items
from haechi.store.groups import items_of_group
from haechi.store.guests import release_places
from haechi.store.supply import Stock, shuffled

AHEAD = 8  # unfinished items a rater holds at most: enough to go on offline, few to give back
_APART = 5  # a repeated item comes at least this many items after its first time
GOLD = "haechi-gold-"  # how the ids of our own items with known answers begin
CLEARED = "cleared by the rater"  # the reason of a rating that takes an answer back


@frozen
class ItemDistribution:
    """How items are given out.

    overlap: how many raters judge an item (None: every rater judges every item). seed: fixes the order, which
    differs from rater to rater. repeat_every, attention_every: how often an item comes a second time, and how
    often one whose answers are known. gold: whether items of ours are among the latter. drawn_only: a rater gets what was
    drawn for them, and nothing else.
    """

    overlap: int | None = None
    seed: int = 0
    repeat_every: int | None = None
    gold: bool = False
    attention_every: int = 7
    drawn_only: bool = False


@frozen
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
    skipped: str | None

    @property
    def open(self) -> bool:
        """Whether something is left to do: it is neither finished nor skipped."""
        return self.finished is None and self.skipped is None


_ASSIGNMENTS = (
    "SELECT number, item, rater, replicate, position, kind, seconds, finished, skipped FROM assignments"
)


def read_assignments(connection: Connection, rater: str | None = None) -> list[Assignment]:
    """The list of a rater in its order, or all lists."""
    if rater is None:
        found = connection.rows(f"{_ASSIGNMENTS} ORDER BY rater, position")
    else:
        found = connection.rows(f"{_ASSIGNMENTS} WHERE rater = :rater ORDER BY position", rater=rater)
    return [Assignment(*row) for row in found]


def claim(
    connection: Connection, rater: str, plan: ItemDistribution, stock: Stock, decided: Collection[str] = ()
) -> int:
    """Fill up a rater's list; says how many more places it will have, repeated and known items among them.

    A total that grows with every repeated item would tell which they are. `decided` are the items of which a rule
    says everything: nobody is asked about them.

    The transaction holds the table, and every place of an item is a row that can exist once: however many
    raters ask at the same moment, no item gets more raters than the plan says.
    """
    if connection.dialect == "postgresql":
        connection.execute("LOCK TABLE assignments IN SHARE ROW EXCLUSIVE MODE")
    if plan.overlap is not None:
        release_places(connection)
    held = read_assignments(connection, rater)
    mine = [assignment for assignment in held if assignment.item not in decided]
    settings = desk_rater(connection, rater)
    quota = settings.quota if settings is not None else None
    only = settings.only_item if settings is not None else None
    where = orjson.loads(settings.only_where) if settings is not None and settings.only_where else {}
    ordinary = sum(assignment.kind == "item" and assignment.skipped is None for assignment in mine)
    taken = {assignment.item for assignment in held} | set(decided)
    open_items = _open_items(connection, stock, taken, rater, plan, only, where)
    left = len(open_items) if quota is None else max(0, min(len(open_items), quota - ordinary))
    waiting = sum(assignment.open for assignment in mine)
    special = _Special(stock, rater, plan, mine, taken)
    position = max((assignment.position for assignment in held), default=0)
    chosen = deque(open_items[:left]) if waiting <= AHEAD // 2 else deque[str]()
    while waiting < AHEAD and chosen:
        position += 1
        row = special.due(position)
        if row is None:
            item = chosen.popleft()
            left -= 1
            special.note(item, position)
            row = {"item": item, "replicate": 1, "kind": "item", "slot": _free_slot(connection, item)}
        row |= {"rater": rater, "position": position, "seconds": 0.0, "at": now()}
        connection.execute(insert_into("assignments", row), **row)
        waiting += 1
    return left + special.ahead(position, left)


def _free_slot(connection: Connection, item: str) -> int:
    taken = set(connection.values("SELECT slot FROM assignments WHERE item = :item", item=item))
    return next(slot for slot in count(1) if slot not in taken)


def _open_items(
    connection: Connection,
    stock: Stock,
    taken: Collection[str],
    rater: str,
    plan: ItemDistribution,
    only: str | None,
    where: Mapping[str, Sequence[str]],
) -> list[str]:
    """The items that still have a free place: drawn ones first, then begun ones, else in the rater's own random order."""
    order = drawn_for(connection, rater) if plan.drawn_only else stock.order(plan.seed, rater)
    found = [item for item in order if item not in taken and (only is None or item == only)]
    if where:
        wanted = items_of_group(connection, where)
        found = [item for item in found if item in wanted]
    if plan.overlap is not None:
        places: dict[str, int] = dict(
            connection.rows("SELECT item, count(slot) FROM assignments GROUP BY item")
        )
        found = [item for item in found if places.get(item, 0) < plan.overlap]
        # Begun items first: they are complete sooner, and agreement can be seen sooner.
        found.sort(key=lambda item: -places.get(item, 0))
    if drawn := drawn_items(
        connection
    ):  # what was drawn for people speaks for everything, and comes before all else
        found.sort(key=lambda item: item not in drawn)
    return found


class _Special:
    """Items that come a second time, and items whose answers are known."""

    def __init__(
        self,
        stock: Stock,
        rater: str,
        plan: ItemDistribution,
        mine: list[Assignment],
        taken: Collection[str],
    ) -> None:
        self._plan = plan
        again = {assignment.item for assignment in mine if assignment.kind == "repeat"}
        self._earlier = deque((a.position, a.item) for a in mine if a.kind == "item" and a.item not in again)
        known = (
            item for item in stock.attention if item not in taken and (plan.gold or not item.startswith(GOLD))
        )
        self._attention = deque(shuffled(known, plan.seed, rater))

    def note(self, item: str, position: int) -> None:
        """An ordinary item that may come again later."""
        self._earlier.append((position, item))

    def due(self, position: int) -> dict[str, Any] | None:
        """What comes at a position in place of an ordinary item."""
        every = self._plan.repeat_every
        if every and position % every == 0 and self._earlier and self._earlier[0][0] <= position - _APART:
            _, item = self._earlier.popleft()
            return {"item": item, "replicate": 2, "kind": "repeat", "slot": None}
        if self._attention and position % self._plan.attention_every == 0:
            return {"item": self._attention.popleft(), "replicate": 1, "kind": "attention", "slot": None}
        return None

    def ahead(self, position: int, left: int) -> int:
        """How many of them will come among `left` more ordinary items."""
        if not self._plan.repeat_every and not self._attention:
            return 0
        found = 0
        while left:
            position += 1
            if self.due(position) is None:
                self.note("", position)
                left -= 1
            else:
                found += 1
        return found


def find_assignment(connection: Connection, rater: str, position: int) -> Assignment | None:
    """One place of a rater's list."""
    query = f"{_ASSIGNMENTS} WHERE rater = :rater AND position = :position"
    row = connection.row(query, rater=rater, position=position)
    return Assignment(*row) if row is not None else None


def answers_of(connection: Connection, assignment: Assignment) -> dict[str, DatabaseRow]:
    """What was answered so far, the newest of each; see `is_answer` for those that were taken back."""
    rows = connection.rows(
        """SELECT number, criterion, value, evidence, status, reason, stance, at FROM ratings_in_force
        WHERE item = :item AND rater = :rater AND replicate = :replicate ORDER BY number""",
        item=assignment.item,
        rater=assignment.rater,
        replicate=assignment.replicate,
    )
    return {row.criterion: row for row in rows}


def is_answer(row: DatabaseRow) -> bool:
    """Whether a rating is an answer, and not the taking back of one."""
    return bool(row.reason != CLEARED)


def is_new_answer(connection: Connection, rater: str, answer_id: str) -> bool:
    """Note that an answer arrived; False if it had arrived before."""
    arrived = "INSERT INTO answers (rater, id, at) VALUES (:rater, :id, :at) ON CONFLICT DO NOTHING"
    return bool(connection.execute(arrived, rater=rater, id=answer_id, at=now()))


def note_progress(connection: Connection, assignment: Assignment, seconds: float, finished: bool) -> None:
    """Note the time spent, which only grows, and whether everything is answered."""
    changes: dict[str, Any] = {}
    if seconds > assignment.seconds:
        changes["seconds"] = seconds
    if finished != (assignment.finished is not None):
        changes["finished"] = now() if finished else None
    if changes:
        change = f"UPDATE assignments SET {setting(changes)} WHERE number = :number"
        connection.execute(change, number=assignment.number, **changes)
    if changes.get("finished") and assignment.kind == "item":
        # Whoever comes back after the place was released has it again.
        taken = "UPDATE assignments SET slot = :slot WHERE number = :number AND slot IS NULL"
        slot = _free_slot(connection, assignment.item)
        connection.execute(taken, slot=slot, number=assignment.number)


def note_once(
    connection: Connection, rater: str, column: Literal["consented", "trained", "submitted"]
) -> None:
    """Note the moment at which a rater consented, was trained or submitted; the first one stays."""
    first = f"UPDATE desk_raters SET {column} = :at WHERE name = :rater AND {column} IS NULL"
    connection.execute(first, at=now(), rater=rater)


def desk_rater(connection: Connection, name: str) -> DatabaseRow | None:
    """What the desk knows about a rater."""
    return connection.row(
        "SELECT name, quota, stance, only_item, only_where, consented, trained, survey_link, submitted, at FROM desk_raters WHERE name = :name",
        name=name,
    )


def desk_quotas(connection: Connection) -> dict[str, int | None]:
    """The raters of the desk with their quotas, in the order they were made."""
    return {
        row.name: row.quota
        for row in connection.rows("SELECT name, quota FROM desk_raters ORDER BY at, name")
    }
