"""An agent under test on a real port: it answers whole or as a stream, fails as it is told, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

TOKEN = "s3cret-token-of-the-agent"


@dataclass
class AgentServer:
    """What the agent does, and what it saw."""

    latency: float = 0.0
    faults: deque[str] = field(default_factory=deque)  # one per request, "" is none
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answered: Counter[tuple[str, int]] = field(default_factory=Counter)  # (conversation, turn) → times
    now: int = 0
    busiest: int = 0
    url: str = ""

    async def ask(self, request: Request) -> Response:
        """An agent with an interface of its own."""
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        fault = self.faults.popleft() if self.faults else ""
        self.now += 1
        self.busiest = max(self.busiest, self.now)
        try:
            await asyncio.sleep(4 if fault == "hang" else self.latency)
        finally:
            self.now -= 1
        if fault in _INSTEAD:
            return _INSTEAD[fault](dict(request.headers))
        self.answered[body.get("id", ""), body.get("turn", 1)] += 1
        return JSONResponse(self.answer(body))

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """What it says: the query again, and an entry for the screen."""
        said = f"'{body['q']}'에 대한 답"
        entry = {"uiValue": {"formType": "LIST", "actionType": "VIEW"}}
        data = {"assistantMessage": said, "dataUIList": [entry], "responseTimeSec": 1.5}
        return {"data": data, "session": f"theirs-{body.get('session', '')[:4]}"}

    async def chat(self, request: Request) -> Response:
        """The OpenAI chat interface, as a stream."""
        body = await request.json()
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        fault = self.faults.popleft() if self.faults else ""
        return StreamingResponse(
            _pieces(body["messages"][-1]["content"], fault), media_type="text/event-stream"
        )


async def _pieces(query: str, fault: str) -> AsyncIterator[str]:
    for piece in ("답:", " ", query):
        yield _event({"choices": [{"delta": {"content": piece}}]})
        await asyncio.sleep(0.02)
    if fault == "error":
        yield _event({"error": {"message": "the model is gone"}})
        return
    if fault == "garbage":
        yield "data: <html>\n\n"
        return
    for part in ({"name": "search", "arguments": '{"q"'}, {"arguments": ': "공고"}'}):
        call = {"index": 0, "id": "c1", "function": part}
        yield _event({"choices": [{"delta": {"tool_calls": [call]}}]})
    yield "data: [DONE]\n\n"


def _event(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


_INSTEAD: dict[str, Any] = {
    "429": lambda _: JSONResponse({"error": "slow down"}, 429, {"retry-after": "0.05"}),
    "500": lambda _: PlainTextResponse("Traceback: boom", 500),
    "401": lambda headers: PlainTextResponse(f"no such key: {headers.get('authorization')}", 401),
    "garbage": lambda _: PlainTextResponse("<html>Sign in</html>", media_type="text/html"),
    "empty": lambda _: JSONResponse({"data": None}),
    "list": lambda _: JSONResponse([1, 2]),
    "error": lambda _: JSONResponse({"error": {"code": 7, "text": "no such job"}}),
    "elsewhere": lambda _: RedirectResponse("http://elsewhere.example/steal"),
    "text": lambda _: PlainTextResponse("그냥 글"),
    "echo": lambda headers: JSONResponse(
        {"data": {"assistantMessage": f"key {headers.get('authorization')}"}}
    ),
}


@contextmanager
def running(agent: AgentServer) -> Iterator[AgentServer]:
    """Run the agent in a thread of its own."""
    routes = [
        Route("/ask", agent.ask, methods=["POST"]),
        Route("/v1/chat/completions", agent.chat, methods=["POST"]),
    ]
    config = uvicorn.Config(Starlette(routes=routes), port=0, log_level="critical", ws="none", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.005)
    agent.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield agent
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


if __name__ == "__main__":  # the benchmark runs it in a process of its own
    import sys

    with running(AgentServer(latency=float(sys.argv[1]))) as alone:
        print(alone.url, flush=True)
        threading.Event().wait()
