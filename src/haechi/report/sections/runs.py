"""Agent runs: rounds and categories, failing checks, errors, times, and queries that changed."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.response_times import SECONDS, TOOL_CLASS
from haechi.analysis.run_notes import RunNotes, RunOccurrences
from haechi.report.charts import Bins, ItemsBehind, bins_of, browser_items, histogram, items_behind, plot
from haechi.report.document import Section, SectionPart
from haechi.report.run_columns import read_runs
from haechi.report.sections.run_arithmetic import worked_arithmetic
from haechi.report.sections.run_queries import changed_texts, passes_table, slowest_table, weakest_table
from haechi.report.sections.run_summary import measured_files, paragraph
from haechi.report.table import AuthoredText, Cell, Estimate, Table, say, table
from haechi.report.words import fields_label, said, score_label
from haechi.scoring.open_lines import waiting_lines
from haechi.scoring.runs.points import REASONS
from haechi.scoring.summary_row import SummaryRow

_LISTED = 30
_LEVELS = ("0", "1", "2", "3", "4", "5")


def runs_section(figures: Analysis, notes: RunNotes) -> Section:
    """The score report of agent runs."""
    counts = figures.scored.counts
    about = (counts.about_checks, counts.about_halves, counts.about_labels) if counts is not None else ()
    parts: list[SectionPart] = [
        paragraph(figures),
        *filter(None, [measured_files(figures)]),
        _weights(figures),
    ]
    parts += [text.say() for text in about if text is not None]
    parts += filter(None, [worked_arithmetic(figures)])
    parts += [_distribution(figures, row) for row in _rows_of(figures, "round")]
    parts += [_categories(figures)] if len(_rows_of(figures, "category")) > 2 else []
    parts += _latency(figures)
    more = (
        *(passes_table(figures), weakest_table(figures), slowest_table(figures), _failing(notes)),
        *(_open_lines(figures), _errors(notes), _changed(figures), changed_texts(figures)),
    )
    parts += [part for part in more if part]
    return Section("runs", said("실행 점수표", "Score report of the runs"), tuple(parts))


def _weights(figures: Analysis) -> str:
    derived = next((d for d in figures.rubric.scores if d.key == figures.main), None)
    weights = derived.weights if derived and derived.weights else {}
    total = sum(weights.values()) or 1.0
    listed = ", ".join(
        f"{score_label(figures.rubric, name)} {weight / total * 100:.0f} %"
        for name, weight in weights.items()
    )
    label = score_label(figures.rubric, figures.main)
    return said(f"{label}의 가중치: {listed}.", f"Weights of {label}: {listed}.") if listed else ""


def _rows_of(figures: Analysis, field: str) -> list[SummaryRow]:
    """The summary of the set, then of every round; runs that name none have no part of their own."""
    rows = figures.scored.summary
    return [rows[0], *(row for row in rows[1:] if tuple(row.by) == (field,) and row.by[field] is not None)]


def _distribution(figures: Analysis, row: SummaryRow) -> Table:
    """Every metric of the set or of a round: mean and how often 0–5; mean seconds beside speed."""
    by = " · ".join(f"{fields_label([field])} {value}" for field, value in row.by.items()) or said(
        "전체", "the set"
    )
    columns = [said("지표", "metric"), said("실행 수", "runs"), said("평균", "mean"), *_LEVELS]
    columns.append(said("평균 초", "mean s"))
    seconds = _mean_seconds(row)
    rows: list[list[Cell]] = []
    for name, of in row.scores.items():
        counts = of.distribution or {}
        own: list[Cell] = [score_label(figures.rubric, name), of.n, of.mean]
        rows.append([*own, *(counts.get(level, 0) for level in _LEVELS), seconds.get(name, "")])
    title = said(f"지표와 0–5점 분포: {by}", f"Metrics and points 0–5: {by}")
    note = said("소수 점수는 반올림해 셌습니다.", "A score between two points counts for the nearer one.")
    return table(title, columns, rows, note)


def _categories(figures: Analysis) -> Table:
    """Every metric of every category with its distribution, one under the other."""
    rows: list[list[Cell]] = []
    for row in _rows_of(figures, "category")[1:]:
        category = str(row.by["category"] or "–")
        seconds = _mean_seconds(row)
        for name, of in row.scores.items():
            counts = of.distribution or {}
            own: list[Cell] = [category, score_label(figures.rubric, name), of.n, of.mean]
            rows.append([*own, *(counts.get(level, 0) for level in _LEVELS), seconds.get(name, "")])
    columns = [
        said("카테고리", "category"),
        said("지표", "metric"),
        said("실행 수", "runs"),
        said("평균", "mean"),
    ]
    columns += [*_LEVELS, said("평균 초", "mean s")]
    return table(
        said("카테고리별 지표와 0–5점 분포", "Metrics and points 0–5 by category"), columns, rows, words=2
    )


def _mean_seconds(row: SummaryRow) -> dict[str, float | None]:
    return {name: times.mean for name, times in row.seconds_by_class.items()}


def _latency(figures: Analysis) -> list[SectionPart]:
    parts: list[SectionPart] = []
    for criterion in figures.rubric.criteria:
        bands = criterion.scale.bands_of_measure
        if criterion.only is None or not bands:
            continue
        times, points = figures.times[criterion.score], figures.samples[criterion.score]
        if times.n < 2:
            continue
        label = score_label(figures.rubric, criterion.score)
        title = said(f"응답 시간: {label}", f"Response times: {label}")
        alt = said(
            "응답 시간(초)의 분포와 점수 구간의 경계",
            "Distribution of response times in seconds, and where the bands end",
        )
        found = figures.time_quantiles[criterion.score]
        cuts = [band.range[2] for band in bands if band.range[2] != float("inf")]
        rows: list[list[Cell]] = []
        for band in sorted(bands, key=lambda band: -band.points):
            rows.append(
                [_band(band.range), int(points.count[points.values == band.points].sum()), band.points]
            )
        columns = [said("구간(초)", "band (s)"), said("실행 수", "runs"), said("점수", "points")]
        note = said(
            "시간이 없거나 실패한 실행은 0점 줄에 들어 있습니다.",
            "Runs without a time or that failed count in the row of 0 points.",
        )
        note += " " + ", ".join(f"{key} {say(Estimate.of(one))}" for key, one in found.items())
        marks = {key: value for key in ("p50", "p95") if (value := found[key].value) is not None}
        bins = bins_of(times, sorted(cuts))
        named = {
            band.range[2]: said(f"{band.points:g}점", _points(band.points))
            for band in bands
            if band.range[2] > 0
        }
        behind_bins = _runs_of_bins(figures, criterion.score, criterion.only, bins)
        draw = partial(
            histogram, title, alt, bins, named, said("초", "seconds"), marks=marks, items=behind_bins
        )
        parts.append(plot(title, alt, draw, table(title, columns, rows, note), bins.values(marks)))
    return parts


def _points(points: float) -> str:
    return f"{points:g} point" + ("" if points == 1 else "s")


def _runs_of_bins(figures: Analysis, score: str, tool_class: str, bins: Bins) -> list[ItemsBehind]:
    """The runs whose times lie in each bin; of very many all of them, in the item browser."""
    if not figures.places:
        return [browser_items(score)] * bins.counts.size
    columns = ["item", SECONDS, TOOL_CLASS]
    rows = pl.concat(list(figures.batches(columns))).unique("item", keep="first", maintain_order=True)
    own = rows.filter(pl.col(TOOL_CLASS) == tool_class).drop_nulls(SECONDS)
    at = np.clip(np.searchsorted(bins.edges, own[SECONDS].to_numpy(), side="left") - 1, 0, None)
    found: list[list[str]] = [[] for _ in bins.counts]
    for item, place in zip(own["item"].to_list(), at.tolist(), strict=True):
        found[place].append(item)
    return [items_behind(items, figures.places) for items in found]


def _band(ends: tuple[float, bool, float, bool]) -> str:
    low, low_in, high, high_in = ends
    return f"{'[' if low_in else '('}{low:g}, {'∞' if high == float('inf') else f'{high:g}'}{']' if high_in else ')'}"


def _failing(notes: RunNotes) -> Table | None:
    """Failing checks by what they ask for, the most frequent first."""
    rows: list[list[Cell]] = [[check, queries, n] for check, queries, n in notes.checks.most(_LISTED)]
    if not rows:
        return None
    columns = [said("체크 대상", "what is checked"), said("질의", "queries"), said("실패 수", "failures")]
    return table(said("실패한 체크", "Failing checks"), columns, rows, words=2)


def _open_lines(figures: Analysis) -> Table | None:
    """The lines of expectations that wait for a person or a judge, the most frequent first."""
    counts = figures.scored.counts
    if counts is None or not counts.open:
        return None
    listed = RunOccurrences()
    for line in waiting_lines(read_runs(figures).values(), figures.rubric, figures.ratings):
        listed.add(line.text, [str(line.item.content.get("query"))], 1)
    rows: list[list[Cell]] = [[AuthoredText(text), queries, n] for text, queries, n in listed.most(_LISTED)]
    columns = [said("줄", "line"), said("질의", "queries"), said("실행 수", "runs")]
    title = said("미정인 줄", "Lines that nobody has decided")
    return table(title, columns, rows, words=2) if rows else None


def _errors(notes: RunNotes) -> Table | None:
    rows: list[list[Cell]] = [
        [REASONS[failure].say() if failure in REASONS else str(failure), pattern, runs, n]
        for (failure, pattern), runs, n in notes.errors.most(_LISTED)
    ]
    if not rows:
        return None
    columns = [
        said("무엇이", "what"),
        said("오류 유형", "pattern"),
        said("실행", "runs"),
        said("횟수", "count"),
    ]
    return table(said("실패와 오류", "Failures and errors"), columns, rows, words=3)


def _changed(figures: Analysis) -> Table | None:
    changed = figures.changed_queries
    if changed is None or not changed.n:
        return None
    rows: list[list[Cell]] = []
    for row in changed.most.iter_rows(named=True):
        what = [
            word
            for word, there in (
                (said("성공 여부", "success"), row["other_outcome"]),
                (said("의도", "intent label"), row["other_label"]),
                (said("응답 내용", "answer"), row["other_answer"]),
                (said("점수", "score"), row["other_score"]),
            )
            if there
        ]
        scores = " → ".join("–" if score is None else f"{score:.2f}" for score in row["scores"])
        rows.append(
            [row["query"], ", ".join(what), " → ".join(map(str, row["labels"])), scores, row["spread"]]
        )
    columns = [said("질의", "query"), said("달라진 것", "what changed"), said("의도", "intent labels")]
    columns += [score_label(figures.rubric, figures.main), said("차이", "spread")]
    note = said(
        f"질의 {changed.n:,}개가 실행마다 같지 않았습니다. 응답 시간, 결측, 규칙에 따른 0점, 화면 데이터가 같은데 낱말로 추정한 의도만 다른 것은 "
        "세지 않습니다.",
        f"{changed.n:,} queries changed between rounds. Not counted: times, missing values, zeros by rule, and labels guessed "
        "from words where the data are the same.",
    )
    return table(
        said("회차 사이에 달라진 질의", "Queries that changed between rounds"), columns, rows, note, words=4
    )
