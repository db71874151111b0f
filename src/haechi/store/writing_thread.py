"""Transactions of a run: all that is to be written at one moment goes into one, and is on the disk when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from haechi.store.connection import Connection
from haechi.store.database import Database

T = TypeVar("T")


class WritingThread:
    """Writes in a thread of its own, so that no answer waits to be read while another one is written.

    What fails undoes all that was written with it, and is raised by whoever waits for any of it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[tuple[Callable[[Connection], Any], asyncio.Future[Any]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "haechi-journal")

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do something in a transaction; it is kept when this returns."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((work, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        return await done

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            some, self._waiting = self._waiting, []
            try:
                results = await loop.run_in_executor(self._thread, self._together, [work for work, _ in some])
            except Exception as error:  # noqa: BLE001 - it is raised by whoever waits
                for _, done in some:
                    if not done.done():
                        done.set_exception(error)
                continue
            for (_, done), result in zip(some, results, strict=True):
                if not done.done():
                    done.set_result(result)

    def _together(self, works: list[Callable[[Connection], Any]]) -> list[Any]:
        with self._database.write_alone() as connection:
            return [work(connection) for work in works]
