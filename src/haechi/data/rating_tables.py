"""Which tables of a file hold ratings, and how each is read: one sheet for each rater, data on the second sheet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from haechi.data.files import Row
from haechi.data.names import fold_name
from haechi.data.rating_rules import RatingRules
from haechi.data.rating_understanding import understand_ratings
from haechi.data.readers import read_tables
from haechi.data.tables import Reading, Table, no_rows
from haechi.data.understanding import Understanding
from haechi.errors import HaechiError, Problem
from haechi.text import Text

_DEEPEST = 8


class Understood(NamedTuple):
    """A table and how it is read."""

    table: Table
    how: Understanding


def rating_tables(
    path: Path, rules: RatingRules, reading: Reading, rater: str | None = None
) -> list[Understood]:
    """The tables of a file that are read, each with how it is read."""
    tables = [flat(table) for table in read_tables(path, reading)]
    if not any(table.peek(1) for table in tables):
        raise no_rows(str(path))
    about_file = tables[0].about_file
    if len(tables) == 1:
        how = understand_ratings(tables[0], rules, reading, rater)
        return [Understood(tables[0], how.with_more(*about_file))]
    chosen = _same(tables, rules, reading)
    several = len(chosen) > 1
    found = [Understood(table, understand_ratings(table, rules, reading, rater, several)) for table in chosen]
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
    return [Understood(first.table, first.how.with_more(*assumed)), *rest]


def _same(tables: list[Table], rules: RatingRules, reading: Reading) -> list[Table]:
    """The tables that hold ratings; the first where none does, so that it is said what it lacks."""
    if reading.sheet is not None:
        return tables
    rated = [table for table in tables if _has_ratings(understand_ratings(table, rules, reading))]
    return rated or tables[:1]


def _has_ratings(how: Understanding) -> bool:
    return bool(how.values) or (how.column("value") is not None and how.column("item") is not None)


def _columns(table: Table) -> frozenset[str]:
    return frozenset(map(fold_name, table.columns))


def _which(path: Path, tables: list[Table]) -> HaechiError:
    titles = ", ".join(str(table.sheet) for table in tables)
    found = Text(
        f"열이 서로 다른 시트 {len(tables)}개: {titles}",
        f"{len(tables)} sheets with different columns: {titles}",
    )
    todo = Text(f"--sheet {tables[0].sheet} 또는 --sheet all", f"--sheet {tables[0].sheet}, or --sheet all")
    expected = Text("어느 시트를 읽을지", "which sheet is to be read")
    return HaechiError((Problem(path.name, found, expected, todo),))


def flat(table: Table) -> Table:
    """The table with a column for every value inside of nested objects, named by the path to it.

    >>> row = Row("f:1", {"session": 7, "data": {"A1": {"accuracy": {"value": 1, "evidence": "…"}}}})
    >>> list(next(iter(flat(Table("f", [row])))).data)
    ['session', 'data.A1.accuracy.value', 'data.A1.accuracy.evidence']
    """
    made = Table(table.name, map(_flat, table), table.sheet)
    made.said = table.said  # what is found out while reading is said too
    made.about_file = table.about_file
    return made


def _flat(row: Row) -> Row:
    if not any(isinstance(cell, dict) for cell in row.data.values()):
        return row
    return Row(row.place, dict(_leaves("", row.data, _DEEPEST)))


def _leaves(path: str, data: dict[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    for key, cell in data.items():
        if isinstance(cell, dict) and depth:
            yield from _leaves(f"{path}{key}.", cell, depth - 1)
        else:
            yield f"{path}{key}", cell
