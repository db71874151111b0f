"""An agent that is a program: JSON on its input, JSON on its output, one process for each turn."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from haechi.agents.description import Description
from haechi.agents.reply import LARGEST, AgentReply, AgentTurn, failed_reply, unparseable_reply
from haechi.judge.providers.base import Misconfigured
from haechi.judge.providers.wire import load
from haechi.text import Text

_PIECE = 65_536
_SHOWN = 300


class CommandAgent:
    """Starts a program for each turn, in the folder of its description, with the environment of this process."""

    def __init__(self, name: str, description: Description, folder: Path) -> None:
        self.name, self._description, self._folder = name, description, folder
        self._command = description.command or ()

    @property
    def about(self) -> dict[str, Any]:
        """Which program it is."""
        return {"agent": self.name, "at": " ".join(self._command), "variables": []}

    async def ask(self, turn: AgentTurn, first: Callable[[], None]) -> AgentReply:
        """One reply; a program that fails or says something else than JSON is a reply too, with its error."""
        try:
            # A session of its own: whatever it has started ends with it.
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=self._folder, start_new_session=True
            )
        except OSError as error:
            raise Misconfigured.by(
                self.name,
                f"{self._command[0]}: {error.strerror or error}",
                Text("실행할 수 있는 명령", "a command that can be started"),
                Text("에이전트 설명의 command를 고치세요", "correct `command` in the agent's description"),
            ) from None
        try:
            _, output, complaint = await asyncio.gather(
                _give(process, orjson.dumps(turn._asdict())),
                _take(process.stdout, first),
                _take(process.stderr, lambda: None),
            )
            code = await process.wait()
        finally:
            _end(process)
            await process.wait()
        return self._read(output, complaint, code)

    async def close(self) -> None:
        """Nothing is open between turns."""

    def _read(self, output: bytes | None, complaint: bytes | None, code: int) -> AgentReply:
        if output is None:
            return failed_reply(f"unparseable: longer than {LARGEST // 2**20} MiB")
        if code:
            words = (complaint or b"").decode("utf-8", "replace").strip()[-_SHOWN:]
            return failed_reply(f"exit code {code}: {words}", output.decode("utf-8", "replace"))
        try:
            return self._description.answer.read(load(output))
        except json.JSONDecodeError as error:
            return unparseable_reply(f"no JSON ({error})", output.decode("utf-8", "replace"))


async def _give(process: Process, content: bytes) -> None:
    if process.stdin is None:
        return
    with suppress(ConnectionError):  # a program need not read what it is given
        process.stdin.write(content)
        await process.stdin.drain()
    process.stdin.close()


async def _take(stream: asyncio.StreamReader | None, first: Callable[[], None]) -> bytes | None:
    """All that a program writes; None if it is too much, of which nothing is kept."""
    pieces: list[bytes] = []
    size = 0
    while stream is not None and (piece := await stream.read(_PIECE)):
        first()
        size += len(piece)
        if size <= LARGEST:
            pieces.append(piece)
    return b"".join(pieces) if size <= LARGEST else None


def _end(process: Process) -> None:
    """End the program, and what it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
