"""What a provider is: how its models are asked, and how its answers are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from haechi.judge.providers.base import Client
from haechi.judge.providers.keys import keep_secret
from haechi.judge.providers.lines import Lines


@dataclass(frozen=True)
class Provider:
    """A service or program that holds models; all that is special about it is said here.

    connect: from a model, an address and the seconds to wait to a `Client`, which needs `ask` and `close`, and the rest
    only for batches; `keys` are the environment variables that hold its keys, which are masked wherever they appear.
    takes_address: whether `MODEL@URL` is allowed; batches: whether it takes batches, so that `import --as NAME-batch`
    reads its result files; trial: a model too small for a judge, which is asked for little and one thing at a time.
    """

    name: str
    connect: Callable[[str, str | None, float], Client]
    lines: Lines
    keys: tuple[str, ...] = ()
    takes_address: bool = False
    batches: bool = True
    trial: bool = False
    model: str = "MODEL"

    def __post_init__(self) -> None:
        keep_secret(self.name, self.keys)
