"""Agent runs: rounds and categories, failing checks, errors, times, and queries that changed."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import polars as pl

from haechi.report.charts import histogram
from haechi.report.document import Cell, Part, Plot, Section, Table, table
from haechi.report.gathered import StudyFigures, floats
from haechi.report.words import said, score_label
from haechi.rubrics.scales import Bands
from haechi.scoring.runs.points import REASONS

_LISTED = 30
_LEVELS = ("0", "1", "2", "3", "4", "5")


def runs_section(figures: StudyFigures) -> Section | None:
    """The score report of agent runs."""
    if figures.rubric.item != "run":
        return None
    runs = figures.frame.unique("item", maintain_order=True)
    parts: list[Part] = [_weights(figures)]
    parts += [_distribution(figures, row) for row in _rows_of(figures, "round")]
    parts += [_categories(figures)] if len(_rows_of(figures, "category")) > 2 else []
    parts += _latency(figures, runs)
    parts += [part for part in (_failing(runs), _errors(runs), _changed(figures, runs)) if part]
    return Section("runs", said("실행 점수표", "Score report of the runs"), tuple(parts))


def _weights(figures: StudyFigures) -> str:
    derived = next((d for d in figures.rubric.scores if d.key == figures.main), None)
    weights = derived.weights if derived and derived.weights else {}
    total = sum(weights.values()) or 1.0
    listed = ", ".join(f"{name} {weight / total * 100:.0f} %" for name, weight in weights.items())
    label = score_label(figures.rubric, figures.main)
    return said(f"{label}의 가중치: {listed}.", f"Weights of {label}: {listed}.") if listed else ""


def _rows_of(figures: StudyFigures, field: str) -> list[dict[str, Any]]:
    """The summary of the set, then of every round."""
    rows = figures.scored.summary
    return [rows[0], *(row for row in rows[1:] if tuple(row["by"]) == (field,))]


def _distribution(figures: StudyFigures, row: dict[str, Any]) -> Table:
    """Every metric of the set or of a round: mean and how often 0–5; mean seconds beside speed."""
    by = " · ".join(f"{field} {value}" for field, value in row["by"].items()) or said("전체", "the set")
    columns = [said("지표", "metric"), said("실행 수", "runs"), said("평균", "mean"), *_LEVELS]
    columns.append(said("평균 초", "mean s"))
    seconds = _mean_seconds(figures, row["by"])
    rows: list[list[Cell]] = []
    for name, of in row["scores"].items():
        counts = of["distribution"] or {}
        own: list[Cell] = [score_label(figures.rubric, name), of["n"], of["mean"]]
        rows.append([*own, *(counts.get(level, 0) for level in _LEVELS), seconds.get(name, "")])
    title = said(f"지표와 0–5점 분포: {by}", f"Metrics and points 0–5: {by}")
    note = said("사이 점수는 가까운 점수로 셉니다.", "A score between two points counts for the nearer one.")
    return table(title, columns, rows, note)


def _categories(figures: StudyFigures) -> Table:
    """Every metric of every category with its distribution, one under the other."""
    rows: list[list[Cell]] = []
    for row in _rows_of(figures, "category")[1:]:
        category = str(row["by"]["category"] or "–")
        seconds = _mean_seconds(figures, row["by"])
        for name, of in row["scores"].items():
            counts = of["distribution"] or {}
            own: list[Cell] = [category, score_label(figures.rubric, name), of["n"], of["mean"]]
            rows.append([*own, *(counts.get(level, 0) for level in _LEVELS), seconds.get(name, "")])
    columns = [
        said("범주", "category"),
        said("지표", "metric"),
        said("실행 수", "runs"),
        said("평균", "mean"),
    ]
    columns += [*_LEVELS, said("평균 초", "mean s")]
    return table(
        said("범주별 지표와 0–5점 분포", "Metrics and points 0–5 by category"), columns, rows, words=2
    )


def _mean_seconds(figures: StudyFigures, by: dict[str, Any]) -> dict[str, float | None]:
    runs = figures.frame.unique("item", maintain_order=True)
    for field, value in by.items():
        runs = runs.filter(pl.col(field).eq_missing(pl.lit(value)))
    means: dict[str, float | None] = {}
    for criterion in figures.rubric.criteria:
        if criterion.only:
            own = runs.filter(pl.col("details:tool_class") == criterion.only)["details:seconds"].mean()
            means[criterion.score] = float(own) if isinstance(own, float) else None
    return means


def _latency(figures: StudyFigures, runs: pl.DataFrame) -> list[Part]:
    parts: list[Part] = []
    for criterion in figures.rubric.criteria:
        if criterion.only is None or not isinstance(criterion.scale, Bands):
            continue
        own = runs.filter(pl.col("details:tool_class") == criterion.only)
        values = floats(own["details:seconds"])
        if own["details:seconds"].count() < 2:
            continue
        label = score_label(figures.rubric, criterion.score)
        title = said(f"응답 시간: {label}", f"Response times: {label}")
        alt = said(
            "응답 시간(초)의 분포와 점수 구간의 경계",
            "Distribution of response times in seconds, and where the bands end",
        )
        cuts = [band.range[2] for band in criterion.scale.bands if band.range[2] != float("inf")]
        rows: list[list[Cell]] = []
        points = own[criterion.score].drop_nulls()
        for band in sorted(criterion.scale.bands, key=lambda band: -band.points):
            rows.append([_band(band.range), int((points == band.points).sum()), band.points])
        columns = [said("구간(초)", "band (s)"), said("실행 수", "runs"), said("점수", "points")]
        note = said(
            "시간이 없거나 실패한 실행은 0점 줄에 들어 있습니다.",
            "Runs without a time or that failed count in the row of 0 points.",
        )
        axis = said("초", "seconds")
        picture = histogram(title, alt, values, sorted(cuts), axis)
        parts.append(Plot(title, picture, alt, table(title, columns, rows, note)))
    return parts


def _band(ends: tuple[float, bool, float, bool]) -> str:
    low, low_in, high, high_in = ends
    return f"{'[' if low_in else '('}{low:g}, {'∞' if high == float('inf') else f'{high:g}'}{']' if high_in else ')'}"


def _failing(runs: pl.DataFrame) -> Table | None:
    """Failing checks by what they ask for, the most frequent first."""
    counts: Counter[str] = Counter()
    queries: dict[str, list[str]] = {}
    for failing, query in runs.select("details:failing", "query").drop_nulls("details:failing").iter_rows():
        for check in failing.split("; "):
            key = check.partition("=")[0].strip() or check
            counts[key] += 1
            queries.setdefault(key, []).append(str(query))
    rows: list[list[Cell]] = [
        [key, _few(queries[key]), n]
        for key, n in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_LISTED]
    ]
    if not rows:
        return None
    columns = [said("검사하는 것", "what is checked"), said("질의", "queries"), said("실패 수", "failures")]
    return table(said("실패한 검사", "Failing checks"), columns, rows, words=2)


def error_pattern(text: str) -> str:
    """An error without what changes from one to the next: numbers, ids, quoted words.

    >>> error_pattern("TimeoutError: 60s at req 'a-17'")
    "TimeoutError: #s at req '…'"
    """
    first = (text.strip().splitlines() or [""])[0]
    shorter = re.sub(r"(['\"]).*?\1", r"\1…\1", first)
    return re.sub(r"\b[0-9a-fA-F]{8,}\b|\d+", "#", shorter)[:120]


def _errors(runs: pl.DataFrame) -> Table | None:
    failed = runs.filter(pl.col("details:failure").is_not_null())
    counts: Counter[tuple[str, str]] = Counter()
    items: dict[tuple[str, str], list[str]] = {}
    for failure, error, item in failed.select("details:failure", "details:error", "item").iter_rows():
        kind = REASONS[failure].say() if failure in REASONS else str(failure)
        key = (kind, error_pattern(error) if error else "")
        counts[key] += 1
        items.setdefault(key, []).append(item)
    rows: list[list[Cell]] = [
        [kind, pattern, _few(items[kind, pattern]), n]
        for (kind, pattern), n in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_LISTED]
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


def changed_queries(runs: pl.DataFrame, main: str) -> pl.DataFrame:
    """Queries whose label, answer or main score is not the same in every round."""
    if "query" not in runs.columns or runs["round"].n_unique() < 2:
        return pl.DataFrame()
    grouped = (
        runs.drop_nulls("query")
        .group_by("query", maintain_order=True)
        .agg(
            labels=pl.col("details:label"),
            scores=pl.col(main),
            rounds=pl.col("round"),
            n=pl.len(),
            other_label=pl.col("details:label").n_unique() > 1,
            other_answer=pl.col("details:signature").n_unique() > 1,
            other_score=pl.col(main).n_unique() > 1,
            spread=pl.col(main).max() - pl.col(main).min(),
        )
    )
    changed = grouped.filter(
        (pl.col("n") > 1) & pl.any_horizontal("other_label", "other_answer", "other_score")
    )
    return changed.sort("spread", descending=True, nulls_last=True, maintain_order=True)


def _changed(figures: StudyFigures, runs: pl.DataFrame) -> Table | None:
    changed = changed_queries(runs, figures.main)
    if changed.is_empty():
        return None
    rows: list[list[Cell]] = []
    for row in changed.head(_LISTED).iter_rows(named=True):
        what = [
            word
            for word, there in (
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
        f"질의 {changed.height:,}개가 회차마다 달랐습니다.",
        f"{changed.height:,} queries changed between rounds.",
    )
    return table(
        said("회차 사이에 달라진 질의", "Queries that changed between rounds"), columns, rows, note, words=4
    )


def _few(names: list[str], most: int = 5) -> str:
    distinct = list(dict.fromkeys(names))
    return ", ".join(distinct[:most]) + (" …" if len(distinct) > most else "")
