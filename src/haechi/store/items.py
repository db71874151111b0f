"""Items in the database: new ones are added, the same ones are left, changed ones are refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import orjson

from haechi.data.item import Item, content_id
from haechi.data.own_criteria import CRITERIA, PROMPT_IDS
from haechi.data.reading_notes import ReadingNotes
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.store.connection import Connection, DatabaseRow, setting
from haechi.store.database import now
from haechi.store.imports import record_import
from haechi.text import Text

_BATCH, _PIECE = 500, 1000

PlacedItem = tuple[str, Item | HaechiError]


@dataclass(repr=False)
class Added:
    """What an addition did, its number in the history (None if it changed nothing), and where the study keeps items."""

    new: int = 0
    unchanged: int = 0
    filled: int = 0
    replaced: int = 0
    repeated: int = 0
    skipped: list[Problem] = field(default_factory=list)
    backing: Literal["database", "parquet"] = "database"
    number: int | None = None
    notes: ReadingNotes = field(default_factory=ReadingNotes)

    @property
    def words(self) -> Text:
        """What came in, in words."""
        return Text(
            f"새 항목 {self.new:,}개, 그대로 {self.unchanged:,}개, 내용 채움 {self.filled:,}개, 바꿈 {self.replaced:,}개",
            f"{self.new:,} new, {self.unchanged:,} unchanged, {self.filled:,} filled in, {self.replaced:,} replaced",
        )

    def __repr__(self) -> str:
        return f"<Added: {self.words.en}>"


def add_items(
    connection: Connection,
    stream: Iterable[PlacedItem],
    arrival: str,
    replace: bool = False,
    skip_bad: bool = False,
) -> Added:
    """Add items from a stream; unless `skip_bad`, bad rows raise and the transaction is undone."""
    added = Added()
    rows = iter(stream)
    while batch := list(islice(rows, _BATCH)):
        _add_batch(connection, batch, arrival, replace, added)
        if added.skipped and not skip_bad:  # nothing will be written, but every mistake is counted
            added.skipped += [p for _, bad in rows if isinstance(bad, HaechiError) for p in bad.problems]
    if added.skipped and not skip_bad:
        raise HaechiError(unique_problems(added.skipped))
    return added


def _add_batch(
    connection: Connection, batch: list[PlacedItem], arrival: str, replace: bool, added: Added
) -> None:
    ids = [item.id for _, item in batch if isinstance(item, Item)]
    query = "SELECT id, kind, digest, arrival FROM items_in_force WHERE id = ANY(:ids)"
    stored = {row.id: row for row in connection.rows(query, ids=ids)}
    known = set(connection.values("SELECT id FROM items WHERE id = ANY(:ids)", ids=ids))
    fresh: dict[str, tuple[str, ...]] = {}
    again: set[str] = set()
    for place, item in batch:
        if isinstance(item, HaechiError):
            added.skipped.extend(item.problems)
        elif (
            item.id in fresh
            or item.id in again
            or (stored.get(item.id) and stored[item.id].arrival == arrival)
        ):
            if item.kind in ("dialogue", "reply") and item.id == content_id(item.content, item.meta):
                added.repeated += 1  # word for word the same texts
            else:
                added.skipped.append(repeated_item(place, item.id))
        elif item.id not in stored:
            if item.id in known:  # it was taken back
                again.add(item.id)
                _replace(connection, item, arrival)
            else:
                fresh[item.id] = _row(item, arrival)
            added.new += 1
        elif stored[item.id].digest == item.digest:
            added.unchanged += 1
        elif item.plain is not None and stored[item.id].digest == item.plain.digest:
            again.add(item.id)
            _replace(connection, item, arrival)
            added.filled += 1
        elif stored[item.id].kind == "bare" or replace:
            again.add(item.id)
            _replace(connection, item, arrival)
            added.filled += stored[item.id].kind == "bare"
            added.replaced += stored[item.id].kind != "bare"
        else:
            added.skipped.append(changed_item(place, item.id))
    connection.insert("items", _COLUMNS, fresh.values())


_COLUMNS = ("id", "kind", "content", "meta", "digest", "arrival", "at")


def _row(item: Item, arrival: str) -> tuple[str, ...]:
    content, meta = orjson.dumps(item.content).decode(), orjson.dumps(item.meta).decode()
    return item.id, item.kind, content, meta, item.digest, arrival, now()


def _replace(connection: Connection, item: Item, arrival: str) -> None:
    """Another version of an item; the former one stays, also as what comes back when this one is taken back."""
    connection.execute(
        """INSERT INTO replaced_items (id, kind, content, meta, digest, arrival, at)
        SELECT id, kind, content, meta, digest, arrival, at FROM items WHERE id = :id""",
        id=item.id,
    )
    row = dict(zip(_COLUMNS, _row(item, arrival), strict=True))
    connection.execute(f"UPDATE items SET {setting(row)} WHERE id = :id", **row)


def number_addition(connection: Connection, arrival: str, files: Sequence[Path], added: Added) -> None:
    """Number an addition that changed something."""
    counts = {"new": added.new, "filled": added.filled, "replaced": added.replaced}
    if any(counts.values()):
        added.number = record_import(connection, "items", arrival, files, counts)


def add_bare_items(connection: Connection, ids: Iterable[str], arrival: str) -> int:
    """Make bare items for ids that are not there yet; says how many."""
    wanted = list(dict.fromkeys(ids))
    there = set(connection.values("SELECT id FROM items WHERE id = ANY(:ids)", ids=wanted))
    _, *bare = _row(Item("", "bare", {}, {}), arrival)
    connection.insert("items", _COLUMNS, ((id_, *bare) for id_ in wanted if id_ not in there))
    # One that was taken back has a row, and is known by its ratings again.
    return len(wanted) - len(known_items(connection, there) if there else ())


def count_items(connection: Connection) -> int:
    """How many items there are."""
    return int(connection.value("SELECT count(*) FROM items_in_force"))


def attention_items(connection: Connection) -> frozenset[str]:
    """The items that only test attention, by what is known of their answers when they came or by a join."""
    some = connection.values(
        """SELECT id FROM items_in_force WHERE meta LIKE '%"attention":%'
        UNION SELECT item FROM joined_meta WHERE meta LIKE '%"attention":%'"""
    )
    found = read_items(connection, some, content=False) if some else ()
    return frozenset(item.id for item in found if item.tests_attention)


NEWEST = """
SELECT (SELECT max(number) FROM items), (SELECT max(number) FROM replaced_items), (SELECT max(number) FROM run_files),
       (SELECT max(number) FROM imports), (SELECT count(*) FROM items WHERE kind = 'bare')
