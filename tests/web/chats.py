"""A small server that speaks OpenAI's chat interface and streams its replies; it can be told to misbehave."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


@dataclass
class Chat:
    """What the server says, and what it was asked."""

    replies: list[str] = field(default_factory=list)  # the next ones; then it repeats what was said
    faults: list[int] = field(default_factory=list)  # the next answers have these statuses; 0 is none
    broken: int = 0  # so many of the next replies break off after their first half
    held: threading.Event = field(default_factory=threading.Event)  # the second half of a reply waits for it
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        self.held.set()

    async def answer(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.asked.append(body)
        self.keys.append(request.headers.get("authorization", ""))
        if self.faults and (status := self.faults.pop(0)):
            return JSONResponse({"error": {"message": "secret detail of the server"}}, status)
        said = self.replies.pop(0) if self.replies else f"들었어요: {body['messages'][-1]['content']}"
        return StreamingResponse(self._pieces(said), media_type="text/event-stream")

    async def _pieces(self, said: str) -> AsyncIterator[bytes]:
        half = len(said) // 2
        for piece in (said[:half], said[half:]):
            yield _event({"choices": [{"index": 0, "delta": {"content": piece}}]})
            while not self.held.is_set():
                await asyncio.sleep(0.01)
            if self.broken:
                self.broken -= 1
                return
        yield _event({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 1000}})
        yield b"data: [DONE]\n\n"


def _event(chunk: dict[str, Any]) -> bytes:
    whole = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "luna", **chunk}
    return b"data: " + json.dumps(whole).encode() + b"\n\n"


@contextmanager
def chatting() -> Iterator[Chat]:
    """Run the server."""
    chat = Chat()
    app = Starlette(routes=[Route("/v1/chat/completions", chat.answer, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    chat.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
    try:
        yield chat
    finally:
        chat.held.set()
        server.should_exit = True
        thread.join()
