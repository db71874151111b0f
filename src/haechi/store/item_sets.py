"""Items that were chosen for something in judging: written once, and from then on the same for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import orjson

from haechi.frozen import frozen
from haechi.store.connection import Connection, insert_into
from haechi.store.database import now

SetPurpose = Literal["examples", "second", "tried"]


class Member(NamedTuple):
    """An item of a set: why it is in, and with which chance it came in."""

    item: str
    role: str
    chance: float = 1.0


@frozen
class ItemSet:
    """Chosen items, and how they were chosen."""

    name: str
    what: SetPurpose
    how: dict[str, Any]
    members: tuple[Member, ...]
    at: str = ""


def keep_set(connection: Connection, made: ItemSet) -> ItemSet:
    """Write a set, unless there is one of this name: that one is in force, and comes back."""
    known = find_set(connection, made.name)
    if known is not None:
        return known
    columns = ("name", "what", "written", "at")
    written = orjson.dumps(made.how, option=orjson.OPT_SORT_KEYS).decode()
    connection.many(insert_into("item_sets", columns), [(made.name, made.what, written, now())])
    connection.many(
        insert_into("set_items", ("name", "item", "role", "chance")),
        [(made.name, *member) for member in made.members],
    )
    return made


def find_set(connection: Connection, name: str) -> ItemSet | None:
    """The set of that name."""
    found = _sets(connection, "name = :name", name=name)
    return found[0] if found else None


def sets_of(connection: Connection, what: SetPurpose) -> list[ItemSet]:
    """All sets of a kind, the newest last."""
    return _sets(connection, "what = :what", what=what)


def _sets(connection: Connection, where: str, **values: str) -> list[ItemSet]:
    rows = connection.rows(
        f"SELECT name, what, written, at FROM item_sets WHERE {where} ORDER BY at, name", **values
    )
    return [
        ItemSet(row.name, row.what, orjson.loads(row.written), _members(connection, row.name), row.at)
        for row in rows
    ]


def _members(connection: Connection, name: str) -> tuple[Member, ...]:
    query = """SELECT set_items.item, role, chance FROM set_items JOIN items ON items.id = set_items.item
        WHERE name = :name ORDER BY items.number"""
    return tuple(Member(*row) for row in connection.rows(query, name=name))


def size_of(members: Sequence[Member], role: str) -> int:
    """How many items are in for a reason.

    >>> size_of([Member("a", "check", 0.1), Member("b", "apart")], "check")
    1
    """
    return sum(member.role == role for member in members)