"""


def items_state(connection: Connection) -> tuple[int | None, ...]:
    """What is not the same any more when items have come, were replaced, filled or taken back; told without reading them."""
    return tuple(connection.rows(NEWEST)[0])


def known_items(connection: Connection, ids: Iterable[str]) -> set[str]:
    """Which of these ids are those of items."""
    query = "SELECT id FROM items_in_force WHERE id = ANY(:ids)"
    return set(connection.values(query, ids=list(dict.fromkeys(ids))))


def runs_of_queries(connection: Connection) -> dict[str, list[str]]:
    """The ids of the agent runs of every query."""
    found: dict[str, list[str]] = {}
    for item in read_items(connection):
        found.setdefault(str(item.meta.get("query")), []).append(item.id)
    return found


def items_of_prompts(connection: Connection) -> dict[str, list[str]]:
    """The ids of the items that answer each prompt of a benchmark, where they say which one (`prompt_id` …)."""
    found: dict[str, list[str]] = {}
    for item in read_items(connection):
        for name in PROMPT_IDS:
            if name in item.meta:
                found.setdefault(str(item.meta[name]), []).append(item.id)
    return found


def read_item(connection: Connection, identifier: str) -> Item | None:
    """One item by its id."""
    row = connection.row(f"{_ITEMS} WHERE id = :id", id=identifier)
    return item_of(row, joined_meta(connection, [row.id])) if row is not None else None


def read_items(
    connection: Connection, ids: Collection[str] | None = None, bare: bool = False, content: bool = True
) -> Iterator[Item]:
    """All items in the order of their arrival, one after the other; with `ids` only those, with `bare` only bare ones.

    Without `content` they are as if they had none, for who asks for their meta fields alone.
    """
    which = (_ITEMS if content else _META) + (" WHERE kind = 'bare'" if bare else " WHERE true")
    if ids is not None and len(ids) <= _BATCH:  # more than that are found sooner by reading all
        found = connection.stream(f"{which} AND id = ANY(:ids) ORDER BY number", _PIECE, ids=list(ids))
    else:
        found = connection.stream(f"{which} ORDER BY number", _PIECE)
    for rows in found:
        wanted = [row for row in rows if ids is None or row.id in ids]
        joined = joined_meta(connection, [row.id for row in wanted])
        yield from (item_of(row, joined) for row in wanted)


_ITEMS = "SELECT number, id, kind, content, meta FROM items_in_force"
_META = "SELECT number, id, kind, '{}' AS content, meta FROM items_in_force"


def item_of(row: DatabaseRow, joined: Mapping[str, Mapping[str, Any]]) -> Item:
    """An item as it was stored, with the meta fields that were joined to it, and the criteria: these are content."""
    meta, content = {**orjson.loads(row.meta), **joined.get(row.id, {})}, orjson.loads(row.content)
    if CRITERIA in joined.get(row.id, {}):
        content[CRITERIA] = meta.pop(CRITERIA)
    return Item(row.id, row.kind, content, meta)


def joined_meta(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The meta fields in force that were joined to items, or wait for them; a later value comes before an earlier one."""
    if connection.value("SELECT number FROM joined_meta LIMIT 1") is None:
        return {}
    found: dict[str, dict[str, Any]] = {}
    for row in connection.rows(
        """SELECT item, meta FROM joined_meta WHERE item = ANY(:ids)
        AND arrival NOT IN (SELECT arrival FROM taken_back) ORDER BY number""",
        ids=list(ids),
    ):
        found.setdefault(row.item, {}).update(orjson.loads(row.meta))
    return found


def without_content(connection: Connection, shown: int) -> tuple[int, list[str]]:
    """How many items are only an id, as ratings of an unknown item leave them, and the first of these ids."""
    count = connection.value("SELECT count(*) FROM items_in_force WHERE kind = 'bare'")
    first = "SELECT id FROM items_in_force WHERE kind = 'bare' ORDER BY number LIMIT :shown"
    return int(count), connection.values(first, shown=shown)


def repeated_item(place: str, identifier: str) -> Problem:
    """An id came twice."""
    found = Text(f"id {identifier} 중복", f"id {identifier} twice")
    return Problem(
        place,
        found,
        Text("서로 다른 id", "every id once"),
        Text("id를 고친 뒤 다시 실행하세요", "give it another id"),
        place,
    )


def changed_item(place: str, identifier: str) -> Problem:
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
    return Problem(place, found, expected, todo, place)
