"""The JSON objects in a reply: alone, fenced, between words, or broken."""

from __future__ import annotations

import json
import re
from typing import Any

from haechi.frozen import frozen
from haechi.prompt.latex import escape
from haechi.regex import regex

_START = regex(r'\{(?=\s*(?:["}]|//|/\*|#))')
_LOOSE_START = regex(r"\{(?=\s*[\"'“”‘’A-Za-z_])")
_KEY_BEFORE = regex(r"[\"'”’]\s*:\s*$")


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs: a key that stands there twice is seen twice."""


_STRICT = json.JSONDecoder(object_pairs_hook=Pairs)
_MENDED = json.JSONDecoder(object_pairs_hook=Pairs, strict=False)

_LOOSE = regex(
    r'"(?:[^"\\]|\\.)*"'  # a string is kept as it is
    r"|(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/)){0,2000}\*/|\#[^\n]*)"
    r"|(?P<comma>,)(?=(?:\s|//[^\n]*|/\*(?:[^*]|\*(?!/)){0,2000}\*/|\#[^\n]*)*[}\]])"
    r"|\b(?P<word>True|False|None)\b",
)
_STRING = regex(r'"(?:[^"\\]|\\.)*"|[^"]+')
_WIDE = regex(r'｛\s*["＂]|(?<!\\)["＂]\s*：')
_NARROW = str.maketrans("｛｝［］：，＂０１２３４５６７８９－．", '{}[]:,"0123456789-.')
_PYTHON = {"True": "true", "False": "false", "None": "null"}


@frozen
class Objects:
    """The well-formed objects of a reply in their order, and the text from where it is broken."""

    whole: tuple[tuple[Any, bool], ...]
    broken: str


def find_objects(text: str) -> Objects:
    r"""Every object in a text, each with whether it had to be mended (LaTeX, raw line breaks, comments).

    >>> find_objects('```json\n{"a": 1}\n```\n총평: 좋다 {참고}').whole
    (([('a', 1)], False),)
    >>> find_objects('{"a": {"value": 1, "evi').broken
    '{"a": {"value": 1, "evi'
    """
    whole: list[tuple[Any, bool]] = []
    position = 0
    while start := _START.search(text, position):
        if _KEY_BEFORE.search(text, max(position, start.start() - 20), start.start()):
            return Objects(tuple(whole), text[position:])  # the brace around this key was lost
        read = _decode(text, start.start())
        if read is None:
            return Objects(tuple(whole), text[start.start() :])
        tree, mended, text, position = read
        whole.append((tree, mended))
    loose = None if whole else _LOOSE_START.search(text)
    return Objects(tuple(whole), text[loose.start() :] if loose else "")


def _decode(text: str, start: int) -> tuple[Any, bool, str, int] | None:
    try:
        tree, end = _STRICT.raw_decode(text, start)
        return tree, False, text, end
    except (ValueError, RecursionError):
        text = text[:start] + escape(text[start:])
    try:
        tree, end = _MENDED.raw_decode(text, start)
        return tree, True, text, end
    except (ValueError, RecursionError):
        text = text[:start] + _as_strict(text[start:])
    try:
        tree, end = _MENDED.raw_decode(text, start)
        return tree, True, text, end
    except (ValueError, RecursionError):
        return None


def _as_strict(text: str) -> str:
    r"""JSON without what people and models add to it: comments, a comma before the end, Python's words.

    >>> _as_strict('{ // 평가\n"a": True, /* x */ "b": "// 글",}')
    '{ \n"a": true,  "b": "// 글"}'
    """
    return _LOOSE.sub(_plain, text)


def _plain(token: re.Match[str]) -> str:
    if token["comment"] or token["comma"]:
        return ""
    return _PYTHON[token["word"]] if token["word"] else token[0]


def half_width(text: str) -> str:
    """JSON that was written with full-width signs, as an East Asian keyboard has them; the texts in it stay as they are.

    >>> half_width('｛"a"：｛"value"：１，"evidence"："네，１점"｝｝')
    '{"a":{"value":1,"evidence":"네，１점"}}'
    """
    if not _WIDE.search(text):
        return text
    pieces = _STRING.findall(text.replace("＂", '"'))
    return "".join(one if one[0] == '"' and len(one) > 1 else one.translate(_NARROW) for one in pieces)


def in_string(text: str) -> Any:
    r"""The object that stands as JSON inside a text, or None.

    >>> in_string('{"a": 1}'), in_string("a")
    ([('a', 1)], None)
    """
    start = _START.match(text.strip())
    read = _decode(text.strip(), 0) if start is not None else None
    return read[0] if read is not None else None


def storable_text(text: str) -> str:
    r"""Text that every database and file can hold: no NUL, no half of a surrogate pair.

    >>> storable_text("a\x00b\ud800")
    'ab�'
    """
    text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
