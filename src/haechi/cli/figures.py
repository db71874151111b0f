"""Figures for the eye: short numbers, intervals, and colours that say how good they are."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from haechi.stats.figure import Figure
from haechi.stats.interpretation import CUT_OFFS, Statistic

NOTHING = "[dim]–[/]"


def short(value: float | None, places: int = 2) -> str:
    """A number without its leading zero, as statistics are usually printed.

    >>> short(0.294), short(-0.1), short(12.3), short(1.0), short(-0.001)
    ('.29', '-.10', '12.30', '1.00', '.00')
    """
    if value is None:
        return NOTHING
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def interval(found: Figure, places: int = 2) -> str:
    """The ends of an interval.

    >>> interval(Figure(0.5, 9, (0.1, 0.93)))
    ' [dim]\\\\[.10, .93][/]'
    """
    if found.value is None or found.ci95 is None:
        return ""
    low, high = (short(end, places) for end in found.ci95)
    return f" [dim]\\[{low}, {high}][/]"


def graded(statistic: Statistic, found: Figure, with_interval: bool = False) -> str:
    """A coefficient coloured by its cut-offs: green where they call it good, yellow between, red where poor.

    >>> graded("krippendorff_alpha", Figure(0.85, 9)), graded("icc", Figure(0.3, 9))
    ('[green].85[/]', '[red].30[/]')
    """
    if found.value is None:
        return NOTHING
    scale = CUT_OFFS[statistic]
    rank = bisect_right(scale.cuts, found.value) / len(scale.cuts)
    colour = "red" if rank < 0.3 else "yellow" if rank < 0.65 else "green"
    return f"[{colour}]{short(found.value)}[/]" + (interval(found) if with_interval else "")


def plain_figure(found: Figure, places: int = 2, with_interval: bool = True) -> str:
    """A figure without colour, with its interval."""
    if found.value is None:
        return NOTHING
    return short(found.value, places) + (interval(found, places) if with_interval else "")


def percent(found: Figure) -> str:
    """A share as a percentage.

    >>> percent(Figure(0.625, 8))
    '62 %'
    """
    return NOTHING if found.value is None else f"{found.value:.0%}".replace("%", " %")


def p_value(p: float | None) -> str:
    """A p-value, bold below .05.

    >>> p_value(0.0004), p_value(0.2)
    ('[bold]<.001[/]', '.200')
    """
    if p is None:
        return NOTHING
    text = "<.001" if p < 0.001 else short(p, 3)
    return f"[bold]{text}[/]" if p < 0.05 else text


def narrow(made: Any) -> Any:
    """A table with little space between its columns; long names in the first one are folded."""
    made.padding = (0, 1, 0, 0)
    made.columns[0].no_wrap, made.columns[0].overflow = False, "fold"
    return made
