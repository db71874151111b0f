"""An agent behind an HTTP address: answers whole or as a stream of events."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from haechi.agents.description import Description
from haechi.agents.reply import (
    LARGEST,
    AgentReply,
    AgentTurn,
    PartialReply,
    Places,
    failed_reply,
    unparseable_reply,
)
from haechi.agents.template import fill_template, filled_address
from haechi.judge.providers.addresses import is_here
from haechi.judge.providers.base import Misconfigured, TryAgain, need_sdk
from haechi.judge.providers.faults import error_text, wait_wished
from haechi.judge.providers.keys import mask
from haechi.judge.providers.models import Model
from haechi.judge.providers.wire import load
from haechi.text import Text

if TYPE_CHECKING:
    import httpx2

_BUSY = frozenset({429, 503, 529})
_TOO_LONG = f"longer than {LARGEST // 2**20} MiB"
_CHAT = Places(
    delta="choices[0].delta.content",
    message="choices[0].message.content",
    tools="choices[0].delta.tool_calls",
    error="error.message",
)


class HttpAgent:
    """Asks at one address. Redirects are not followed: what is sent, keys among it, is for this host."""

    def __init__(self, name: str, description: Description, headers: Mapping[str, str] | None = None) -> None:
        try:
            import httpx2
        except ImportError as missing:
            raise need_sdk("httpx2") from missing
        self.name, self._description, self._own_headers = name, description, headers or {}
        self._url = description.url or ""
        here = is_here(self._url)  # then it passes no proxy, which would see what is sent
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        self._client = httpx2.AsyncClient(timeout=None, trust_env=not here, limits=limits)

    @property
    def about(self) -> dict[str, Any]:
        """Where it is, and which environment variables are sent there."""
        parts = urlsplit(self._url)
        sent = list(self._description.variables)
        return {"agent": self.name, "at": f"{parts.scheme}://{parts.netloc}{parts.path}", "variables": sent}

    async def ask(self, turn: AgentTurn, first: Callable[[], None]) -> AgentReply:
        """One reply; what is refused or broken is a reply too, with its error."""
        import httpx2

        try:
            async with self._client.stream(**self._request(turn)) as response:
                if not response.is_success:
                    return await self._refused(response)
                kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                if kind == "text/event-stream":
                    return await self._streamed(httpx2.EventSource(response, LARGEST), first)
                return self._read(await _body(response, first), kind)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise TryAgain(f"unreachable: {error or type(error).__name__}") from error
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, UnicodeError) as error:
            return failed_reply(f"the connection broke: {error or type(error).__name__}")

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _request(self, turn: AgentTurn) -> dict[str, Any]:
        told = self._description
        values = turn._asdict()
        headers = {**fill_template(told.headers, values), **self._own_headers}
        request = {"method": told.method, "url": filled_address(self._url, values)}
        if told.body is None:
            return request | {"headers": headers}
        body = fill_template(told.body, values)
        content = body.encode() if isinstance(body, str) else orjson.dumps(body)
        given = {name.lower() for name in headers}
        kind = (
            {} if "content-type" in given or isinstance(body, str) else {"content-type": "application/json"}
        )
        return request | {"headers": {**kind, **headers}, "content": content}

    async def _refused(self, response: httpx2.Response) -> AgentReply:
        if response.has_redirect_location:
            host = urlsplit(response.headers["location"]).netloc or "…"
            raise Misconfigured.by(
                self.about["at"],
                Text(f"{host}(으)로 넘김(HTTP {response.status_code})", f"a redirect to {host}").say(),
                Text("에이전트의 주소", "the agent's own address"),
                Text("에이전트의 주소를 고쳐 다시 실행하세요", "correct the agent's address and run again"),
            )
        words = error_text(await _body(response, lambda: None) or b"")
        text = f"HTTP {response.status_code}: {words}"
        if response.status_code in _BUSY:
            raise TryAgain(text, wait_wished(response.headers), busy=True)
        return failed_reply(text, refused=response.status_code)

    def _read(self, body: bytes | None, kind: str) -> AgentReply:
        if body is None:
            return failed_reply(f"unparseable: {_TOO_LONG}")
        if kind == "text/plain":
            text = mask(body.decode("utf-8", "replace"))
            return (
                AgentReply(text, {"assistantMessage": text})
                if text.strip()
                else unparseable_reply("empty", "")
            )
        try:
            return self._description.answer.read(load(body))
        except json.JSONDecodeError as error:
            return unparseable_reply(f"no JSON ({error})", body[:4096].decode("utf-8", "replace"))

    async def _streamed(self, events: httpx2.EventSource, first: Callable[[], None]) -> AgentReply:
        found, size = PartialReply(), 0
        async for event in events:
            size += len(event.data)
            if size > LARGEST:
                return failed_reply(f"unparseable: {_TOO_LONG}")
            if event.data.strip() in ("", "[DONE]"):
                continue
            try:
                value = load(event.data)
            except json.JSONDecodeError as error:
                return unparseable_reply(f"an event without JSON ({error})", event.data)
            if isinstance(value, dict) and found.take(self._description.answer, value):
                first()
        return found.reply()


async def _body(response: httpx2.Response, first: Callable[[], None]) -> bytes | None:
    """The bytes of an answer; None if they are too many."""
    pieces, size = [], 0
    async for piece in response.aiter_bytes():
        first()
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST:
            return None
    return b"".join(pieces)


def chat_agent(model: Model) -> HttpAgent:
    """An agent behind the chat completions interface, with the key that belongs to its address alone."""
    url = f"{model.address.rstrip('/')}/chat/completions"
    body = {"model": model.name.replace("$", "$$"), "messages": "$messages", "stream": True}
    return HttpAgent(
        model.spec, Description(url=url, body=body, answer=_CHAT), {"authorization": f"Bearer {model.key}"}
    )
