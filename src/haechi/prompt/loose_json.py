"""JSON with what people and models add to it: comments, a comma before the end, Python's words."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"'  # a string is kept as it is
    r"|(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/)){0,2000}\*/|\#[^\n]*)"
    r"|(?P<comma>,)(?=(?:\s|//[^\n]*|/\*(?:[^*]|\*(?!/)){0,2000}\*/|\#[^\n]*)*[}\]])"
    r"|\b(?P<word>True|False|None)\b",
)
_WORDS = {"True": "true", "False": "false", "None": "null"}


def strict(text: str) -> str:
    r"""The text as strict JSON, if that is all that is wrong with it; strings stay as they are.

    >>> strict('{ // 평가\n"a": True, /* x */ "b": "// 글",}')
    '{ \n"a": true,  "b": "// 글"}'
    """
    return _TOKEN.sub(_plain, text)


def _plain(token: re.Match[str]) -> str:
    if token["comment"] or token["comma"]:
        return ""
    return _WORDS[token["word"]] if token["word"] else token[0]
