"""OpenAI, and every server that speaks its chat interface."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from haechi.data.asking import Decoding
from haechi.judge.providers.addresses import account_headers, address_key, is_here
from haechi.judge.providers.base import BatchState, Limits, Request, TryAgain, need_key, need_sdk
from haechi.judge.providers.bodies import (
    Answer,
    at,
    blocked,
    failure,
    joined,
    joined_calls,
    list_of,
    nothing_in,
    refusal_in,
    refused,
    text_of,
    usage_of,
)
from haechi.judge.providers.dialect import Dialect
from haechi.judge.providers.exchange import hooks, note_received
from haechi.judge.providers.faults import Refused, check_settings, free, said, translated, whole
from haechi.judge.providers.lines import UNKNOWN, Lines, Record
from haechi.judge.providers.pools import Pools
from haechi.judge.providers.provider import Provider
from haechi.judge.providers.wire import load, split_lines, verbatim

if TYPE_CHECKING:
    import httpx2
    import openai

_PATH: Final = "/v1/chat/completions"
_DAY = 86_400
_STATES = {"failed": "failed", "completed": "ended", "expired": "ended", "cancelled": "ended"}


def _import_sdk() -> None:
    # It takes long to import, and is needed to ask, not to read answers.
    global httpx2, openai  # noqa: PLW0603 - what an import at the top would bind
    try:
        import httpx2
        import openai
    except ImportError as missing:
        raise need_sdk("openai") from missing


def connect(model: str, url: str | None, timeout: float) -> OpenAI:
    """A judge at OpenAI, or at a compatible server when there is an address."""
    key = os.environ.get("OPENAI_API_KEY") if url is None else address_key(url)
    if not key:
        raise need_key("openai")
    return OpenAI(key, url, timeout, model)


class OpenAI:
    """A judge model behind the chat completions interface."""

    limits = Limits(50_000, 190_000_000)

    def __init__(self, key: str, url: str | None, timeout: float, model: str) -> None:
        _import_sdk()
        certificates = httpx2.create_ssl_context()  # reading them takes long: once for all pools
        here = url is not None and is_here(url)  # then it passes no proxy, which would see the key

        address = url or PROVIDER.address

        def connect() -> openai.AsyncOpenAI:
            http = openai.DefaultAsyncHttpxClient(
                verify=certificates, trust_env=not here, event_hooks=hooks(address)
            )
            return openai.AsyncOpenAI(
                api_key=key,
                base_url=url,
                timeout=timeout,
                max_retries=0,
                http_client=http,
                default_headers=_only(key) if url else None,
            )

        self._pools = Pools(connect)
        self._client = self._pools.first
        self._model = model
        self._dialect = Dialect("max_completion_tokens" if url is None else "max_tokens")
        self._server = url or "openai"
        self._whole = partial(whole, self._server, openai.APIError)

    def _body(self, request: Request) -> dict[str, Any]:
        messages = [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ]
        return {
            "model": self._model,
            "messages": messages,
            **self._dialect.form(request.schema),
            **self._dialect.limit(request.max_tokens),
            **_decoding(request.decoding),
        }

    async def ask(self, request: Request) -> dict[str, Any]:
        """One chat completion; what a server does not know is left out, and the question asked again."""
        while True:
            spoken = self._dialect
            try:
                with translated(self._server, openai.APIError), self._pools.client() as client:
                    # The generic request of the SDK: `create` would walk through every prompt to convert it.
                    raw = await client.post(
                        "/chat/completions", cast_to=httpx2.Response, body=self._body(request)
                    )
                    response = {"status_code": 200, "body": verbatim(note_received(raw.content))}
            except Refused as refused:
                check_settings(self._server, refused, request.decoding)
                plainer = spoken.without(said(refused.body))
                if plainer is not None:
                    # Of many that were refused together, the first one changes what is spoken.
                    self._dialect = plainer if self._dialect == spoken else self._dialect
                    continue
                response = {"status_code": refused.status, "body": {"error": refused.body}}
            return {"custom_id": request.id, "error": None, "response": response}

    async def talk(self, messages: list[dict[str, str]], longest: int) -> AsyncIterator[str | dict[str, int]]:
        """The next message of a conversation, piece by piece; at the end its usage, if the server tells it."""
        body = {"model": self._model, "messages": messages, "stream": True, **self._dialect.limit(longest)}
        body["stream_options"] = {"include_usage": True}
        with translated(self._server, openai.APIError), self._pools.client() as client:
            async with client.chat.completions.with_streaming_response.create(**body) as response:  # type: ignore[call-overload]
                async for line in response.iter_lines():
                    told = line.removeprefix("data:").strip()
                    if not line.startswith("data:") or told == "[DONE]":
                        continue
                    chunk = load(told.encode())
                    if at(chunk, "error"):
                        raise TryAgain(text_of(at(chunk, "error", "message")) or "error", doubtful=True)
                    if piece := joined(at(chunk, "choices", 0, "delta", "content")):
                        yield piece
                    if at(chunk, "usage"):
                        yield usage_of(chunk, input=("prompt_tokens",), output=("completion_tokens",))

    def line(self, request: Request) -> bytes:
        """A line of a batch's input file."""
        whole = {"custom_id": request.id, "method": "POST", "url": _PATH, "body": self._body(request)}
        return orjson.dumps(whole) + b"\n"

    async def submit(self, requests: Path, mark: str) -> str:
        """Upload the file and start the batch; the mark goes into its metadata."""
        with free(), self._whole():
            name = (await self._client.files.create(file=requests, purpose="batch")).id
        with self._whole():
            batch = await self._client.batches.create(
                input_file_id=name,
                endpoint=_PATH,
                completion_window="24h",
                metadata={"haechi": mark},
            )
            return batch.id

    async def find(self, mark: str, since: float, is_ours: Callable[[str], bool]) -> str | None:  # noqa: ARG002
        """The batch whose metadata holds the mark."""
        with self._whole():
            async for batch in self._client.batches.list(limit=100):
                if (batch.metadata or {}).get("haechi") == mark:
                    return batch.id
                if batch.created_at < since - _DAY:
                    break
        return None

    async def look(self, remote: str) -> BatchState:
        """The state of a batch."""
        with self._whole():
            batch = await self._client.batches.retrieve(remote)
            errors = (batch.errors.data or []) if batch.errors else []
            words = " ".join((batch.status, "; ".join(error.message or "" for error in errors))).strip()
            state = _STATES.get(batch.status, "running")
            done = batch.request_counts.completed if batch.request_counts else None
            if state == "ended" and not (batch.output_file_id or batch.error_file_id or done):
                state = "cancelled" if batch.status == "cancelled" else "failed"
            return BatchState(state, words, batch.status == "completed", done)  # type: ignore[arg-type]

    async def results(self, remote: str) -> AsyncIterator[str]:
        """The lines of the output file, then those of the error file."""
        with self._whole():
            batch = await self._client.batches.retrieve(remote)
            for name in (batch.output_file_id, batch.error_file_id):
                if name:
                    async with self._client.files.with_streaming_response.content(name) as response:
                        async for line in split_lines(response.iter_bytes()):
                            yield line

    async def cancel(self, remote: str) -> None:
        """Stop a batch."""
        with self._whole():
            await self._client.batches.cancel(remote)

    async def close(self) -> None:
        """Close the connections."""
        await self._pools.close()


