"""Templates of requests: `$query` stands for what is asked, `${NAME}` for an environment variable."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

VALUES = ("query", "messages", "context", "session", "id", "turn")
"""What a template can name: this turn's words, the conversation so far, what was given beside it, and what tells it from others."""
_SIGN = re.compile(r"\$(?:(\$)|\{([A-Za-z_][A-Za-z0-9_]*)\}|([a-z]+))")


def variables_in(template: Any) -> tuple[str, ...]:
    """The environment variables that a template names, each once.

    >>> variables_in({"Authorization": "Bearer ${TOKEN}", "X": ["${TEAM}", "$query"]})
    ('TOKEN', 'TEAM')
    """
    return tuple(dict.fromkeys(sign[2] for sign in _signs(template) if sign[2]))


def unknown_in(template: Any) -> tuple[str, ...]:
    """The words behind a `$` that stand for nothing.

    >>> unknown_in({"text": "$query", "cost": "$$5", "who": "$user"})
    ('user',)
    """
    return tuple(dict.fromkeys(sign[3] for sign in _signs(template) if sign[3] and sign[3] not in VALUES))


def named_in(template: Any) -> set[str]:
    """The words behind a `$`.

    >>> sorted(named_in({"text": "$query", "cost": "$$5", "in": ["$session"]}))
    ['query', 'session']
    """
    return {sign[3] for sign in _signs(template) if sign[3]}


def fill_template(template: Any, values: Mapping[str, Any]) -> Any:
    """A template with its values; where a text is nothing but one `$name` the value keeps its type.

    >>> fill_template({"q": "$query", "all": "$messages", "note": "turn $turn, $$5"}, {"query": "안녕", "messages": [], "turn": 2})
    {'q': '안녕', 'all': [], 'note': 'turn 2, $5'}
    """
    if isinstance(template, Mapping):
        return {key: fill_template(one, values) for key, one in template.items()}
    if isinstance(template, list | tuple):
        return [fill_template(one, values) for one in template]
    if not isinstance(template, str):
        return template
    whole = _SIGN.fullmatch(template)
    if whole and whole[3]:
        return values[whole[3]]
    return _SIGN.sub(lambda sign: _text(_meant(sign, values)), template)


def filled_address(template: str, values: Mapping[str, Any]) -> str:
    """An address with its values, each quoted, so that none of them leads elsewhere.

    >>> filled_address("http://localhost/ask?q=$query", {"query": "a&b=/../c"})
    'http://localhost/ask?q=a%26b%3D%2F..%2Fc'
    """
    return _SIGN.sub(lambda sign: quote(_text(_meant(sign, values)), safe=""), template)


def _signs(template: Any) -> list[re.Match[str]]:
    if isinstance(template, Mapping):
        return [sign for one in template.values() for sign in _signs(one)]
    if isinstance(template, list | tuple):
        return [sign for one in template for sign in _signs(one)]
    return list(_SIGN.finditer(template)) if isinstance(template, str) else []


def _meant(sign: re.Match[str], values: Mapping[str, Any]) -> Any:
    if sign[1]:
        return "$"
    return os.environ.get(sign[2], "") if sign[2] else values[sign[3]]


def _text(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)
