"""Agent runs over time: every metric by version, what became of every query, how slow the slowest are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.query_results import SURE, Became, VersionStep
from haechi.analysis.response_times import TIME_QUANTILES
from haechi.data.agent_run import VERSION
from haechi.data.fields import field_name
from haechi.report.charts import plot
from haechi.report.charts.trend import trend_panels, trend_values
from haechi.report.document import Plot, Section, SectionPart
from haechi.report.figure_items import behind_scores
from haechi.report.numbers import percent
from haechi.report.sections.run_texts import question_of, texts_of
from haechi.report.table import AuthoredText, Cell, Column, Estimate, Table, table
from haechi.report.words import passing, said, score_label
from haechi.rubrics import Rubric
from haechi.stats.repeats import flip_chance, repeats_to_notice
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.analysis.trend import AgentTrend, VersionChange
    from haechi.scoring.repeats import PassRule

LISTED, _ACROSS = 30, 4
_NOW_AND_THEN = 0.2
BECAME: dict[Became, Text] = {
    "fixed": Text("고쳐짐", "fixed"),
    "broken": Text("깨짐", "broken"),
    "flaky": Text("불안정", "flaky"),
    "both_passed": Text("모두 통과", "both passed"),
    "both_failed": Text("모두 실패", "both failed"),
    "new": Text("새 질의", "new"),
    "gone": Text("빠진 질의", "gone"),
    "undecided": Text("판단 불가", "undecided"),
}
_OF_ROUNDS: dict[Became, Text] = {
    "fixed": Text("뒤에만 통과", "only the later"),
    "broken": Text("앞에만 통과", "only the earlier"),
}
"""Rounds of one version are repeats: what passes in one of them only is not fixed."""
_CHANGED = {
    "raters": Text("평가자", "raters"),
    "rubric": Text("루브릭", "rubric"),
    "judge": Text("AI 평가자", "judge"),
}


def trend_section(figures: Analysis, found: AgentTrend) -> Section:
    """The section."""
    parts = trend_figures(figures, found)
    if found.steps and (listed := _queries(figures, found, found.steps[-1])) is not None:
        parts.append(listed)
    parts += [_times(figures, found)] if found.times else []
    return Section("trend", trend_title(found), tuple(parts))


def trend_figures(figures: Analysis, found: AgentTrend) -> list[SectionPart]:
    """Every metric in order with its interval, what else changed, and what became of how many queries."""
    parts: list[SectionPart] = [_intro(found), _scores(figures, found)]
    parts += [_changed_table(found.changed)] if found.changed else []
    parts += _not_comparable(figures, found)
    parts += [_counts(figures.rubric, found, found.queries.rule)] if found.queries is not None else []
    return parts


def _not_comparable(figures: Analysis, found: AgentTrend) -> list[SectionPart]:
    """Between which versions scores of a judge say nothing, because it was not asked alike."""
    told: list[SectionPart] = []
    for before, after, differing in found.not_comparable:
        raters = list(dict.fromkeys(one.rater for one in differing))
        names = ", ".join(score_label(figures.rubric, name) for name in found.rated_by(raters)) or "–"
        who = ", ".join(raters)
        told.append(
            said(
                f"{before} → {after}: {who}에게 다르게 물었으므로 이 AI가 평가한 점수({names})의 차이는 버전의 차이가 아닐 수 있습니다. 비교하지 마세요.",
                f"{before} → {after}: {who} was not asked alike, so differences in what it rated ({names}) are not comparable between these.",
            )
        )
    return told


def trend_title(found: AgentTrend) -> str:
    """What the trend is over."""
    if found.field == VERSION:
        return said("버전별 추이", "Over the versions")
    return said("회차별 추이", "Over the rounds")


def became_words(field: str, word: Became) -> str:
    """What became of a query, in words."""
    known = BECAME if field == VERSION else {**BECAME, **_OF_ROUNDS}
    return known[word].say()


def _intro(found: AgentTrend) -> str:
    listed = " → ".join(f"{value} ({n:,})" for value, n in zip(found.values, found.runs, strict=True))
    if found.field == VERSION:
        return said(f"버전과 실행 수: {listed}.", f"Versions and their runs: {listed}.")
    return said(
        f"회차와 실행 수: {listed}. 버전이 하나이므로 회차는 반복이고, 회차 사이의 차이는 나아지거나 나빠진 것이 아닐 수 있습니다.",
        f"Rounds and their runs: {listed}. They are repeats of one version: a difference between them need not be a change.",
    )


def _scores(figures: Analysis, found: AgentTrend) -> Plot:
    """The mean of every metric in every version with its interval."""
    means = {name: [Estimate.of(group.mean) for group in groups] for name, groups in found.scores.items()}
    title = said("지표의 추이", "Every metric over time")
    alt = said(
        "지표마다 평균과 95 % 구간을 순서대로 나타낸 그림. 점선은 다른 것도 함께 바뀐 곳",
        "The mean of every metric with its 95 % interval in order; dashed lines where something else changed too",
    )
    known = {n: row for n, row in means.items() if any(one.value is not None for one in row)}
    low = min(figures.rubric.range(name)[0] for name in means)
    high = max(figures.rubric.range(name)[1] for name in means)
    labels = {score_label(figures.rubric, name): row for name, row in known.items()}
    items = [behind_scores(figures, list(known), {found.field: value}) for value in found.values]
    behind = {score_label(figures.rubric, name): [own[name] for own in items] for name in known}
    draw = partial(trend_panels, title, alt, found.values, labels, (low, high), _notes(found), behind)
    columns = [Column(said("지표", "metric"), "words"), *(Column(value) for value in found.values)]
    rows: list[list[Cell]] = [[score_label(figures.rubric, name), *row] for name, row in means.items()]
    if len(found.values) > _ACROSS:  # a long history goes down the page
        columns = [
            Column(field_name(found.field).say(), "words"),
            *(Column(score_label(figures.rubric, name)) for name in means),
        ]
        rows = [[value, *(row[at] for row in means.values())] for at, value in enumerate(found.values)]
    about = figures.scored.about_clusters
    note = said("평균 [95 % 구간].", "Mean [95 % interval].") + (f" {about.say()}" if about else "")
    return plot(title, alt, draw, table(title, columns, rows, note), trend_values(found.values, labels))


def _notes(found: AgentTrend) -> dict[int, list[str]]:
    """What else changed before each version, in words for the picture."""
    notes: dict[int, list[str]] = {}
    for one in sorted(found.changed, key=lambda one: found.values.index(one.after)):
        words = f"{_what(one)} {', '.join(one.was) or '–'} → {', '.join(one.now) or '–'}"
        notes.setdefault(found.values.index(one.after), []).append(words)
    return notes


def _what(one: VersionChange) -> str:
    """What changed, in words."""
    kind = _CHANGED[one.what].say() if one.what != "field" else ""
    return " ".join(part for part in (kind, one.name) if part)


def _changed_table(changed: Sequence[VersionChange]) -> Table:
    rows: list[list[Cell]] = [
        [
            f"{one.before} → {one.after}",
            _what(one),
            ", ".join(one.was) or "–",
            ", ".join(one.now) or "–",
        ]
        for one in changed
    ]
    columns = [
        said("사이", "between"),
        said("바뀐 것", "what changed"),
        said("앞", "before"),
        said("뒤", "after"),
    ]
    note = said(
        "점수의 차이는 버전 때문일 수도, 이것들 때문일 수도 있습니다.",
        "A difference in scores may be due to the version or to these.",
    )
    return table(said("버전과 함께 바뀐 것", "What else changed"), columns, rows, note, words=4)


def _counts(rubric: Rubric, found: AgentTrend, rule: PassRule) -> Table:
    """What became of how many queries at every step, with McNemar's exact p."""
    words: tuple[Became, ...] = tuple(BECAME)
    columns = [Column(said("사이", "between"), "words")]
    columns += [Column(became_words(found.field, word), "count") for word in words]
    columns.append(Column(said("McNemar 정확 p", "McNemar, exact p"), "p"))
    rows: list[list[Cell]] = []
    for step in found.steps:
        counts = step.counts
        rows.append([f"{step.before} → {step.after}", *(counts[word] for word in words), step.test.exact.p])
    note = said(
        "불안정은 한 버전의 반복 실행에서 통과와 실패가 섞인 질의, 판단 불가는 "
        "체크가 없거나 아직 평가되지 않은 질의입니다. p는 양쪽에서 결과가 한결같은 질의만으로 구했습니다.",
        "Flaky queries passed and failed within one "
        "version; undecided ones have no check that was decided. The p is over queries whose runs agree on both sides.",
    )
    note = f"{passing(rubric, rule)} {note}"
    return table(said("질의별 변화", "What became of the queries"), columns, rows, note)


