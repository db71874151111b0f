"""The AI judges: against people (scatter, limits of agreement, every judge, whether one can stand in), as an instrument, what moves
them, and where a strong one saw only a part."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from haechi.analysis.analysis import Analysis
from haechi.analysis.judges import SMALL_TEST
from haechi.analysis.two_stage import two_stage
from haechi.report.charts import Points, ReferenceLine, plot, scatter
from haechi.report.document import Plot, Section, SectionPart
from haechi.report.numbers import number
from haechi.report.sections.reliability import headline
from haechi.report.table import Cell, Column, Estimate, ItemLink, Table, table
from haechi.report.tables.agreement import judges_table, people_table
from haechi.report.tables.human_scale import human_sentence, human_table
from haechi.report.tables.instrument import judges_tables
from haechi.report.tables.two_stage import stages_table
from haechi.report.words import said, score_label
from haechi.stats.human_ai import AgainstPeople, panel_mean
from haechi.stats.ratings import Floats
from haechi.text import language


def human_ai_section(figures: Analysis) -> Section | None:
    """The block that sets AI judges against people, where there are both."""
    found = figures.agreement
    if found is None or found.panels is None or figures.rated is None:
        return None
    main = headline(figures)
    against = found.panels.human_ai
    every, judges = (
        people_table(figures.rubric, against),
        judges_table(figures.rubric, main, against[main]),
    )
    parts: list[SectionPart] = [*_human_scale(figures), *_plots(figures, main), every, judges]
    stand_in = _stand_in(figures, main)
    if stand_in:
        parts.append(stand_in)
    return Section("human-ai", said("AI와 사람", "AI and people"), tuple(parts))


def _human_scale(figures: Analysis) -> list[SectionPart]:
    """What people would have given for everything, where they rated a part."""
    if not figures.human.is_there or figures.human.is_all:
        return []
    found = human_table(figures.rubric, figures.human, figures.names)
    return [human_sentence(figures.rubric, figures.human, figures.main), *([found] if found else [])]


def _plots(figures: Analysis, main: str) -> list[SectionPart]:
    if figures.rated is None or figures.agreement is None or figures.agreement.panels is None:
        return []
    rated = figures.rated.rated(main)
    people, judges = panel_mean(rated.means_of("human")), panel_mean(rated.means_of("ai"))
    known = ~(np.isnan(people) | np.isnan(judges))
    panel = figures.agreement.panels.human_ai[main].panel
    if known.sum() < 2 or panel.mean_difference.value is None:
        return []
    low, high = figures.rubric.range(main)
    label = score_label(figures.rubric, main)
    human, ai = said("사람 평균", "mean of the people"), said("AI 평균", "mean of the judges")
    title = said(f"AI와 사람: {label}", f"AI against people: {label}")
    alt = said(
        f"항목 {int(known.sum())}개의 사람 평균(가로)과 AI 평균(세로). 대각선 위의 점은 두 값이 같습니다.",
        f"{int(known.sum())} items, mean of the people across, mean of the judges up; on the diagonal both are equal.",
    )
    identity = ReferenceLine((low, low), (high, high), said("같은 값", "equal"), strong=True)
    names = [figures.rated.item_name(place) for place in range(people.size)]
    both = Points(names, people, judges)
    ends = (low, high)
    draw = partial(scatter, title, alt, both, ends, ends, (human, ai), [identity], figures.places)
    apart = _points(figures, people, judges, human, ai)
    middles = Points(names, (judges + people) / 2, judges - people)
    return [
        plot(title, alt, draw, apart, both.values()),
        _bland_altman(middles, panel, label, ends, figures.places),
    ]


def _points(figures: Analysis, people: Floats, judges: Floats, human: str, ai: str) -> Table:
    """The items furthest apart; all are in scores.csv."""
    apart = np.nan_to_num(np.abs(people - judges), nan=-1.0)
    worst = [int(i) for i in np.argsort(-apart, kind="stable")[:20] if apart[i] >= 0]
    name = figures.rated.item_name if figures.rated else str
    rows: list[list[Cell]] = [
        [ItemLink(name(i)), float(people[i]), float(judges[i]), float(judges[i] - people[i])] for i in worst
    ]
    title = said("차이가 가장 큰 항목 20개까지", "Up to 20 items that lie furthest apart")
    return table(title, [said("항목", "item"), human, ai, said("AI − 사람", "AI − people")], rows)


def _bland_altman(
    points: Points, panel: AgainstPeople, label: str, ends: tuple[float, float], places: Mapping[str, int]
) -> Plot:
    limits = panel.limits
    title = said(f"블랜드–올트먼: {label}", f"Bland–Altman: {label}")
    alt = said(
        "두 평균의 가운데(가로)와 AI − 사람 차이(세로), 평균 차이와 95 % 일치 한계",
        "Middle of both means across, AI − people up, with the mean difference and the 95 % limits of agreement",
    )
    named = (
        (said("평균 차이", "mean difference"), panel.mean_difference),
        (said("상한", "upper limit"), limits.upper),
        (said("하한", "lower limit"), limits.lower),
    )
    lines = [
        ReferenceLine((ends[0], f.value), (ends[1], f.value), f"{name} {number(f.value)}", strong=index == 0)
        for index, (name, f) in enumerate(named)
        if f.value is not None
    ]
    known = points.y[~np.isnan(points.y)]
    reach = max([float(np.abs(known).max()), *(abs(one.start[1]) for one in lines)]) * 1.08 or 1.0
    axes = said("두 평균의 가운데", "middle of both means"), said("AI − 사람", "AI − people")
    draw = partial(scatter, title, alt, points, ends, (-reach, reach), axes, lines, places)
    rows: list[list[Cell]] = [[name, Estimate.of(figure)] for name, figure in named]
    shown = table(title, [said("값", "figure"), said("추정 [95 % 구간]", "estimate [95 % interval]")], rows)
    return plot(title, alt, draw, shown, points.values())


def _stand_in(figures: Analysis, main: str) -> Table | None:
    judged = figures.agreement.judged if figures.agreement else None
    if judged is None or main not in judged.criteria:
        return None
    rows: list[list[Cell]] = [
        [judge, test.verdict.say(language()), test.winning_rate, test.advantage]
        for judge, test in judged.criteria[main].alt_tests.items()
    ]
    columns = [
        Column(said("AI 평가자", "judge"), "words"),
        Column(said("결론", "verdict"), "words"),
        Column(said("승률 ω", "winning rate ω"), "coefficient"),
        Column(said("우위 확률 ρ", "advantage ρ"), "coefficient"),
    ]
    note = SMALL_TEST.say(language()) if judged.is_small(main) else ""
    title = said(
        "AI가 사람을 대신할 수 있는가 (대체 평가자 검정)",
        "Can a judge stand in for people? (alternative annotator test)",
    )
    return table(title, columns, rows, note)


def two_stage_section(figures: Analysis) -> Section | None:
    """The corrected means, where judging went in two stages."""
    if figures.rubric.item == "run" or "ai" not in figures.raters.values():
        return None
    found = two_stage(figures.study)
    if found is None or not found.scores:
        return None
    return Section(
        "two-stage", said("두 단계 평가", "Two stages of judging"), (stages_table(figures.rubric, found),)
    )


def audit_section(figures: Analysis) -> Section | None:
    """What was shown to move a judge, in what is stored and in items that were changed to find out; None where nothing was."""
    stored, changed = figures.audit, figures.audited_variants
    of_stored, of_changed = (
        stored is not None and stored.says_something,
        any(one.faults for one in changed),
    )
    if not (of_stored or of_changed):
        return None
    from haechi.report.tables.audit import audit_tables, variants_tables

    parts = audit_tables(stored, figures.rubric) if stored is not None and of_stored else []
    if of_changed:
        parts += variants_tables(changed, figures.rubric)
    return Section("judge-audit", said("AI 평가자 점검", "Judge audit"), tuple(parts))


def instrument_section(figures: Analysis) -> Section | None:
    """Judges held against people, where there are both; raters who answer at random are findings."""
    found = figures.agreement.instrument if figures.agreement else None
    if found is None or not found.has_judges:
        return None
    title = said("AI 평가자를 측정 도구로 보면", "The judge as an instrument")
    return Section("instrument", title, tuple(judges_tables(figures.rubric, found, headline(figures))))
