"""Keys, words and numbers: what the parts of a rubric and the values on its scales are made of."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Annotated, Any, Literal

from haechi.regex import regex
from haechi.rubrics.fault import Fault, shorten
from haechi.rubrics.plain_fields import finite
from haechi.text import Text

Level = Literal["nominal", "ordinal", "interval", "ratio"]
KEY = regex(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


def _words(value: Any) -> Text:
    if isinstance(value, Text):
        return value
    texts = {"ko": value} if isinstance(value, str) else value
    fits = isinstance(texts, dict) and set(texts) <= {"ko", "en"}
    if fits and all(isinstance(text, str) for text in texts.values()):
        words = Text(texts.get("ko", "").strip(), texts.get("en", "").strip())
        if words.say():
            return words
    expected = Text(
        "비어 있지 않은 글 또는 {ko: 글, en: 글} (수나 예/아니오는 따옴표로 감쌈)",
        "a text that is not blank, or {ko: text, en: text} (numbers and yes/no in quotes)",
    )
    raise Fault(shorten(value), expected)


def _key(value: Any) -> str:
    if not isinstance(value, str) or not KEY.fullmatch(value):
        expected = Text(
            "키: 로마자로 시작하고 로마자, 숫자, _, -만 쓴 64자 이하의 이름",
            "a key: a Latin letter, then letters, digits, _ or - (at most 64)",
        )
        raise Fault(shorten(value), expected)
    return value


Words = Annotated[Text, _words]
Key = Annotated[str, _key]
Number = Annotated[float, finite]


class Off(Fault):
    """A value that is not on the scale; says what would be, or in a kind's own words what is wrong."""

    def __init__(self, expected: Text, found: object = "", said: Text | None = None) -> None:
        super().__init__(shorten(found), expected)
        self.said = said


def fold(value: Any) -> str:
    """A raw value as trimmed text, full-width characters as their usual ones.

    >>> fold(" ４ "), fold(4.0), fold(True)
    ('4', '4', '1')
    """
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return unicodedata.normalize("NFKC", str(value) if not isinstance(value, int) else shorten(value)).strip()


def measured(raw: Any) -> float | None:
    """A raw value as a finite number; true and false are none, so that no score is made of them.

    >>> measured("３.5"), measured(True)
    (3.5, None)
    """
    return None if isinstance(raw, bool) else number(fold(raw))


def number(text: str) -> float | None:
    """A finite number written in plain digits, else None.

    >>> number("4.50"), number("NaN"), number("1_000")
    (4.5, None, None)
    """
    if not re.fullmatch(r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", text, re.ASCII):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def plain(value: float) -> str:
    """A number as short text: 4 rather than 4.0."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


_LED = r"(?:(?:score|rating|value|points?|점수|평점|값)\s*[:=]?\s*)?"
_NUMBER_SAID = regex(
    rf"{_LED}(?P<number>-?\d+(?:\.\d+)?)\s*(?:점|points?)?(?:\s*(?:/|out\s+of)\s*(?P<of>\d+)\s*(?:점|points?)?)?"
    r"|(?P<most>\d+)\s*점\s*만점(?:에|에서|\s*중)?\s*(?P<given>-?\d+(?:\.\d+)?)\s*점?",
    re.IGNORECASE,
)


def said_number(text: str, highest: float) -> str | None:
    """The number that a text says beyond doubt; a number out of others than the highest one is none.

    >>> said_number("4/5", 5), said_number("5점 만점에 4점", 5), said_number("Score: 4", 5), said_number("4/10", 5)
    ('4', '4', '4', None)
    """
    found = _NUMBER_SAID.fullmatch(fold(text))
    if found is None:
        return None
    most = found["of"] or found["most"]
    return None if most is not None and float(most) != highest else found["number"] or found["given"]
