"""Work that many requests share one loop for, done to the end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from haechi.interrupts import at_sigterm

T = TypeVar("T")


def run_to_end(work: Coroutine[object, object, T]) -> T:
    """Do it to the end; in a thread of its own where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_until_told(work))
    return _beside(work)


async def _until_told(work: Coroutine[object, object, T]) -> T:
    """Do it to the end, or until the process is told to stop: what is on its way is kept then too."""
    loop, task, told = asyncio.get_running_loop(), asyncio.ensure_future(work), False

    def stop() -> None:
        nonlocal told
        told = True
        loop.call_soon_threadsafe(task.cancel)

    with at_sigterm(stop):
        try:
            return await task
        except asyncio.CancelledError:
            if told:
                raise KeyboardInterrupt from None
            raise


def _beside(work: Coroutine[object, object, T]) -> T:
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def run() -> T:
        task = asyncio.ensure_future(work)
        begun.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(asyncio.run, run())
        try:
            return done.result()
        except KeyboardInterrupt:  # which reaches the notebook's thread only
            for loop, task in begun:
                with suppress(RuntimeError):  # it has just come to its end
                    loop.call_soon_threadsafe(task.cancel)
            raise
