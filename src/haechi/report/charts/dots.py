"""Dots with intervals, one row for each name: profiles, groups side by side, severity of raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from haechi.report.charts.canvas import (
    SERIES,
    Axis,
    bottom_axis,
    fitting,
    frame,
    legend,
    line,
    room_for,
    words,
)
from haechi.report.markup import Markup, tag
from haechi.report.numbers import number
from haechi.report.table import Estimate, say

_RIGHT, _ROW = 675.0, 30.0


@dataclass(frozen=True)
class DotRow:
    """One name, and a figure for every series; a figure without a value leaves its place empty."""

    name: str
    figures: tuple[Estimate, ...]


def dot_chart(
    title: str,
    alt: str,
    rows: Sequence[DotRow],
    low: float,
    high: float,
    series: Sequence[str] = (),
    zero: bool = False,
    axis: str = "",
) -> Markup:
    """Dots with their intervals between `low` and `high`; `zero` marks the line of no difference.

    >>> "circle" in dot_chart("t", "d", [DotRow("A1", (Estimate(3.0, 2.0, 4.0),))], 1, 5)
    True
    """
    many = max((len(row.figures) for row in rows), default=1)
    step = max(_ROW, 12.0 * many + 16)
    left = room_for(row.name for row in rows)
    top = 30.0 if series else 12.0
    bottom = top + step * len(rows)
    scale = Axis(low, high, left, _RIGHT)
    parts = [bottom_axis(scale, top, bottom, axis)]
    if zero:
        parts.append(line(scale(0.0), top, scale(0.0), bottom, "zero"))
    if series:
        parts.append(legend(list(series), 16, left))
    for index, row in enumerate(rows):
        middle = top + step * (index + 0.5)
        parts.append(words(left - 12, middle + 4, fitting(row.name, left - 20), "end"))
        for place, figure in enumerate(row.figures):
            y = middle + (place - (len(row.figures) - 1) / 2) * 12
            name = f"{row.name} · {series[place]}" if series else row.name
            parts.append(_dot(scale, y, figure, place, name))
            if len(row.figures) == 1 and figure.value is not None:
                parts.append(words(_RIGHT + 4, middle + 4, number(figure.value), class_="tick value"))
    return frame(title, alt, bottom + (42 if axis else 26), *parts)


def _dot(scale: Axis, y: float, figure: Estimate, place: int, name: str) -> Markup:
    if figure.value is None:
        return words(scale.start + 4, y + 4, "–", class_="tick")
    colour = SERIES[place % len(SERIES)]
    parts = []
    if figure.low is not None and figure.high is not None:
        parts.append(line(scale(figure.low), y, scale(figure.high), y, f"whisker {colour}"))
    parts.append(tag("circle", cx=scale(figure.value), cy=y, r=5.0, class_=f"dot {colour}"))
    return tag("g", tag("title", f"{name}: {say(figure)}"), *parts)
