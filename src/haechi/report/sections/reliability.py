"""How sure: do the raters agree, and do the AI judges agree with people?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from haechi.analysis.analysis import Analysis
from haechi.analysis.counts import GroupCounts
from haechi.report.charts import DotRow, dot_chart, heat_map
from haechi.report.document import Cell, Estimate, Part, Plot, Section, Table, table
from haechi.report.words import said, score_label
from haechi.rubrics import Rubric
from haechi.stats import Agreement, interpret
from haechi.text import language

AGREEMENT_COLUMNS = ("ICC(2,1)", "ICC(2,k)", "Cronbach α", "Krippendorff α", "Fleiss κ", "Gwet AC")


def reliability_section(figures: Analysis) -> Section | None:
    """Agreement of all raters and of each kind; every pair; severity."""
    found = figures.agreement
    if found is None:
        return None
    parts: list[Part] = [
        _reading(figures),
        agreement_table(figures.rubric, said("모든 평가자", "All raters"), found.criteria),
    ]
    if found.panels:
        people, judges = (
            said("사람끼리", "People among themselves"),
            said("AI 평가자끼리", "AI judges among themselves"),
        )
        for title, block in ((people, found.panels.human_human), (judges, found.panels.ai_ai)):
            if any(len(one.raters) > 1 for one in block.values()):
                parts.append(agreement_table(figures.rubric, title, block))
    parts.append(_by_rater(figures))
    main = headline(figures)
    if len(found.criteria[main].raters) > 1:
        parts.append(_pairs(figures, main))
        parts.append(_severity(figures, main))
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
    """The score on which agreement is summed up: the main one if raters give it, else the last."""
    if figures.agreement is None:
        return figures.main
    return figures.main if figures.main in figures.agreement.criteria else figures.agreement.headline


def agreement_figures(found: Agreement) -> list[Estimate]:
    """The figures in the order of AGREEMENT_COLUMNS."""
    own = [found.icc["ICC(2,1)"], found.icc["ICC(2,k)"], found.cronbach_alpha]
    own += [found.krippendorff_alpha, found.fleiss_kappa, found.gwet_ac]
    return [Estimate.of(figure) for figure in own]


def agreement_table(rubric: Rubric, title: str, block: Mapping[str, Agreement]) -> Table:
    """One row per score."""
    counts = said("항목 / 전원 평가 / 평가자", "items / complete / raters")
    rows: list[list[Cell]] = []
    reasons: dict[str, list[str]] = {}
    for name, found in block.items():
        own = agreement_figures(found)
        for why in dict.fromkeys(one.why for one in own if one.why):
            reasons.setdefault(why, []).append(name)
        tally = f"{found.n_items:,} / {found.n_complete:,} / {len(found.raters)}"
        rows.append([score_label(rubric, name), tally, *own])
    told = [f"{', '.join(names)}: {why}" for why, names in list(reasons.items())[:4]]
    note = said("계산하지 않은 값 – ", "not defined – ") + "; ".join(told) if told else ""
    return table(title, [said("점수", "score"), counts, *AGREEMENT_COLUMNS], rows, note)


def _reading(figures: Analysis) -> str:
    found, main = figures.agreement, headline(figures)
    if found is None:
        return ""
    one = found.criteria[main]
    words = []
    for name, statistic, figure in (
        ("ICC(2,1)", "icc", one.icc["ICC(2,1)"]),
        ("Krippendorff α", "krippendorff_alpha", one.krippendorff_alpha),
    ):
        reading = interpret(statistic, figure)  # type: ignore[arg-type]
        if reading and figure.value is not None:
            words.append(f"{name} = {figure.value:.2f}: {reading.say(language())}")
    label = score_label(figures.rubric, main)
    return f"{label} — " + "; ".join(words) if words else ""


def _pairs(figures: Analysis, main: str) -> Plot:
    found = figures.agreement
    pairs = found.criteria[main].pairs if found else ()
    nominal = all(pair.pearson.value is None for pair in pairs)
    chosen = "cohen_kappa" if nominal else "pearson"
    symbol = "Cohen κ" if nominal else "Pearson r"
    label = score_label(figures.rubric, main)
    cells = {(str(pair.a), str(pair.b)): Estimate.of(getattr(pair, chosen)) for pair in pairs}
    names = list(dict.fromkeys(str(one) for pair in pairs for one in (pair.a, pair.b)))
    columns = [said("쌍", "pair"), "n", "Pearson r", "Spearman ρ", "Kendall τ-b", "Cohen κ"]
    columns += [said("가중 κ", "weighted κ"), said("평균 차이", "mean difference")]
    rows: list[list[Cell]] = [
        [
            f"{pair.a} – {pair.b}",
            pair.n,
            *(Estimate.of(f) for f in (pair.pearson, pair.spearman, pair.kendall)),
            *(Estimate.of(f) for f in (pair.cohen_kappa, pair.weighted_kappa, pair.mean_difference)),
        ]
        for pair in pairs
    ]
    title = said(f"평가자 쌍의 일치: {label} ({symbol})", f"Pairs of raters: {label} ({symbol})")
    alt = said(
        f"평가자 {len(names)}명의 모든 쌍의 {symbol}", f"{symbol} of every pair of {len(names)} raters"
    )
    return Plot(title, heat_map(title, alt, names, cells), alt, table(title, columns, rows))


def _severity(figures: Analysis, main: str) -> Plot:
    found = figures.agreement
    habits = (
        {one.rater: one.criteria[main].behaviour for one in found.raters if main in one.criteria}
        if found
        else {}
    )
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
    own = said("다른 평가자와의 차이 [95 % 구간]", "own − others [95 % interval]")
    columns = [said("평가자", "rater"), "n", own, "SD"]
    columns += [said("가운데 점수", "middle"), said("양 끝 점수", "ends")]
    shown: list[list[Cell]] = [
        [rater, one.n, Estimate.of(one.severity), one.spread.value, one.middle.value, one.ends.value]
        for rater, one in habits.items()
    ]
    axis = said("← 엄격 · 후함 →", "← stricter · more lenient →")
    picture = dot_chart(title, alt, rows, -reach, reach, zero=True, axis=axis)
    return Plot(title, picture, alt, table(title, columns, shown))