def _queries(figures: Analysis, found: AgentTrend, step: VersionStep) -> Table | None:
    """The queries that were fixed, broken or flaky at the last step, with their texts."""
    order: tuple[Became, ...] = ("broken", "flaky", "fixed")
    own = step.of(*order)
    if own.is_empty():
        return None
    ranked = pl.concat([own.filter(pl.col("became") == word) for word in order])
    texts = texts_of(figures, ranked.head(LISTED)["item"].to_list())
    rows: list[list[Cell]] = [
        [
            row["query"],
            AuthoredText(question_of(texts, row["item"])),
            became_words(found.field, row["became"]),
            f"{row['passed_a']}/{row['decided_a']} → {row['passed_b']}/{row['decided_b']}",
            said("예", "yes") if row["sure"] else said("아니요", "no"),
        ]
        for row in ranked.head(LISTED).iter_rows(named=True)
    ]
    columns = [said("질의", "query"), said("질문", "question"), said("변화", "became")]
    columns += [said("통과/실행", "passed/runs"), said("반복이 충분함", "enough repeats")]
    title = said(
        f"{step.before} → {step.after}: 깨지거나 불안정하거나 고쳐진 질의",
        f"{step.before} → {step.after}: queries broken, flaky or fixed",
    )
    if found.field != VERSION:
        title = said(
            f"{step.before} → {step.after}: 결과가 갈린 질의",
            f"{step.before} → {step.after}: queries that differ",
        )
    return table(title, columns, rows, _enough(step, ranked.height), words=5)


