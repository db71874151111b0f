"""When a request may leave: what the provider bears from this process, and the pace that all workers share."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from haechi.judge.limiter import Limiter
from haechi.store.connection import Connection
from haechi.store.paces import Signal, note_busy, take_slots

Write = Callable[[Callable[[Connection], Any]], Awaitable[Any]]


class Throttle:
    """The limiter of this process behind a rate and pauses that the study keeps for everybody.

    model: whose pace it is; rate: requests per minute of all workers together, None for no such limit.
    write: runs a function in a transaction of the study.
    """

    def __init__(self, limiter: Limiter, model: str, rate: float | None, write: Write) -> None:
        self._limiter, self._model, self._rate, self._write = limiter, model, rate, write
        self._wanting: deque[asyncio.Future[None]] = deque()
        self._dispenser: asyncio.Task[None] | None = None
        self._busy_at: float | None = None
        self._open = True

    async def enter(self) -> float:
        """Wait until a request may leave; gives the time of leaving, which `leave` wants back."""
        entered = await self._limiter.enter()
        if self._rate is None or not self._open:
            return entered
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wanting.append(place)
        if self._dispenser is None or self._dispenser.done():
            self._dispenser = asyncio.create_task(self._dispense(self._rate))
        try:
            await place
        except BaseException:
            self._limiter.leave(entered)
            raise
        return time.monotonic()

    @property
    def lets_all_through(self) -> bool:
        """Whether nobody has to wait longer than for a place."""
        return self._open and self._rate is None and not self._limiter.is_slowed

    async def leave(self, entered: float, busy: bool = False, after: float | None = None) -> None:
        """Give the place back, and tell the other workers if the provider is busy."""
        self._limiter.leave(entered, busy, after)
        if busy:
            ago = time.monotonic() - entered
            note = partial(note_busy, model=self._model, ago=ago, after=after)
            self._busy_at = await self._write(note)  # this process has slowed down already

    async def wait(self, seconds: float) -> None:
        """Let time pass before another attempt, but no longer than until everything is shut."""
        await self._limiter.wait(seconds)

    def give_back(self, entered: float, busy: bool = False) -> None:
        """Give the place back without a word to the other workers."""
        self._limiter.leave(entered, busy)

    def heed(self, signal: Signal) -> None:
        """Slow down with the worker that was told to; what was known before this run is past."""
        if self._busy_at is not None and signal.busy_at > self._busy_at:
            self._limiter.cut(time.monotonic() - signal.ago)
        self._busy_at = signal.busy_at
        if signal.pause:
            self._limiter.close(signal.pause)

    def shut(self) -> None:
        """Nobody waits for a slot any longer; whoever comes through must not send."""
        self._open = False
        self._limiter.shut()
        if self._dispenser is not None:
            self._dispenser.cancel()
        for place in self._wanting:
            if not place.done():
                place.set_result(None)

    async def _dispense(self, rate: float) -> None:
        """Take slots for those who wait, about a second's worth at a time: a worker that dies wastes no more."""
        try:
            while self._wanting and self._open:
                count = min(len(self._wanting), max(1, int(rate / 60)))
                take = partial(take_slots, model=self._model, count=count, rate=rate)
                delays = await self._write(take)
                began = time.monotonic()  # after the transaction, so that no slot is used too early
                for delay in delays:
                    await asyncio.sleep(began + delay - time.monotonic())
                    self._let_one_through()
        except Exception as error:  # noqa: BLE001 - it is raised by whoever waits
            for place in self._wanting:
                if not place.done():
                    place.set_exception(error)
            self._wanting.clear()

    def _let_one_through(self) -> None:
        while self._wanting:
            place = self._wanting.popleft()
            if not place.done():
                place.set_result(None)
                return
