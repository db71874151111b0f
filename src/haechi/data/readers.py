"""Readers: a file of any known format as a stream of rows. A new format is one function and one line in `READERS`.

A package brings a format by an entry point in the group `haechi.readers`: its name is the ending of such files without
the dot, in small letters; it leads to a function from a path to `Row`s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from haechi.data.delimited import delimited, has_columns
from haechi.data.files import Row, check_exists, plain_cell, refuse
from haechi.data.json_files import json_file, jsonl
from haechi.data.names import JOINED
from haechi.data.sources import Source, name_of
from haechi.data.tables import AS_FOUND, InputTable, TableReading, like_tables, no_rows
from haechi.data.workbooks import is_workbook, workbook
from haechi.plugins.registry import Registry, not_callable
from haechi.text import Text

_WORKBOOKS = ("xlsx", "xlsm", "xls")
_ROWS = 4096
_TABLES = ("csv", "tsv", *_WORKBOOKS)


def read_rows(path: Path, reading: TableReading = AS_FOUND) -> Iterator[Row]:
    """The rows of a file, one after the other; memory does not grow with the file.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "items.jsonl"
    >>> _ = file.write_text('{"id": "a"}\\n', "utf-8")
    >>> next(read_rows(file))
    Row(place='items.jsonl:1', data={'id': 'a'})
    """
    rows = 0
    for table in like_tables(read_tables(path, reading)):
        names = _own_names(table)
        for row in table:
            rows += 1
            yield _renamed(row, names) if names else row
    if not rows:
        raise no_rows(str(path))


def _own_names(table: InputTable) -> dict[str, str]:
    """What columns are called without the group above them, as `대화 / 질문`; where two would be called the same they keep it."""
    lower = {column: column.rpartition(JOINED)[2] for column in table.columns} if table.grouped else {}
    count = Counter(lower.values())
    return {column: name for column, name in lower.items() if count[name] == 1}


def _renamed(row: Row, names: Mapping[str, str]) -> Row:
    return Row(row.place, {names.get(name, name): cell for name, cell in row.data.items()})


def read_tables(path: Path, reading: TableReading = AS_FOUND) -> list[InputTable]:
    """The tables of a file: one for each sheet of a workbook, otherwise one."""
    check_exists(path)
    ending = reading.format or path.suffix.lower().removeprefix(".")
    if ending in (*_TABLES, "txt") and is_workbook(path, ending in _WORKBOOKS):
        return workbook(path, reading)
    if ending in _TABLES or (ending == "txt" and has_columns(path)):
        return delimited(path, reading)
    reader = READERS.get(ending) if ending != "txt" else None
    if reader is None:
        known = endings(READERS.names())
        found = Text(f"확장자 {path.suffix or '없음'}", f"extension {path.suffix or 'none'}")
        if ending == "txt":
            found = Text("탭으로 나눈 표가 아닌 글", "a text that is no table with tabs")
        raise refuse(str(path), found, Text(f"다음 중 하나: {known}", f"one of {known}"))
    return [InputTable(path.name, reader(path))]


def _table(path: Path) -> Iterator[Row]:
    return read_rows(path)


def parquet_rows(path: Source, start: int = 0, stop: int | None = None) -> Iterator[Row]:
    """The rows of a Parquet file from `start`, the first being 0, to `stop`."""
    from haechi.data.parquet import pieces

    name, number = name_of(path), start
    for piece in pieces(path, _ROWS, start=start, stop=stop):
        for record in piece.iter_rows(named=True):
            number += 1
            yield Row(f"{name}, row {number}", {key: plain_cell(value) for key, value in record.items()})


READERS = Registry[Callable[[Path], Iterable[Row]]](
    "haechi.readers",
    {
        "jsonl": jsonl,
        "json": json_file,
        "csv": _table,
        "tsv": _table,
        "txt": _table,
        "xlsx": _table,
        "xlsm": _table,
        "xls": _table,
        "parquet": parquet_rows,
    },
    not_callable,
    lambda read, guard: replace(guard, known=(OSError,)).of(
        read
    ),  # a file that may not be read is no fault of theirs
)
"""The formats of files, by their endings."""


def endings(names: Iterable[str] = READERS.own) -> str:
    """The endings of files that can be read, for help and errors; by default our own.

    >>> endings(["csv", "xlsx"])
    '.csv .xlsx'
    """
    return " ".join(f".{name}" for name in names)
