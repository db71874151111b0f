"""Meta fields that come by themselves: a table with the ids of items and further columns, without any text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from haechi.data.criteria_layouts import brought_rows
from haechi.data.files import BAD, Row, refuse
from haechi.data.item_files import count_rows
from haechi.data.mapping import column_named
from haechi.data.names import ITEM_FIELDS, RUN_FIELDS, fold_name, name_fields
from haechi.data.own_criteria import CRITERIA, criteria_of
from haechi.data.progress import Advance
from haechi.data.reading_notes import ReadingNotes
from haechi.data.records import identifier_of, meta_of
from haechi.data.tables import TableReading
from haechi.data.understanding import IGNORED
from haechi.errors import HaechiError
from haechi.text import Text

_LOOKED_AT = 200
_CONTENT = ("query", "query_text", "expected", "response", "payload")
_NAMED = ("mode", "level", "system")


class JoinedRow(NamedTuple):
    """The meta fields of one item."""

    place: str
    item: str
    meta: dict[str, Any]


def joined_rows(
    rows: Iterable[Row],
    item: str,
    known: Callable[[Collection[str]], set[str]],
    mapped: Sequence[tuple[str, str]] = (),
    of_query: Callable[[], Mapping[str, Sequence[str]]] = dict,
) -> Iterator[JoinedRow | HaechiError]:
    """The meta fields of every row; the column of ids is known by its name, else by holding ids of the study.

    mapped: which column holds the ids, or is not to be read, where somebody said so (`--map`). of_query: the agent runs of
    every query; a table that names only queries is about all of their runs.

    >>> rows = [Row("groups.csv:2", {"session": "s1", "모드": "agent", "반": 3})]
    >>> next(joined_rows(rows, "dialogue", lambda ids: {"s1"} & set(ids))).meta
    {'반': 3, 'mode': 'agent'}
    """
    stream = iter(rows)
    first = list(islice(stream, _LOOKED_AT))
    column, ignored = _said(first, item, mapped)
    query = None if column or item != "run" else _query_column(first, known)
    column = column or query or _id_column(first, item, known)
    runs = of_query() if query else {}
    for row in chain(first, stream):
        try:
            one = _joined(row, column, ignored, item)
            yield from (one._replace(item=run) for run in _runs(one, runs)) if query else (one,)
        except HaechiError as error:
            yield error


def joined_criteria(
    path: Path,
    kind: str,
    reading: TableReading,
    advance: Advance,
    known: Callable[[Collection[str]], set[str]],
    of_prompt: Callable[[], Mapping[str, Sequence[str]]],
) -> Iterator[JoinedRow | HaechiError]:
    """The criteria of items that are there, from a file of a benchmark or a table with one row for each.

    An id that no item has may be that of the prompt that several items answer (`of_prompt`).
    """
    from haechi.data.conversations.formats import plain_rows

    notes, prompts = ReadingNotes(reading=reading), dict[str, Sequence[str]]()
    for row in brought_rows(count_rows(plain_rows(path, notes), advance), kind, notes, joining=True):
        try:
            if BAD in row.data:
                raise row.data[BAD]
            if CRITERIA not in row.data:
                found = Text(f"열: {', '.join(row.data)}", f"columns {', '.join(row.data)}")
                expected = Text(
                    "criteria 목록, 또는 기준과 배점 열", "a list criteria, or columns criterion and points"
                )
                raise refuse(row.place, found, expected)
            identifier = identifier_of(row.data.get("id"), row.place)
            meta = {CRITERIA: criteria_of(row.data[CRITERIA], row.place)}
            if known([identifier]):
                yield JoinedRow(row.place, identifier, meta)
                continue
            prompts = prompts or dict(of_prompt())
            yield from (JoinedRow(row.place, item, meta) for item in prompts.get(identifier, [identifier]))
        except HaechiError as error:
            yield error


def _runs(one: JoinedRow, runs: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The runs of the query that a row names."""
    if one.item in runs:
        return runs[one.item]
    expected = Text("스터디에 있는 질의의 Query ID", "the Query ID of a query in the study")
    raise refuse(f"{one.place}, query_id", repr(one.item)[:80], expected)