def _decoding(given: Decoding) -> dict[str, Any]:
    wished = {"temperature": given.temperature, "seed": given.seed, "reasoning_effort": given.effort}
    return {name: value for name, value in wished.items() if value is not None}


def _only(key: str) -> dict[str, Any]:
    """The headers by which an address gets its own key and nothing of the account in OpenAI's variables."""
    return dict.fromkeys(account_headers(), openai.Omit()) | {"Authorization": f"Bearer {key}"}


def _answer(record: Record) -> Answer:
    status = at(record, "response", "status_code")
    body = at(record, "response", "body")
    if record.get("error"):
        return Answer(error=failure(record["error"], status))
    if isinstance(status, int) and status >= 400:
        return Answer(error=failure(at(body, "error") or f"HTTP {status}", status))
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
    if isinstance(at(body, "output"), list):
        return _responses_answer(body)
    message = at(body, "choices", 0, "message")
    finish = text_of(at(body, "choices", 0, "finish_reason"))
    content = at(message, "content")
    text = joined(content) or joined_calls(
        [at(call, "function", "arguments") for call in list_of(at(message, "tool_calls"))]
    )
    refusal = text_of(at(message, "refusal")) or refusal_in(content)
    error = None
    if not text and refusal:
        error = refused(refusal)
    elif not text and finish == "content_filter":
        error = blocked(finish)
    elif message is None:
        error = failure(at(body, "error")) if at(body, "error") else nothing_in()
    return Answer(None if error else text, text_of(at(body, "model")), usage, finish, error)


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
        for part in list_of(at(item, "content"))
        if at(item, "type") == "message"
    ]
    calls = [at(item, "arguments") for item in body["output"] if at(item, "type") == "function_call"]
    text = joined(parts) or joined_calls(calls)
    refusal = refusal_in(parts)
    finish = text_of(at(body, "incomplete_details", "reason")) or text_of(at(body, "status"))
    error = None
    if not text and at(body, "error"):
        error = failure(at(body, "error"))
    elif not text and refusal:
        error = refused(refusal)
    elif not text and finish == "content_filter":
        error = blocked(finish)
    return Answer(None if error else text, text_of(at(body, "model")), usage, finish, error)


LINES = Lines(
    fits=lambda record: (
        "custom_id" in record and "result" not in record and ("response" in record or "error" in record)
    ),
    answer=_answer,
    is_result=lambda record: bool(record.get("response") or record.get("error")),
    is_done=lambda record: not record.get("error") and at(record, "response", "status_code") == 200,
    inside=("response", "body"),
)
PROVIDER = Provider(
    "openai",
    connect,
    LINES,
    keys=("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"),
    takes_address=True,
    home="https://api.openai.com/v1",
    address_variable="OPENAI_BASE_URL",
    sdk="openai",
    takes=frozenset({"temperature", "seed", "effort"}),
)