def _enough(step: VersionStep, n: int) -> str:
    """How many repeats it takes to say so, and what fewer can hide."""
    needed, notice = step.repeats_needed, repeats_to_notice(_NOW_AND_THEN)
    words = said(
        f"질의 하나가 고쳐졌거나 깨졌다고 말하려면 버전마다 {needed}번 이상 실행해야 합니다: 통과 확률이 그대로인 질의가 우연히 그렇게 보일 "
        f"확률은 한 번씩이면 최대 {percent(flip_chance(1, 1))}, {needed}번씩이면 {percent(flip_chance(needed, needed))} 이하입니다(기준 "
        f"{percent(SURE)}). 다섯 번에 한 번 실패하는 질의를 95 % 확률로 알아채려면 {notice}번이 필요합니다.",
        f"To call one query fixed or broken takes {needed} runs of each version: one whose chance of passing is unchanged looks so "
        f"with a probability of up to {percent(flip_chance(1, 1))} with one run each, and of at most "
        f"{percent(flip_chance(needed, needed))} with {needed} (limit {percent(SURE)}). To notice a query that fails one time in "
        f"five with 95 % certainty takes {notice}.",
    )
    if n > LISTED:
        words += said(
            f" {n:,}개 중 {LISTED}개입니다. 전부는 queries.csv에 있습니다.",
            f" {LISTED} of {n:,}; queries.csv has all.",
        )
    return words


def _times(figures: Analysis, found: AgentTrend) -> Table:
    """p50, p90 and p95 of every tool class in every version."""
    columns = [Column(said("지표", "metric"), "words"), Column(field_name(found.field).say(), "words")]
    columns += [Column(said("실행 수", "runs"), "count"), Column(said("평균 초", "mean s"))]
    columns += [Column(key) for key in TIME_QUANTILES]
    rows: list[list[Cell]] = [
        [
            score_label(figures.rubric, name),
            value,
            one.described.n,
            one.described.mean.value,
            *(Estimate.of(one.quantiles[key]) for key in TIME_QUANTILES),
        ]
        for name, of in found.times.items()
        for value, one in zip(found.values, of, strict=True)
    ]
    note = said(
        "초. 시간이 기록된 실행만 셌습니다. 분위수의 구간은 분포와 무관하게 성립하며, p50은 6건, p90은 36건, p95는 72건부터 있습니다.",
        "Seconds, of runs with a recorded time. The intervals of quantiles hold whatever the distribution; p50 has one from 6 "
        "runs, p90 from 36, p95 from 72.",
    )
    return table(said("응답 시간의 추이", "Response times over time"), columns, rows, note)
