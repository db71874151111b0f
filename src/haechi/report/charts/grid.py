"""A heat map: every rater against every other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haechi.report.chart_items import NOTHING_BEHIND, ItemsBehind, mark
from haechi.report.charts.canvas import (
    LINE,
    NARROW,
    WIDTH,
    frame,
    name_beside,
    room_for,
    text_width,
    words,
    wrap_name,
)
from haechi.report.markup import Markup, tag
from haechi.report.table import Cell, Column, Estimate, Table, say, table

_STRONGEST = 0.55
"""How strong a colour is at most, so that letters on it can be read."""


def grid_values(names: Sequence[str], cells: Mapping[tuple[str, str], Estimate]) -> Table:
    """What `heat_map` draws, as a table for a file."""
    told: list[list[Cell]] = [
        [down, across, found.value]
        for down in names
        for across in names
        if down != across and (found := _cell(cells, down, across))
    ]
    return table("", [Column("row", "words"), Column("column", "words"), Column("value")], told)


def heat_map(
    title: str,
    alt: str,
    names: Sequence[str],
    cells: Mapping[tuple[str, str], Estimate],
    items: Mapping[tuple[str, str], ItemsBehind] | None = None,
    width: float = WIDTH,
) -> Markup:
    """Agreement of every pair; the stronger the colour, the nearer to 1. Below 0 is empty.

    Where there is no room for names above the columns, names are numbered. items: those of a pair, in either order.

    >>> "rect" in heat_map("t", "d", ["a", "b"], {("a", "b"): Estimate(0.8)})
    True
    """
    narrow = width <= NARROW
    left = min(130.0 if narrow else 240.0, room_for(names))
    side = min(150.0, (width - left - 8) / max(1, len(names)))
    numbered = any(text_width(name, 11.5) > side - 4 for name in names)
    shown = [f"{row} · {name}" if numbered else name for row, name in enumerate(names, 1)]
    lines = [wrap_name(one, left - 14) for one in shown]
    height = max(min(max(side, 24.0), 40.0), LINE * max(map(len, lines), default=1) + 6)
    top, parts = 34.0, list[Markup]()
    for row, down in enumerate(names):
        y = top + row * height
        parts.append(name_beside(left - 10, y + height / 2, lines[row]))
        head = str(row + 1) if numbered else down
        parts.append(words(left + (row + 0.5) * side, top - 10, head, "middle", "tick"))
        for column, across in enumerate(names):
            if row == column:
                continue
            found = _cell(cells, down, across)
            x, strength = left + column * side, _strength(found)
            drawn = [
                tag(
                    "rect",
                    x=x,
                    y=y,
                    width=side - 2,
                    height=height - 2,
                    class_="bar high cell",
                    fill_opacity=round(strength, 3),
                )
            ]
            value = say(Estimate(found.value), "coefficient")
            if text_width(value, 11.5) < side - 2:
                drawn.append(words(x + side / 2 - 1, y + height / 2 + 4, value, "middle", "tick on-light"))
            own = (items or {}).get((down, across)) or (items or {}).get((across, down)) or NOTHING_BEHIND
            parts.append(mark(f"{down} · {across}: {say(found, 'coefficient')}", *drawn, items=own))
    return frame(title, alt, top + height * len(names) + 6, *parts, width=width)


def _cell(cells: Mapping[tuple[str, str], Estimate], down: str, across: str) -> Estimate:
    return cells.get((down, across)) or cells.get((across, down)) or Estimate(None)


def _strength(found: Estimate) -> float:
    return _STRONGEST * max(0.0, min(1.0, found.value)) ** 1.5 if found.value is not None else 0.0
