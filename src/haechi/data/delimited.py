"""Delimited text files as lines of cells: commas, semicolons or tabs, whatever the ending says."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from haechi.data.files import LONGEST_RECORD, open_text, refuse
from haechi.data.tables import InputTable, TableLine, TableReading, table_of
from haechi.text import Text

GUARDED = r"^'('*[=+\-@\t\r])"
"""An apostrophe that was put before a cell to keep it from becoming a formula, and what it guards."""
_GUARDED = re.compile(GUARDED)
_LOOKED_AT = 20


def delimited(path: Path, reading: TableReading) -> list[InputTable]:
    """The one table of the file."""
    return [
        table_of(path.name, _lines(path), lambda line: f"{path.name}:{line}", reading.header_row, strict=True)
    ]


def _lines(path: Path) -> Iterator[TableLine]:
    csv.field_size_limit(LONGEST_RECORD)
    with open_text(path) as file:
        reader = csv.reader(file, delimiter=_delimiter(file), strict=True)
        try:
            for fields in reader:
                yield TableLine(reader.line_num, list(map(_unguarded, fields)))
        except csv.Error as error:
            place = f"{path.name}:{reader.line_num + 1}"
            raise refuse(place, str(error), Text("올바른 CSV", "well-formed CSV")) from None


def delimiter_of(path: Path) -> str:
    """What stands between the fields of a file."""
    with open_text(path) as file:
        return _delimiter(file)


def has_columns(path: Path) -> bool:
    """Whether a text file is a table: tabs stand in each of its first lines."""
    with open_text(path) as file:
        first = [line for _ in range(_LOOKED_AT) if (line := file.readline(LONGEST_RECORD)).strip()]
    return bool(first) and all("\t" in line for line in first)


def _delimiter(file: TextIO) -> str:
    """Commas, unless the header has more semicolons or tabs, as spreadsheets of some languages write them."""
    for _ in range(_LOOKED_AT):
        line = file.readline(LONGEST_RECORD)
        if not line or any(sign in line for sign in ",;\t"):
            break
    file.seek(0)
    return max(",;\t", key=line.count)


def _unguarded(field: str) -> str:
    """A cell as it was before an apostrophe was put before it to keep it from becoming a formula."""
    return field[1:] if field.startswith("'") and _GUARDED.match(field) else field
