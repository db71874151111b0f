"""A bar while judges work: done, failed, rate, cost, time left; quiet when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from haechi.text import Text

if TYPE_CHECKING:
    from haechi.raters.recording import Done


@contextmanager
def judging(name: str, total: Callable[[], int]) -> Iterator[Callable[[Done], None]]:
    """The bar of one judge; the total is counted only if there is a terminal to show it on."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} · {task.fields[rate]} · ${task.fields[cost]:.4f}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        failed = Text("실패", "failed").say()
        task = progress.add_task(name, total=total(), failed=f"{failed} 0", rate="", cost=0.0)

        def advance(done: Done) -> None:
            speed = progress.tasks[0].speed
            rate = f"{speed:.1f}/s" if speed else ""
            count = f"{failed} {done.failed:,}"
            progress.update(task, completed=done.calls, failed=count, rate=rate, cost=done.cost)

        yield advance
