"""Anthropic's messages and message batches."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from haechi.judge.providers.base import BatchState, Limits, Request, TryAgain, need_key, need_sdk
from haechi.judge.providers.faults import Refused, no_answer, translated, whole
from haechi.judge.providers.pools import Pools
from haechi.judge.providers.results import Reply, read_results
from haechi.judge.providers.wire import load, split_lines

try:
    import anthropic
    import httpx2
except ImportError as missing:
    raise need_sdk("anthropic") from missing

_CLOCKS_DIFFER = 600
_whole = partial(whole, "anthropic", anthropic.APIError)


def connect(model: str, url: str | None, timeout: float) -> Anthropic:
    """A judge at Anthropic."""
    if not (os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_AUTH_TOKEN")):
        raise need_key("anthropic")
    return Anthropic(url, timeout, model)


class Anthropic:
    """A judge model behind the messages interface."""

    # The provider takes 100,000 requests or 256 MB; a batch is sent from memory, so ours are smaller.
    limits = Limits(20_000, 100_000_000)

    def __init__(self, url: str | None, timeout: float, model: str) -> None:
        certificates = httpx2.create_ssl_context()  # reading them takes long: once for all pools

        def connect() -> anthropic.AsyncAnthropic:
            http = anthropic.DefaultAsyncHttpxClient(verify=certificates)
            return anthropic.AsyncAnthropic(base_url=url, timeout=timeout, max_retries=0, http_client=http)

        self._pools = Pools(connect)
        self._client, self._model = self._pools.first, model

    def _body(self, request: Request) -> dict[str, Any]:
        return {
            "model": self._model,
            "max_tokens": request.max_tokens,
            "system": request.system,
            "messages": [{"role": "user", "content": request.user}],
            "output_config": {"format": {"type": "json_schema", "schema": request.schema}},
        }

    async def ask(self, request: Request) -> dict[str, Any]:
        """One message."""
        result: dict[str, Any]
        try:
            with translated("anthropic", anthropic.APIError), self._pools.client() as client:
                # The generic request of the SDK: `create` would walk through every prompt to convert it.
                raw = await client.post("/v1/messages", cast_to=httpx2.Response, body=self._body(request))
                result = {"type": "succeeded", "message": load(raw.content)}
        except Refused as refused:
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
            raise TryAgain(f"{running} is still running and may be the batch whose id was not recorded")
        return None

    async def _holds(self, remote: str, is_ours: Callable[[str], bool]) -> bool:
        async for line in self.results(remote):
            found = next(read_results([line], "anthropic"), None)
            if isinstance(found, Reply):
                return is_ours(found.custom_id)
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
