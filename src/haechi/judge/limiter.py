"""How many requests may be on their way at once: as many as the provider bears."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from contextlib import suppress

_FIRST = 16  # at once, before anything is known of the provider
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0


class Limiter:
    """Doubles while all goes well, halves when the provider is busy, and then grows by one per round.

    When even one at a time is too much, everybody waits, longer each time: less than one is on its way then. The halving counts once for all requests that were on their way together, and a wish to wait
    (`retry-after`) holds back everybody.

    >>> limiter = Limiter(64)
    >>> limiter.limit
    16.0
    """

    def __init__(self, most: int, first_wait: float = _FIRST_WAIT) -> None:
        self.most, self._first_wait = most, first_wait
        self._too_much = 0  # how often even one at a time was too much, less what went well since
        self.limit = float(min(_FIRST, most))
        self.running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._growing_fast = True
        self._cut_at = self._closed_until = 0.0
        self._shut = asyncio.Event()

    @property
    def is_slowed(self) -> bool:
        """Whether fewer are let in than could be."""
        return int(self.limit) < self.most or self._closed_until > time.monotonic()

    async def enter(self) -> float:
        """Wait for a place; gives the time of entering, which `leave` wants back."""
        while not self._shut.is_set():
            pause = self._closed_until - time.monotonic()
            if pause > 0:
                await self.wait(pause)
            elif self.running < int(self.limit):
                self.running += 1
                return time.monotonic()
            else:
                place = asyncio.get_running_loop().create_future()
                self._waiting.append(place)
                await place
        self.running += 1
        return time.monotonic()

    async def wait(self, seconds: float) -> None:
        """Let time pass, but no longer than until everything is shut."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._shut.wait(), seconds)

    def shut(self) -> None:
        """Nobody waits any longer: whoever comes through now must not send."""
        self._shut.set()
        for place in self._waiting:
            if not place.done():
                place.set_result(None)

    def leave(self, entered: float, busy: bool = False, after: float | None = None) -> None:
        """Give the place back and say how it went."""
        self.running -= 1
        if busy:
            self.cut(entered)
            if after:
                self.close(after)
        else:
            self._too_much = max(0, self._too_much - 1)
            self.limit = min(float(self.most), self.limit + (1.0 if self._growing_fast else 1.0 / self.limit))
        free = int(self.limit) - self.running
        while self._waiting and free > 0:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1

    def cut(self, entered: float) -> None:
        """The provider was busy for a request that left at `entered`: halve, unless that was done since."""
        if entered > self._cut_at:
            self._cut_at = time.monotonic()
            self._growing_fast = False
            if self.limit == 1.0:
                self._too_much += 1
                self.close(pause_before(self._too_much, None, self._first_wait))
            self.limit = max(1.0, self.limit / 2)

    def close(self, seconds: float) -> None:
        """Let nobody in for a while."""
        self._closed_until = max(self._closed_until, time.monotonic() + min(seconds, _LONGEST_WAIT))


def pause_before(attempt: int, wished: float | None, first: float = _FIRST_WAIT) -> float:
    """Seconds until the next attempt: doubling, with jitter, and never before the provider wishes.

    >>> 0.25 <= pause_before(1, None) <= 0.5, 4.0 <= pause_before(1, 4.0) <= 4.5
    (True, True)
    """
    base = min(_LONGEST_WAIT, first * 2 ** (attempt - 1))
    jittered: float = base * random.uniform(0.5, 1.0)  # noqa: S311 - no secret depends on it
    return wished + jittered * 0.5 if wished else jittered
