"""Result files of the providers' batch interfaces, one line per request, in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from haechi.errors import HaechiError, Problem
from haechi.judge.providers.bodies import Answer, anthropic_answer, at, failure, gemini_answer, openai_answer
from haechi.judge.providers.wire import load
from haechi.text import Text

Provider = Literal["openai", "anthropic", "gemini"]

_EXPIRED = Text("기한 안에 처리되지 않음(만료)", "not processed in time (expired)")
_CANCELED = Text("요청이 취소됨", "the request was canceled")
_UNKNOWN = Text("결과도 오류도 없음", "neither a result nor an error")
_CORRECT = Text(
    "파일을 다시 내려받거나 그 줄을 지운 뒤 다시 실행하세요",
    "download the file again, or remove the line, and run again",
)


@dataclass(frozen=True)
class Reply(Answer):
    """The answer to one request of a batch, under the id it was sent with."""

    custom_id: str = ""
    raw: dict[str, Any] = field(default_factory=dict)


def read_results(
    lines: Iterable[str | bytes], provider: Provider, name: str = "results.jsonl"
) -> Iterator[Reply | Problem]:
    """The replies in a result file; a line that cannot be read is a problem with its place.

    A line in another provider's format stops the reading with an error that says which one it is.

    >>> line = '{"custom_id": "s7", "result": {"type": "expired"}}'
    >>> next(read_results([line], "anthropic")).error.en
    'not processed in time (expired)'
    """
    for number, line in enumerate(lines, 1):
        place = f"{name}:{number}"
        record = _record(line, place)
        if isinstance(record, Problem):
            yield record
        elif record:
            yield _reply(record, provider, place)


def detect(record: dict[str, Any]) -> Provider | None:
    """Whose format a line is in.

    >>> detect({"custom_id": "a", "result": {}}), detect({"key": "a", "response": {}})
    ('anthropic', 'gemini')
    """
    if "custom_id" in record:
        if "result" in record:
            return "anthropic"
        return "openai" if "response" in record or "error" in record else None
    inner = _unwrapped(record)
    has_key = "key" in inner or at(inner, "metadata", "key") is not None
    return "gemini" if has_key and ("response" in inner or "error" in inner) else None


def _record(line: str | bytes, place: str) -> dict[str, Any] | Problem | None:
    expected = Text("JSON 객체 한 줄", "one JSON object per line")
    try:
        text = line.decode("utf-8") if isinstance(line, bytes) else line
        text = text.lstrip("\ufeff").strip()
        record = load(text) if text else None
    except ValueError as error:
        return Problem(place, str(error)[:200], expected, _CORRECT)
    if record is None and not text:
        return None
    return record if isinstance(record, dict) and record else Problem(place, text[:80], expected, _CORRECT)


def _reply(record: dict[str, Any], provider: Provider, place: str) -> Reply | Problem:
    actual = detect(record)
    if actual is not None and actual != provider:
        raise HaechiError.of(
            place,
            Text(f"{actual}의 배치 결과", f"a batch result of {actual}"),
            Text(f"{provider}의 배치 결과", f"a batch result of {provider}"),
            Text(f"`--as {actual}-batch`로 다시 실행하세요", f"run again with `--as {actual}-batch`"),
        )
    found = record.get("custom_id")
    if provider == "gemini":
        inner = _unwrapped(record)
        found = inner["key"] if "key" in inner else at(inner, "metadata", "key")
    identifier = str(found).strip() if isinstance(found, str | int) and not isinstance(found, bool) else ""
    if not identifier:
        where = "key" if provider == "gemini" else "custom_id"
        keys = ", ".join(record)[:80]
        return Problem(place, keys, Text(f"요청의 id(`{where}`)", f"the request's id (`{where}`)"), _CORRECT)
    answer = _READERS[provider](record)
    return Reply(**vars(answer), custom_id=identifier, raw=record)


def is_result(record: dict[str, Any], provider: Provider) -> bool:
    """Whether a line tells what became of its request; one with nothing but an id does not.

    >>> is_result({"custom_id": "s7", "response": None, "error": None}, "openai")
    False
    """
    return any(_unwrapped(record).get(name) for name in _OUTCOMES[provider])


def is_done(record: dict[str, Any], provider: Provider) -> bool:
    """Whether the provider counts a line among the requests that it has answered, and charges for.

    >>> is_done({"custom_id": "s7", "result": {"type": "expired"}}, "anthropic")
    False
    """
    if provider == "openai":
        return not record.get("error") and at(record, "response", "status_code") == 200
    if provider == "anthropic":
        return bool(at(record, "result", "type") == "succeeded")
    return isinstance(_unwrapped(record).get("response"), dict)


def _openai(record: dict[str, Any]) -> Answer:
    status = at(record, "response", "status_code")
    body = at(record, "response", "body")
    if record.get("error"):
        return Answer(error=failure(record["error"], status))
    if isinstance(status, int) and status >= 400:
        return Answer(error=failure(at(body, "error") or f"HTTP {status}", status))
    return openai_answer(body) if isinstance(body, dict) else Answer(error=_UNKNOWN)


def _anthropic(record: dict[str, Any]) -> Answer:
    result = record.get("result")
    kind = at(result, "type")
    if kind == "succeeded":
        return anthropic_answer(at(result, "message"))
    if kind == "errored":
        return Answer(error=failure(at(result, "error")))
    return Answer(error={"expired": _EXPIRED, "canceled": _CANCELED}.get(str(kind), _UNKNOWN))


def _gemini(record: dict[str, Any]) -> Answer:
    inner = _unwrapped(record)
    if inner.get("error"):
        return Answer(error=failure(inner["error"]))
    if isinstance(inner.get("response"), dict):
        return gemini_answer(inner["response"])
    # Vertex writes a status text in place of an error.
    return Answer(error=failure(inner["status"]) if inner.get("status") else _UNKNOWN)


def _unwrapped(record: dict[str, Any]) -> dict[str, Any]:
    """A line of inlined responses keeps everything one level down."""
    for name in ("inlinedResponse", "inlined_response"):
        if isinstance(record.get(name), dict):
            return {**record, **record[name]}
    return record


_OUTCOMES = {
    "openai": ("response", "error"),
    "anthropic": ("result",),
    "gemini": ("response", "error", "status"),
}
_READERS = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}
