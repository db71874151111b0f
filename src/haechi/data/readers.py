"""Readers: a file of any known format as a stream of rows. A new format is one function and one line in `READERS`.

A package brings a format by an entry point in the group `haechi.readers`: its name is the ending of such files without
the dot, in small letters; it leads to a function from a path to `Row`s.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from haechi.data.files import LONGEST_RECORD, Row, check_exists, lines_of, no_parquet, open_text, refuse
from haechi.data.names import ITEM_FIELDS, name_fields
from haechi.errors import HaechiError
from haechi.plugins import Registry, not_callable
from haechi.text import Text

_GUARDED = re.compile(r"'+[=+\-@\t\r]")
_JSON_OBJECT = Text("JSON 객체 {…}", "a JSON object {…}")


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file, one after the other; memory does not grow with the file.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "items.jsonl"
    >>> _ = file.write_text('{"id": "a"}\\n', "utf-8")
    >>> next(read_rows(file))
    Row(place='items.jsonl:1', data={'id': 'a'})
    """
    check_exists(path)
    reader = READERS.get(path.suffix.lower().removeprefix("."))
    if reader is None:
        known = endings(READERS.names())
        found = Text(f"확장자 {path.suffix or '없음'}", f"extension {path.suffix or 'none'}")
        raise refuse(str(path), found, Text(f"다음 중 하나: {known}", f"one of {known}"))
    rows = 0
    for row in reader(path):
        rows += 1
        yield row
    if not rows:
        found = Text("자료가 한 건도 없음", "no records")
        raise refuse(str(path), found, Text("한 건 이상의 자료", "at least one record"))


def _jsonl(path: Path) -> Iterator[Row]:
    return json_rows(path.name, lines_of(path))


def json_rows(name: str, lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    """The rows of numbered lines of JSON; a line that is no object is an error in its row."""
    for number, line in lines:
        if line.strip():
            place = f"{name}:{number}"
            yield Row(place, _object(_parse(line, place), place))


def _json(path: Path) -> Iterator[Row]:
    """A JSON array of objects, or an object that holds one such array, decoded piece by piece."""
    with open_text(path) as file:
        buffer = JsonBuffer(file.read, path.name)
        start = buffer.skip_space()
        if start == "{" and path.stat().st_size <= LONGEST_RECORD:
            yield from _wrapped(buffer, path.name)
            return
        if start == "{":
            yield from _long_wrapped(buffer, path.name)
            return
        if start != "[":
            raise refuse(
                path.name, repr(start), Text("JSON 배열 […] 또는 객체 {…}", "a JSON array or object")
            )
        yield from json_array(buffer, path.name)


def json_array(buffer: JsonBuffer, name: str) -> Iterator[Row]:
    """The objects of the list at which the window stands."""
    buffer.take("[")
    index = 0
    while buffer.skip_space() != "]":
        if index:
            buffer.take(",")
            buffer.skip_space()
        place = f"{name}[{index}]"
        yield Row(place, _object(buffer.value(place), place))
        index += 1
    buffer.take("]")


def _wrapped(buffer: JsonBuffer, name: str) -> Iterator[Row]:
    whole = _object(buffer.value(name), name)
    lists = [
        value for value in whole.values() if isinstance(value, list) and value and isinstance(value[0], dict)
    ]
    if "messages" in name_fields(whole, ITEM_FIELDS)[0] or len(lists) != 1:
        yield Row(f"{name}[0]", whole)
        return
    for index, value in enumerate(lists[0]):
        place = f"{name}[{index}]"
        yield Row(place, _object(value, place))


def _long_wrapped(buffer: JsonBuffer, name: str) -> Iterator[Row]:
    """The same for a file too large for one record: the first list in it holds the records."""
    buffer.take("{")
    while True:
        buffer.skip_space()
        buffer.value(name)
        buffer.take(":")
        if buffer.skip_space() == "[":
            yield from json_array(buffer, name)
            return
        buffer.value(name)
        buffer.take(",")


class JsonBuffer:
    """A window on a JSON text that grows only until the next value is complete."""

    def __init__(self, read: Callable[[int], str], name: str) -> None:
        self._read, self._name = read, name
        self._text, self._at, self._ended = "", 0, False
        self._decoder = json.JSONDecoder(parse_constant=_no_constant)

    def skip_space(self) -> str:
        """The next sign that is no blank, without taking it; nothing at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at].isspace():
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, mark: str) -> None:
        """Take the sign that has to come next."""
        found = self.skip_space()
        if found != mark:
            raise refuse(self._name, repr(found or "end of file"), Text(f"{mark!r}", f"{mark!r}"))
        self._at += 1

    def value(self, place: str) -> Any:
        """The next value, whole."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except _NotFinite as error:
                raise refuse(place, str(error), Text("유한한 수", "a finite number")) from None
            except (ValueError, RecursionError) as error:
                if isinstance(error, json.JSONDecodeError) and self._more():
                    continue
                raise refuse(place, str(error), Text("올바른 JSON", "well-formed JSON")) from None
            # A number or word at the very end of the window may go on in the next piece.
            if end < len(self._text) or not self._more():
                self._at = end
                return value

    def _more(self) -> bool:
        if self._ended:
            return False
        kept = self._text[self._at :]
        piece = self._read(max(1024 * 1024, len(kept)))
        self._ended = not piece
        self._text, self._at = kept + piece, 0
        if len(self._text) > 2 * LONGEST_RECORD:
            found = Text("한 레코드가 너무 큼", "a single record that is too large")
            raise refuse(self._name, found, Text("64 MiB 이하의 레코드", "records of at most 64 MiB"))
        return bool(piece)


def _csv(path: Path) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_RECORD)
    with open_text(path) as file:
        delimiter = _delimiter(file.readline(LONGEST_RECORD))
        file.seek(0)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        header: list[str] = []
        try:
            for fields in reader:
                place = f"{path.name}:{reader.line_num}"
                if not any(field.strip() for field in fields):
                    continue
                if not header:
                    header = _header([_unguarded(name) for name in _without_blank_end(fields)], place)
                    continue
                if len(fields) > len(header) and not any(fields[len(header) :]):
                    fields = fields[: len(header)]  # noqa: PLW2901 - columns that a spreadsheet left empty
                if len(fields) != len(header):
                    found = Text(f"필드 {len(fields)}개", f"{len(fields)} fields")
                    expected = Text(f"머리글과 같은 {len(header)}개", f"{len(header)}, as in the header")
                    yield Row(place, {BAD: refuse(place, found, expected)})
                    continue
                yield Row(place, dict(zip(header, map(_unguarded, fields), strict=True)))
        except csv.Error as error:
            place = f"{path.name}:{reader.line_num + 1}"
            raise refuse(place, str(error), Text("올바른 CSV", "well-formed CSV")) from None


