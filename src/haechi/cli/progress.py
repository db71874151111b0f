"""A bar while judges work: done, failed, rate, cost, time left; quiet when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from haechi.judge.records import Done


@contextmanager
def judging(name: str, total: Callable[[], int]) -> Iterator[Callable[[Done], None]]:
    """The bar of one judge; the total is counted only if there is a terminal to show it on."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    from haechi.cli.judging_bar import bar
    from haechi.judge.records import Done

    console = Console(stderr=True)
    with bar(console) as progress:
        task = progress.add_task(name, total=total(), done=Done(), width=console.width)

        def advance(done: Done) -> None:
            progress.update(task, completed=done.calls, done=done)

        yield advance
