"""Bars: how often each point of a scale was given, and how long answers took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from haechi.report.charts.canvas import Axis, bottom_axis, fitting, frame, left_axis, line, room_for, words
from haechi.report.markup import Markup, join, tag
from haechi.report.numbers import number
from haechi.stats.sample import Sample

_RIGHT, _ROW = 690.0, 28.0
_BINS, _MOST_BINS = 24, 60


def distribution_bars(title: str, alt: str, rows: Mapping[str, Mapping[str, int]], key: str) -> Markup:
    """One bar per name, divided by the share of each level; darker is higher. `key` names the levels.

    >>> "rect" in distribution_bars("t", "d", {"A1": {"1": 2, "2": 3}}, "points")
    True
    """
    levels = list(dict.fromkeys(level for counts in rows.values() for level in counts))
    levels.sort(key=float)
    top, left = 30.0, room_for(rows)
    parts = [_key(levels, key, left)]
    for index, (name, counts) in enumerate(rows.items()):
        y = top + index * _ROW
        parts.append(words(left - 12, y + 16, fitting(name, left - 20), "end"))
        total = sum(counts.values())
        x = left
        for level in levels:
            count = counts.get(level, 0)
            width = (_RIGHT - left) * count / total if total else 0.0
            if count:
                told = f"{name}: {level} × {count:,} ({number(count / total, 'share')})"
                parts.append(_segment(x, y + 3, width, _strength(levels, level), count, told))
            x += width
    return frame(title, alt, top + _ROW * len(rows) + 6, *parts)


def _strength(levels: list[str], level: str) -> float:
    return 0.12 + 0.88 * levels.index(level) / max(1, len(levels) - 1)


def _segment(x: float, y: float, width: float, strength: float, count: int, told: str) -> Markup:
    height = 18.0
    shape = tag("rect", x=x, y=y, width=width, height=height, class_="bar", fill_opacity=strength)
    parts = [tag("title", told), shape]
    if width > 9 * len(str(count)) + 4:
        ink = "on-dark" if strength > 0.5 else "on-light"
        parts.append(words(x + width / 2, y + height - 5, str(count), "middle", f"tick {ink}"))
    return tag("g", *parts)


def _key(levels: list[str], key: str, left: float) -> Markup:
    parts = [words(left - 12, 18, key, "end", "axis")]
    for index, level in enumerate(levels):
        x = left + index * min(60.0, (_RIGHT - left) / len(levels))
        strength = _strength(levels, level)
        parts.append(tag("rect", x=x, y=7.0, width=14.0, height=14.0, class_="bar", fill_opacity=strength))
        parts.append(words(x + 19, 18, level))
    return join(parts)


def histogram(
    title: str,
    alt: str,
    values: Sample,
    cuts: Sequence[float],
    axis: str,
    low: float = 0.0,
    high: float | None = None,
    bins: int = _BINS,
    marks: Mapping[str, float] | None = None,
) -> Markup:
    """How often values fall into equal stretches, with lines where the rubric's bands end, and named marks below.

    Where bands end at whole numbers, so do stretches, which hold their upper end as bands do.

    >>> "rect" in histogram("t", "d", Sample.of([1.0, 2.0, 7.0]), [5.0], "s")
    True
    """
    if high is None:
        high = max([float(values.values[-1]) if values.n else 1.0, *cuts[:1]]) * 1.02 or 1.0
    counts, edges = np.histogram(values.values, bins=bins, range=(low, high), weights=values.count)
    step = math.gcd(*map(int, cuts)) if cuts and all(float(cut).is_integer() for cut in cuts) else 0
    if step and -(-high // step) <= _MOST_BINS:
        edges = np.arange(0.0, high + step, step)
        high = float(edges[-1])
        downwards, _ = np.histogram(-values.values, bins=-edges[::-1], weights=values.count)
        counts = downwards[::-1]
    left, top, bottom = 60.0, 26.0, 220.0
    across = Axis(low, high, left, _RIGHT)
    above = 16.0 * len(marks or ())  # where the names of marks stand
    up = Axis(0.0, float(counts.max() or 1), bottom, top + above)
    parts = [left_axis(up, left, _RIGHT, whole=True), bottom_axis(across, top, bottom, axis)]
    for count, start, end in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count:
            y, width = up(count), across(end) - across(start) - 1
            parts.append(
                tag(
                    "rect",
                    tag("title", f"{start:g}–{end:g}: {count:,.0f}"),
                    x=across(start),
                    y=y,
                    width=width,
                    height=bottom - y,
                    class_="bar",
                    fill_opacity=0.7,
                )
            )
    for cut in cuts:
        if cut <= high:
            parts.append(tag("line", x1=across(cut), x2=across(cut), y1=top, y2=bottom, class_="cut"))
            parts.append(words(across(cut), top - 6, f"≤ {cut:g}", "middle", "tick"))
    for place, (name, value) in enumerate((marks or {}).items()):
        x, y = across(value), top + 14 + 14 * place
        parts += [
            line(x, y - 10, x, bottom, "zero"),
            words(x + 4, y, f"{name} {number(value)}", class_="tick"),
        ]
    return frame(title, alt, bottom + 42, *parts)
