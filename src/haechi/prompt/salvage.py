"""What can be saved from a broken reply: a value counts only where it stands right behind its own key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from haechi.frozen import frozen
from haechi.prompt.claims import AbsentClaim, Claim, Claims, Contradiction, decode
from haechi.prompt.naming import EVIDENCE_KEYS, VALUE_KEYS, Names
from haechi.regex import regex
from haechi.rubrics import Criterion

_Q = "[\"'“”‘’]"
_VALUES, _EVIDENCES = "|".join(VALUE_KEYS), "|".join(EVIDENCE_KEYS)

# `"key":` with or without its quotes; and every brace that opens an object, whoever's it is. A brace inside
# a formula is followed by neither a quote nor preceded by a colon.
_KEY = regex(rf"(?<![\\\w])({_Q}?)([A-Za-z][\w.-]{{0,140}})({_Q}?)\s*:(\s*\{{)?|\{{(?=\s*{_Q})|:\s*\{{")
_MEMBER = regex(rf"[\s,{{]*{_Q}?({_VALUES}|{_EVIDENCES}){_Q}?\s*:\s*", re.IGNORECASE)
# A value is read only up to where it certainly ends: a number at the end of a cut text could have gone on.
_END = rf"(?=\s*[,}}\]]|\s+{_Q})"
_TOKEN = regex(
    r"(?:(?P<number>-?(?:0|[1-9]\d*)(?:\.\d+)?)|(?P<word>true|false|null|True|False|None)"
    r"|\"(?P<text>[^\"\\\n]{0,80})\"|'(?P<single>[^'\\\n]{0,80})')" + _END
)
_ANY_VALUE = regex(rf"(?<!\\){_Q}(?:{_VALUES}){_Q}\s*:\s*", re.IGNORECASE)
_STRING_END = regex(rf"(?<!\\){_Q}(?=\s*(?:\}}|,\s*(?:{_Q}\w+{_Q}|{_VALUES}|{_EVIDENCES})\s*:))")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}


@frozen
class _Place:
    """A key of the rubric in the text, and where what belongs to it begins."""

    name: str
    begin: int
    scalar: bool


def salvage(text: str, names: Names) -> Claims:
    """The claims of a text that is no JSON any more, read key by key.

    >>> import haechi
    >>> names = Names.of(haechi.rubrics.find_rubric("diary-comment"))
    >>> cut = '{"sensibleness": {"value": 1, "evidence": "말이 됨"}, "specificity": {"value": 1'
    >>> claims = salvage(cut, names)
    >>> claims.of["sensibleness"], isinstance(claims.of["specificity"][0].value, AbsentClaim)
    ([Claim(value='1', evidence='말이 됨')], True)
    """
    claims = Claims(repaired=True)
    for place, end in _places(text, names):
        # An unreadable value is noted too: next to a readable one it says that the two do not agree.
        claims.add(place.name, _read(text[place.begin : end], place.scalar))
    return claims


def _places(text: str, names: Names) -> Iterator[tuple[_Place, int]]:
    """The keys that a value may follow, each with where the next key or object begins."""
    within: Criterion | None = None
    pending: _Place | None = None
    for match in _KEY.finditer(text):
        key = match[2]
        quoted, opened = bool(match[1] and match[3]), match[4] is not None
        if key is None:
            within = None  # an object of nobody we know: what follows is not the last criterion's
        elif key.casefold() in VALUE_KEYS or key.casefold() in EVIDENCE_KEYS:
            if names.rating(key, within) is None and not opened:
                continue
        elif not opened and not quoted:
            continue
        if pending is not None:
            yield pending, match.start()
        pending = None
        if key is None:
            continue
        if not _begins_a_member(text, match.start()):
            # Words have come between: what follows may be the next criterion's, and is no longer the last one's.
            within = None if opened and not names.is_element(key) else within
            continue
        criterion, rating = names.criterion(key), names.rating(key, within)
        begin = match.end(4) - 1 if opened else match.end()
        if rating is not None:
            pending = _Place(rating, begin, not opened)
        elif criterion is not None:
            in_parts = bool(criterion.scale.parts)
            pending = None if in_parts else _Place(criterion.key, begin, not opened)
            within = criterion if in_parts else None
        elif opened and not names.is_element(key):
            within = None
    if pending is not None:
        yield pending, len(text)


def _begins_a_member(text: str, at: int) -> bool:
    """Whether a key stands where JSON has keys, and not in the middle of somebody's words."""
    before = text[max(0, at - 200) : at].rstrip()[-1:]
    return before in ("", "{", "}", ",", "[")


def _read(segment: str, scalar: bool) -> Claim:
    value: Any = AbsentClaim()
    evidence = ""
    position = 0
    while member := _MEMBER.match(segment, position):
        if member[1].casefold() in VALUE_KEYS:
            token = _TOKEN.match(segment, member.end())
            if token is None:
                break
            value, position = _value(token), token.end()
        else:
            inner, position = _string(segment, member.end())
            evidence = decode(inner)
    if position == 0 and scalar:
        return _scalar(segment.lstrip())
    if isinstance(value, AbsentClaim):
        return Claim(value, evidence)
    others = {repr(_value(token)) for token in _other_tokens(segment)}
    return Claim(Contradiction() if others - {repr(value)} else value, evidence)


def _scalar(segment: str) -> Claim:
    token = _TOKEN.match(segment)
    if token:
        return Claim(_value(token))
    inner, end = _string(segment, 0)
    return Claim(decode(inner) if inner and end < len(segment) else AbsentClaim())


def _other_tokens(segment: str) -> Iterator[re.Match[str]]:
    for match in _ANY_VALUE.finditer(segment):
        token = _TOKEN.match(segment, match.end())
        if token:
            yield token


def _value(token: re.Match[str]) -> Any:
    if token["word"]:
        return _WORDS[token["word"]]
    return next(text for text in (token["number"], token["text"], token["single"]) if text is not None)


def _string(segment: str, start: int) -> tuple[str, int]:
    """The inside of a string that may hold unescaped quotes, and where it ends."""
    if not re.match(_Q, segment[start : start + 1]):
        return "", len(segment)
    end = _STRING_END.search(segment, start + 1)
    return (segment[start + 1 : end.start()], end.end()) if end else (segment[start + 1 :], len(segment))
