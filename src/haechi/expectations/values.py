"""How values of a stranger's JSON are read and compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import orjson

from haechi.regex import regex

JSON_NUMBER = regex(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
LONGEST_NUMBER = 400


def number(value: object) -> int | float | None:
    """The number that a value is, or spells as JSON would; a boolean is no number.

    Text is read by the parser that reads the payloads, so that equal digits stay equal.

    >>> number("3.0"), number(7), number(True), number("1e999"), number("３")
    (3.0, 7, None, None, None)
    """
    kind = type(value)
    if kind is int or kind is float:
        return value  # type: ignore[return-value]
    if kind is not str or len(value) > LONGEST_NUMBER:  # type: ignore[arg-type]
        return None
    text = value.strip()  # type: ignore[attr-defined]
    if not JSON_NUMBER.fullmatch(text):
        return None
    try:
        found: int | float = orjson.loads(text)
    except orjson.JSONDecodeError:  # more digits than a double can hold
        return None
    return found


def seconds(value: object) -> float | None:
    """A duration: a number, also spelled as text, that is not negative.

    >>> seconds("4.2"), seconds(5), seconds(-1), seconds({}), seconds(None)
    (4.2, 5.0, None, None, None)
    """
    found = number(value)
    return float(found) if found is not None and 0 <= found < math.inf else None


def from_milliseconds(value: float | None) -> float | None:
    """A duration in seconds; divided here, since polars multiplies by 0.001, which is not the same.

    >>> from_milliseconds(5250.0), from_milliseconds(None)
    (5.25, None)
    """
    return None if value is None else seconds(value / 1000)


def text(value: object) -> str | None:
    """A scalar as trimmed text, written as JSON writes it; None for lists, objects and null.

    >>> text(" 면접 "), text(True), text(3.0), text([1])
    ('면접', 'true', '3.0', None)
    """
    if type(value) is str:
        return value.strip()
    if value is None or isinstance(value, list | dict):
        return None
    return orjson.dumps(value).decode()


def equals(wanted: object) -> Callable[[object], bool]:
    """A test whether a value says the same: "true" is true, "3" is 3.0, text is trimmed, null equals nothing.

    >>> [equals("3")(3.0), equals("true")(True), equals(" a")("a "), equals(1)(True), equals(None)(None)]
    [True, True, True, False, False]
    """
    as_text = wanted.strip() if type(wanted) is str else None
    as_number, as_truth = number(wanted), truth(wanted)
    as_content = canonical(wanted) if isinstance(wanted, list | dict) else None

    def test(found: object) -> bool:
        kind = type(found)
        if kind is str:
            if as_text is not None:
                return found == as_text or found.strip() == as_text  # type: ignore[attr-defined]
            if as_number is not None:
                return number(found) == as_number
            return as_truth is not None and truth(found) is as_truth
        if kind is bool:
            return found is as_truth
        if kind is int or kind is float:
            return as_number is not None and found == as_number
        return found is not None and as_content is not None and canonical(found) == as_content

    return test


def truth(value: object) -> bool | None:
    """True or False for a boolean and for the text that spells one.

    >>> truth("TRUE "), truth(False), truth(1)
    (True, False, None)
    """
    if type(value) is bool:
        return value
    return {"true": True, "false": False}.get(value.strip().lower()) if type(value) is str else None


def canonical(value: object) -> bytes:
    """The same bytes for the same content, whatever the order of keys.

    >>> canonical({"b": 1, "a": [2]}) == canonical({"a": [2], "b": 1})
    True
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # nested deeper than orjson writes (it reads 1024 levels and writes 254)
        return _canonical_deep(value)


def _canonical_deep(value: object) -> bytes:
    """What orjson would write, without recursion."""
    written: list[bytes] = []
    waiting: list[Any] = [value]
    while waiting:
        part = waiting.pop()
        if type(part) is bytes:
            written.append(part)
        elif isinstance(part, list):
            waiting.append(b"]")
            for place in range(len(part) - 1, -1, -1):
                waiting += (part[place], b"," if place else b"[")
            if not part:
                waiting.append(b"[")
        elif isinstance(part, dict):
            waiting.append(b"}")
            for place, key in reversed(list(enumerate(sorted(part)))):
                waiting += (part[key], (b"," if place else b"{") + orjson.dumps(key) + b":")
            if not part:
                waiting.append(b"{")
        else:
            written.append(orjson.dumps(part))
    return b"".join(written)
