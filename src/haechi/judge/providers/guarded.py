"""A provider of an installed package: what its client raises names the package, without keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from haechi.guard import Guard
from haechi.judge.providers.base import Client, TryAgain
from haechi.judge.providers.keys import mask
from haechi.judge.providers.provider import Provider


class _Client:
    """A client whose methods are guarded; it has whatever the client has that a package made."""

    def __init__(self, made: Client, guard: Guard) -> None:
        self._made, self._guard = made, guard

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._made, name)
        return self._guard.of(found) if callable(found) else found


def guarded(provider: Provider, guard: Guard) -> Provider:
    """The same provider; that it is busy or slow is no error of the package.

    What cannot be read in an answer is known as such already (`faults.reading`), so that its lines stay as they are.
    """
    own = replace(guard, known=(TryAgain, TimeoutError), without=mask)
    connect = own.of(provider.connect)

    def connected(model: str, url: str | None, timeout: float) -> Client:
        return cast("Client", _Client(connect(model, url, timeout), own))

    return replace(provider, connect=connected)
