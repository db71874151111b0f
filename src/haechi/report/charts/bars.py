"""Bars: how often each point of a scale was given, and how long answers took."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

import numpy as np

from haechi.frozen import frozen
from haechi.report.chart_items import NOTHING_BEHIND, ItemsBehind, mark
from haechi.report.charts.canvas import (
    LINE,
    NARROW,
    WIDTH,
    Axis,
    bottom_axis,
    frame,
    left_axis,
    line,
    name_beside,
    name_lines,
    room_below,
    room_for,
    text_width,
    words,
    wrap_name,
)
from haechi.report.markup import Markup, join, tag
from haechi.report.numbers import number, percent
from haechi.report.table import Cell, Column, Table, table
from haechi.stats.ratings import Floats
from haechi.stats.sample import Sample

_ROW, _BAR, _NAME, _SHARE = 30.0, 20.0, 18.0, 40.0
_BINS, _MOST_BINS, _MOST_KEYS = 24, 60, 7
_WEAK = 0.45
"""How strong colours between the middle and the end are at most: dark letters can be read on them, light ones on the end."""


@frozen
class LevelRow:
    """How often each level was given of one criterion whose range has this middle; the items behind each level."""

    name: str
    counts: Mapping[str, int]
    middle: float
    items: Mapping[str, ItemsBehind] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many values there are."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """The mean of the values."""
        return sum(float(level) * n for level, n in self.counts.items()) / self.total

    @property
    def reach(self) -> float:
        """How far the furthest level is from the middle."""
        return max((abs(float(level) - self.middle) for level in self.counts), default=1.0) or 1.0

    def share(self, of: Callable[[float], bool]) -> float:
        """The share of the values whose distance from the middle is such."""
        found = (n for level, n in self.counts.items() if of(float(level) - self.middle))
        return sum(found) / self.total


def level_values(rows: Sequence[LevelRow]) -> Table:
    """What `likert_bars` draws, as a table for a file.

    >>> level_values([LevelRow("A1", {"1": 1, "2": 3}, 1.5)]).rows
    (('A1', '1', 1, 0.25), ('A1', '2', 3, 0.75))
    """
    told: list[list[Cell]] = [
        [row.name, level, count, count / row.total] for row in rows for level, count in row.counts.items()
    ]
    heads = [Column("name", "words"), Column("level", "words"), Column("count", "count"), Column("share")]
    return table("", heads, told)


def likert_bars(title: str, alt: str, rows: Sequence[LevelRow], key: str, width: float = WIDTH) -> Markup:
    """One bar per name, divided by the share of each level, around the middle of the scale; the highest mean first.

    What lies below the middle stands at the left of the line, what lies above it at the right, each with its share; the
    middle itself lies across. `key` says what the levels are.

    >>> "rect" in likert_bars("t", "d", [LevelRow("A1", {"1": 2, "2": 3}, 1.5)], "points")
    True
    """
    rows = sorted(rows, key=lambda row: (row.mean - row.middle) / row.reach, reverse=True)
    narrow = width <= NARROW
    left = 6.0 if narrow else room_for(row.name for row in rows)
    names = [wrap_name(row.name, width - 20 if narrow else left - 20) for row in rows]
    before = max(row.share(lambda away: away < 0) + row.share(lambda away: away == 0) / 2 for row in rows)
    after = max(row.share(lambda away: away > 0) + row.share(lambda away: away == 0) / 2 for row in rows)
    start, end = left + _SHARE, width - _SHARE - 4
    unit = (end - start) / (before + after)
    zero = start + before * unit
    top = 34.0
    steps = [_step(len(lines), narrow) for lines in names]
    bottom = top + sum(steps)
    parts = [_key(rows, key, 6.0 if narrow else left, width), line(zero, top - 4, zero, bottom, "zero")]
    y = top
    for row, lines, step in zip(rows, names, steps, strict=True):
        above = step - _ROW if narrow else (step - _ROW) / 2
        parts.append(
            name_lines(left, y + 16, lines, class_="label over")
            if narrow
            else name_beside(left - 12, y + step / 2, lines)
        )
        parts += _bar(row, zero, unit, y + above + (_ROW - _BAR) / 2)
        y += step
    return frame(title, alt, bottom + 8, *parts, width=width)


def _step(lines: int, narrow: bool) -> float:
    """How high a row is: its name beside the bar, on a phone above it."""
    return _NAME + LINE * (lines - 1) + _ROW if narrow else max(_ROW, LINE * lines + 10)


def _bar(row: LevelRow, zero: float, unit: float, y: float) -> list[Markup]:
    """The pieces of one bar, and at its ends how much lies below and above the middle."""
    low, middle, high = (row.share(of) for of in (_below, _at, _above))
    x = zero - (low + middle / 2) * unit
    parts = [words(x - 5, y + 15, percent(low), "end", "tick")]
    for level, count in sorted(row.counts.items(), key=lambda one: float(one[0])):
        if not count:
            continue
        width = unit * count / row.total
        told = f"{row.name}: {level} × {count:,} ({percent(count / row.total)})"
        away = (float(level) - row.middle) / row.reach
        drawn = [tag("rect", x=x, y=y, width=width, height=_BAR, **_fill(away))]
        if width > text_width(f"{count:,}", 11.5) + 5:
            ink = "on-dark" if abs(away) == 1 else "on-light"
            drawn.append(words(x + width / 2, y + 15, f"{count:,}", "middle", f"tick {ink}"))
        parts.append(mark(told, *drawn, items=row.items.get(level, NOTHING_BEHIND)))
        x += width
    return [*parts, words(x + 5, y + 15, percent(high), "start", "tick")]


def _below(away: float) -> bool:
    return away < 0


def _at(away: float) -> bool:
    return away == 0


def _above(away: float) -> bool:
    return away > 0


def _fill(away: float) -> dict[str, str | float]:
    """The colour of a level by its distance from the middle: one hue below it, another above, the stronger the further."""
    if away == 0:
        return {"class_": "bar middle"}
    strength = 1.0 if abs(away) == 1 else round(_WEAK * abs(away), 3)
    return {"class_": f"bar {'low' if away < 0 else 'high'}", "fill_opacity": strength}


def _key(rows: Sequence[LevelRow], key: str, left: float, width: float) -> Markup:
    """Which colour is which level; where the rows have different ones, only which end is which."""
    first = rows[0]
    levels = sorted(first.counts, key=float)
    same = all(set(row.counts) == set(first.counts) and row.middle == first.middle for row in rows)
    if not same or len(levels) > _MOST_KEYS:
        levels = [levels[0], levels[-1]] if same else ["−", "+"]
    parts, x = [words(left, 18, key, "start", "axis")], left + text_width(key, 11.5) + 14
    step = min(60.0, (width - x) / len(levels))
    for level in levels:
        away = {"−": -1.0, "+": 1.0}.get(level) or (float(level) - first.middle) / first.reach
        parts.append(tag("rect", x=x, y=7.0, width=14.0, height=14.0, **_fill(away)))
        parts.append(words(x + 19, 18, level))
        x += step
    return join(parts)


@frozen
class Bins:
    """How many values fall into each stretch between two edges; a stretch holds its upper end, as bands do."""

    edges: Floats
    counts: Floats

    def values(self, marks: Mapping[str, float]) -> Table:
        """What `histogram` draws, as a table for a file: every stretch, then the named marks."""
        told: list[list[Cell]] = [
            ["", float(start), float(end), int(count)]
            for start, end, count in zip(self.edges[:-1], self.edges[1:], self.counts, strict=True)
        ]
        told += [[called, None, value, None] for called, value in marks.items()]
        heads = [Column("mark", "words"), Column("above"), Column("to"), Column("count", "count")]
        return table("", heads, told)


def bins_of(values: Sample, cuts: Sequence[float]) -> Bins:
    """Stretches from 0 that end where bands end, if these end at whole numbers; else equal ones.

    >>> bins_of(Sample.of([1.0, 2.0, 7.0]), [5.0, 10.0]).counts.tolist()
    [2.0, 1.0]
    """
    high = max([float(values.values[-1]) if values.n else 1.0, *cuts[:1]]) * 1.02 or 1.0
    step = float(math.gcd(*map(int, cuts))) if cuts and all(float(cut).is_integer() for cut in cuts) else 0.0
    if not step or -(-high // step) > _MOST_BINS:
        step = high / _BINS
    edges = np.arange(0.0, high + step * 0.999, step)
    downwards, _ = np.histogram(-values.values, bins=-edges[::-1], weights=values.count)
    return Bins(edges, downwards[::-1].astype(float))


def histogram(
    title: str,
    alt: str,
    found: Bins,
    cuts: Mapping[float, str],
    axis: str,
    marks: Mapping[str, float] | None = None,
    items: Sequence[ItemsBehind] = (),
    width: float = WIDTH,
) -> Markup:
    """How often values fall into stretches, with the rubric's bands and what they are called, and named marks.

    cuts: where bands end and what each is called; items: those of every stretch.

    >>> "rect" in histogram("t", "d", bins_of(Sample.of([1.0, 2.0, 7.0]), [5.0]), {5.0: "5"}, "s")
    True
    """
    high = float(found.edges[-1])
    left, right, top, bottom = 34.0, width - 12, 26.0, 230.0
    across = Axis(0.0, high, left, right)
    above = 18.0 + 16.0 * len(marks or ())  # where the names of marks and the counts stand
    up = Axis(0.0, float(found.counts.max() or 1), bottom, top + above)
    parts = [left_axis(up, left, right, whole=True), bottom_axis(across, top, bottom, axis)]
    parts += _bands(cuts, across, top, bottom)
    for place, count in enumerate(found.counts.tolist()):
        if count:
            start, end = float(found.edges[place]), float(found.edges[place + 1])
            x, y, wide_ = across(start), up(count), across(end) - across(start) - 1
            bar = tag("rect", x=x, y=y, width=wide_, height=bottom - y, class_="bar high", fill_opacity=0.75)
            shown = f"{count:,.0f}"
            said = f"{start:g}–{end:g}: {shown}"
            label = (
                [words(x + wide_ / 2, y - 5, shown, "middle", "tick value")]
                if text_width(shown, 11.5) < wide_ + 4
                else []
            )
            parts.append(mark(said, bar, *label, items=items[place] if items else NOTHING_BEHIND))
    for place, (told, value) in enumerate((marks or {}).items()):
        x, y = across(value), top + 14 + 16 * place
        shown = f"{told} {number(value)}"
        ends = x + 4 + text_width(shown, 11.5) > width
        parts += [
            line(x, y - 10, x, bottom, "named"),
            words(x - 4 if ends else x + 4, y, shown, "end" if ends else "start", "tick named-text"),
        ]
    return frame(title, alt, bottom + room_below(across, axis), *parts, width=width)


def _bands(cuts: Mapping[float, str], across: Axis, top: float, bottom: float) -> list[Markup]:
    """Where bands end, and what each is called, where its name fits."""
    parts, start = list[Markup](), 0.0
    for cut, called in sorted(cuts.items()):
        x, end = across(start), across(min(cut, across.high))
        if text_width(called, 11.5) < end - x + 6:
            parts.append(words((x + end) / 2, top - 8, called, "middle", "tick"))
        if cut < across.high:
            parts.append(line(end, top, end, bottom, "cut"))
        start = cut
        if cut >= across.high:
            break
    return parts
