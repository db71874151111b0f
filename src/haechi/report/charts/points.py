"""Points in a plane: AI against people, and difference against mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from haechi.frozen import frozen
from haechi.report.chart_items import items_behind, mark
from haechi.report.charts.canvas import (
    NARROW,
    WIDTH,
    Axis,
    bottom_axis,
    frame,
    left_axis,
    line,
    room_below,
    words,
)
from haechi.report.markup import Markup, tag
from haechi.report.numbers import number
from haechi.report.table import Cell, Column, Table, table
from haechi.stats.ratings import Floats

_FINE, _COARSE = 1.0, 6.0
_MANY = 500


@frozen
class ReferenceLine:
    """A straight line through two points; with a name at its right end."""

    start: tuple[float, float]
    end: tuple[float, float]
    name: str = ""
    strong: bool = False


@frozen
class Points:
    """Items with two values each; items without one of them are left out."""

    names: Sequence[str]
    x: Floats
    y: Floats

    @property
    def known(self) -> list[tuple[str, float, float]]:
        """The items that have both."""
        every = zip(self.names, self.x.tolist(), self.y.tolist(), strict=True)
        return [(name, x, y) for name, x, y in every if not math.isnan(x + y)]

    def values(self) -> Table:
        """What `scatter` draws, as a table for a file."""
        told: list[list[Cell]] = [list(one) for one in self.known]
        return table("", [Column("item", "words"), Column("x"), Column("y")], told)


def scatter(
    title: str,
    alt: str,
    points: Points,
    across: tuple[float, float],
    up: tuple[float, float],
    axes: tuple[str, str],
    lines: Sequence[ReferenceLine] = (),
    places: Mapping[str, int] | None = None,
    width: float = WIDTH,
) -> Markup:
    """Points and lines. Points in the same place become one larger point, so the picture stays small.

    >>> import numpy as np
    >>> points = Points(["s1"], np.array([1.0]), np.array([2.0]))
    >>> "circle" in scatter("t", "d", points, (0, 3), (0, 3), ("a", "b"))
    True
    """
    left, right, top = 40.0, width - 14.0, 34.0
    bottom = top + (250.0 if width <= NARROW else 340.0)
    h, v = Axis(*across, left, right), Axis(*up, bottom, top)
    parts = [left_axis(v, left, right, axes[1]), bottom_axis(h, top, bottom, axes[0])]
    for one in lines:
        (x1, y1), (x2, y2) = one.start, one.end
        parts.append(line(h(x1), v(y1), h(x2), v(y2), "zero" if one.strong else "cut"))
    known = points.known
    step = _COARSE if len(known) > _MANY else _FINE
    seen: dict[tuple[float, float], list[tuple[str, float, float]]] = {}
    for item in known:
        place = round(h(item[1]) / step) * step, round(v(item[2]) / step) * step
        seen.setdefault(place, []).append(item)
    for (px, py), here in seen.items():
        radius = min(12.0, 4.5 * len(here) ** 0.3)
        told = f"{number(here[0][1])}, {number(here[0][2])}" + (f" × {len(here):,}" if len(here) > 1 else "")
        drawn = tag("circle", cx=px, cy=py, r=radius, class_="point")
        parts.append(mark(told, drawn, items=items_behind([name for name, *_ in here], places or {})))
    for one in lines:
        if one.name:  # inside the picture, above the line's end, so that the picture has the whole width
            y, slanted = v(one.end[1]), one.start[1] != one.end[1]
            lower = y + 34 if slanted else y - 6 if y > top + 16 else y + 16
            parts.append(words(right - 4, lower, one.name, "end", "tick over"))
    return frame(title, alt, bottom + room_below(h, axes[0]), *parts, width=width)
