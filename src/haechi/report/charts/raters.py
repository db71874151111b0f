"""Raters against each other: how well each pair agrees, and who is strict or lenient."""

from __future__ import annotations

from functools import partial

import numpy as np

from haechi.analysis.agreement import AgreementReport
from haechi.analysis.analysis import Analysis
from haechi.report.chart_items import NOTHING_BEHIND
from haechi.report.charts.canvas import plot
from haechi.report.charts.dots import DotRow, by_value, dot_chart, dot_values
from haechi.report.charts.grid import grid_values, heat_map
from haechi.report.document import Plot
from haechi.report.figure_items import behind_pairs, behind_raters
from haechi.report.table import Estimate
from haechi.report.tables.agreement import headline, pairs_table
from haechi.report.tables.habits import habits_table, has_both
from haechi.report.words import said, score_label


def pairs_chart(figures: Analysis) -> Plot | None:
    """How well every pair of raters agrees on the score that sums up agreement."""
    report, main = _several(figures)
    if report is None:
        return None
    found = report.criteria[main]
    pairs = found.pairs
    nominal = all(pair.pearson.value is None for pair in pairs)
    chosen = "cohen_kappa" if nominal else "pearson"
    symbol = "Cohen κ" if nominal else "Pearson r"
    label = score_label(figures.rubric, main)
    cells = {(str(pair.a), str(pair.b)): Estimate.of(getattr(pair, chosen)) for pair in pairs}
    names = list(dict.fromkeys(str(one) for pair in pairs for one in (pair.a, pair.b)))
    title = said(f"평가자 쌍의 일치: {label} ({symbol})", f"Pairs of raters: {label} ({symbol})")
    alt = said(
        f"평가자 {len(names)}명의 모든 쌍의 {symbol}", f"{symbol} of every pair of {len(names)} raters"
    )
    draw = partial(heat_map, title, alt, names, cells, behind_pairs(figures, main, cells))
    return plot(title, alt, draw, pairs_table(figures.rubric, main, found), grid_values(names, cells))


def severity_chart(figures: Analysis) -> Plot | None:
    """How much higher or lower every rater scores than the others; nothing where no one's difference is known."""
    report, main = _several(figures)
    if report is None:
        return None
    habits = {one.rater: one.criteria[main].behaviour for one in report.raters if main in one.criteria}
    if all(one.severity.value is None for one in habits.values()):
        return None
    items = behind_raters(figures, main)
    rows = by_value(
        DotRow(rater, (Estimate.of(one.severity),), (items.get(rater, NOTHING_BEHIND),))
        for rater, one in habits.items()
    )
    ends = [
        abs(end)
        for row in rows
        for end in (row.figures[0].low, row.figures[0].high, row.figures[0].value)
        if end is not None and np.isfinite(end)
    ]
    reach = max([*ends, 1e-9]) * 1.05
    label = score_label(figures.rubric, main)
    title = said(f"평가자의 엄격함: {label}", f"Severity of the raters: {label}")
    alt = said(
        "평가자마다 같은 항목에서 다른 평가자들보다 얼마나 높게(+) 또는 낮게(−) 주었는지",
        "How much higher (+) or lower (−) each rater scores than the others on the same items",
    )
    axis = said("← 엄격 · 후함 →", "← stricter · more lenient →")
    if has_both(report.raters, main):
        title = said(
            f"평가자와 나머지 전체(사람과 AI)의 차이: {label}",
            f"Raters against all others, people and AI: {label}",
        )
        alt = said(
            "평가자마다 같은 항목에서 사람과 AI 평가자를 합한 나머지 모두의 평균보다 얼마나 높게(+) 또는 낮게(−) 주었는지",
            "How much higher (+) or lower (−) each rater scores than all others, people and AI judges together, on the same items",
        )
        axis = said("← 낮게 줌 · 높게 줌 →", "← lower · higher →")
    draw = partial(dot_chart, title, alt, rows, -reach, reach, zero=True, axis=axis)
    return plot(title, alt, draw, habits_table(figures.rubric, main, report.raters), dot_values(rows))


def _several(figures: Analysis) -> tuple[AgreementReport | None, str]:
    """The agreement of several raters and the score that sums it up."""
    found = figures.agreement
    if found is None:
        return None, ""
    main = headline(found, figures.main)
    return (found if len(found.criteria[main].raters) > 1 else None), main
