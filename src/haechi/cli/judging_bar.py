"""The bar of one judge or agent while it is asked: numbers first, then the name, then a bar if there is room; quiet when nobody watches."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.progress import BarColumn, Progress, ProgressColumn, Task
from rich.text import Text as Line

from haechi.cli.judging_money import CallCosts, forecast_cost
from haechi.text import Text

if TYPE_CHECKING:
    from rich.console import Console

_BAR = 20
_WIDE = 100


def bar(console: Console) -> Progress:
    """A bar that stays on one line and is gone at the end; its task has the fields `done` and `width`."""
    columns: list[ProgressColumn] = [_Figures()]
    if console.width >= _WIDE:
        columns.append(BarColumn(bar_width=_BAR))
    return Progress(*columns, console=console, transient=True)


class _Figures(ProgressColumn):
    """Name, done, failed, rate, cost and time left, also while nothing comes back."""

    def render(self, task: Task) -> Line:
        width = int(task.fields["width"])
        room = width - _BAR - 1 if width >= _WIDE else width
        total = int(task.total or 0)
        said = figures(task.fields["done"], total, task.speed, task.time_remaining)
        return Line(fitted(task.description, said, room), no_wrap=True)


def figures(done: CallCosts, total: int, speed: float | None, left: float | None) -> str:
    """The numbers of a bar.

    >>> from haechi.judge.records import JudgingTotals
    >>> figures(JudgingTotals(answered=57, failed=1, cost=0.1587), 60, 13.94, 2)
    '58/60 · 실패 1 · 13.9/s · $0.1587 → $0.16 · 0:00:02 남음'
    """
    time = f"{timedelta(seconds=int(left))}" if left is not None else "-:--:--"
    parts = (
        f"{done.calls:,}/{max(total, done.calls):,}",
        f"{Text('실패', 'failed').say()} {done.failed:,}",
        f"{speed:.1f}/s" if speed else "",
        done.money + _foreseen(done, total),
        Text(f"{time} 남음", f"{time} left").say(),
    )
    return " · ".join(part for part in parts if part)


def _foreseen(done: CallCosts, total: int) -> str:
    """What all of it will cost, by what was done so far; only what judges cost is known."""
    found = forecast_cost(done.cost, done.calls, total) if done.cost and total > done.calls else None
    return f" → ${found:,.2f}" if found is not None else ""


def fitted(name: str, said: str, width: int) -> str:
    """A name and numbers in one line; the name gives way.

    >>> fitted("claude-haiku-4-5", "58/60 · 실패 1", 40), fitted("claude-haiku-4-5", "58/60 · 실패 1", 24)
    ('claude-haiku-4-5  58/60 · 실패 1', 'claude-…  58/60 · 실패 1')
    """
    room = width - cell_len(said) - 2
    if room < 2:
        return said
    if cell_len(name) > room:
        name = set_cell_size(name, room - 1).rstrip() + "…"
    return f"{name}  {said}"
