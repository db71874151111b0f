"""What leaves is noted in the journal before it does, so that of a process that is gone nobody takes for lost what never left."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection

Note = Callable[[Collection[str]], Awaitable[set[str]]]


class Departures:
    """Notes departures in groups: all that gather while one group is being written make the next.

    note: writes that these calls leave, and gives those that still may.
    """

    def __init__(self, note: Note) -> None:
        self._note = note
        self._waiting: dict[str, asyncio.Future[bool]] = {}
        self._writing: asyncio.Task[None] | None = None

    async def leave(self, call: str) -> bool:
        """Whether the call may leave; it is on the disk by then that it does."""
        may: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[call] = may
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return await may

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, {}
            try:
                ours = await self._note(group)
            except Exception as error:  # noqa: BLE001 - it is raised by whoever waits
                for may in group.values():
                    if not may.done():
                        may.set_exception(error)
                continue
            for call, may in group.items():
                if not may.done():
                    may.set_result(call in ours)
