"""Binary: met or unmet."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

from haechi.regex import regex
from haechi.rubrics.scales.base import MEANING, POINTS, Choice, Explained, Say, Scale
from haechi.rubrics.values import Level, Off, Words, fold, number
from haechi.text import Text

_YES = {
    "1",
    "true",
    "yes",
    "y",
    "o",
    "예",
    "네",
    "충족",
    "met",
    "satisfied",
    "○",
    "◯",
    "〇",
    "ㅇ",
    "✓",
    "✔",
    "√",
    "v",
    "☑",
    "있음",
    "그렇다",
}
_NO = {
    "0",
    "false",
    "no",
    "n",
    "x",
    "아니오",
    "아니요",
    "아니다",
    "없음",
    "미충족",
    "불충족",
    "unmet",
    "not satisfied",
    "×",
    "✕",
    "✗",
    "✘",
    "☐",
}
_WITH_WORDS = regex(r"([^\d()]+)\(([01])점?\)|([01])(?:점|[.):]|\s*-)?\s*[(]?([^\d()]+)[)]?")


class Binary(Scale):
    """Met or unmet.

    >>> Binary(type="binary").read("충족"), Binary(type="binary").read(0)
    ('1', '0')
    """

    type: Literal["binary"]
    met: Words = Text("충족", "met")
    unmet: Words = Text("미충족", "unmet")
    level: Level = "nominal"

    counts_met: ClassVar[bool] = True
    is_category: ClassVar[bool] = True
    can_be_unmet: ClassVar[bool] = True

    def read(self, raw: Any) -> str:
        text = fold(raw).casefold()
        if text in _YES:
            return "1"
        if text in _NO:
            return "0"
        value = number(text)
        if value in {0, 1}:
            return str(int(value))
        written = _WITH_WORDS.fullmatch(re.sub(r"점$", "", text))
        if written is not None:  # 충족 (1), 1: 충족; the words must not say the opposite
            digit, words = written[2] or written[3], (written[1] or written[4]).strip()
            if words not in (_NO if digit == "1" else _YES):
                return str(digit)
        if text in {"1점", "0점"}:
            return text[0]
        raise Off(Text("0(미충족) 또는 1(충족)", "0 (unmet) or 1 (met)"), raw)

    def read_reply(self, value: Any) -> str:
        return self.read(value)

    @property
    def points(self) -> tuple[float, ...]:
        return 0.0, 1.0

    def choices(self, say: Say) -> tuple[Choice, ...]:
        return Choice("1", "1", say(self.met)), Choice("0", "0", say(self.unmet))

    def prompt_lines(self, say: Say) -> list[str]:
        return [f"- 1: {say(self.met)}", f"- 0: {say(self.unmet)}"]

    def value_hint(self, say: Say) -> str:
        return say(Text("0 또는 1", "0 or 1"))

    def value_schema(self) -> dict[str, Any]:
        return {"type": "integer", "enum": [0, 1]}

    def page(self, say: Say) -> Explained:
        return Explained((say(POINTS), say(MEANING)), [(1, say(self.met)), (0, say(self.unmet))])


MET_OR_UNMET = Binary(type="binary")
"""How an element of a checklist, and a floor, is answered."""
