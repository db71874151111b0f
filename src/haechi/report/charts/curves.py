"""Curves: how narrow an interval more items and more raters would make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from haechi.analysis.analysis import Analysis
from haechi.analysis.planning import StudyPlan, items_around
from haechi.report.chart_items import mark
from haechi.report.charts.canvas import (
    SERIES,
    WIDTH,
    Axis,
    bottom_axis,
    frame,
    left_axis,
    legend,
    line,
    plot,
    room_below,
    shape,
)
from haechi.report.document import Plot
from haechi.report.markup import Markup, join
from haechi.report.numbers import number
from haechi.report.plans import pilot_of
from haechi.report.table import Cell, Column, Table, table
from haechi.report.words import said, score_label
from haechi.stats.planning import width_curve
from haechi.text import plural

_RATERS = (1, 2, 3, 5)


def curves(
    title: str,
    alt: str,
    x: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    axes: tuple[str, str],
    width: float = WIDTH,
) -> Markup:
    """One line for each name over the same places.

    >>> "line" in curves("t", "d", [1, 2], {"a": [3.0, 2.0]}, ("x", "y"))
    True
    """
    left, right = 40.0, width - 14
    key, last = legend(list(lines), 16, left, right)
    top = last + 38
    bottom = top + 250
    across = Axis(0.0, max(x), left, right)
    up = Axis(0.0, max(max(values) for values in lines.values()), bottom, top)
    parts = [left_axis(up, left, right, axes[1]), bottom_axis(across, top, bottom, axes[0]), key]
    for place, (name, values) in enumerate(lines.items()):
        points = [(across(at), up(value)) for at, value in zip(x, values, strict=True)]
        colour = SERIES[place % len(SERIES)]
        parts.append(join([line(*one, *other, f"whisker {colour}") for one, other in pairwise(points)]))
        told = [f"{name} · {axes[0]} {at:g}: {number(value)}" for at, value in zip(x, values, strict=True)]
        parts += [mark(words, shape(*spot, place, 3.0)) for words, spot in zip(told, points, strict=True)]
    return frame(title, alt, bottom + room_below(across, axes[0]), *parts, width=width)


def curve_values(x: Sequence[float], lines: Mapping[str, Sequence[float]]) -> Table:
    """What `curves` draws, as a table for a file."""
    told: list[list[Cell]] = [
        [name, float(at), value]
        for name, values in lines.items()
        for at, value in zip(x, values, strict=True)
    ]
    return table("", [Column("name", "words"), Column("x"), Column("value")], told)


def plan_picture(plan: StudyPlan) -> Markup | None:
    """The curve of a plan: the width of the interval against the items, for the numbers of raters that were looked at.

    >>> from haechi.report.plans import plan
    >>> "<svg" in (plan_picture(plan(width=0.5, sd=1.2, icc=0.6)) or "")
    True
    """
    curve = plan.curve
    if curve is None:
        return None
    raters = list(curve["widths"])[: len(SERIES)]
    columns = zip(curve["items"], *(curve["widths"][many] for many in raters), strict=True)
    known = [row for row in columns if None not in row and row[0] >= 5]
    if not known:
        return None
    items, *widths = zip(*known, strict=True)
    names = [said(f"평가자 {many}명", "1 rater" if many == "1" else f"{many} raters") for many in raters]
    title = said("항목 수와 구간의 폭", "Items and the width of the interval")
    alt = said(
        "항목이 늘 때 평균의 95 % 구간이 얼마나 좁아지는지, 평가자 수마다",
        "How much narrower the mean's 95 % interval becomes with more items, for some numbers of raters",
    )
    axes = said("항목", "items"), said("구간의 폭", "width of the interval")
    return curves(title, alt, items, dict(zip(names, widths, strict=True)), axes)


def planning_chart(figures: Analysis) -> Plot | None:
    """The width of the main score's interval against the number of items, for some numbers of raters."""
    if figures.agreement is None:
        return None
    assumed = pilot_of(figures, figures.main)
    if assumed.only_raters or not assumed.spread.item + assumed.spread.residual:
        return None
    items = [n for n in items_around(figures.n_rated) if n >= 5]
    widths = width_curve(assumed.spread, items, _RATERS)
    names = {many: said(f"평가자 {many}명", plural(many, "rater")) for many in _RATERS}
    label = score_label(figures.rubric, figures.main)
    title = said(f"항목 수와 구간의 폭: {label}", f"Items and the width of the interval: {label}")
    alt = said(
        "항목이 늘 때 평균의 95 % 구간이 얼마나 좁아지는지, 평가자 수마다(이 스터디의 분산 성분에서, 이 평가자들과 새 항목에 대한 구간)",
        "How much narrower the mean's 95 % interval becomes with more items, for some numbers of raters (from this "
        "study's variance components; for these raters and new items)",
    )
    axes = said("항목", "items"), said("구간의 폭", "width of the interval")
    lines = {names[many]: row for many, row in widths.items()}
    columns = [Column(axes[0], "count"), *(Column(name) for name in names.values())]
    rows: list[list[Cell]] = [[n, *(row[at] for row in widths.values())] for at, n in enumerate(items)]
    draw = partial(curves, title, alt, items, lines, axes)
    return plot(title, alt, draw, table(title, columns, rows), curve_values(items, lines))
