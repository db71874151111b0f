"""How sure: do the raters agree, and do the AI judges agree with people?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from haechi.analysis.analysis import Analysis
from haechi.analysis.counts import GroupCounts
from haechi.analysis.habits import RaterHabits
from haechi.report.charts import DotRow, dot_chart, heat_map
from haechi.report.document import Part, Plot, Section
from haechi.report.numbers import number
from haechi.report.table import Cell, Estimate, Table, table
from haechi.report.tables.agreement import coefficients, criteria_tables, habits_table, pairs_table
from haechi.report.tables.agreement import headline as main_of
from haechi.report.words import said, score_label
from haechi.stats import Agreement, interpret
from haechi.text import language


def reliability_section(figures: Analysis) -> Section | None:
    """Agreement of all raters and of each kind; every pair; severity."""
    found = figures.agreement
    if found is None:
        return None
    parts: list[Part] = [_reading(figures), *criteria_tables(figures.rubric, found)]
    parts.append(_by_rater(figures))
    main = headline(figures)
    if len(found.criteria[main].raters) > 1:
        parts.append(_pairs(figures, main, found.criteria[main]))
        parts.append(_severity(figures, main, found.raters))
    parts += [note.say(language()) for note in found.notes]
    return Section("agreement", said("신뢰도와 일치도", "Reliability and agreement"), tuple(parts))


def _by_rater(figures: Analysis) -> Table:
    """The mean that every rater gave, score by score, beside the mean of all."""
    counts = GroupCounts(figures.names, ["rater"])
    for frame in figures.batches(["rater", *figures.names]):
        counts.add(frame)
    given = counts.groups()
    raters = [rater for (rater,) in given]
    rows: list[list[Cell]] = [
        [
            score_label(figures.rubric, name),
            *(own.mean if (own := one.scores[name]).n else None for one in given.values()),
            figures.whole[name].mean.value,
        ]
        for name in figures.names
    ]
    title = said("평가자별 평균", "Means by rater")
    note = said(
        "평가자마다 자신이 평가한 항목의 평균입니다. 빠진 항목이 다르면 그대로 견줄 수 없습니다.",
        "Each rater's mean is over the items that rater scored; with different gaps they are not strictly comparable.",
    )
    return table(
        title, [said("점수", "score"), *raters, said("항목 단위 평균", "mean over items")], rows, note
    )


def headline(figures: Analysis) -> str:
    """The score on which agreement is summed up."""
    return figures.main if figures.agreement is None else main_of(figures.agreement, figures.main)


def _reading(figures: Analysis) -> str:
    found, main = figures.agreement, headline(figures)
    if found is None:
        return ""
    words = []
    for name, statistic, figure in coefficients(found.criteria[main]):
        reading = interpret(statistic, figure) if name in ("ICC(2,1)", "Krippendorff α") else None
        if reading and figure.value is not None:
            words.append(f"{name} = {number(figure.value, 'coefficient')}: {reading.say(language())}")
    label = score_label(figures.rubric, main)
    return f"{label} — " + "; ".join(words) if words else ""


def _pairs(figures: Analysis, main: str, found: Agreement) -> Plot:
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
    return Plot(title, heat_map(title, alt, names, cells), alt, pairs_table(figures.rubric, main, found))


def _severity(figures: Analysis, main: str, raters: Sequence[RaterHabits]) -> Plot:
    habits = {one.rater: one.criteria[main].behaviour for one in raters if main in one.criteria}
    rows = [DotRow(rater, (Estimate.of(one.severity),)) for rater, one in habits.items()]
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
    picture = dot_chart(title, alt, rows, -reach, reach, zero=True, axis=axis)
    return Plot(title, picture, alt, habits_table(figures.rubric, main, raters))
