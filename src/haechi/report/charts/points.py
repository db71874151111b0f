"""Points in a plane: AI against people, and difference against mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from haechi.report.charts.canvas import Axis, bottom_axis, frame, left_axis, line, words
from haechi.report.markup import Markup, tag
from haechi.stats.ratings import Floats

_FINE, _COARSE = 1.0, 6.0
_MANY = 500


@dataclass(frozen=True)
class Line:
    """A straight line through two points; with a name at its right end."""

    start: tuple[float, float]
    end: tuple[float, float]
    name: str = ""
    strong: bool = False


def scatter(
    title: str,
    alt: str,
    x: Floats,
    y: Floats,
    across: tuple[float, float],
    up: tuple[float, float],
    axes: tuple[str, str],
    lines: Sequence[Line] = (),
) -> Markup:
    """Points and lines. Points in the same place become one larger point, so the picture stays small.

    >>> "circle" in scatter("t", "d", np.array([1.0]), np.array([2.0]), (0, 3), (0, 3), ("a", "b"))
    True
    """
    left, right, top, bottom = 60.0, 560.0, 34.0, 330.0
    h, v = Axis(*across, left, right), Axis(*up, bottom, top)
    parts = [left_axis(v, left, right, axes[1]), bottom_axis(h, top, bottom, axes[0])]
    for one in lines:
        (x1, y1), (x2, y2) = one.start, one.end
        parts.append(line(h(x1), v(y1), h(x2), v(y2), "zero" if one.strong else "cut"))
        if one.name:
            parts.append(words(right + 8, v(y2) + 4, one.name, class_="tick"))
    known = ~(np.isnan(x) | np.isnan(y))
    step = _COARSE if int(known.sum()) > _MANY else _FINE
    places: dict[tuple[float, float], int] = {}
    for a, b in zip(x[known].tolist(), y[known].tolist(), strict=True):
        place = round(h(a) / step) * step, round(v(b) / step) * step
        places[place] = places.get(place, 0) + 1
    for (px, py), count in places.items():
        radius = min(12.0, 4.0 * count**0.3)
        parts.append(tag("circle", cx=px, cy=py, r=radius, class_="point"))
    return frame(title, alt, bottom + 42, *parts)
