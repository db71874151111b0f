"""Many requests at once over small pools of connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

_EACH = 8


class Closing(Protocol):
    """What is needed of an SDK's client."""

    async def close(self) -> None:
        """Close the connections."""
        ...


C = TypeVar("C", bound=Closing)


class Pools(Generic[C]):
    """An SDK's clients, each with a pool of connections of its own, and few requests in each.

    A pool looks at all of its connections whenever a request comes or goes: with 64 in one pool that took a
    quarter of the time of a call. Clients are made when they are needed.
    """

    def __init__(self, connect: Callable[[], C]) -> None:
        self._connect = connect
        self.first = connect()
        self._clients, self._busy = [self.first], [0]

    @contextmanager
    def client(self) -> Iterator[C]:
        """A client for one request: the first that has a place, so that connections are used again."""
        place = next((number for number, busy in enumerate(self._busy) if busy < _EACH), len(self._busy))
        if place == len(self._busy):
            self._clients.append(self._connect())
            self._busy.append(0)
        self._busy[place] += 1
        try:
            yield self._clients[place]
        finally:
            self._busy[place] -= 1

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.close()
