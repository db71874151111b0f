"""Meta fields that came by themselves: kept beside the items, and read with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

from haechi.data.item import Item
from haechi.data.joins import JoinedRow
from haechi.data.own_criteria import CRITERIA
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.items import joined_meta, read_items
from haechi.store.unknown_items import UnknownItems
from haechi.text import Text, cut

_BATCH, _LONGEST = 500, 120
_COLUMNS = ("item", "meta", "arrival", "at")


@dataclass
class JoinedMeta:
    """What a joining did; `later` are ids of items that have not come yet. `fields` are the meta fields."""

    joined: int = 0
    unchanged: int = 0
    later: int = 0
    fields: dict[str, None] = field(default_factory=dict)
    skipped: list[Problem] = field(default_factory=list)
    number: int | None = None


def join_meta(
    connection: Connection,
    rows: Iterable[JoinedRow | HaechiError],
    arrival: str,
    newcomers: UnknownItems,
    place: str,
    replace: bool = False,
    skip_bad: bool = False,
) -> JoinedMeta:
    """Keep meta fields for items; a value that differs from the one there is refused, unless `replace`."""
    done, stream, moment = JoinedMeta(), iter(rows), now()
    seen: set[str] = set()
    while some := list(islice(stream, _BATCH)):
        good = [row for row in some if isinstance(row, JoinedRow)]
        done.skipped += [problem for row in some if isinstance(row, HaechiError) for problem in row.problems]
        welcome = newcomers.welcome(row.item for row in good)
        ids = [row.item for row in good]
        there = {item.id: {**_criteria(item), **item.meta} for item in read_items(connection, ids)}
        waiting = joined_meta(connection, ids)
        fresh = []
        for row in good:
            if row.item not in welcome:
                continue
            if row.item in seen:
                done.skipped.append(_twice(row))
                continue
            seen.add(row.item)
            done.fields.update(dict.fromkeys(row.meta))
            known = there.get(row.item, waiting.get(row.item, {}))
            new = {name: value for name, value in row.meta.items() if known.get(name) != value}
            clash = next((name for name in new if known.get(name) is not None), None)
            if clash is not None and not replace:
                done.skipped.append(_differs(row, clash, known[clash]))
                continue
            done.unchanged += not new
            done.joined += bool(new)
            done.later += bool(new) and row.item not in there
            if new:
                fresh.append((row.item, orjson.dumps(new).decode(), arrival, moment))
        connection.insert("joined_meta", _COLUMNS, fresh)
    unknown = newcomers.problem(place)
    done.skipped += [unknown] if unknown else []
    if done.skipped and not skip_bad:
        raise HaechiError(unique_problems(done.skipped))
    return done


def _criteria(item: Item) -> dict[str, Any]:
    """The criteria of an item, which can be joined to it as its meta fields can."""
    return {CRITERIA: item.content[CRITERIA]} if CRITERIA in item.content else {}


def _twice(row: JoinedRow) -> Problem:
    found = Text(f"id {row.item} 중복", f"id {row.item} twice")
    todo = Text("한 줄만 남기세요", "keep one row")
    return Problem(row.place, found, Text("항목마다 한 줄", "one row for each item"), todo, row.place)


def _short(value: Any) -> str:
    shown = repr(value)
    return cut(shown, _LONGEST)


def _differs(row: JoinedRow, name: str, known: Any) -> Problem:
    found = Text(
        f"{row.item}의 {name}: 스터디에는 {_short(known)}, 파일에는 {_short(row.meta[name])}",
        f"{name} of {row.item}: {_short(known)} in the study, {_short(row.meta[name])} in the file",
    )
    todo = Text("값을 고치거나 --replace를 붙이세요", "correct it, or give --replace")
    return Problem(row.place, found, Text("스터디와 같은 값", "the value of the study"), todo, row.place)
