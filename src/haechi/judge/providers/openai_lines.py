"""What OpenAI's interfaces answer, live and in batches."""

from __future__ import annotations

from typing import Any

from haechi.judge.providers.bodies import (
    Answer,
    blocked_answer,
    failure,
    joined_text,
    list_of,
    nothing_in,
    refusal_in,
    refused,
    text_of,
    usage_of,
    value_at,
    with_calls,
)
from haechi.judge.providers.lines import UNKNOWN, Lines, Record
from haechi.prompt.certainty import Token


def _answer(record: Record) -> Answer:
    status = value_at(record, "response", "status_code")
    body = value_at(record, "response", "body")
    if record.get("error"):
        return Answer(error=failure(record["error"], status))
    if isinstance(status, int) and status >= 400:
        return Answer(error=failure(value_at(body, "error") or f"HTTP {status}", status))
    return openai_answer(body) if isinstance(body, dict) else Answer(error=UNKNOWN)


def openai_answer(body: Any) -> Answer:
    """A body of OpenAI's chat completions or responses interface.

    >>> openai_answer({"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]}).text
    '{}'
    """
    usage = usage_of(
        body,
        input=("prompt_tokens",),
        output=("completion_tokens",),
        reasoning=("completion_tokens_details", "reasoning_tokens"),
        cached=("prompt_tokens_details", "cached_tokens"),
    )
    if isinstance(value_at(body, "output"), list):
        return _responses_answer(body)
    message = value_at(body, "choices", 0, "message")
    finish = text_of(value_at(body, "choices", 0, "finish_reason"))
    content = value_at(message, "content")
    calls = [value_at(call, "function", "arguments") for call in list_of(value_at(message, "tool_calls"))]
    text = with_calls(joined_text(content), [*calls, value_at(message, "function_call", "arguments")])
    refusal = text_of(value_at(message, "refusal")) or refusal_in(content)
    error = None
    if not text and refusal:
        error = refused(refusal)
    elif not text and finish == "content_filter":
        error = blocked_answer(finish)
    elif not text and (told := value_at(body, "choices", 0, "error") or value_at(body, "error")):
        error = failure(told)
    elif message is None:
        error = nothing_in()
    return Answer(None if error else text, text_of(value_at(body, "model")), usage, finish, error)


def _responses_answer(body: Any) -> Answer:
    usage = usage_of(
        body,
        input=("input_tokens",),
        output=("output_tokens",),
        reasoning=("output_tokens_details", "reasoning_tokens"),
        cached=("input_tokens_details", "cached_tokens"),
    )
    parts = [
        part
        for item in body["output"]
        for part in list_of(value_at(item, "content"))
        if value_at(item, "type") == "message"
    ]
    calls = [
        value_at(item, "arguments") for item in body["output"] if value_at(item, "type") == "function_call"
    ]
    text = with_calls(joined_text(parts), calls)
    refusal = refusal_in(parts)
    finish = text_of(value_at(body, "incomplete_details", "reason")) or text_of(value_at(body, "status"))
    error = None
    if not text and value_at(body, "error"):
        error = failure(value_at(body, "error"))
    elif not text and refusal:
        error = refused(refusal)
    elif not text and finish == "content_filter":
        error = blocked_answer(finish)
    return Answer(None if error else text, text_of(value_at(body, "model")), usage, finish, error)


def _tokens(record: Record) -> list[Token]:
    """The pieces of a chat completion, with their probabilities; some servers leave out the bytes."""
    found = []
    for one in list_of(value_at(record, "response", "body", "choices", 0, "logprobs", "content")):
        raw, logprob = value_at(one, "bytes"), value_at(one, "logprob")
        known = isinstance(raw, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in raw)
        written = bytes(raw) if known else (text_of(value_at(one, "token")) or "").encode()
        if isinstance(logprob, int | float):
            found.append(Token(written, float(logprob)))
    return found


LINES = Lines(
    fits=lambda record: (
        "custom_id" in record and "result" not in record and ("response" in record or "error" in record)
    ),
    answer=_answer,
    is_result=lambda record: bool(record.get("response") or record.get("error")),
    is_done=lambda record: not record.get("error") and value_at(record, "response", "status_code") == 200,
    inside=("response", "body"),
    tokens=_tokens,
)
