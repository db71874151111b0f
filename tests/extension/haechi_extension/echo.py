"""A provider: a function in place of a model, which gives everything the best grade; it answers batches at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from haechi.judge.providers.base import BatchState, Limits, Request
from haechi.judge.providers.bodies import Answer
from haechi.judge.providers.lines import Lines
from haechi.judge.providers.provider import Provider

_BATCHES: dict[str, list[str]] = {}


def _best(schema: dict[str, Any]) -> Any:
    if schema["type"] == "object":
        return {name: _best(part) for name, part in schema["properties"].items()}
    return schema["enum"][0] if "enum" in schema else ""


class Echo:
    """A model that is at hand."""

    limits = Limits(1_000, 1_000_000)

    def __init__(self, model: str, url: str | None, timeout: float) -> None:
        self._model = model

    async def ask(self, request: Request) -> dict[str, Any]:
        return {"echo": request.id, "by": self._model, "text": json.dumps(_best(request.schema))}

    def line(self, request: Request) -> bytes:
        asked = {"echo": request.id, "by": self._model, "text": json.dumps(_best(request.schema))}
        return json.dumps(asked).encode() + b"\n"

    async def submit(self, requests: Path, mark: str) -> str:
        _BATCHES[mark] = requests.read_text("utf-8").splitlines()
        return mark

    async def find(self, mark: str, since: float, is_ours: Callable[[str], bool]) -> str | None:
        return mark if mark in _BATCHES else None

    async def look(self, remote: str) -> BatchState:
        return BatchState("ended", whole=True, done=len(_BATCHES[remote]))

    async def results(self, remote: str) -> AsyncIterator[str]:
        for line in _BATCHES[remote]:
            yield line

    async def cancel(self, remote: str) -> None:
        del _BATCHES[remote]

    async def talk(self, messages: list[dict[str, str]], longest: int) -> AsyncIterator[str | dict[str, int]]:
        yield messages[-1]["content"]
        yield {"input": 1, "output": 1}

    async def close(self) -> None:
        pass


PROVIDER = Provider(
    "echo",
    Echo,
    Lines(
        fits=lambda record: "echo" in record,
        answer=lambda record: Answer(record.get("text"), record.get("by"), {"input": 1, "output": 1}, "stop"),
        is_result=lambda record: "text" in record,
        is_done=lambda record: "text" in record,
        where="echo",
    ),
    keys=("ECHO_KEY",),
    home="http://127.0.0.1:9/v1",
    talks=True,
)
