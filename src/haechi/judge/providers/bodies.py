"""The providers' response bodies, live or from a batch, read into one shape; an odd one never fails."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from haechi.text import Text

Usage = dict[str, int]

# What ends an answer before its end: a limit, or a filter that steps in while the model is writing.
_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded"})
_CUT |= {"content_filter", "refusal", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}


@dataclass(frozen=True)
class Answer:
    """What a model said. There is an error when it said nothing because something went wrong.

    Usage counts tokens: `input` with the `cached` ones, `output` with the `reasoning`, and `cache_write`.
    """

    text: str | None = None
    model: str | None = None
    usage: Usage | None = None
    finish: str | None = None
    error: Text | None = None

    @property
    def cut(self) -> bool:
        """Whether something ended the answer before its end."""
        return self.finish in _CUT


def at(value: Any, *path: str | int) -> Any:
    """What stands at a path in parsed JSON, or None.

    >>> at({"choices": [{"text": "a"}]}, "choices", 0, "text"), at({"choices": None}, "choices", 0)
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


def openai_answer(body: Any) -> Answer:
    """A body of OpenAI's chat completions or responses interface.

    >>> openai_answer({"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]}).text
    '{}'
    """
    usage = _usage(
        body,
        input=("prompt_tokens",),
        output=("completion_tokens",),
        reasoning=("completion_tokens_details", "reasoning_tokens"),
        cached=("prompt_tokens_details", "cached_tokens"),
    )
    if isinstance(at(body, "output"), list):
        return _responses_answer(body)
    message = at(body, "choices", 0, "message")
    finish = _text(at(body, "choices", 0, "finish_reason"))
    content = at(message, "content")
    text = _joined(content) or _joined_calls(
        [at(call, "function", "arguments") for call in _list(at(message, "tool_calls"))]
    )
    refusal = _text(at(message, "refusal")) or _refusal_in(content)
    error = None
    if not text and refusal:
        error = _refused(refusal)
    elif not text and finish == "content_filter":
        error = _blocked(finish)
    elif message is None:
        error = failure(at(body, "error")) if at(body, "error") else _no_answer()
    return Answer(None if error else text, _text(at(body, "model")), usage, finish, error)


def _responses_answer(body: Any) -> Answer:
    usage = _usage(
        body,
        input=("input_tokens",),
        output=("output_tokens",),
        reasoning=("output_tokens_details", "reasoning_tokens"),
        cached=("input_tokens_details", "cached_tokens"),
    )
    parts = [
        part
        for item in body["output"]
        for part in _list(at(item, "content"))
        if at(item, "type") == "message"
    ]
    calls = [at(item, "arguments") for item in body["output"] if at(item, "type") == "function_call"]
    text = _joined(parts) or _joined_calls(calls)
    refusal = _refusal_in(parts)
    finish = _text(at(body, "incomplete_details", "reason")) or _text(at(body, "status"))
    error = None
    if not text and at(body, "error"):
        error = failure(at(body, "error"))
    elif not text and refusal:
        error = _refused(refusal)
    elif not text and finish == "content_filter":
        error = _blocked(finish)
    return Answer(None if error else text, _text(at(body, "model")), usage, finish, error)


def anthropic_answer(message: Any) -> Answer:
    """A message of Anthropic's; blocks of thinking are not the answer.

    >>> blocks = [{"type": "thinking", "thinking": "음"}, {"type": "text", "text": "{}"}]
    >>> anthropic_answer({"content": blocks, "stop_reason": "end_turn"}).text
    '{}'
    """
    blocks = _list(at(message, "content"))
    calls = [at(block, "input") for block in blocks if at(block, "type") == "tool_use"]
    text = _joined([block for block in blocks if at(block, "type") == "text"]) or _joined_calls(calls)
    finish = _text(at(message, "stop_reason"))
    usage = _usage(
        message,
        input=("input_tokens",),
        output=("output_tokens",),
        cached=("cache_read_input_tokens",),
        cache_write=("cache_creation_input_tokens",),
    )
    # Anthropic counts cached tokens beside the input; here, as with the others, they are part of it.
    if "input" in usage:
        usage["input"] += usage.get("cached", 0) + usage.get("cache_write", 0)
    error = _refused(finish) if not text and finish == "refusal" else None
    if not isinstance(message, dict):
        error = _no_answer()
    return Answer(None if error else text, _text(at(message, "model")), usage, finish, error)


