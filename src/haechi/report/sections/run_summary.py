"""What was measured, from which files, and what came of it in one paragraph that can be pasted into a mail."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.counts import count_groups
from haechi.analysis.zero_by_rule import said_beside, zero_by_rule
from haechi.data.agent_run import VERSION
from haechi.report.numbers import number
from haechi.report.sections.run_queries import weakest_queries
from haechi.report.sections.run_texts import brief_text, texts_of
from haechi.report.table import Cell, Estimate, Table, say, table
from haechi.report.tables.scores import is_partial
from haechi.report.words import (
    is_of_few,
    of_versions,
    panel_of,
    said,
    score_label,
    with_particle,
    without_result,
)
from haechi.text import Text

AGENT = "agent"
_HASH, _FILES, _SHORT, _TIED = 12, 20, 80, 4


def measured_files(figures: Analysis) -> Table | None:
    """The files that the runs came from, with date and hash."""
    files = figures.study.sources()
    if not files:
        return None
    rows: list[list[Cell]] = [[one.name, one.date, one.sha256[:_HASH]] for one in files[:_FILES]]
    columns = [said("파일", "file"), said("날짜", "date"), f"SHA-256 ({_HASH})"]
    note = said("파일이 마지막으로 바뀐 날짜.", "The day of the file's last change.")
    if not figures.study.made_of:
        note = said("스터디에 더한 날짜.", "The day on which it was added to the study.")
    if len(files) > _FILES:
        note += said(f" {len(files):,}개 중 {_FILES}개.", f" {_FILES} of {len(files):,}.")
    return table(said("측정 대상", "What was measured"), columns, rows, note + _agents(figures), words=3)


def _agents(figures: Analysis) -> str:
    """Which agents were asked, in which versions; nothing where the runs do not say."""
    fields = [field for field in (AGENT, VERSION) if field in figures.scored.fields]
    if AGENT not in fields:
        return ""
    (groups,) = count_groups(figures.batches, [figures.main], [fields])
    named: dict[str, list[str]] = {}
    for agent, *version in groups:
        if agent is not None:
            named.setdefault(str(agent), []).extend(str(one) for one in version if one is not None)
    listed = ", ".join(
        f"{agent} {', '.join(versions)}".strip() for agent, versions in list(named.items())[:_FILES]
    )
    return said(f" 물어본 에이전트: {listed}.", f" The agent that was asked: {listed}.") if listed else ""


def paragraph(figures: Analysis) -> str:
    """The findings in one paragraph; every figure in it stands in a table too."""
    return " ".join(_sentences(figures))


def _sentences(figures: Analysis) -> Iterator[str]:
    yield _size(figures)
    yield from _means(figures)
    yield from _times(figures)
    yield from _failures(figures)
    yield from _changes(figures)
    yield from _weakest(figures)


def _size(figures: Analysis) -> str:
    results, trend = figures.query_results, figures.trend
    n = results.queries.height if results else 0
    ko = f"실행 {figures.n_rated:,}건" + (f"(질의 {n:,}개)" if n else "")
    en = f"{figures.n_rated:,} runs" + (f" of {n:,} queries" if n else "")
    if trend is None:
        return said(f"{with_particle(ko, '을/를')} 측정했습니다.", f"{en} were measured.")
    word = ("버전", "versions") if trend.field == VERSION else ("회차", "rounds")
    many = len(trend.values)
    return said(f"{word[0]} {many:,}개, {ko}을 측정했습니다.", f"{en} in {many:,} {word[1]} were measured.")


def _means(figures: Analysis) -> Iterator[str]:
    """The main score of every panel, what in it is 0 by rule, and the mean of every metric."""
    rubric, label = figures.rubric, score_label(figures.rubric, figures.main)
    for kind, group in figures.panels.items():
        shown, n, of = say(Estimate.of(group.mean)), f"{group.n:,}", f"{figures.n_rated:,}"
        who = (
            Text("", "")
            if kind == "code"
            else Text(f"{panel_of(figures, kind).ko}, ", f"{panel_of(figures, kind).en}, ")
        )
        wide = group.mean.ci95 is not None
        yield said(
            f"{with_particle(label, '은/는')} {shown}점입니다({who.ko}실행 {of}건 중 값이 있는 {n}건{', 대괄호는 95 % 구간' if wide else ''}).",
            f"{label} is {shown} ({who.en}{n} of {of} runs {'has' if group.n == 1 else 'have'} a value"
            f"{'; brackets hold the 95 % interval' if wide else ''}).",
        )
        if is_of_few(figures):
            yield said("전체를 말하는 값은 아닙니다.", "That does not speak for all of them.")
    ruled = said_beside(figures.scored, figures.main)
    if ruled is not None:
        yield ruled.say()
    means = {name: figures.whole[name].mean.value for name in figures.names if name != figures.main}
    known = {name: mean for name, mean in means.items() if mean is not None}
    listed = ", ".join(
        f"{score_label(rubric, name)} {number(mean)}{_of_what(figures, name)}" for name, mean in known.items()
    )
    if listed:
        yield said(f"지표별 평균은 {listed}입니다.", f"Means: {listed}.")


def _of_what(figures: Analysis, name: str) -> str:
    """What must be known beside a mean: that most of it is 0 by rule, or that few runs have the score."""
    zeros, n = zero_by_rule(figures.scored).get(name), figures.whole[name].n
    if zeros is not None:
        return said(
            f"({zeros.n:,}/{zeros.of:,}건은 규칙에 따른 0점)", f" ({zeros.n:,} of {zeros.of:,} are 0 by rule)"
        )
    if n * 2 < figures.n_rated and not is_partial(figures.rubric, name):
        return said(f"({figures.n_rated:,}건 중 {n:,}건)", f" ({n:,} of {figures.n_rated:,} runs)")
    return ""


def _times(figures: Analysis) -> Iterator[str]:
    told = []
    for criterion in figures.rubric.criteria:
        name = criterion.score
        if criterion.only is None or name not in figures.seconds or not figures.seconds[name].n:
            continue
        mean, slow = figures.seconds[name].mean.value, figures.time_quantiles[name]["p95"].value
        told.append((score_label(figures.rubric, name), number(mean or 0.0), number(slow or 0.0)))
    if told:
        ko = ", ".join(f"{label} {mean}초(p95 {slow}초)" for label, mean, slow in told)
        en = ", ".join(f"{label} {mean} s (p95 {slow} s)" for label, mean, slow in told)
        yield said(f"평균 응답 시간은 {ko}입니다.", f"Mean response times: {en}.")


def _failures(figures: Analysis) -> Iterator[str]:
    notes = figures.run_notes
    if notes is None:
        return
    if notes.n_failed or notes.n_unanswered:
        yield without_result(notes)
    most = notes.checks.most(_TIED)
    first = [check for check, _, n in most if n == most[0][2]]
    if first and len(first) < _TIED:  # of more nobody would say that they stand out
        names, n = ", ".join(first), most[0][2]
        yield said(
            f"가장 자주 실패한 체크는 {names}입니다({f'각 {n:,}' if len(first) > 1 else f'{n:,}'}번).",
            f"The checks that failed most often: {names} ({n:,} times{' each' if len(first) > 1 else ''}).",
        )


def _changes(figures: Analysis) -> Iterator[str]:
    trend, changed = figures.trend, figures.changed_queries
    if trend is not None and trend.field == VERSION and trend.steps:
        step = trend.steps[-1]
        c = step.counts
        yield said(
            f"{step.before} → {step.after}: 고쳐진 질의 {c['fixed']:,}개, 깨진 질의 {c['broken']:,}개, 불안정한 질의 {c['flaky']:,}개, "
            f"양쪽 모두 통과 {c['both_passed']:,}개, 양쪽 모두 실패 {c['both_failed']:,}개.",
            f"From {step.before} to {step.after}: queries fixed {c['fixed']:,}, broken {c['broken']:,}, flaky {c['flaky']:,}, "
            f"passed in both {c['both_passed']:,}, failed in both {c['both_failed']:,}.",
        )
    elif changed is not None and changed.n:
        yield said(
            f"질의 {changed.n_queries:,}개{of_versions(figures).ko} 중 {changed.n:,}개는 실행마다 결과가 같지 않았습니다.",
            f"{changed.n:,} of {changed.n_queries:,} queries{of_versions(figures).en} did not do the same every time.",
        )


def _weakest(figures: Analysis) -> Iterator[str]:
    weakest = weakest_queries(figures)
    if weakest.is_empty():
        return
    row = weakest.row(0, named=True)
    tied = weakest.filter((pl.col("passed") == row["passed"]) & (pl.col("decided") == row["decided"])).height
    texts = texts_of(figures, [row["item"]])
    asked = brief_text(texts[row["item"]].query) if row["item"] in texts else ""
    asked = asked if len(asked) <= _SHORT else asked[:_SHORT].rstrip() + "…"
    passed = f"{row['passed']}/{row['decided']}" if row["decided"] else "–"
    alone = row["mean"] is not None and tied == 1
    mean = said(f", 평균 {say(row['mean'])}", f", mean {say(row['mean'])}") if alone else ""
    others = said(f" 등 {tied:,}개", f" and {tied - 1:,} more") if tied > 1 else ""
    yield said(
        f"통과 비율이 가장 낮은 질의는 {row['query']} “{asked}”{others}입니다({'각 ' if tied > 1 else ''}통과 {passed}{mean}).",
        f"The queries that pass least: {row['query']}, “{asked}”{others} (passed {passed}{mean}{' each' if tied > 1 else ''}).",
    )
