"""What Gemini answers, live and in batch jobs."""

from __future__ import annotations

from typing import Any

from haechi.judge.providers.bodies import (
    Answer,
    blocked_answer,
    failure,
    joined_text,
    list_of,
    nothing_in,
    text_of,
    token_counts,
    value_at,
    with_calls,
)
from haechi.judge.providers.lines import UNKNOWN, Lines, Record
from haechi.prompt.certainty import Token


def _answer(record: Record) -> Answer:
    inner = _unwrapped(record)
    if inner.get("error"):
        return Answer(error=failure(inner["error"]))
    # Vertex writes a status text in place of an error, beside an empty response.
    if inner.get("status") and not inner.get("response"):
        return Answer(error=failure(inner["status"]))
    return (
        gemini_answer(inner["response"]) if isinstance(inner.get("response"), dict) else Answer(error=UNKNOWN)
    )


def gemini_answer(response: Any) -> Answer:
    """A response of Gemini's; parts that are thoughts are not the answer.

    >>> gemini_answer({"promptFeedback": {"blockReason": "SAFETY"}}).error.en
    'blocked by the provider: SAFETY'
    """
    candidate = value_at(response, "candidates", 0)
    finish = text_of(_either(candidate, "finishReason"))
    parts = [
        part for part in list_of(value_at(candidate, "content", "parts")) if not value_at(part, "thought")
    ]
    calls = [value_at(_either(part, "functionCall"), "args") for part in parts]
    text = with_calls(joined_text(parts), calls)
    counts = _either(response, "usageMetadata")
    usage = token_counts(
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
    filtered = text_of(_either(_either(response, "promptFeedback"), "blockReason"))
    error = None
    if filtered and not text:
        error = blocked_answer(filtered)
    elif not text and finish not in (None, "STOP", "MAX_TOKENS"):
        error = blocked_answer(finish)
    elif candidate is None:
        error = nothing_in()
    return Answer(None if error else text, text_of(_either(response, "modelVersion")), usage, finish, error)


def _either(value: Any, name: str) -> Any:
    """A field by its JSON name, or by the snake_case name that the Python SDK writes."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    found = value_at(value, name)
    return found if found is not None else value_at(value, snake)


def _unwrapped(record: Record) -> Record:
    """A line of inlined responses keeps everything one level down."""
    for name in ("inlinedResponse", "inlined_response"):
        if isinstance(record.get(name), dict):
            return {**record, **record[name]}
    return record


def _fits(record: Record) -> bool:
    inner = _unwrapped(record)
    has_key = "key" in inner or value_at(inner, "metadata", "key") is not None
    return "custom_id" not in record and has_key and ("response" in inner or "error" in inner)


def _id_of(record: Record) -> Any:
    inner = _unwrapped(record)
    return inner["key"] if "key" in inner else value_at(inner, "metadata", "key")


def _tokens(record: Record) -> list[Token]:
    """The chosen pieces of a candidate, with their probabilities."""
    candidate = value_at(_unwrapped(record), "response", "candidates", 0)
    chosen = _either(_either(candidate, "logprobsResult"), "chosenCandidates")
    found = []
    for one in list_of(chosen):
        logprob = _either(one, "logProbability")
        if isinstance(logprob, int | float):
            found.append(Token((text_of(value_at(one, "token")) or "").encode(), float(logprob)))
    return found


LINES = Lines(
    fits=_fits,
    answer=_answer,
    is_result=lambda record: any(map(_unwrapped(record).get, ("response", "error", "status"))),
    is_done=lambda record: isinstance(_unwrapped(record).get("response"), dict),
    where="key",
    id_of=_id_of,
    inside=("response",),
    tokens=_tokens,
)
