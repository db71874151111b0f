"""Texts, numbers, lists and mappings of a rubric's file, as they are written, to what a field holds."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import (
    Any,
)

from haechi.rubrics.fault import Fault, FaultNotes, shorten
from haechi.text import Text

Reader = Callable[[Any], Any]
"""What is given for a field in, what the field holds out; raises `Fault` where that does not fit."""

_TEXT = Text("글(수나 예/아니오는 따옴표로 감쌈)", "a text (numbers and yes/no in quotes)")
_YES_OR_NO = Text("true 또는 false", "true or false")
_WHOLE, _NUMBER, _FINITE = (
    Text("정수", "a whole number"),
    Text("수", "a number"),
    Text("유한한 수", "a finite number"),
)
_LIST = Text("목록(`- …`)", "a list (`- …`)")
MAPPING = Text("사전(`키: 값`)", "a mapping (`key: value`)")
_YES, _NO = frozenset({"1", "on", "t", "true", "y", "yes"}), frozenset({"0", "off", "f", "false", "n", "no"})


def finite(given: Any) -> float:
    """A number that is neither infinite nor undefined."""
    value = _float(given)
    if not math.isfinite(value):
        raise Fault(shorten(given), _FINITE)
    return value


def _str(given: Any) -> str:
    if not isinstance(given, str):
        raise Fault(shorten(given), _TEXT)
    return given


def _bool(given: Any) -> bool:
    word = given.lower() if isinstance(given, str) else given
    if word in (0, 1) and not isinstance(given, str):
        return bool(word)
    if isinstance(word, str) and word in _YES | _NO:
        return word in _YES
    raise Fault(shorten(given), _YES_OR_NO)


def _int(given: Any) -> int:
    if isinstance(given, str) and re.fullmatch(r"\s*[+-]?\d+(_\d+)*(\.0+)?\s*", given, re.ASCII):
        with_zeros = given.partition(".")[0]
        if len(with_zeros) < 1000:  # Python refuses to read integers of many thousand digits
            return int(with_zeros)
    if isinstance(given, float) and not math.isfinite(given):
        raise Fault(shorten(given), _FINITE)
    if isinstance(given, int | float) and given == int(given):
        return int(given)
    raise Fault(shorten(given), _WHOLE)


def _float(given: Any) -> float:
    if isinstance(given, int | float) or (isinstance(given, str) and given.isascii()):
        try:
            return float(given)
        except OverflowError:
            raise Fault(shorten(given), _FINITE) from None
        except ValueError:  # the words below
            pass
    raise Fault(shorten(given), _NUMBER)


def one_of(known: tuple[Any, ...], given: Any) -> Any:
    """One of the values that are known."""
    for one in known:
        if one == given:
            return one
    expected = ", ".join(repr(one) for one in known)
    raise Fault(shorten(given), Text(f"다음 중 하나: {expected}", f"one of {expected}"))


def list_of(read: Reader, given: Any) -> tuple[Any, ...]:
    """Every entry of a list, read alike."""
    if not isinstance(given, list | tuple):
        raise Fault(shorten(given), _LIST)
    noted, entries = FaultNotes(), []
    for place, one in enumerate(given):
        with noted.at(place, given=one):
            entries.append(read(one))
    noted.stop()
    return tuple(entries)


def dict_of(read_key: Reader, read: Reader, given: Any) -> dict[Any, Any]:
    """Every key and every value of a mapping, read alike."""
    if not isinstance(given, Mapping):
        raise Fault(shorten(given), MAPPING)
    noted, entries = FaultNotes(), {}
    for key, one in given.items():
        known = value = None
        with noted.at(key, given=key):
            known = read_key(key)
        with noted.at(key, given=one):
            value = read(one)
        entries[known] = value
    noted.stop()
    return entries


def any_reader(readers: tuple[Reader, ...], given: Any) -> Any:
    """What the first reader makes of it that can."""
    noted = FaultNotes()
    for read in readers:
        with noted.at(given=given):
            return read(given)
    return noted.stop()


def or_nothing(given: Any, read: Reader) -> Any:
    """None, or what the reader makes of it."""
    return None if given is None else read(given)


PLAIN: dict[Any, Reader] = {str: _str, bool: _bool, int: _int, float: _float}
"""How what is neither a list nor a mapping is read."""
