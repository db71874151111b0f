"""OpenAI, and every server that speaks its chat interface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from haechi.data.judging_protocol import Decoding
from haechi.judge.providers.addresses import account_headers, is_here, model_key
from haechi.judge.providers.base import (
    BatchState,
    Limits,
    Misconfigured,
    Request,
    TryAgain,
    need_sdk,
)
from haechi.judge.providers.bodies import joined_text, text_of, usage_of, value_at
from haechi.judge.providers.dialect import Dialect, told_window
from haechi.judge.providers.exchange import hooks, note_received
from haechi.judge.providers.faults import (
    RefusedRequest,
    check_settings,
    error_text,
    translate_faults,
    translate_free,
    translate_whole,
)
from haechi.judge.providers.openai_lines import LINES
from haechi.judge.providers.pools import Pools
from haechi.judge.providers.provider import Provider
from haechi.judge.providers.wire import load, split_lines, verbatim_json

if TYPE_CHECKING:
    import httpx2
    import openai

_DAY = 86_400
_STATES = {"failed": "failed", "completed": "ended", "expired": "ended", "cancelled": "ended"}


def import_sdk() -> None:
    """Import what is needed to ask."""
    # It takes long to import, and is needed to ask, not to read answers.
    global httpx2, openai  # noqa: PLW0603 - what an import at the top would bind
    try:
        import httpx2
        import openai
    except ImportError as missing:
        raise need_sdk("openai") from missing


def connect(model: str, url: str | None, timeout: float) -> OpenAI:
    """A judge at OpenAI, or at a compatible server when there is an address."""
    return OpenAI(model_key("openai", url, PROVIDER.address), url, timeout, model)


class OpenAI:
    """A judge model behind the chat completions interface."""

    limits = Limits(50_000, 190_000_000)

    endpoint: str = "/v1/chat/completions"
    """What the lines of a batch are for."""

    learnt: bool = False
    """Whether a refusal has changed how the model is asked."""

    def __init__(self, key: str, url: str | None, timeout: float, model: str, server: str = "") -> None:
        import_sdk()
        certificates = httpx2.create_ssl_context()  # reading them takes long: once for all pools
        here = url is not None and is_here(url)  # then it passes no proxy, which would see the key
        address = url or PROVIDER.address
        self._key, self._url, self._timeout = key, url, timeout

        def connect() -> openai.AsyncOpenAI:
            return self._connected(
                openai.DefaultAsyncHttpxClient(
                    verify=certificates, trust_env=not here, event_hooks=hooks(address)
                )
            )

        self._pools = Pools(connect)
        self._client = self._pools.first
        self._model = model
        self.dialect = Dialect("max_completion_tokens" if url is None else "max_tokens")
        self._server = server or url or "openai"
        self._whole = partial(translate_whole, self._server, openai.APIError)

    def _connected(self, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
        """The SDK's client."""
        return openai.AsyncOpenAI(
            api_key=self._key,
            base_url=self._url,
            timeout=self._timeout,
            max_retries=0,
            http_client=http,
            default_headers=_only(self._key) if self._url else None,
        )

    @property
    def spoken(self) -> dict[str, Any]:
        """How the model is asked, for whoever remembers it."""
        return asdict(self.dialect)

    def speak(self, spoken: dict[str, Any]) -> None:
        """Ask as was understood before."""
        self.dialect = Dialect(**spoken)

    def heed(self, refusal: str) -> bool:
        """Leave out from now on what was refused; says whether that is something that can be left out."""
        plainer = self.dialect.without(refusal)
        if plainer is not None:
            self.dialect, self.learnt = plainer, True
        return plainer is not None

    async def probe(self) -> None:
        """Ask a server that is named by its address how much its model reads at once; many tell it with their models."""
        with suppress(TryAgain, Misconfigured, RefusedRequest, AttributeError, TypeError):
            with translate_faults(self._server, openai.APIError):
                raw = await self._client.get("/models", cast_to=httpx2.Response)
                window = told_window(load(raw.content), self._model)
            self.dialect = replace(self.dialect, window=window)

    def _body(self, request: Request) -> dict[str, Any]:
        messages = [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ]
        return {
            "model": self._model,
            "messages": messages,
            **self.dialect.form(request.schema),
            **self.dialect.limit(request.max_tokens, request.system, request.user),
            **_decoding(request.decoding),
        }

    async def ask(self, request: Request) -> dict[str, Any]:
        """One chat completion; what a server does not know is left out, and the question asked again."""
        while True:
            spoken = self.dialect
            try:
                with translate_faults(self._server, openai.APIError), self._pools.client() as client:
                    # The generic request of the SDK: `create` would walk through every prompt to convert it.
                    raw = await client.post(
                        "/chat/completions", cast_to=httpx2.Response, body=self._body(request)
                    )
                    response = {"status_code": 200, "body": verbatim_json(note_received(raw.content))}
            except RefusedRequest as refused:
                check_settings(self._server, refused, request.decoding)
                plainer = spoken.without(error_text(refused.body))
                if plainer is not None:
                    # Of many that were refused together, the first one changes what is spoken.
                    self.dialect = plainer if self.dialect == spoken else self.dialect
                    self.learnt = True
                    continue
                response = {"status_code": refused.status, "body": {"error": refused.body}}
            return {"custom_id": request.id, "error": None, "response": response}

    async def talk(self, messages: list[dict[str, str]], longest: int) -> AsyncIterator[str | dict[str, int]]:
        """The next message of a conversation, piece by piece; at the end its usage, if the server tells it."""
        body = {"model": self._model, "messages": messages, "stream": True, **self.dialect.limit(longest)}
        body["stream_options"] = {"include_usage": True}
        with translate_faults(self._server, openai.APIError), self._pools.client() as client:
            whole = False
            async with client.chat.completions.with_streaming_response.create(**body) as response:  # type: ignore[call-overload]
                async for line in response.iter_lines():
                    told = line.removeprefix("data:").strip()
                    if not line.startswith("data:") or told == "[DONE]":
                        whole = whole or told == "[DONE]"
                        continue
                    chunk = load(told.encode())
                    whole = whole or bool(value_at(chunk, "choices", 0, "finish_reason"))
                    if value_at(chunk, "error"):
                        raise TryAgain(text_of(value_at(chunk, "error", "message")) or "error", doubtful=True)
                    if piece := joined_text(value_at(chunk, "choices", 0, "delta", "content")):
                        yield piece
                    if value_at(chunk, "usage"):
                        yield usage_of(chunk, input=("prompt_tokens",), output=("completion_tokens",))
            if not whole:  # the server died in the middle of a sentence
                raise TryAgain("the reply broke off", doubtful=True)

    def line(self, request: Request) -> bytes:
        """A line of a batch's input file."""
        whole = {"custom_id": request.id, "method": "POST", "url": self.endpoint, "body": self._body(request)}
        return orjson.dumps(whole) + b"\n"

    async def submit(self, requests: Path, mark: str) -> str:
        """Upload the file and start the batch; the mark goes into its metadata."""
        with translate_free(), self._whole():
            name = (await self._client.files.create(file=requests, purpose="batch")).id
        with self._whole():
            batch = await self._client.batches.create(
                input_file_id=name,
                endpoint=self.endpoint,  # type: ignore[arg-type]
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
    wished |= {"logprobs": True, "top_logprobs": 5} if given.logprobs else {}
    return {name: value for name, value in wished.items() if value is not None}


def _only(key: str) -> dict[str, Any]:
    """The headers by which an address gets its own key and nothing of the account in OpenAI's variables."""
    return dict.fromkeys(account_headers(), openai.Omit()) | {"Authorization": f"Bearer {key}"}


PROVIDER = Provider(
    "openai",
    connect,
    LINES,
    keys=("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"),
    takes_address=True,
    home="https://api.openai.com/v1",
    address_variable="OPENAI_BASE_URL",
    sdk="openai",
    takes=frozenset({"temperature", "seed", "effort", "logprobs"}),
    talks=True,
)
