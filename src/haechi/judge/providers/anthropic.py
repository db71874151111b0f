"""Anthropic's messages and message batches."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from haechi.judge.providers.addresses import check_plain
from haechi.judge.providers.base import BatchState, Limits, Request, TryAgain, need_key, need_sdk
from haechi.judge.providers.bodies import (
    Answer,
    failure,
    joined_text,
    list_of,
    nothing_in,
    refused,
    text_of,
    usage_of,
    value_at,
    with_calls,
)
from haechi.judge.providers.exchange import hooks, note_received
from haechi.judge.providers.faults import (
    RefusedRequest,
    check_settings,
    error_text,
    no_answer,
    translate_faults,
    translate_whole,
)
from haechi.judge.providers.lines import UNKNOWN, Lines, Record, record_of
from haechi.judge.providers.pools import Pools
from haechi.judge.providers.provider import Provider
from haechi.judge.providers.wire import split_lines, verbatim_json
from haechi.text import Text

if TYPE_CHECKING:
    import anthropic
    import httpx2

_CLOCKS_DIFFER = 600
_OF_SCHEMA = re.compile(
    r"output_config(?!\.effort)|output_format|structured.?output|json_schema", re.IGNORECASE
)
_EXPIRED = Text("기한 안에 처리되지 않음(만료)", "not processed in time (expired)")
_CANCELED = Text("요청이 취소됨", "the request was canceled")


def import_sdk() -> None:
    """Import what is needed to ask."""
    # It takes long to import, and is needed to ask, not to read answers.
    global anthropic, httpx2  # noqa: PLW0603 - what an import at the top would bind
    try:
        import anthropic
        import httpx2
    except ImportError as missing:
        raise need_sdk("anthropic") from missing


def _whole() -> AbstractContextManager[None]:
    return translate_whole("anthropic", anthropic.APIError)


def connect(model: str, url: str | None, timeout: float) -> Anthropic:  # noqa: ARG001 - it has no other address
    """A judge at Anthropic."""
    if not (os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")):
        raise need_key("anthropic")
    check_plain(PROVIDER.address, "ANTHROPIC_API_KEY")
    return Anthropic(PROVIDER.address, timeout, model)


class Anthropic:
    """A judge model behind the messages interface."""

    # The provider takes 100,000 requests or 256 MB; a batch is sent from memory, so ours are smaller.
    limits = Limits(20_000, 100_000_000)

    server = "anthropic"

    def __init__(self, address: str, timeout: float, model: str) -> None:
        import_sdk()
        certificates = httpx2.create_ssl_context()  # reading them takes long: once for all pools
        self._address, self._timeout = address, timeout

        def connect() -> Any:
            return self._connected(
                anthropic.DefaultAsyncHttpxClient(verify=certificates, event_hooks=hooks(address))
            )

        self._pools = Pools(connect)
        self._client: anthropic.AsyncAnthropic = self._pools.first
        self._model = model
        self._takes_schema, self.learnt = True, False

    def _connected(self, http: httpx2.AsyncClient) -> Any:
        """The SDK's client; those for clouds have no type in common with it."""
        return anthropic.AsyncAnthropic(timeout=self._timeout, max_retries=0, http_client=http)

    def _body(self, request: Request) -> dict[str, Any]:
        given, output = request.decoding, dict[str, Any]()
        if self._takes_schema:
            output["format"] = {"type": "json_schema", "schema": request.schema}
        if given.effort is not None:
            output["effort"] = given.effort
        return {
            "model": self._model,
            "max_tokens": request.max_tokens,
            # The same for every item: read once, kept by the provider for the next ones, and then a tenth of the price.
            "system": [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": request.user}],
            **({"output_config": output} if output else {}),
            **({} if given.temperature is None else {"temperature": given.temperature}),
        }

    @property
    def spoken(self) -> dict[str, Any]:
        """How the model is asked, for whoever remembers it."""
        return {"takes_schema": self._takes_schema}

    def speak(self, spoken: dict[str, Any]) -> None:
        """Ask as was understood before."""
        self._takes_schema = bool(spoken["takes_schema"])

    def heed(self, refusal: str) -> bool:
        """Leave out from now on what was refused; says whether that is something that can be left out."""
        of_schema = self._takes_schema and _OF_SCHEMA.search(refusal) is not None
        if of_schema:
            self._takes_schema, self.learnt = False, True
        return of_schema

    async def ask(self, request: Request) -> dict[str, Any]:
        """One message; a model or an organisation without structured output is asked again without it."""
        result: dict[str, Any]
        with_schema = self._takes_schema
        try:
            with translate_faults(self.server, anthropic.APIError), self._pools.client() as client:
                # The generic request of the SDK: `create` would walk through every prompt to convert it.
                raw = await client.post("/v1/messages", cast_to=httpx2.Response, body=self._body(request))
                result = {"type": "succeeded", "message": verbatim_json(note_received(raw.content))}
        except RefusedRequest as refused:
            if with_schema and _OF_SCHEMA.search(error_text(refused.body)):
                self._takes_schema, self.learnt = False, True
                return await self.ask(request)
            check_settings(self.server, refused, request.decoding)
            result = {"type": "errored", "error": refused.body}
        return {"custom_id": request.id, "result": result}

    def line(self, request: Request) -> bytes:
        """One of a batch's requests."""
        return orjson.dumps({"custom_id": request.id, "params": self._body(request)}) + b"\n"

    async def submit(self, requests: Path, mark: str) -> str:  # noqa: ARG002
        """Send a batch. Anthropic's batches carry no metadata: they are found again by the ids inside."""
        with requests.open("rb") as file:
            lines = [orjson.loads(line) for line in file]
        with _whole():
            batch = await self._client.messages.batches.create(requests=lines)
            return batch.id

    async def find(self, mark: str, since: float, is_ours: Callable[[str], bool]) -> str | None:  # noqa: ARG002
        """The batch since then whose requests are ours; while one is running nobody can see whose it is."""
        running = ""
        with _whole():
            async for batch in self._client.messages.batches.list(limit=100):
                if batch.created_at.timestamp() < since - _CLOCKS_DIFFER:
                    break
                if batch.processing_status != "ended":
                    running = running or batch.id
                elif batch.results_url and await self._holds(batch.id, is_ours):
                    return batch.id
        if running:
            raise TryAgain(
                Text(
                    f"진행 중인 {running}이(가) id를 적지 못한 배치일 수 있음",
                    f"{running} is still running and may be the batch whose id was not recorded",
                )
            )
        return None

    async def _holds(self, remote: str, is_ours: Callable[[str], bool]) -> bool:
        async for line in self.results(remote):
            record = record_of(line, remote)
            if isinstance(record, dict) and (name := LINES.identifier(record)):
                return is_ours(name)
        raise no_answer(f"{remote}: no results")  # it may be ours, and paid

    async def look(self, remote: str) -> BatchState:
        """The state of a batch."""
        with _whole():
            batch = await self._client.messages.batches.retrieve(remote)
            counts, words = batch.request_counts, batch.processing_status
            state = "ended" if words == "ended" else "running"
            if state == "ended" and not (batch.results_url or counts.succeeded):
                state = "failed"
            whole = not (counts.canceled or counts.expired)
            return BatchState(state, words, whole, counts.succeeded)  # type: ignore[arg-type]

    async def results(self, remote: str) -> AsyncIterator[str]:
        """The lines of the results file, as they are."""
        with _whole():
            batch = await self._client.messages.batches.retrieve(remote)
            if not batch.results_url:
                return
            async with self._client.messages.batches.with_streaming_response.results(remote) as response:
                async for line in split_lines(response.iter_bytes()):
                    yield line

    async def cancel(self, remote: str) -> None:
        """Stop a batch."""
        with _whole():
            await self._client.messages.batches.cancel(remote)

    async def close(self) -> None:
        """Close the connections."""
        await self._pools.close()


def _answer(record: Record) -> Answer:
    result = record.get("result")
    kind = value_at(result, "type")
    if kind == "succeeded":
        return anthropic_answer(value_at(result, "message"))
    if kind == "errored":
        return Answer(error=failure(value_at(result, "error")))
    return Answer(error={"expired": _EXPIRED, "canceled": _CANCELED}.get(str(kind), UNKNOWN))


def anthropic_answer(message: Any) -> Answer:
    """A message of Anthropic's; blocks of thinking are not the answer.

    >>> blocks = [{"type": "thinking", "thinking": "음"}, {"type": "text", "text": "{}"}]
    >>> anthropic_answer({"content": blocks, "stop_reason": "end_turn"}).text
    '{}'
    """
    blocks = list_of(value_at(message, "content"))
    calls = [value_at(block, "input") for block in blocks if value_at(block, "type") == "tool_use"]
    text = with_calls(joined_text([block for block in blocks if value_at(block, "type") == "text"]), calls)
    finish = text_of(value_at(message, "stop_reason"))
    usage = usage_of(
        message,
        input=("input_tokens",),
        output=("output_tokens",),
        cached=("cache_read_input_tokens",),
        cache_write=("cache_creation_input_tokens",),
    )
    # Anthropic counts cached tokens beside the input; here, as with the others, they are part of it.
    if "input" in usage:
        usage["input"] += usage.get("cached", 0) + usage.get("cache_write", 0)
    error = refused(finish) if not text and finish == "refusal" else None
    if not isinstance(message, dict):
        error = nothing_in()
    return Answer(None if error else text, text_of(value_at(message, "model")), usage, finish, error)


LINES = Lines(
    fits=lambda record: "custom_id" in record and "result" in record,
    answer=_answer,
    is_result=lambda record: bool(record.get("result")),
    is_done=lambda record: bool(value_at(record, "result", "type") == "succeeded"),
    inside=("result", "message"),
)
PROVIDER = Provider(
    "anthropic",
    connect,
    LINES,
    keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    home="https://api.anthropic.com",
    address_variable="ANTHROPIC_BASE_URL",
    sdk="anthropic",
    takes=frozenset({"temperature", "effort"}),
)
