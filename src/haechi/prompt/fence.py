"""The two lines between which material stands: their mark is made from it and does not occur in it."""

from __future__ import annotations

import hashlib

from haechi.text import Lang, Text

_BEGIN, _END = Text("자료 시작", "material begins"), Text("자료 끝", "material ends")


def mark_of(text: str) -> str:
    """The mark of a text's fence.

    >>> len(mark_of("비가 왔다")), mark_of("비가 왔다") in "비가 왔다"
    (16, False)
    """
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    while mark in text:
        mark = hashlib.sha256(mark.encode()).hexdigest()[:16]
    return mark


def fence(text: str, lang: Lang) -> str:
    """The text between its two lines."""
    mark = mark_of(text)
    begin, end = f"===== {_BEGIN.say(lang)} {mark} =====", f"===== {_END.say(lang)} {mark} ====="
    return f"{begin}\n{text}\n{end}"
