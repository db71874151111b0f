"""A small server that speaks the three providers' interfaces, live and batch, and can be told to misbehave.

It answers by the schema it is sent, and keeps a ledger of everything it was paid for.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import anthropic_wire
import gemini_wire
import openai_wire
from provider_batches import Batch, ok
from provider_faults import Response, damaged, instead_of_an_answer, send

ITEM = re.compile(r"항목<([^>]+)>")  # the tests' items carry their id in their text
WIRES: dict[str, Any] = {"openai": openai_wire, "anthropic": anthropic_wire, "gemini": gemini_wire}
PAGE = b"<html>\n<title>Sign in</title>\n<body>Your session has ended.</body>\n</html>\n"
LIVE = {
    "/chat/completions": "openai",
    "/messages": "anthropic",
    "/invoke": "anthropic",  # Bedrock
    ":rawPredict": "anthropic",  # Vertex
    ":generateContent": "gemini",
}


@dataclass
class Server:
    """What the server does, and what it saw."""

    latency: float = 0.0
    faults: deque[str] = field(default_factory=deque)  # one per live request, "" is none
    batch_faults: deque[str] = field(default_factory=deque)  # one per submission
    damage: set[str] = field(default_factory=set)  # of batch results: see provider_batches.py
    odd: dict[str, str] = field(
        default_factory=dict
    )  # item → refusal, once-empty, partial, fenced, context, …
    auto_finish: bool = True
    rejects: bool = False  # whether no key is accepted
    lists: bool = True  # whether batches are listed: a provider may do it late
    page: str = ""  # requests (a pattern) that are carried out and answered with a login page
    page_type: str = "text/html"
    cut: str = ""  # requests (a pattern) of whose answers only the first half is sent, as if it were all
    may_answer: int = 2**62  # live requests that are answered; the others wait until a test allows more
    paid: Counter[tuple[str, str]] = field(default_factory=Counter)  # (item, what was asked) → times
    seen: Counter[str] = field(default_factory=Counter)
    busiest: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Batch] = field(default_factory=dict)
    headers: list[dict[str, str]] = field(default_factory=list)
    keep_headers: bool = False
    models: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keep_bytes: bool = False
    asked: list[bytes] = field(default_factory=list)  # the bodies of requests
    answers: list[bytes] = field(default_factory=list)  # and what was said to them
    leads_to: str = ""  # an address to which requests are redirected
    refuses: Callable[[dict[str, Any]], str | None] | None = (
        None  # why a live request is refused, before it is paid
    )
    salts: dict[str, str] = field(default_factory=dict)  # by model: with different ones models differ
    caches: set[str] | None = (
        None  # what is the same for many requests, kept as providers do; None: nothing is kept
    )
    heeds: Callable[[str, str, dict[str, Any]], Any] | None = (
        None  # system, item, schema → what a model answers that heeds its instructions
    )
    bodies: list[dict[str, Any]] | None = None  # live requests as they came, if a test wants them
    version: str = ""  # what the model that answers adds to its name
    says: Callable[[dict[str, Any], str, str], Any] | None = (
        None  # schema, item, user → what the model answers
    )
    url: str = ""
    wires: dict[str, Any] = field(default_factory=lambda: WIRES)
    _now: int = 0
    _let_through: int = 0

    async def handle(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Response:
        """One request: status, headers, body, and how to misbehave while sending it."""
        if self.leads_to:
            return 307, {"location": self.leads_to + path}, b"", ""
        status, more, content, fault = await self._routed(method, path, headers, body)
        if self.keep_bytes:
            self.paths.append(path)
            self.asked.append(body)
            self.answers.append(content)
        asked = f"{method} {urlsplit(path).path}"
        if self.page and re.search(self.page, asked):
            return 200, {"content-type": self.page_type}, PAGE, ""
        if self.cut and re.search(self.cut, asked):
            content = content[: len(content) // 2]
        return status, more, content, fault

    async def _routed(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Response:
        bare = urlsplit(path).path  # a proxy is asked for whole addresses
        self.seen[re.sub(r"[a-f0-9-]{16,}", "…", f"{method} {bare}")] += 1
        if self.keep_headers:
            self.headers.append(headers)
        if self.rejects:
            return 401, {}, json.dumps({"error": {"message": "no such key", "type": "auth"}}).encode(), ""
        for ending, provider in LIVE.items():
            if method == "POST" and bare.endswith(ending):
                return await self._live(provider, bare, body)
        for pattern, answer in ROUTES:
            match = re.fullmatch(pattern, f"{method} {bare}")
            if match:
                return await answer(self, match, headers, body)
        return 404, {}, json.dumps({"error": {"message": f"no {path}"}}).encode(), ""

    async def _live(self, provider: str, path: str, body: bytes) -> Response:
        fault = self.faults.popleft() if self.faults else ""
        self._now += 1
        self.busiest = max(self.busiest, self._now)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            while self._let_through >= self.may_answer:
                await asyncio.sleep(0.005)
            self._let_through += 1
        finally:
            self._now -= 1
        if (response := instead_of_an_answer(fault)) is not None:
            return response
        asked = json.loads(body)
        if self.bodies is not None:
            self.bodies.append(asked)
        if self.refuses is not None and (why := self.refuses(asked)) is not None:
            self.wires[provider].schema_of(asked)
            return (
                400,
                {},
                json.dumps({"error": {"message": why, "type": "invalid_request_error"}}).encode(),
                "",
            )
        status, answer = self.answer(provider, asked, path)
        return damaged(fault, status, json.dumps(answer).encode())

    def answer(self, provider: str, body: dict[str, Any], path: str = "") -> tuple[int, dict[str, Any]]:
        """What the model says to a request; this is what costs money."""
        system, user, schema, model = self.wires[provider].parts(body, path)
        found = ITEM.search(user)
        item = found[1] if found else "?"
        odd = self.odd.get(item, "")
        if odd == "context":
            said = {"message": "prompt is too long: context_length_exceeded", "type": "invalid_request_error"}
            return 400, {
                "error": {"code": 400 if provider == "gemini" else "context_length_exceeded", **said}
            }
        self.paid[item, ",".join(schema["properties"])] += 1
        seed = self.salts.get(model, "") + item
        said = _value(schema, seed) if self.says is None else self.says(schema, item, user)
        if self.heeds is not None:
            said = self.heeds(system, item, schema)
        text = json.dumps(said, ensure_ascii=False)
        if odd == "partial":
            text = text[: text.rindex('"value"')]
            self.odd.pop(item)
        if odd == "once-empty":
            text = ""
            self.odd.pop(item)
        if odd == "fenced":
            text = f"```json\n{text}\n```\n끝."
        if odd == "odd-characters":  # a line separator, which JSON allows in a text, and half of an emoji
            text = text.replace("근거로", "근\u2028거로") + ("" if path == "" else "\ud83d")
        if odd == "refusal":
            text = ""
        reply = self.wires[provider].reply(
            text, model + self.version, len(system) + len(user), odd == "refusal"
        )
        if body.get("usage") == {"include": True}:  # OpenRouter
            reply["usage"]["cost"] = 0.0123
        if "ogprobs" in str(body.keys()) + str(body.get("generationConfig", {}).keys()):
            self.wires[provider].add_logprobs(reply, text)
        if self.caches is not None:
            self.wires[provider].count_cached(reply, len(system) // 2, system in self.caches)
            self.caches.add(system)
        return 200, reply


def _value(schema: dict[str, Any], seed: str) -> Any:
    if schema["type"] == "object":
        return {name: _value(part, f"{seed}/{name}") for name, part in schema["properties"].items()}
    if "enum" in schema:
        pick = int(hashlib.sha256(seed.encode()).hexdigest(), 16)
        return schema["enum"][pick % len(schema["enum"])]
    return "메시지[0]에서 '인용'을 근거로 함"


async def _ledger(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return ok([[item, asked, times] for (item, asked), times in server.paid.items()])


ROUTES: list[tuple[str, Any]] = [route for wire in WIRES.values() for route in wire.ROUTES]
ROUTES.append((r"GET /ledger", _ledger))


async def _token(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return ok({"access_token": "token-of-the-account", "expires_in": 3600, "token_type": "Bearer"})


async def _models(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return ok({"object": "list", "data": server.models})


ROUTES += [(r"POST /token", _token), (r"GET /(?:api/)?v1/models", _models)]


# ---- HTTP, just enough of it


async def _serve(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while await _one(server, reader, writer):
            pass
    except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


async def _one(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    status, more, content, fault = await server.handle(method, path, headers, body)
    if fault in ("accept-then-hang", "refuse-first"):
        await asyncio.sleep(3600)
    more = {"content-type": "application/json", "content-length": str(len(content))} | more
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in more.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    return await send(writer, content, fault)


async def _listen(server: Server, ready: threading.Event, stop: asyncio.Event) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve(server, reader, writer)

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**28)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    ready.set()
    await stop.wait()
    listening.close()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """Run the server in a thread of its own."""
    ready, loop, stop = threading.Event(), asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(
        target=lambda: loop.run_until_complete(_listen(server, ready, stop)), daemon=True
    )
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


if __name__ == "__main__":  # the benchmark runs it in a process of its own
    import sys

    async def alone() -> None:
        server, ready = Server(latency=float(sys.argv[1])), threading.Event()
        task = asyncio.create_task(_listen(server, ready, asyncio.Event()))
        while not ready.is_set():
            await asyncio.sleep(0.01)
        print(server.url, flush=True)
        await task

    asyncio.run(alone())
