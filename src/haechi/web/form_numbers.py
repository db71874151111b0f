"""Numbers that a form sends."""

from __future__ import annotations

import math

from haechi.errors import HaechiError
from haechi.text import Text
from haechi.web.bodies import SubmittedForm

_MOST = 10**9


def count_in(given: SubmittedForm, name: str, words: Text) -> int | None:
    """A whole number above 0; None where the field is empty.

    >>> count_in(SubmittedForm(days=["30"]), "days", Text("기간")), count_in(SubmittedForm(), "days", Text("기간"))
    (30, None)
    """
    text = given.one(name)
    if not text:
        return None
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0:
        return int(text)
    raise _refused(words, text, Text("1 이상의 정수", "a whole number above 0"))


def amount_in(given: SubmittedForm, name: str, words: Text, above: float = 0.0) -> float | None:
    """A number above a limit; None where the field is empty.

    >>> amount_in(SubmittedForm(width=["0.5"]), "width", Text("폭"))
    0.5
    """
    value = _number(given, name)
    if value is None or above < value < _MOST:
        return value
    raise _refused(words, given.one(name), Text(f"{above:g}보다 큰 수", f"a number above {above:g}"))


def number_in(given: SubmittedForm, name: str, words: Text, low: float, high: float) -> float | None:
    """A number within limits; None where the field is empty.

    >>> number_in(SubmittedForm(temperature=["0"]), "temperature", Text("온도"), 0, 2)
    0.0
    """
    value = _number(given, name)
    if value is None or low <= value <= high:
        return value
    raise _refused(
        words, given.one(name), Text(f"{low:g}에서 {high:g}까지의 수", f"a number from {low:g} to {high:g}")
    )


def _number(given: SubmittedForm, name: str) -> float | None:
    """What a field says, NaN where that is no number; None where it is empty."""
    text = given.one(name)
    try:
        return float(text.replace(",", ".")) if text else None
    except ValueError:
        return math.nan


def _refused(words: Text, text: str, expected: Text) -> HaechiError:
    return HaechiError.of(words.say(), text[:80], expected, Text("값을 고치세요", "correct it"))
