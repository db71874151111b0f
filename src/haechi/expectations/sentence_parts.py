"""The parts of a sentence that an expectation is made of, whatever its language: quoted texts, keys, values, numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Literal

from haechi.expectations.meanings import Condition, Mention
from haechi.expectations.tool_calls import ToolCallCount, ToolCallOrder
from haechi.frozen import frozen
from haechi.regex import regex

_QUOTES = regex(
    r"''([^']*)''|\"\"([^\"]+)\"\"|“([^“”]*)”|‘([^‘’]*)’|「([^「」]*)」|『([^『』]*)』|〈([^〈〉]*)〉|《([^《》]*)》|＂([^＂]*)＂"
    r"|``([^`]*)``|`([^`]*)`"
    r"|[\"“”„]([^\"“”„]*)[\"“”]|(?<![0-9A-Za-z])['‘’]([^'‘’]*)['’](?![0-9A-Za-z])"
)
_OPEN, _CLOSE = "\ue000", "\ue001"  # private use: no sentence has them after `Sentence.of`
QUOTED = rf"{_OPEN}\d+{_CLOSE}"
_NAMES = frozenset({
    "assistantMessage", "dataUIList", "uiValue", "value", "formType", "actionType", "dataKey", "buttonKey",
    "multiSelectAllowYn", "planId", "nodeId", "nodeType", "setting", "filterType",
})  # fmt: skip
_KEY = regex(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
KEY = (
    r"(?:dataUIList\[[*in]?\]\.)?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
    r"(?:\((?![^()]*(?:경우|때|아닌|아니|제외|없|않|만약| 시\)))(?:[가-힣]+ )*[가-힣]+\))?"
)
"""A key, with what it is called in brackets; brackets that say when it is meant belong to no key."""
_TRUTHS = regex(
    r"\b(true|Y)(?:\((?:Y|true)\)|/(?:Y|true)| (?:또는|혹은|or) (?:Y|true))(?![A-Za-z])"
    r"|\b(false|N)(?:\((?:N|false)\)|/(?:N|false)| (?:또는|혹은|or) (?:N|false))(?![A-Za-z])"
)
"""A truth that is spelt twice: true(Y), true/Y."""
_ROOTS = regex(r"^(?:dataUIList(?:\[[*in]?\])?\.)?(?:uiValue\.)?")
_EITHER_PARTICLE = regex(r"(을|를|이|가|은|는|과|와)\((?:을|를|이|가|은|는|과|와)\)|\((이|으)\)(?=라|로)")
"""A particle that is written for any word: 을(를), 이(가), (이)라는, (으)로."""
MUST = r"(?:(?:should|must|shall|will|needs to|has to) )?"
NOT_KEYS = (
    "assistantMessage",
    "dataUIList",
    "uiValue",
    "not",
    "no",
    "never",
    "all",
    "any",
    "every",
    "each",
    "only",
    "except",
)


_TAG = regex(
    r"\s*[\[(【](?:필수|공통|정확성|의도|의도 ?충족|기능|메시지|응답|답변|데이터|UI|검증|확인|체크|required|must)[\])】]\s*",
    re.IGNORECASE,
)
"""What a line is filed under, before it; one that is optional or only noted says so, and is no check."""


def quoted_places(text: str) -> list[tuple[int, int]]:
    """Where quoted texts begin and end.

    >>> quoted_places('a "b" c')
    [(2, 5)]
    """
    return [match.span() for match in _QUOTES.finditer(text)]


@frozen
class Sentence:
    """A line with its quoted texts taken out, so that nothing inside quotes is taken for a part of the sentence."""

    text: str
    quoted: tuple[str, ...]

    @classmethod
    def of(cls, line: str) -> Sentence:
        """A line as a sentence.

        >>> Sentence.of("formType 값이 「SELECT」인 항목").quoted, Sentence.of("the entry's `formType` is 'A'").quoted
        (('SELECT',), ('A',))
        """
        plain = _without_tag(unicodedata.normalize("NFC", line).replace(_OPEN, "").replace(_CLOSE, ""))
        quoted: list[str] = []

        def take(match: re.Match[str]) -> str:
            text = next(group for group in match.groups() if group is not None).strip()
            end = plain[match.end() : match.end() + 3].lstrip()
            if text in _NAMES or (_KEY.fullmatch(text) and end.startswith(("값", "키", "필드", "속성"))):
                return text
            quoted.append(text)
            return f"{_OPEN}{len(quoted) - 1}{_CLOSE}"

        text = _EITHER_PARTICLE.sub(r"\1\2", _TRUTHS.sub(r"\1\2", _QUOTES.sub(take, plain)))
        return cls(" ".join(text.split()).strip(" .?!。？;,"), tuple(quoted))

    def value(self, part: str) -> str:
        """What a value of the sentence says, quoted or bare."""
        return self.quoted[int(part[1:-1])] if part.startswith(_OPEN) else part

    def texts(self, part: str) -> tuple[str, ...]:
        """The quoted texts of a part of the sentence."""
        return tuple(self.value(one) for one in re.findall(QUOTED, part))


@frozen
class EntryConditions:
    """What a sentence asks of entries: `of` that entry, any of the list, or it does not say of which.

    `names` is whether the entries are then *that entry* of the lines that follow; `own` is how many of the conditions, the
    last ones, are asked of an entry that the others name.
    """

    conditions: tuple[Condition, ...] = ()
    least: int = 1
    most: int | None = None
    of: Literal["that", "list", ""] = ""
    names: bool = False
    own: int = 0


LineClaim = Mention | EntryConditions | ToolCallCount | ToolCallOrder


def _without_tag(line: str) -> str:
    tag = _TAG.match(line)
    return line[tag.end() :] if tag else line


def english(*patterns: str) -> tuple[re.Pattern[str], ...]:
    """The forms of an English sentence, whatever its capitals."""
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def first_match(patterns: Iterable[re.Pattern[str]], sentence: Sentence) -> re.Match[str] | None:
    """The first form that the whole sentence has."""
    return next((match for pattern in patterns if (match := pattern.fullmatch(sentence.text))), None)


def keys_of(written: str, inner: bool = False) -> tuple[str, ...] | None:
    """The steps of a key as it is written, below `value` where the sentence says so; None for what is no key.

    >>> keys_of("value.dataKey"), keys_of("dataKey", inner=True), keys_of("dataUIList[*].uiValue.formType")
    (('value', 'dataKey'), ('value', 'dataKey'), ('formType',))
    """
    bare = _ROOTS.sub("", written.split("(", maxsplit=1)[0])
    if not bare or bare in NOT_KEYS:
        return None
    steps = tuple(bare.split("."))
    return ("value", *steps) if inner and steps[0] != "value" else steps


def is_key(word: str) -> bool:
    """Whether a word can only be a key: one that payloads are known to have, or spelt as no word is.

    >>> is_key("formType"), is_key("buttonUrl"), is_key("URL"), is_key("Note")
    (True, True, False, False)
    """
    return word in _NAMES or bool(re.search(r"[a-z][A-Z]|_|\.", word))


def condition(keys: tuple[str, ...] | None, op: str, wanted: tuple[Any, ...] = ()) -> Condition | None:
    """A condition on a key; none without a key."""
    return None if keys is None else Condition(keys, op, wanted)


def number_range(number: int, lead: str, end: str) -> tuple[int, int | None] | None:
    """How many: words before and after a number as the least and the most; None where they contradict.

    >>> number_range(3, "최소", "이상"), number_range(2, "", ""), number_range(3, "at most", ""), number_range(3, "최소", "이하")
    ((3, None), (2, 2), (0, 3), None)
    """
    ways = {
        "최소": ">=", "적어도": ">=", "이상": ">=", "at least": ">=", "or more": ">=", "minimum": ">=",
        "최대": "<=", "이하": "<=", "at most": "<=", "or fewer": "<=", "or less": "<=", "up to": "<=",
        "초과": ">", "more than": ">", "over": ">", "미만": "<", "fewer than": "<", "less than": "<",
        "정확히": "=", "총": "=", "만": "=", "exactly": "=", "only": "=",
    }  # fmt: skip
    said = {ways[word.strip()] for word in (lead, end) if word.strip()}
    if len(said) > 1:
        return None
    way = said.pop() if said else "="
    least, most = {
        ">=": (number, None), "<=": (0, number), ">": (number + 1, None), "<": (0, number - 1), "=": (number, number),
    }[way]  # fmt: skip
    return None if most is not None and most < 0 else (least, most)
