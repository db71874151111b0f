"""Every item as a dot in its place, stacked where items are alike: two clusters look like two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from haechi.frozen import frozen
from haechi.report.chart_items import NOTHING_BEHIND, ItemsBehind, browser_items, items_behind, mark
from haechi.report.charts.canvas import (
    LINE,
    NARROW,
    WIDTH,
    Axis,
    bottom_axis,
    frame,
    line,
    name_lines,
    room_below,
    room_for,
    words,
    wrap_name,
)
from haechi.report.markup import Markup, tag
from haechi.report.numbers import number
from haechi.report.table import Cell, Column, Estimate, Table, say, table
from haechi.stats.ratings import Floats
from haechi.stats.sample import Sample
from haechi.text import Text

_NAME, _MEAN, _HIGHEST = 18.0, 20.0, 96.0
_MOST_DOTS = 400
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_SIZES = (5.0, 4.0, 3.0, 2.2, 1.6)


@frozen
class Dot:
    """Some items next to each other in order, at the middle of their values."""

    value: float
    n: int = 1
    items: ItemsBehind = NOTHING_BEHIND


@frozen
class SwarmRow:
    """The items of one name as dots in ascending order, and their mean with its interval."""

    name: str
    dots: tuple[Dot, ...]
    mean: Estimate
    items: ItemsBehind = NOTHING_BEHIND

    @property
    def each(self) -> int:
        """How many items a dot stands for."""
        return max((dot.n for dot in self.dots), default=1)


def dots_of_items(items: Sequence[str], values: Floats, places: Mapping[str, int]) -> tuple[Dot, ...]:
    """Items as dots, each with those that it stands for.

    >>> [dot.value for dot in dots_of_items(["b", "a"], np.array([2.0, 1.0]), {})]
    [1.0, 2.0]
    """
    order = np.argsort(values, kind="stable")
    each = _each(order.size)
    chunks = [order[start : start + each] for start in range(0, order.size, each)]
    medians = [
        (values[chunk[(chunk.size - 1) // 2]] + values[chunk[chunk.size // 2]]) / 2 for chunk in chunks
    ]
    return tuple(
        Dot(float(median), chunk.size, items_behind([items[place] for place in chunk], places))
        for chunk, median in zip(chunks, medians, strict=True)
    )


def dots_of_sample(sample: Sample, score: str, meta: Mapping[str, str] | None = None) -> tuple[Dot, ...]:
    """Values of which only the counts are known as dots; the item browser has the items with such a score.

    >>> [(dot.value, dot.n) for dot in dots_of_sample(Sample.of([1.0] * 500 + [3.0] * 500), "total")][::100]
    [(1.0, 5), (3.0, 5)]
    """
    each, ends = _each(sample.n), np.cumsum(sample.count)
    starts = np.arange(0, sample.n, each)
    sizes = np.minimum(each, sample.n - starts)
    lower, upper, first, last = (
        sample.values[np.searchsorted(ends, starts + place, side="right")]
        for place in ((sizes - 1) // 2, sizes // 2, 0, sizes - 1)
    )
    known = zip((lower + upper) / 2, sizes.tolist(), first.tolist(), last.tolist(), strict=True)
    return tuple(
        Dot(float(value), int(n), browser_items(score, meta, low=low, high=high))
        for value, n, low, high in known
    )


def _each(n: int) -> int:
    """How many items a dot stands for, so that there are not too many dots."""
    known = next((step for step in _STEPS if n <= step * _MOST_DOTS), None)
    return known or -(-n // _MOST_DOTS)


def swarm_values(rows: Sequence[SwarmRow]) -> Table:
    """What `swarm` draws, as a table for a file: every dot, then the means."""
    told: list[list[Cell]] = [
        [row.name, dot.items.names[0] if dot.n == 1 and dot.items.names else "", dot.value, dot.n, None, None]
        for row in rows
        for dot in row.dots
    ]
    told += [[row.name, "mean", row.mean.value, None, row.mean.low, row.mean.high] for row in rows]
    heads = [Column("name", "words"), Column("dot", "words"), Column("value"), Column("items", "count")]
    return table("", [*heads, Column("low"), Column("high")], told)


def swarm(
    title: str,
    alt: str,
    rows: Sequence[SwarmRow],
    low: float,
    high: float,
    axis: str = "",
    width: float = WIDTH,
) -> Markup:
    """Rows of dots; below each row its mean with the interval, and the mean's value at the right.

    >>> "circle" in swarm("t", "d", [SwarmRow("a", (Dot(1.0), Dot(1.0)), Estimate(1.0, 0.5, 1.5))], 0, 2)
    True
    """
    narrow = width <= NARROW
    left = 10.0 if narrow else room_for(row.name for row in rows)
    right = width - 52.0
    scale = Axis(low, high, left, right)
    size = next((one for one in _SIZES if _highest(rows, scale, one) * 2 * one <= _HIGHEST), _SIZES[-1])
    top = 12.0
    y, parts = top, list[Markup]()
    for row in rows:
        levels = _levels([scale(dot.value) for dot in row.dots], size)
        lines = wrap_name(row.name, width - 20 if narrow else left - 20)
        tall = max(24.0, (max(levels, default=0) + 1) * 2 * size + 8, 0.0 if narrow else LINE * len(lines))
        base = y + (_NAME + LINE * (len(lines) - 1) if narrow else 0.0) + tall
        parts.append(
            name_lines(left - 6, y + 14, lines, class_="label over")
            if narrow
            else name_lines(left - 12, base - 2 - LINE * (len(lines) - 1), lines, "end")
        )
        parts += _dots(row, levels, scale, base, size)
        parts += _mean(row, scale, base + 10)
        y = base + _MEAN
    grid = bottom_axis(scale, top, y, axis)
    each = max((row.each for row in rows), default=1)
    if each > 1:
        said = Text(f"점 하나는 항목 약 {each:,}개", f"a dot stands for about {each:,} items").say()
        parts.append(words(right, 10, said, "end", "axis"))
    return frame(title, alt, y + room_below(scale, axis), grid, *parts, width=width)


def _dots(row: SwarmRow, levels: Sequence[int], scale: Axis, base: float, size: float) -> list[Markup]:
    return [
        mark(
            f"{row.name}: {number(dot.value)}" + (f" × {dot.n:,}" if dot.n > 1 else ""),
            tag(
                "circle",
                cx=scale(dot.value),
                cy=base - size - level * 2 * size,
                r=size - 0.4,
                class_="one",
            ),
            items=dot.items,
        )
        for dot, level in zip(row.dots, levels, strict=True)
    ]


def _mean(row: SwarmRow, scale: Axis, y: float) -> list[Markup]:
    """The mean with its interval, below the dots."""
    if row.mean.value is None:
        return []
    parts = []
    if row.mean.low is not None and row.mean.high is not None:
        parts.append(line(scale(row.mean.low), y, scale(row.mean.high), y, "whisker s2"))
    x, away = scale(row.mean.value), 6.0
    diamond = f"{x:.1f},{y - away} {x + away:.1f},{y} {x:.1f},{y + away} {x - away:.1f},{y}"
    parts.append(tag("polygon", points=diamond, class_="dot s2"))
    parts.append(words(scale.end + 8, y + 4, number(row.mean.value), class_="tick value"))
    told = f"{row.name}: {Text('평균', 'mean').say()} {say(row.mean)}"
    return [mark(told, *parts, items=row.items)]


def _highest(rows: Sequence[SwarmRow], scale: Axis, size: float) -> int:
    return max(
        (max(_levels([scale(dot.value) for dot in row.dots], size), default=0) + 1 for row in rows), default=1
    )


def _levels(places: Sequence[float], size: float) -> list[int]:
    """How high each dot stands: on the lowest level on which it touches no other; places ascend.

    >>> _levels([0.0, 1.0, 20.0], 5.0)
    [0, 1, 0]
    """
    last: list[float] = []
    found = []
    for place in places:
        free = next((level for level, at in enumerate(last) if place - at >= 2 * size), len(last))
        if free == len(last):
            last.append(place)
        else:
            last[free] = place
        found.append(free)
    return found
