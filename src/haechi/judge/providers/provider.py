"""What a provider is: how its models are asked, and how its answers are read."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

from haechi.frozen import frozen
from haechi.judge.providers.base import Client, TryAgain
from haechi.judge.providers.keys import keep_secret, mask
from haechi.judge.providers.lines import Lines
from haechi.plugins.guard import Guard


def bare(address: str) -> str:
    """An address without what may be secret in it.

    >>> bare("https://me:word@host.example/v1?key=1")
    'https://host.example/v1'
    """
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


@frozen
class Provider:
    """A service or program that holds models; all that is special about it is said here.

    connect: from a model, an address and the seconds to wait to a `Client`, which needs `ask` and `close`, and the rest
    only for batches; `keys` are the environment variables that hold its keys, which are masked wherever they appear.
    takes_address: whether `MODEL@URL` is allowed; batches: whether it takes batches, so that `import --as NAME-batch`
    reads its result files; trial: a model too small for a judge, which is asked for little and one thing at a time.
    home: where it is asked, unless the environment variable `address_variable` says something else; sign: what its
    raters' names end with if it answers for the makers of its models; sdk: the package that asks.
    takes: what may be set of `Decoding` beside the token limit, which every provider takes. talks: whether it speaks the chat
    completions interface at its address, so that its models can be the agent under test and talk with people; its clients are
    `Talker`s then.
    """

    name: str
    connect: Callable[[str, str | None, float], Client]
    lines: Lines
    keys: tuple[str, ...] = ()
    takes_address: bool = False
    batches: bool = True
    trial: bool = False
    model: str = "MODEL"
    home: str | Callable[[], str] = ""
    address_variable: str = ""
    sign: str = ""
    sdk: str = ""
    takes: frozenset[str] = frozenset()
    talks: bool = False

    def __post_init__(self) -> None:
        keep_secret(self.name, self.keys)

    @property
    def address(self) -> str:
        """Where its models are asked, unless one names another address."""
        named = os.environ.get(self.address_variable, "").strip()
        return bare(named) if named else self.home() if callable(self.home) else self.home

    @property
    def sdk_version(self) -> str | None:
        """The package that asks, with its version."""
        try:
            return f"{self.sdk} {version(self.sdk)}" if self.sdk else None
        except PackageNotFoundError:
            return None


class _Guarded:
    """A client whose methods are guarded; it has whatever the client has that a package made."""

    def __init__(self, made: Client, guard: Guard) -> None:
        self._made, self._guard = made, guard

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._made, name)
        return self._guard.of(found) if callable(found) else found


def guarded(provider: Provider, guard: Guard) -> Provider:
    """The provider of an installed package: what its client raises names the package, without keys; that it is busy or slow is no error of the package.

    What cannot be read in an answer is known as such already (`faults.reading`), so that its lines stay as they are.
    """
    own = replace(guard, known=(TryAgain, TimeoutError), without=mask)
    connect = own.of(provider.connect)

    def connected(model: str, url: str | None, timeout: float) -> Client:
        return cast("Client", _Guarded(connect(model, url, timeout), own))

    return replace(provider, connect=connected)
