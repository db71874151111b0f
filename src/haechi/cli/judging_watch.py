"""A run of calls is watched where there is a terminal to show it on; what draws it is imported only there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from haechi.cli.judging_money import CallCosts


@contextmanager
def judging(
    name: str, total: Callable[[], int], nothing: CallCosts, quiet: bool
) -> Iterator[Callable[[CallCosts], None]]:
    """The bar of a run, of which nothing is done yet; the total is counted only if there is a terminal to show it on."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    from haechi.cli.judging_bar import bar

    console = Console(stderr=True)
    with bar(console) as progress:
        task = progress.add_task(name, total=total(), done=nothing, width=console.width)

        def advance(done: CallCosts) -> None:
            progress.update(task, completed=done.calls, done=done)

        yield advance
