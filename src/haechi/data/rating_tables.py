"""Which tables of a file hold ratings, and how each is read: one sheet for each rater, data on the second sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from haechi.data.checkboxes import without_checkboxes
from haechi.data.column_names import is_model
from haechi.data.files import BAD, Row, Unstored, refuse
from haechi.data.joined_items import joined_items
from haechi.data.label_studio import is_label_studio, label_studio_ratings
from haechi.data.listed_ratings import leaves, listed_ratings, unlist_values
from haechi.data.names import RATING_FIELDS, RUN_FIELDS, fold_name, name_fields
from haechi.data.rating_rules import RatingRules, text_of
from haechi.data.rating_understanding import understand_ratings
from haechi.data.readers import read_tables
from haechi.data.run_records import run_id
from haechi.data.tables import InputTable, TableReading, no_rows
from haechi.data.understanding import Understanding
from haechi.errors import HaechiError, Problem
from haechi.text import Text

_RUN = "Item ID"


class UnderstoodTable(NamedTuple):
    """A table and how it is read."""

    table: InputTable
    how: Understanding


def rating_tables(
    path: Path, rules: RatingRules, reading: TableReading, rater: str | None = None
) -> list[UnderstoodTable]:
    """The tables of a file that are read, each with how it is read."""
    tables = [
        label_studio_ratings(table) if is_label_studio(table) else flat(table)
        for table in read_tables(path, reading)
    ]
    if rules.of_runs:
        tables = [_with_run_ids(table, reading) for table in tables]
    tables = [_with_listed(table, rules, reading) for table in tables]
    tables, reading = joined_items(tables, reading)
    by_program = path.suffix.lower() == ".parquet"  # which has neither checkboxes nor merged cells
    if not by_program:
        mapped = frozenset(fold_name(column) for _, column in reading.map)
        tables = [without_checkboxes(table, rules, mapped) for table in tables]
    if not any(table.peek(1) for table in tables):
        raise no_rows(str(path))
    about_file = tables[0].about_file
    if len(tables) == 1:
        how = understand_ratings(tables[0], rules, reading, rater)
        one = UnderstoodTable(tables[0], how.with_more(*about_file))
        return [one if by_program else carried_down(one)]
    chosen = _same(tables, rules, reading)
    several = len(chosen) > 1
    found = [
        carried_down(UnderstoodTable(table, understand_ratings(table, rules, reading, rater, several)))
        for table in chosen
    ]
    if several and reading.sheet is None and len({_columns(table) for table in chosen}) > 1:
        complete = [one for one in found if not one.how.asked]
        if len(complete) != 1:
            raise _which(path, chosen)
        found = complete
    titles = ", ".join(str(one.table.sheet) for one in found)
    assumed = [*about_file]
    if several and any(one.how.rater for one in found):
        assumed.append(
            Text(
                f"{path.name}: 시트 이름을 평가자로 읽었습니다: {titles}",
                f"{path.name}: the sheets are the raters: {titles}",
            )
        )
    elif several and any(one.how.item for one in found):
        assumed.append(
            Text(
                f"{path.name}: 시트 이름을 항목으로 읽었습니다: {titles}",
                f"{path.name}: the sheets are the items: {titles}",
            )
        )
    read = {one.table.sheet for one in found}
    others = ", ".join(str(table.sheet) for table in tables if table.sheet not in read)
    if others:
        assumed.append(
            Text(
                f"{path.name}: 시트 {titles}만 읽었습니다. 평가가 없는 시트: {others}",
                f"{path.name}: read the sheet {titles}; without ratings: {others}",
            )
        )
    first, *rest = found
    return [UnderstoodTable(first.table, first.how.with_more(*assumed)), *rest]


def _with_listed(table: InputTable, rules: RatingRules, reading: TableReading) -> InputTable:
    """The table with a row for every rater that its records list, unless it has ratings without that."""
    if not any(_is_list(cell) for row in table.peek(_LOOKED_AT) for cell in row.data.values()):
        return table
    if "rater" in name_fields({name: name for name in table.columns}, RATING_FIELDS)[0]:
        return unlist_values(table)
    own = tuple(pair for pair in reading.map if pair[1] in table.columns and fold_name(pair[0]) != "item")
    how = understand_ratings(table, rules, replace(reading, map=own))
    return table if _has_ratings(how) else listed_ratings(table)


def _is_list(cell: Any) -> bool:
    return isinstance(cell, list) or (isinstance(cell, str) and cell.startswith("["))


def _same(tables: list[InputTable], rules: RatingRules, reading: TableReading) -> list[InputTable]:
    """The tables that hold ratings; the first where none does, so that it is said what it lacks."""
    if reading.sheet is not None:
        return tables
    rated = [table for table in tables if _has_ratings(understand_ratings(table, rules, reading))]
    return rated or tables[:1]


def _has_ratings(how: Understanding) -> bool:
    return bool(how.values) or (how.column("value") is not None and how.column("item") is not None)


def _columns(table: InputTable) -> frozenset[str]:
    return frozenset(map(fold_name, table.columns))


def _which(path: Path, tables: list[InputTable]) -> HaechiError:
    titles = ", ".join(str(table.sheet) for table in tables)
    found = Text(
        f"열이 서로 다른 시트 {len(tables)}개: {titles}",
        f"{len(tables)} sheets with different columns: {titles}",
    )
    todo = Text(f"--sheet {tables[0].sheet} 또는 --sheet all", f"--sheet {tables[0].sheet}, or --sheet all")
    expected = Text("어느 시트를 읽을지", "which sheet is to be read")
    return HaechiError((Problem(path.name, found, expected, todo),))


_CARRIED = ("item", "rater", "criterion")
_LOOKED_AT = 300


def carried_down(one: UnderstoodTable) -> UnderstoodTable:
    """A table whose names stand only in the first row of a block, as merged cells leave them in a CSV, with the names in all rows.

    A column is read so where its blanks are several and nearly as many as its names, no name comes again in the next row, and no
    judgement would be there twice; anything else is a name that somebody forgot, and stays to be refused.

    >>> from haechi.data.understanding import ColumnReading
    >>> rows = [Row(f"f:{n}", {"id": i, "who": w, "v": 1}) for n, (i, w) in enumerate([("d1", "a"), ("", "b"), ("d2", "a"), ("", "b")])]
    >>> columns = (ColumnReading("id", "item"), ColumnReading("who", "rater"), ColumnReading("v", "value"))
    >>> [row.data["id"] for row in carried_down(UnderstoodTable(InputTable("f", rows), Understanding("f", columns))).table]
    ['d1', 'd1', 'd2', 'd2']
    """
    keys = [column for field in (*_CARRIED, "replicate") if (column := one.how.column(field))]
    first = one.table.peek(_LOOKED_AT)
    columns = [
        column
        for field in _CARRIED
        if (column := one.how.column(field)) and not is_model(column) and _is_merged(first, column)
    ]
    if not columns or BAD in {name for row in _filled(first, columns, keys) for name in row.data}:
        return one
    made = InputTable(one.table.name, (), one.table.sheet)
    made.said, made.about_file = one.table.said, one.table.about_file
    made.fill(_filled(one.table, columns, keys))
    names = ", ".join(f"'{column}'" for column in columns)
    said = Text(
        f"{one.table.name}: {names} 열의 빈 칸은 병합한 셀로 보고 바로 위의 이름으로 읽었습니다.",
        f"{one.table.name}: empty cells of {names} were taken for merged ones and read as the name above them.",
    )
    return UnderstoodTable(made, one.how.with_more(said))


def _is_merged(rows: list[Row], column: str) -> bool:
    cells = [_name(row, column) for row in rows if BAD not in row.data]
    heads = [cell for cell in cells if cell is not None]
    twice = any(one == other and one is not None for one, other in pairwise(cells))
    blanks = len(cells) - len(heads)
    # Of one name above one blank cell nobody can tell whether the other was meant or forgotten.
    several = len(heads) > 1 or blanks > 1
    return several and cells[0] is not None and not twice and 4 * blanks >= 3 * len(heads)


def _name(row: Row, column: str) -> Any:
    """The name in a cell; a formula without a result is one, which will be refused."""
    cell = row.data.get(column)
    return cell if isinstance(cell, Unstored) else text_of(cell)


def _filled(rows: Iterable[Row], columns: Sequence[str], keys: Sequence[str]) -> Iterator[Row]:
    """The rows with the names of the blocks that they are in; one that would judge something twice is refused."""
    above: dict[str, Any] = {}
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        if BAD in row.data:
            yield row
            continue
        given = {column: row.data[column] for column in columns if _name(row, column) is not None}
        above |= given
        seen = set() if given else seen
        data = {**row.data, **above}
        key = tuple(_name(Row(row.place, data), column) for column in keys)
        if key in seen:
            found = Text("이름이 빈 칸", "an empty cell")
            yield Row(row.place, {BAD: refuse(row.place, found, Text("줄마다 이름", "a name in every row"))})
        else:
            seen.add(key)
            yield Row(row.place, data)


def flat(table: InputTable) -> InputTable:
    """The table with a column for every value inside of nested objects, named by the path to it.

    >>> row = Row("f:1", {"session": 7, "data": {"A1": {"accuracy": {"value": 1, "evidence": "…"}}}})
    >>> list(next(iter(flat(InputTable("f", [row])))).data)
    ['session', 'data.A1.accuracy.value', 'data.A1.accuracy.evidence']
    """
    made = InputTable(table.name, map(_flat, table), table.sheet)
    made.said = table.said  # what is found out while reading is said too
    made.about_file = table.about_file
    return made


def _with_run_ids(table: InputTable, reading: TableReading) -> InputTable:
    """A table of agent runs that has no ids, only queries and repeats, with the ids that `haechi add` gives them."""
    columns = {name: name for name in table.columns}
    mapped = reading.item or any(fold_name(field) == "item" for field, _ in reading.map)
    if mapped or "item" in name_fields(columns, RATING_FIELDS)[0]:
        return table
    if "query" not in name_fields(columns, RUN_FIELDS)[0]:
        return table

    def named(row: Row) -> Row:
        if BAD in row.data:
            return row
        try:
            return Row(row.place, {_RUN: run_id(row.data, row.place), **row.data})
        except HaechiError as error:
            return Row(row.place, {BAD: error})

    made = InputTable(table.name, map(named, table), table.sheet)
    made.said, made.about_file = table.said, table.about_file
    return made


def _flat(row: Row) -> Row:
    if not any(isinstance(cell, dict) for cell in row.data.values()):
        return row
    return Row(row.place, dict(leaves(row.data)))
