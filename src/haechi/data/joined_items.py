"""Items that several columns name together: a question and the model that answered it (`--map item=id --map item=model`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from haechi.data.files import BAD, Row
from haechi.data.mapping import column_named
from haechi.data.names import JOINED, fold_name
from haechi.data.rating_rules import text_of
from haechi.data.tables import InputTable, TableReading
from haechi.data.understanding import IGNORED


def joined_items(
    tables: Sequence[InputTable], reading: TableReading
) -> tuple[list[InputTable], TableReading]:
    """The tables with a column that joins those which are said to name the item, and the reading that names it.

    A row of which one of them is empty has no item.

    >>> said = TableReading(map=(("item", "id"), ("item", "model")))
    >>> (table,), how = joined_items([InputTable("f", [Row("f:1", {"id": 7, "model": "A"})])], said)
    >>> how.map, next(iter(table)).data
    ((('item', 'id / model'), ('ignore', 'id'), ('ignore', 'model')), {'id': 7, 'model': 'A', 'id / model': '7-A'})
    """
    said = [column for field, column in reading.map if fold_name(field) == "item"]
    if len(said) < 2:
        return list(tables), reading
    name = JOINED.join(said)
    others = tuple(pair for pair in reading.map if fold_name(pair[0]) != "item")
    used = {column for _, column in others}
    parts = tuple(
        (IGNORED, column) for column in said if column not in used
    )  # they are read as the item only
    return [_joined(table, said, name) for table in tables], replace(
        reading, map=(("item", name), *parts, *others)
    )


def _joined(table: InputTable, said: Sequence[str], name: str) -> InputTable:
    columns = [column_named(one, table.columns, table.name) for one in said]

    def joined(row: Row) -> Row:
        parts = [text_of(row.data.get(column)) for column in columns] if BAD not in row.data else []
        whole = "-".join(part for part in parts if part) if all(parts) else None
        return row if BAD in row.data else Row(row.place, {**row.data, name: whole})

    made = InputTable(table.name, (), table.sheet)
    made.said, made.about_file = table.said, table.about_file
    made.fill(map(joined, table))
    return made
