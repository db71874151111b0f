"""Bytes from providers: no character inside an answer may tear it apart or make it unreadable."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from haechi.judge.providers.faults import error_text, status_error, wait_wished
from haechi.judge.providers.wire import load, split_lines


def lines_of(pieces: list[bytes]) -> list[str]:
    async def chunks() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def collected() -> list[str]:
        return [line async for line in split_lines(chunks())]

    return asyncio.run(collected())


@given(st.lists(st.text().map(lambda text: text.replace("\n", " ")), min_size=1), st.integers(1, 7))
def test_lines_end_at_line_feeds_only(texts: list[str], size: int) -> None:
    lines = [json.dumps(text, ensure_ascii=False) for text in texts]
    whole = "\n".join(lines).encode("utf-8", "replace")
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
    assert lines_of(pieces) == whole.decode().split("\n")
    assert lines_of([whole + b"\n"]) == whole.decode().split("\n")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": "\ud83d"}', {"a": "�"}),  # an emoji of which the token limit left one half
        (r'{"a": "\ud83d\ude00 \udc00"}', {"a": "😀 �"}),
        ('{"a": 100000000000000000000}', {"a": 1e20}),
        ('{"\\ud800": [1]}', {"�": [1]}),
    ],
)
def test_what_orjson_refuses_is_read_and_can_be_written(text: str, value: object) -> None:
    assert load(text) == load(text.encode()) == value
    orjson.dumps(load(text))


@pytest.mark.parametrize("text", ["{", b"\xff", "[" * 400 + "]" * 400, "[" * 100_000])
def test_what_cannot_be_kept_is_one_kind_of_error(text: str | bytes) -> None:
    with pytest.raises(json.JSONDecodeError):
        load(text)


def test_half_of_a_key_is_never_left_where_words_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "proxykey-abcdefghijklmnop")
    # The words are cut after 300 characters, which is in the middle of the key.
    for body in (
        "x" * 290 + "proxykey-abcdefghijklmnop",
        {"message": "x" * 277 + "proxykey-abcdefghijklmnop"},
    ):
        assert "proxykey" not in error_text(body)


GEMINI_BUSY = {
    "error": {
        "code": 429,
        "message": "You exceeded your current quota, please check your plan and billing details. "
        + "…" * 300,
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "41s"}],
    }
}


def test_gemini_asks_for_patience_in_words_that_mention_billing() -> None:
    found = status_error("gemini", 429, GEMINI_BUSY, {})
    assert type(found).__name__ == "TryAgain"
    assert found.busy
    assert found.after == wait_wished({}, GEMINI_BUSY) == 41.0, "the wish stands at the end of a long body"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}),
        (400, {"error": {"message": "Your credit balance is too low to access the API"}}),
        (400, {"error": {"message": "Enable billing on your project", "status": "FAILED_PRECONDITION"}}),
    ],
)
def test_an_empty_account_is_not_asked_again(status: int, body: dict[str, object]) -> None:
    assert type(status_error("openai", status, body, {})).__name__ == "Misconfigured"
