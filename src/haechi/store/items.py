"""Items in the database: new ones are added, the same ones are left, changed ones are refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

import orjson
import sqlalchemy as sa

from haechi.data import Item
from haechi.errors import HaechiError, Problem
from haechi.store.database import now
from haechi.store.tables import items as table
from haechi.store.tables import replaced_items
from haechi.text import Text

_BATCH = 500
_SHOWN_PROBLEMS = 20

Placed = tuple[str, Item | HaechiError]


@dataclass
class Added:
    """What an addition did, and where the study keeps its items."""

    new: int = 0
    unchanged: int = 0
    filled: int = 0
    replaced: int = 0
    skipped: list[Problem] = field(default_factory=list)
    backing: Literal["database", "parquet"] = "database"


def add_items(
    connection: sa.Connection,
    stream: Iterable[Placed],
    arrival: str,
    replace: bool = False,
    skip_bad: bool = False,
) -> Added:
    """Add items from a stream; unless `skip_bad`, the first bad rows raise and the transaction is undone."""
    added = Added()
    rows = iter(stream)
    while batch := list(islice(rows, _BATCH)):
        _add_batch(connection, batch, arrival, replace, added)
        if added.skipped and not skip_bad and len(added.skipped) >= _SHOWN_PROBLEMS:
            break
    if added.skipped and not skip_bad:
        raise HaechiError(tuple(added.skipped[:_SHOWN_PROBLEMS]))
    return added


def _add_batch(
    connection: sa.Connection, batch: list[Placed], arrival: str, replace: bool, added: Added
) -> None:
    ids = [item.id for _, item in batch if isinstance(item, Item)]
    columns = (table.c.id, table.c.kind, table.c.digest, table.c.arrival)
    stored = {row.id: row for row in connection.execute(sa.select(*columns).where(table.c.id.in_(ids)))}
    fresh: dict[str, dict[str, Any]] = {}
    for place, item in batch:
        if isinstance(item, HaechiError):
            added.skipped.extend(item.problems)
        elif item.id in fresh or (item.id in stored and stored[item.id].arrival == arrival):
            added.skipped.append(twice(place, item.id))
        elif item.id not in stored:
            fresh[item.id] = _row(item, arrival)
            added.new += 1
        elif stored[item.id].digest == item.digest:
            added.unchanged += 1
        elif stored[item.id].kind == "bare" or replace:
            _replace(connection, item, arrival, keep=stored[item.id].kind != "bare")
            added.filled += stored[item.id].kind == "bare"
            added.replaced += stored[item.id].kind != "bare"
        else:
            added.skipped.append(changed(place, item.id))
    if fresh:
        connection.execute(sa.insert(table), list(fresh.values()))


def _row(item: Item, arrival: str) -> dict[str, Any]:
    return {
        "id": item.id,
        "kind": item.kind,
        "content": orjson.dumps(item.content).decode(),
        "meta": orjson.dumps(item.meta).decode(),
        "digest": item.digest,
        "arrival": arrival,
        "at": now(),
    }


def _replace(connection: sa.Connection, item: Item, arrival: str, keep: bool) -> None:
    if keep:
        names = [column.name for column in replaced_items.c if column.name != "number"]
        old = sa.select(*(table.c[name] for name in names)).where(table.c.id == item.id)
        connection.execute(sa.insert(replaced_items).from_select(names, old))
    connection.execute(sa.update(table).where(table.c.id == item.id).values(_row(item, arrival)))


def add_bare_items(connection: sa.Connection, ids: Iterable[str], arrival: str) -> int:
    """Make bare items for ids that are not there yet; says how many."""
    wanted = dict.fromkeys(ids)
    there = set(connection.scalars(sa.select(table.c.id).where(table.c.id.in_(list(wanted)))))
    bare = [_row(Item(id_, "bare", {}, {}), arrival) for id_ in wanted if id_ not in there]
    if bare:
        connection.execute(sa.insert(table), bare)
    return len(bare)


def read_item(connection: sa.Connection, identifier: str) -> Item | None:
    """One item by its id."""
    query = sa.select(table.c.id, table.c.kind, table.c.content, table.c.meta).where(table.c.id == identifier)
    row = connection.execute(query).one_or_none()
    return Item(row.id, row.kind, orjson.loads(row.content), orjson.loads(row.meta)) if row else None


def read_items(
    connection: sa.Connection, ids: Collection[str] | None = None, bare: bool = False
) -> Iterator[Item]:
    """All items in the order of their arrival, one after the other; with `ids` only those, with `bare` only bare ones."""
    query = sa.select(table.c.id, table.c.kind, table.c.content, table.c.meta).order_by(table.c.number)
    if bare:
        query = query.where(table.c.kind == "bare")
    if ids is not None and len(ids) <= _BATCH:  # more than that are found sooner by reading all
        query = query.where(table.c.id.in_(list(ids)))
    for row in connection.execution_options(yield_per=1000).execute(query):
        if ids is None or row.id in ids:
            yield Item(row.id, row.kind, orjson.loads(row.content), orjson.loads(row.meta))


def without_content(connection: sa.Connection, shown: int) -> tuple[int, list[str]]:
    """How many items are only an id, as ratings of an unknown item leave them, and the first of these ids."""
    bare = table.c.kind == "bare"
    count = connection.execute(sa.select(sa.func.count()).where(bare)).scalar_one()
    first = sa.select(table.c.id).where(bare).order_by(table.c.number).limit(shown)
    return int(count), list(connection.scalars(first))


def twice(place: str, identifier: str) -> Problem:
    """An id came twice."""
    found = Text(f"id {identifier} 중복", f"id {identifier} twice")
    return Problem(
        place,
        found,
        Text("서로 다른 id", "every id once"),
        Text("id를 고친 뒤 다시 실행하세요", "give it another id"),
    )


def changed(place: str, identifier: str) -> Problem:
    """An item is there with other content."""
    found = Text(
        f"이미 있는 항목 {identifier}와(과) 내용이 다름",
        f"item {identifier} is there already with other content",
    )
    expected = Text("같은 내용 또는 새 id", "the same content or a new id")
    todo = Text(
        "바꾸려면 --replace를 붙이세요(옛 내용도 보관됩니다)",
        "to replace it use --replace (the old content is kept)",
    )
    return Problem(place, found, expected, todo)
