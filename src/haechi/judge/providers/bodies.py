"""What the providers answer, in one shape, and what helps to read it from their bodies; an odd one never fails."""

from __future__ import annotations

import json
from typing import Any

from haechi.frozen import frozen
from haechi.text import Text

Usage = dict[str, int]

# What ends an answer before its end: a limit, or a filter that steps in while the model is writing.
_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded"})
_CUT |= {"content_filter", "refusal", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}


@frozen
class Answer:
    """What a model said. There is an error when it said nothing because something went wrong.

    Usage counts tokens: `input` with the `cached` ones, `output` with the `reasoning`, and `cache_write`. cost: the dollars that
    the provider says it charged, where it says so.
    """

    text: str | None = None
    model: str | None = None
    usage: Usage | None = None
    finish: str | None = None
    error: Text | None = None
    cost: float | None = None

    @property
    def cut(self) -> bool:
        """Whether something ended the answer before its end."""
        return self.finish in _CUT


def value_at(value: Any, *path: str | int) -> Any:
    """What stands at a path in parsed JSON, or None.

    >>> value_at({"choices": [{"text": "a"}]}, "choices", 0, "text"), value_at({"choices": None}, "choices", 0)
    ('a', None)
    """
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def failure(error: Any, status: Any = None) -> Text:
    """A provider's error object in words.

    >>> failure({"code": "batch_expired", "message": "too late"}).en
    'the provider reports batch_expired: too late'
    """
    inner = error.get("error", error) if isinstance(error, dict) else error
    code = next((value_at(inner, key) for key in ("code", "type", "status") if value_at(inner, key)), status)
    words = text_of(value_at(inner, "message")) or (inner if isinstance(inner, str) else "")
    said = ": ".join(str(part) for part in (code, words) if part)[:300] or "unknown error"
    return Text(f"제공자 오류: {said}", f"the provider reports {said}")


def refused(words: str | None) -> Text:
    """The model declined to answer."""
    start = (words or "")[:200]
    return Text(f"모델이 답을 거절함: {start}", f"the model refused: {start}")


def blocked_answer(reason: str | None) -> Text:
    """A filter of the provider stepped in."""
    return Text(f"제공자가 막음: {reason}", f"blocked by the provider: {reason}")


def nothing_in() -> Text:
    """The body lacks an answer."""
    return Text("응답 본문에 답이 없음", "no answer in the response")


def usage_of(body: Any, **paths: tuple[str, ...]) -> Usage:
    """The tokens that a body counts, each at its path below `usage`."""
    return token_counts({name: value_at(body, "usage", *path) for name, path in paths.items()})


def token_counts(found: dict[str, Any]) -> Usage:
    """The counts that are counts."""
    return {n: c for n, c in found.items() if isinstance(c, int) and not isinstance(c, bool) and c >= 0}


def joined_text(content: Any) -> str:
    """A text, or the texts of parts."""
    if isinstance(content, list):
        return "".join(text_of(value_at(part, "text")) or "" for part in content)
    return text_of(content) or ""


def joined_calls(arguments: list[Any]) -> str:
    """The arguments of tool calls: other tools let a model answer by calling a function."""
    texts = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in arguments if one)
    return "\n".join(texts)


def with_calls(text: str, arguments: list[Any]) -> str:
    """What a model wrote; where that is no object, also what it called tools with: some announce an answer and give it by a call.

    >>> with_calls("제출합니다", [{"공감성": 1}]), with_calls('{"공감성": 0}', [{"공감성": 1}])
    ('제출합니다\\n{"공감성": 1}', '{"공감성": 0}')
    """
    return text if "{" in text else "\n".join(filter(None, (text, joined_calls(arguments))))


def refusal_in(parts: Any) -> str | None:
    """The words by which a part declines to answer."""
    return next((words for part in list_of(parts) if (words := text_of(value_at(part, "refusal")))), None)


def text_of(value: Any) -> str | None:
    """A text, or None."""
    return value if isinstance(value, str) else None


def list_of(value: Any) -> list[Any]:
    """A list; empty if it is none."""
    return value if isinstance(value, list) else []
