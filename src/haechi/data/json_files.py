"""JSON and JSONL files as rows: a line, or an element of an array, is a record."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from haechi.data.files import BAD, LONGEST_RECORD, Row, cut_off, lines_of, open_text, refuse
from haechi.data.names import ITEM_FIELDS, name_fields
from haechi.errors import HaechiError
from haechi.text import Text

_JSON = Text("올바른 JSON", "well-formed JSON")
_JSON_OBJECT = Text("JSON 객체 {…}", "a JSON object {…}")


def jsonl(path: Path) -> Iterator[Row]:
    """The rows of a file with an object on every line."""
    return json_rows(path.name, lines_of(path))


def json_rows(name: str, lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    """The rows of numbered lines of JSON; a line that is no object is an error in its row."""
    for number, line in lines:
        if line.strip():
            place = f"{name}:{number}"
            yield Row(place, _object(_parsed(line, place), place))


def json_file(path: Path) -> Iterator[Row]:
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
        if buffer.skip_space():
            found = Text("JSON이 끝난 뒤의 글", "more after the end of the JSON")
            raise refuse(path.name, found, Text("JSON 하나", "a single JSON text"))


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
        self._line, self._column = 1, 0  # where in the file the window begins
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
        if not found:
            raise cut_off(self._name)
        if found != mark:
            raise refuse(
                f"{self._name}:{self._position(self._at)[0]}", repr(found), Text(repr(mark), repr(mark))
            )
        self._at += 1

    def value(self, place: str) -> Any:
        """The next value, whole."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except _NotFinite as error:
                raise refuse(place, str(error), Text("유한한 수", "a finite number")) from None
            except json.JSONDecodeError as error:
                if self._more():
                    continue
                if _is_cut(error):
                    raise cut_off(place) from None
                line, column = self._position(error.pos)
                raise refuse(place, f"{error.msg}: line {line} column {column}", _JSON) from None
            except (ValueError, RecursionError) as error:
                raise refuse(place, str(error), _JSON) from None
            # A number or word at the very end of the window may go on in the next piece.
            if end < len(self._text) or not self._more():
                self._at = end
                return value

    def _position(self, at: int) -> tuple[int, int]:
        """The line and column of the file at a place of the window."""
        lines = self._text.count("\n", 0, at)
        start = self._text.rfind("\n", 0, at) + 1
        return self._line + lines, at - start + 1 + (0 if lines else self._column)

    def _more(self) -> bool:
        if self._ended:
            return False
        line, column = self._position(self._at)
        self._line, self._column = line, column - 1
        kept = self._text[self._at :]
        piece = self._read(max(1024 * 1024, len(kept)))
        self._ended = not piece
        self._text, self._at = kept + piece, 0
        if len(self._text) > 2 * LONGEST_RECORD:
            found = Text("한 레코드가 너무 큼", "a single record that is too large")
            raise refuse(self._name, found, Text("64 MiB 이하의 레코드", "records of at most 64 MiB"))
        return bool(piece)


class _NotFinite(ValueError):
    pass


def unpack_json(cell: Any, starts: str = "[{") -> Any:
    """A cell that holds JSON as what it means, any other cell as it is; starts: the signs with which it may begin.

    >>> unpack_json('{"a": [1]}'), unpack_json("[서울]에서"), unpack_json(3)
    ({'a': [1]}, '[서울]에서', 3)
    """
    if not isinstance(cell, str) or cell.lstrip()[:1] not in set(starts):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def _no_constant(name: str) -> Any:
    raise _NotFinite(name)


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def parse_json(text: str, place: str, expected: Text = _JSON) -> Any:
    """The value of a JSON text of one line or more; what is wrong is said of its place.

    >>> parse_json('{"a": [1]}', "a.json")
    {'a': [1]}
    """
    try:
        return _DECODER.decode(text)
    except _NotFinite as error:
        raise refuse(place, str(error), Text("유한한 수", "a finite number")) from None
    except json.JSONDecodeError as error:
        if _is_cut(error):
            whole_line = text.endswith("\n") and "\n" not in text[:-1]
            raise (cut_off(place, _LINE_CUT) if whole_line else cut_off(place)) from None
        where = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno} column {error.colno}"
        raise refuse(place, f"{error.msg}: {where}", expected) from None
    except (ValueError, RecursionError) as error:  # also whole numbers of thousands of digits
        raise refuse(place, str(error), expected) from None


_LINE_CUT = Text("줄이 중간에서 끝남", "the line ends in the middle")
_CUT_VALUE = re.compile(r"\s*|-|tr?u?|fa?l?s?|nu?l?|\\?u?[0-9a-fA-F]{0,3}")


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Whether nothing but the beginning of a value follows the mistake: the text ends too early."""
    return error.msg.startswith("Unterminated string") or bool(_CUT_VALUE.fullmatch(error.doc, error.pos))


def _parsed(line: str, place: str) -> Any:
    try:
        return parse_json(line, place, _JSON_OBJECT)
    except HaechiError as error:
        return error


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
