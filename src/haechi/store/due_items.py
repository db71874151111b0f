"""What AI judges are still to be asked: items that lack ratings and that nobody is asking about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from haechi.data.item import Item
from haechi.store.connection import Connection, DatabaseRow
from haechi.store.items import item_of, joined_meta


class JudgeQuestion(NamedTuple):
    """What one judge is asked about every item: a replicate and a part of the rubric (`""` is all of it).

    `own` gives the names of what is asked about one item alone; None where items bring no questions. `ruled` gives those that
    rules decide, which are not asked; None where no rule looks at items. Items of the set `left_out` are not asked about;
    with `among` only those of that set are.
    """

    rater: str
    replicate: int
    part: str
    names: tuple[str, ...]
    own: Callable[[Item], tuple[str, ...]] | None = None
    ruled: Callable[[Item], Collection[str]] | None = None
    left_out: str | None = None
    among: str | None = None

    def lacks(self, item: Item, given: Collection[str] = ()) -> tuple[str, ...]:
        """What is still to be asked about an item, of which some is given."""
        names = self.names if self.own is None else (*self.names, *self.own(item))
        ruled = self.ruled(item) if self.ruled is not None else ()
        return tuple(name for name in names if name not in given and name not in ruled)

    @property
    def reads_items(self) -> bool:
        """Whether only an item itself says what is asked about it; else the database knows."""
        return self.own is not None or self.ruled is not None


class DueItem(NamedTuple):
    """An item that lacks ratings; `number` orders items."""

    number: int
    item: Item
    lacks: tuple[str, ...]


def due_items(
    connection: Connection,
    question: JudgeQuestion,
    kind: str,
    after: int,
    count: int,
    given_back: bool = False,
) -> list[DueItem]:
    """The next items without all their values and without an open call.

    given_back: only those that a worker held, gave back or lost, and nobody has asked about since.
    """
    found: list[DueItem] = []
    chunk = max(count, _CHUNK) if question.reads_items else count
    while len(found) < count:
        rows = connection.rows(
            f"""{_due(question)} AND number > :after {f"AND id IN ({_GIVEN_BACK})" if given_back else ""}
            ORDER BY number LIMIT :count""",
            after=after,
            count=chunk,
            **_asked(question, kind),
        )
        found += islice(_lacking(connection, question, rows), count - len(found))
        if len(rows) < chunk:
            break
        after = rows[-1].number  # what is to be asked about an item may be known only when it is read
    return found


def all_due(connection: Connection, question: JudgeQuestion, kind: str) -> Iterator[DueItem]:
    """All the items that are due, in their order, read once: every chunk of `due_items` looks for its first one anew."""
    pieces = connection.stream(f"{_due(question)} ORDER BY number", _CHUNK, **_asked(question, kind))
    for rows in pieces:
        yield from _lacking(connection, question, rows)


def _lacking(
    connection: Connection, question: JudgeQuestion, rows: Sequence[DatabaseRow]
) -> Iterator[DueItem]:
    """The items among these rows that lack something, with what it is."""
    ids = [row.id for row in rows]
    has, joined = _values(connection, question, ids), joined_meta(connection, ids)
    for row in rows:
        item = item_of(row, joined)
        lacks = question.lacks(item, has.get(row.id, ()))
        if lacks:
            yield DueItem(row.number, item, lacks)


def count_due(connection: Connection, question: JudgeQuestion, kind: str) -> int:
    """How many items are due."""
    if question.reads_items:
        return sum(1 for _ in all_due(connection, question, kind))
    return int(connection.value(f"SELECT count(*) {_which(question)}", **_asked(question, kind)))


def _asked(question: JudgeQuestion, kind: str) -> dict[str, Any]:
    asked: dict[str, Any] = {"kind": kind, "rater": question.rater}
    asked |= {"replicate": question.replicate, "part": question.part}
    asked |= {name: of for name in ("left_out", "among") if (of := getattr(question, name)) is not None}
    if question.own is None:
        asked |= {"names": list(question.names), "wanted": len(question.names)}
    return asked


def _due(question: JudgeQuestion) -> str:
    return f"SELECT number, id, kind, content, meta {_which(question)}"


def _which(question: JudgeQuestion) -> str:
    """What the database can say of it: what an item asks itself is found by reading it."""
    chosen = _NOT_LEFT_OUT if question.left_out is not None else ""
    chosen += _AMONG if question.among is not None else ""
    return f"FROM items_in_force AS items WHERE {_IS_FREE} {chosen} {_LACKS if question.own is None else ''}"


_CHUNK = 500

_IS_FREE = """items.kind = :kind
    AND NOT EXISTS (
        SELECT 1 FROM calls WHERE calls.item = items.id AND calls.rater = :rater
        AND calls.replicate = :replicate AND calls.part = :part AND calls.state = 'sent')"""

_NOT_LEFT_OUT = """
    AND NOT EXISTS (SELECT 1 FROM set_items WHERE set_items.name = :left_out AND set_items.item = items.id)"""

_AMONG = """
    AND EXISTS (SELECT 1 FROM set_items WHERE set_items.name = :among AND set_items.item = items.id)"""

_LACKS = """AND (
        SELECT count(*) FROM ratings_in_force AS given WHERE given.item = items.id AND given.rater = :rater
        AND given.replicate = :replicate AND given.status = 'ok' AND given.criterion = ANY(:names)) < :wanted"""

_GIVEN_BACK = """SELECT item FROM calls
    WHERE rater = :rater AND state IN ('lost', 'cancelled') AND replicate = :replicate AND part = :part
    AND NOT EXISTS (
        SELECT 1 FROM calls AS later WHERE later.item = calls.item AND later.rater = calls.rater
        AND later.replicate = calls.replicate AND later.part = calls.part AND later.number > calls.number)"""


def _values(connection: Connection, question: JudgeQuestion, ids: list[str]) -> dict[str, set[str]]:
    given = connection.rows(
        """SELECT item, criterion FROM ratings_in_force
        WHERE item = ANY(:ids) AND rater = :rater AND replicate = :replicate AND status = 'ok'""",
        ids=ids,
        rater=question.rater,
        replicate=question.replicate,
    )
    found: dict[str, set[str]] = {}
    for row in given:
        found.setdefault(row.item, set()).add(row.criterion)
    return found
