"""Dots with intervals, one row for each name: profiles, groups side by side, severity of raters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from haechi.frozen import frozen
from haechi.report.chart_items import NOTHING_BEHIND, ItemsBehind, mark
from haechi.report.charts.canvas import (
    LINE,
    NARROW,
    SERIES,
    WIDTH,
    Axis,
    bottom_axis,
    frame,
    legend,
    line,
    name_beside,
    name_lines,
    room_below,
    room_for,
    shape,
    words,
    wrap_name,
)
from haechi.report.markup import Markup
from haechi.report.numbers import number
from haechi.report.table import Cell, Column, Estimate, Table, say, table

_ROW, _SERIES, _NAME = 30.0, 15.0, 18.0
_VALUES = 52.0
"""Room for values at the right end of their rows."""


@frozen
class DotRow:
    """One name, and a figure for every series with the items behind it; a figure without a value leaves its place empty."""

    name: str
    figures: tuple[Estimate, ...]
    items: tuple[ItemsBehind, ...] = ()


def by_value(rows: Iterable[DotRow]) -> list[DotRow]:
    """The rows by the mean of their figures, the highest first; equal ones as they came, what has none last.

    >>> [row.name for row in by_value([DotRow("a", (Estimate(1.0),)), DotRow("b", (Estimate(2.0),))])]
    ['b', 'a']
    >>> [row.name for row in by_value([DotRow("a", (Estimate(0.3),)), DotRow("b", (Estimate(0.1 + 0.2),))])]
    ['a', 'b']
    """

    def height(row: DotRow) -> float:
        known = [one.value for one in row.figures if one.value is not None]
        return float(f"{sum(known) / len(known):.9g}") if known else float("-inf")

    return sorted(rows, key=height, reverse=True)


def dot_values(rows: Sequence[DotRow], series: Sequence[str] = ()) -> Table:
    """What `dot_chart` draws, as a table for a file.

    >>> dot_values([DotRow("A1", (Estimate(3.0, 2.0, 4.0),))]).rows
    (('A1', 3.0, 2.0, 4.0),)
    """
    told: list[list[Cell]] = [
        [row.name, *([series[place]] if series else []), one.value, one.low, one.high]
        for row in rows
        for place, one in enumerate(row.figures)
    ]
    heads = [Column("name", "words"), *([Column("series", "words")] if series else [])]
    return table("", [*heads, Column("value"), Column("low"), Column("high")], told)


def dot_chart(
    title: str,
    alt: str,
    rows: Sequence[DotRow],
    low: float,
    high: float,
    series: Sequence[str] = (),
    zero: bool = False,
    axis: str = "",
    width: float = WIDTH,
) -> Markup:
    """Dots with their intervals between `low` and `high`, and their values; `zero` marks the line of no difference.

    >>> "circle" in dot_chart("t", "d", [DotRow("A1", (Estimate(3.0, 2.0, 4.0),))], 1, 5)
    True
    """
    many = max((len(row.figures) for row in rows), default=1)
    narrow = width <= NARROW
    left = 10.0 if narrow else room_for(row.name for row in rows)
    right = width - _VALUES
    names = [wrap_name(row.name, width - 20 if narrow else left - 20) for row in rows]
    key, top = legend(series, 16, left, right) if series else (Markup(""), -2.0)
    top += 14
    steps = [_step(len(lines), many, narrow) for lines in names]
    bottom = top + sum(steps)
    scale = Axis(low, high, left, right)
    parts = [bottom_axis(scale, top, bottom, axis), key]
    if zero:
        parts.append(line(scale(0.0), top, scale(0.0), bottom, "zero"))
    start = top
    for row, lines, step in zip(rows, names, steps, strict=True):
        above = _NAME + LINE * (len(lines) - 1) if narrow else 0.0
        middle = start + above + (step - above) / 2
        parts.append(
            name_lines(left - 6, start + 16, lines, class_="label over")
            if narrow
            else name_beside(left - 12, middle, lines)
        )
        for place, figure in enumerate(row.figures):
            y = middle + (place - (len(row.figures) - 1) / 2) * _SERIES
            told = f"{row.name} · {series[place]}" if series else row.name
            items = row.items[place] if row.items else NOTHING_BEHIND
            parts.append(_dot(scale, y, figure, place, told, items))
        start += step
    return frame(title, alt, bottom + room_below(scale, axis), *parts, width=width)


def _step(lines: int, many: int, narrow: bool) -> float:
    """How high a row is: its name and so many dots, below each other on a phone."""
    if narrow:
        return _NAME + LINE * (lines - 1) + max(24.0, _SERIES * many + 12 - _NAME / 3)
    return max(_ROW, _SERIES * many + 12, LINE * lines + 10)


def _dot(scale: Axis, y: float, figure: Estimate, place: int, told: str, items: ItemsBehind) -> Markup:
    if figure.value is None:
        return words(scale.end + 8, y + 4, "–", class_="tick")
    parts = []
    if figure.low is not None and figure.high is not None:
        colour = SERIES[place % len(SERIES)]
        parts.append(line(scale(figure.low), y, scale(figure.high), y, f"whisker {colour}"))
    parts.append(shape(scale(figure.value), y, place))
    value = words(scale.end + 8, y + 4, number(figure.value), class_="tick value")
    return mark(f"{told}: {say(figure)}", *parts, value, items=items)