def gemini_answer(response: Any) -> Answer:
    """A response of Gemini's; parts that are thoughts are not the answer.

    >>> gemini_answer({"promptFeedback": {"blockReason": "SAFETY"}}).error.en
    'blocked by the provider: SAFETY'
    """
    candidate = at(response, "candidates", 0)
    finish = _text(_either(candidate, "finishReason"))
    parts = [part for part in _list(at(candidate, "content", "parts")) if not at(part, "thought")]
    calls = [at(_either(part, "functionCall"), "args") for part in parts]
    text = _joined(parts) or _joined_calls(calls)
    counts = _either(response, "usageMetadata")
    usage = _counted(
        {
            "input": _either(counts, "promptTokenCount"),
            "output": _either(counts, "candidatesTokenCount"),
            "reasoning": _either(counts, "thoughtsTokenCount"),
            "cached": _either(counts, "cachedContentTokenCount"),
        }
    )
    # Gemini counts thoughts beside the answer; here, as with the others, they are part of the output.
    if "reasoning" in usage:
        usage["output"] = usage.get("output", 0) + usage["reasoning"]
    # A count of nothing is left out; the total says that there was no answer to pay for.
    if "input" in usage and usage["input"] == _either(counts, "totalTokenCount"):
        usage.setdefault("output", 0)
    blocked = _text(_either(_either(response, "promptFeedback"), "blockReason"))
    error = None
    if blocked and not text:
        error = _blocked(blocked)
    elif not text and finish not in (None, "STOP", "MAX_TOKENS"):
        error = _blocked(finish)
    elif candidate is None:
        error = _no_answer()
    return Answer(None if error else text, _text(_either(response, "modelVersion")), usage, finish, error)


def failure(error: Any, status: Any = None) -> Text:
    """A provider's error object in words.

    >>> failure({"code": "batch_expired", "message": "too late"}).en
    'the provider reports batch_expired: too late'
    """
    inner = error.get("error", error) if isinstance(error, dict) else error
    code = next((at(inner, key) for key in ("code", "type", "status") if at(inner, key)), status)
    words = _text(at(inner, "message")) or (inner if isinstance(inner, str) else "")
    said = ": ".join(str(part) for part in (code, words) if part)[:300] or "unknown error"
    return Text(f"제공자 오류: {said}", f"the provider reports {said}")


def _refused(words: str | None) -> Text:
    start = (words or "")[:200]
    return Text(f"모델이 답을 거절함: {start}", f"the model refused: {start}")


def _blocked(reason: str | None) -> Text:
    return Text(f"제공자가 막음: {reason}", f"blocked by the provider: {reason}")


def _no_answer() -> Text:
    return Text("응답 본문에 답이 없음", "no answer in the response")


def _either(value: Any, name: str) -> Any:
    """A field by its JSON name, or by the snake_case name that the Python SDK writes."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    found = at(value, name)
    return found if found is not None else at(value, snake)


def _usage(body: Any, **paths: tuple[str, ...]) -> Usage:
    return _counted({name: at(body, "usage", *path) for name, path in paths.items()})


def _counted(found: dict[str, Any]) -> Usage:
    return {n: c for n, c in found.items() if isinstance(c, int) and not isinstance(c, bool) and c >= 0}


def _joined(content: Any) -> str:
    if isinstance(content, list):
        return "".join(_text(at(part, "text")) or "" for part in content)
    return _text(content) or ""


def _joined_calls(arguments: list[Any]) -> str:
    """The arguments of tool calls: other tools let a model answer by calling a function."""
    texts = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in arguments if one)
    return "\n".join(texts)


def _refusal_in(parts: Any) -> str | None:
    return next((words for part in _list(parts) if (words := _text(at(part, "refusal")))), None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