def _query_column(rows: list[Row], known: Callable[[Collection[str]], set[str]]) -> str | None:
    """The column of queries, where no column holds the ids of runs."""
    good = [row for row in rows if BAD not in row.data]
    names = list(dict.fromkeys(name for row in good for name in row.data))
    spelt, _ = name_fields({name: name for name in names}, RUN_FIELDS)
    holds_ids = any(_share(good, name, known) > 0.5 for name in names)
    return None if "id" in spelt or holds_ids else spelt.get("query")


def _said(rows: list[Row], item: str, mapped: Sequence[tuple[str, str]]) -> tuple[str | None, set[str]]:
    """The column of ids that somebody named, and those that are not to be read."""
    column, ignored = None, set()
    names = list(dict.fromkeys(name for row in rows if BAD not in row.data for name in row.data))
    for field, called in mapped:
        if field == IGNORED:
            ignored.add(column_named(called, names, rows[0].place))
        elif fold_name(field) in {*(RUN_FIELDS if item == "run" else ITEM_FIELDS)["id"], "item"}:
            column = column_named(called, names, rows[0].place)
        else:
            expected = Text(f"id 또는 {IGNORED}", f"id or {IGNORED}")
            raise refuse("--map", field, expected, Text("--map을 고치세요", "correct --map"))
    return column, ignored


def _id_column(rows: list[Row], item: str, known: Callable[[Collection[str]], set[str]]) -> str:
    good = [row for row in rows if BAD not in row.data]
    if not good:
        return "id"
    names = list(dict.fromkeys(name for row in good for name in row.data))
    spelt, _ = name_fields({name: name for name in names}, RUN_FIELDS if item == "run" else ITEM_FIELDS)
    if "id" in spelt:
        return str(spelt["id"])
    shares = {name: _share(good, name, known) for name in names}
    holding = [name for name, share in shares.items() if share > 0.5]
    if len(holding) == 1:
        return holding[0]
    found = Text(f"열: {', '.join(names)}", f"columns {', '.join(names)}")
    todo = Text('--map id="열" 옵션을 붙이세요', 'add --map id="COLUMN"')
    raise refuse(good[0].place, found, Text("항목의 id가 든 열 하나", "one column with ids of items"), todo)


def _share(rows: list[Row], name: str, known: Callable[[Collection[str]], set[str]]) -> float:
    given = {str(row.data[name]).strip() for row in rows if row.data.get(name) not in (None, "")}
    return len(known(given)) / len(given) if given else 0.0


def _joined(row: Row, column: str, ignored: Collection[str], item: str) -> JoinedRow:
    if BAD in row.data:
        raise row.data[BAD]
    identifier = identifier_of(row.data.get(column), row.place)
    rest = {name: value for name, value in row.data.items() if name != column and name not in ignored}
    if item == "run":
        rest = _without_content(rest)
    spelt, _ = name_fields({name: name for name in rest}, ITEM_FIELDS)
    named = {field: rest.pop(spelt[field]) for field in _NAMED if field in spelt}
    return JoinedRow(
        row.place, identifier, meta_of({**named, "meta": rest.pop("meta", None)}, rest, row.place)
    )


def _without_content(rest: dict[str, Any]) -> dict[str, Any]:
    """What is joined to a run: what it was asked and answered is there already, and checks have one name."""
    spelt, _ = name_fields({name: name for name in rest}, RUN_FIELDS)
    for field in _CONTENT:
        rest.pop(spelt.get(field, ""), None)
    if "accuracy_checks" in spelt:
        rest["accuracy_checks"] = rest.pop(spelt["accuracy_checks"])
    return rest
