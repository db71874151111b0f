"""Every metric over the versions of an agent: a small panel each, with intervals and marks where something else changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from haechi.report.chart_items import NOTHING_BEHIND, ItemsBehind, mark
from haechi.report.charts.canvas import (
    LINE,
    NARROW,
    WIDTH,
    Axis,
    fitting,
    frame,
    line,
    name_lines,
    shape,
    text_width,
    words,
    wrap_name,
)
from haechi.report.markup import Markup
from haechi.report.table import Cell, Column, Estimate, Table, say, table

_TOP, _HEIGHT, _GAP, _NOTE = 40.0, 104.0, 30.0, 17.0
_MOST_LABELS = 4


def trend_values(values: Sequence[str], rows: Mapping[str, Sequence[Estimate]]) -> Table:
    """What `trend_panels` draws, as a table for a file."""
    told: list[list[Cell]] = [
        [name, value, one.value, one.low, one.high]
        for name, figures in rows.items()
        for value, one in zip(values, figures, strict=True)
    ]
    heads = [Column("name", "words"), Column("at", "words"), Column("value"), Column("low"), Column("high")]
    return table("", heads, told)


def trend_panels(
    title: str,
    alt: str,
    values: Sequence[str],
    rows: Mapping[str, Sequence[Estimate]],
    ends: tuple[float, float],
    notes: Mapping[int, Sequence[str]] | None = None,
    items: Mapping[str, Sequence[ItemsBehind]] | None = None,
    width: float = WIDTH,
) -> Markup:
    """A panel for every name: its figures over the values in order.

    notes: what else changed before a value, by its place; a line with a number stands there, and below what it means;
    items: those behind every figure.

    >>> figures = {"a": [Estimate(3.0, 2.0, 4.0), Estimate(4.0)]}
    >>> "circle" in trend_panels("t", "d", ["v1", "v2"], figures, (0, 5), {1: ["prompt p1 → p2"]})
    True
    """
    across = 2 if width <= NARROW else 4
    side = width / across
    parts: list[Markup] = []
    more = LINE * (max((len(wrap_name(one, side - 14)) for one in rows), default=1) - 1)
    height = _TOP + more + _HEIGHT + _GAP
    for place, (called, figures) in enumerate(rows.items()):
        left, top = (place % across) * side, (place // across) * height
        parts.append(name_lines(left + 12, top + 14, wrap_name(called, side - 14)))
        own = (items or {}).get(called) or [NOTHING_BEHIND] * len(figures)
        parts += _panel(called, figures, values, ends, list(notes or ()), own, (left, top + more, side))
    bottom = -(-len(rows) // across) * height + (_NOTE if notes else 0.0)
    for number, (place, changed) in enumerate((notes or {}).items(), 1):
        for at, words_ in enumerate(changed):
            before = f"{_sign(number)} {values[place - 1]} → {values[place]}: " if at == 0 else "  "
            lines = wrap_name(before + words_, width - 30)
            parts.append(name_lines(12, bottom, lines, class_="tick"))
            bottom += _NOTE + LINE * (len(lines) - 1)
    return frame(title, alt, bottom, *parts, width=width)


def _sign(number: int) -> str:
    """The number of a note in a circle; from 20 on in brackets."""
    return chr(0x245F + number) if number <= 20 else f"({number})"


def _panel(
    called: str,
    figures: Sequence[Estimate],
    values: Sequence[str],
    ends: tuple[float, float],
    marked: Sequence[int],
    items: Sequence[ItemsBehind],
    place: tuple[float, float, float],
) -> list[Markup]:
    left, top, width = place
    up = Axis(*ends, top + _TOP + _HEIGHT, top + _TOP)
    across = Axis(0.0, max(1.0, len(values) - 1.0), left + 38, left + width - 26)
    parts = list[Markup]()
    for end in ends:
        parts.append(line(left + 22, up(end), left + width - 12, up(end), "grid"))
        parts.append(words(left + 17, up(end) + 4, f"{end:g}", "end", "tick"))
    for number, at in enumerate(marked, 1):
        x = (across(at - 1) + across(at)) / 2
        parts.append(line(x, top + _TOP, x, top + _TOP + _HEIGHT, "cut"))
        parts.append(words(x, top + _TOP + _HEIGHT - 4, _sign(number), "middle", "tick over"))
    known = [(number, one) for number, one in enumerate(figures) if one.value is not None]
    for (at, a), (then, b) in pairwise(known):
        parts.append(line(across(at), up(a.value or 0.0), across(then), up(b.value or 0.0), "whisker s1"))
    for number, one in known:
        drawn = [shape(across(number), up(one.value or 0.0), 0, 4.5)]
        if one.low is not None and one.high is not None:
            drawn.insert(0, line(across(number), up(one.low), across(number), up(one.high), "whisker s1"))
        parts.append(mark(f"{called} · {values[number]}: {say(one)}", *drawn, items=items[number]))
    shown = {0, len(values) - 1} if len(values) > _MOST_LABELS else range(len(values))
    for number in shown:
        label = fitting(values[number], (width - 30) / min(len(values), _MOST_LABELS))
        parts.append(words(across(number), top + _TOP + _HEIGHT + 16, label, "middle", "tick"))
    every = len(values) * text_width("0.00", 11.5) < width - 50
    for number in {at for at, _ in known} if every else {known[0][0], known[-1][0]} if known else ():
        one = figures[number]
        above = up(one.high if one.high is not None else one.value or 0.0) - 6
        parts.append(
            words(across(number), max(above, top + 30), say(Estimate(one.value)), "middle", "tick value")
        )
    return parts