def _delimiter(first_line: str) -> str:
    """Commas, unless the header has more semicolons or tabs, as spreadsheets of some languages write them."""
    return max(",;\t", key=first_line.count)


def _without_blank_end(names: list[str]) -> list[str]:
    while names and not names[-1].strip():
        names = names[:-1]
    return names


def _unguarded(field: str) -> str:
    """A cell as it was before an apostrophe was put before it to keep it from becoming a formula."""
    return field[1:] if field.startswith("'") and _GUARDED.match(field) else field


def _xlsx(path: Path) -> Iterator[Row]:
    import zipfile

    import openpyxl
    from openpyxl.utils.escape import unescape

    def text(cell: Any) -> Any:
        # A carriage return, say, stands in the file as _x000D_.
        return unescape(cell) if isinstance(cell, str) and "_x" in cell else cell

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise refuse(
            path.name, str(error), Text("Excel 통합 문서(.xlsx)", "an Excel workbook (.xlsx)")
        ) from None
    try:
        sheet = book.worksheets[0]
        header: list[str] = []
        for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
            if all(cell is None or str(cell).strip() == "" for cell in cells):
                continue
            place = f"{path.name}:{sheet.title}!{number}"
            if not header:
                names = [str(text(cell)) if cell is not None else "" for cell in cells]
                header = _header(_without_blank_end(names), place)
                continue
            padded = [*cells, *[None] * len(header)]
            yield Row(place, {name: _cell(text(cell)) for name, cell in zip(header, padded, strict=False)})
    finally:
        book.close()


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise no_parquet(path.name, error) from None
    yield from parquet_rows(path.name, file.iter_batches(batch_size=4096))


def parquet_rows(name: str, batches: Iterable[Any], number: int = 0) -> Iterator[Row]:
    """The rows of record batches that follow the row `number`."""
    for batch in batches:
        for record in batch.to_pylist():
            number += 1
            yield Row(f"{name}, row {number}", {key: _cell(value) for key, value in record.items()})


READERS = Registry[Callable[[Path], Iterable[Row]]](
    "haechi.readers",
    {"jsonl": _jsonl, "json": _json, "csv": _csv, "xlsx": _xlsx, "parquet": _parquet},
    not_callable,
)
"""The formats of files, by their endings."""


def endings(names: Iterable[str] = READERS.own) -> str:
    """The endings of files that can be read, for help and errors; by default our own.

    >>> endings(["csv", "xlsx"])
    '.csv .xlsx'
    """
    return " ".join(f".{name}" for name in names)


# A row that could not be read stands in the stream as an error, so that --skip-bad can go on after it.
BAD = "\0bad"


def _header(names: list[str], place: str) -> list[str]:
    names = [name.strip().removeprefix("\ufeff") for name in names]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        found = Text(
            f"열 이름 중복: {', '.join(map(repr, twice))}", f"column twice: {', '.join(map(repr, twice))}"
        )
        raise refuse(place, found, Text("서로 다른 열 이름", "different column names"))
    return names


def _cell(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return float(cell) if cell.is_finite() else str(cell)
    return cell.isoformat() if hasattr(cell, "isoformat") else cell


class _NotFinite(ValueError):
    pass


def _no_constant(name: str) -> Any:
    raise _NotFinite(name)


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _parse(line: str, place: str) -> Any:
    try:
        return _DECODER.decode(line)
    except _NotFinite as error:
        return refuse(place, str(error), Text("유한한 수", "a finite number"))
    except (ValueError, RecursionError) as error:  # also whole numbers of thousands of digits
        return refuse(place, str(error), _JSON_OBJECT)


def _object(value: Any, place: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if isinstance(value, HaechiError):
        return {BAD: value}
    return {BAD: refuse(place, Text(f"{_type(value)}", f"{_type(value)}"), _JSON_OBJECT)}


def _type(value: Any) -> str:
    names = {
        list: "array",
        str: "string",
        int: "number",
        float: "number",
        bool: "true/false",
        type(None): "null",
    }
    return names.get(type(value), type(value).__name__)
