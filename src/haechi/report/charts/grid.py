"""A heat map: every rater against every other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haechi.report.charts.canvas import WIDTH, fitting, frame, words
from haechi.report.markup import Markup, tag
from haechi.report.table import Estimate, say

_LEFT = 170.0


def heat_map(title: str, alt: str, names: Sequence[str], cells: Mapping[tuple[str, str], Estimate]) -> Markup:
    """Agreement of every pair; the stronger the colour, the nearer to 1. Below 0 is empty.

    >>> "rect" in heat_map("t", "d", ["a", "b"], {("a", "b"): Estimate(0.8)})
    True
    """
    side = min(106.0, (WIDTH - _LEFT - 20) / max(1, len(names)))
    height = min(side, 44.0)
    top = 34.0
    parts = []
    for row, down in enumerate(names):
        y = top + row * height
        parts.append(words(_LEFT - 10, y + height / 2 + 4, fitting(down, _LEFT - 20), "end"))
        parts.append(words(_LEFT + (row + 0.5) * side, top - 10, fitting(down, side + 16), "middle", "tick"))
        for column, across in enumerate(names):
            x = _LEFT + column * side
            if row == column:
                continue
            found = cells.get((down, across)) or cells.get((across, down)) or Estimate(None)
            strength = max(0.0, min(1.0, found.value)) ** 1.5 if found.value is not None else 0.0
            parts.append(
                tag(
                    "rect",
                    x=x,
                    y=y,
                    width=side - 2,
                    height=height - 2,
                    class_="bar cell",
                    fill_opacity=strength,
                )
            )
            ink = "on-dark" if strength > 0.5 else "on-light"
            shown = say(Estimate(found.value), "coefficient")
            parts.append(words(x + side / 2 - 1, y + height / 2 + 4, shown, "middle", f"tick {ink}"))
    return frame(title, alt, top + height * len(names) + 6, *parts)
