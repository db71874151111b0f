"""Every metric over the versions of an agent: a small panel each, with intervals and marks where something else changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from haechi.report.charts.canvas import WIDTH, Axis, fitting, frame, line, words
from haechi.report.markup import Markup, tag
from haechi.report.table import Estimate, say

_ACROSS, _TOP, _HEIGHT, _GAP = 4, 40.0, 104.0, 30.0
_MOST_LABELS = 4


def trend_panels(
    title: str,
    alt: str,
    values: Sequence[str],
    rows: Mapping[str, Sequence[Estimate]],
    ends: tuple[float, float],
    marked: Collection[int] = (),
) -> Markup:
    """A panel for every name: its figures over the values in order; before the values at `marked` stands a line.

    >>> "circle" in trend_panels("t", "d", ["v1", "v2"], {"a": [Estimate(3.0, 2.0, 4.0), Estimate(4.0)]}, (0, 5), [1])
    True
    """
    width = WIDTH / _ACROSS
    parts: list[Markup] = []
    for place, (name, figures) in enumerate(rows.items()):
        left, top = (place % _ACROSS) * width, (place // _ACROSS) * (_TOP + _HEIGHT + _GAP)
        parts += _panel(name, figures, values, ends, marked, (left, top, width))
    panels = -(-len(rows) // _ACROSS)
    return frame(title, alt, panels * (_TOP + _HEIGHT + _GAP), *parts)


def _panel(
    name: str,
    figures: Sequence[Estimate],
    values: Sequence[str],
    ends: tuple[float, float],
    marked: Collection[int],
    place: tuple[float, float, float],
) -> list[Markup]:
    left, top, width = place
    up = Axis(*ends, top + _TOP + _HEIGHT, top + _TOP)
    across = Axis(0.0, max(1.0, len(values) - 1.0), left + 34, left + width - 26)
    parts = [words(left + 14, top + 14, fitting(name, width - 20))]
    for end in ends:
        parts.append(line(left + 20, up(end), left + width - 12, up(end), "grid"))
        parts.append(words(left + 15, up(end) + 4, f"{end:g}", "end", "tick"))
    for mark in marked:
        x = (across(mark - 1) + across(mark)) / 2
        parts.append(line(x, top + _TOP, x, top + _TOP + _HEIGHT, "cut"))
    known = [(number, one) for number, one in enumerate(figures) if one.value is not None]
    for (at, a), (then, b) in pairwise(known):
        parts.append(line(across(at), up(a.value or 0.0), across(then), up(b.value or 0.0), "whisker s1"))
    for number, one in known:
        if one.low is not None and one.high is not None:
            parts.append(line(across(number), up(one.low), across(number), up(one.high), "whisker s1"))
        parts.append(tag("circle", cx=across(number), cy=up(one.value or 0.0), r=4.0, class_="dot s1"))
    shown = {0, len(values) - 1} if len(values) > _MOST_LABELS else range(len(values))
    for number in shown:
        room = (width - 30) / min(len(values), _MOST_LABELS)
        label = fitting(values[number], room)
        parts.append(words(across(number), top + _TOP + _HEIGHT + 16, label, "middle", "tick"))
    for number in {known[0][0], known[-1][0]} if known else ():
        one = figures[number]
        above = up(one.high if one.high is not None else one.value or 0.0) - 6
        spot = max(above, top + 30)
        parts.append(words(across(number), spot, say(Estimate(one.value)), "middle", "tick"))
    return parts
