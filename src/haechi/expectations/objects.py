"""JSON objects as people write them into a cell: with a heading, other quotes, a comma too many, or without braces."""

from __future__ import annotations

import ast
import re
from typing import Any

import orjson

from haechi.expectations.sentence_parts import KEY, QUOTED, Sentence, is_key, keys_of
from haechi.regex import regex

_LONGEST, _DEEPEST = 20_000, 50
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "＂": '"', "‘": "'", "’": "'"})
_COMMA_TOO_MANY = regex(r",(\s*[}\]])")
_PAIR = rf"({KEY}) ?(?:==?|:) ?({QUOTED}|[A-Za-z0-9_./\-]+)"
_PAIRS = regex(rf"{_PAIR}(?:, ?{_PAIR})+")


def object_in(text: str) -> Any:
    """What a text means that is written as an object, or a list of objects; None for any other text.

    >>> object_in('{"a": 1,}'), object_in("{'a': 'x', 'b': True}"), object_in("{“a”: “x”}"), object_in('"a": 1, "b": 2')
    ({'a': 1}, {'a': 'x', 'b': True}, {'a': 'x'}, {'a': 1, 'b': 2})
    >>> print(object_in("{답변이 친절한가}"), object_in("친절한가"))
    None None
    """
    text = text.strip()
    if text[:1] in ('"', "“") and re.match(r"[\"“][^\"“”]+[\"”]\s*:", text):
        text = f"{{{text}}}"
    if text[:1] not in ("{", "[") or len(text) > _LONGEST or max(map(text.count, "{[")) > _DEEPEST:
        return None
    straight = text.translate(_STRAIGHT)
    for attempt in (text, straight, _COMMA_TOO_MANY.sub(r"\1", straight)):
        try:
            return _with_objects(orjson.loads(attempt))
        except orjson.JSONDecodeError:
            continue
    try:
        return _with_objects(orjson.loads(orjson.dumps(ast.literal_eval(straight))))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def pairs_in(line: str) -> dict[str, Any] | None:
    """The keys and values of a line that is nothing else: `formType = "ACTION", actionType = "OPEN"`.

    >>> pairs_in('formType="ACTION", value.dataKey: A'), pairs_in('formType="ACTION"'), pairs_in("면접, 일정")
    ({'formType': 'ACTION', 'value.dataKey': 'A'}, None, None)
    """
    sentence = Sentence.of(line)
    if not _PAIRS.fullmatch(sentence.text):
        return None
    found = re.findall(_PAIR, sentence.text)
    if not all(is_key(key) and keys_of(key) for key, _ in found):
        return None
    return {key: sentence.value(value) for key, value in found}


def _with_objects(given: Any) -> Any:
    """An object or a list of objects with something in them; None for any other value."""
    listed = given if isinstance(given, list) else [given]
    return given if listed and all(isinstance(one, dict) and one for one in listed) else None
