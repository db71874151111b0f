"""Queries of agent runs by what was asked: the weakest with their causes, the slowest, and the texts of those that changed."""

from __future__ import annotations

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.data.agent_run import VERSION
from haechi.report.sections.run_texts import brief_text, question_of, texts_of
from haechi.report.table import AuthoredText, Cell, Column, Estimate, Table, table
from haechi.report.words import passing, said, score_label

_LISTED, _CAUSES = 10, 3


def weakest_queries(figures: Analysis) -> pl.DataFrame:
    """Queries of which runs did not pass, failed or had no answer: the smallest share of passed ones first, then the lowest mean."""
    if figures.query_results is None:
        return pl.DataFrame()
    own = figures.query_results.queries.filter(
        (pl.col("passed") < pl.col("decided")) | (pl.col("failed") + pl.col("unanswered") > 0)
    )
    share = pl.when(pl.col("decided") > 0).then(pl.col("passed") / pl.col("decided"))
    return own.sort(share, "mean", "at", nulls_last=True)


def weakest_table(figures: Analysis) -> Table | None:
    """The weakest queries with their text and the checks that failed most often."""
    every = weakest_queries(figures)
    if every.is_empty() or figures.query_results is None:
        return None
    shown = every.head(_LISTED)
    texts, causes = texts_of(figures, shown["item"].to_list()), figures.query_results.causes
    without = {
        "failed": said("실패한 실행", "failed runs"),
        "unanswered": said("답변 없는 실행", "runs without an answer"),
    }
    rows: list[list[Cell]] = []
    for row in shown.iter_rows(named=True):
        own = causes.filter(pl.col("query") == row["query"]).head(_CAUSES)
        failing = [f"{check} ×{n}" for check, n in own.select("check", "n").iter_rows()]
        failing += [f"{what} ×{row[name]}" for name, what in without.items() if row[name]]
        question = AuthoredText(question_of(texts, row["item"]))
        passed = f"{row['passed']}/{row['decided']}" if row["decided"] else "–"
        rows.append([row["query"], question, "; ".join(failing) or "–", passed, row["runs"], row["mean"]])
    columns = [Column(said("질의", "query"), "words"), Column(said("질문", "question"), "words")]
    columns += [Column(said("원인", "causes"), "words"), Column(said("통과/평가", "passed/decided"), "words")]
    columns += [Column(said("실행 수", "runs"), "count"), Column(score_label(figures.rubric, figures.main))]
    note = said(
        f"통과하지 못했거나, 실패했거나, 답변이 없는 실행이 있는 질의 {every.height:,}개 중 통과 비율이 가장 낮은 {shown.height:,}개입니다. 전부는 queries.csv에 있습니다.",
        f"The {shown.height:,} with the smallest share of passed runs, of {every.height:,} queries of which runs did not pass, "
        "failed or had no answer; queries.csv has all.",
    )
    return table(said("가장 약한 질의", "The weakest queries"), columns, rows, note)


def slowest_table(figures: Analysis) -> Table | None:
    """The queries that took longest."""
    if figures.query_results is None:
        return None
    own = figures.query_results.queries.drop_nulls("mean_seconds")
    shown = own.sort("mean_seconds", "at", descending=[True, False]).head(_LISTED)
    if shown.is_empty():
        return None
    texts = texts_of(figures, shown["item"].to_list())
    rows: list[list[Cell]] = [
        [
            row["query"],
            AuthoredText(question_of(texts, row["item"])),
            row["seconds_n"],
            row["mean_seconds"],
            row["slowest"],
        ]
        for row in shown.iter_rows(named=True)
    ]
    columns = [Column(said("질의", "query"), "words"), Column(said("질문", "question"), "words")]
    columns += [Column(said("시간이 있는 실행", "runs with a time"), "count")]
    columns += [Column(said("평균 초", "mean s")), Column(said("최대 초", "longest s"))]
    return table(said("가장 느린 질의", "The slowest queries"), columns, rows)


def passes_table(figures: Analysis) -> Table | None:
    """How often all of several runs of a query pass, in every version; nothing where no query was tried twice."""
    results, trend = figures.query_results, figures.trend
    if results is None:
        return None
    versions = trend.values if trend is not None and trend.field == VERSION else (None,)
    found = {value: results.passes(value) for value in versions}
    most = max((max(own, default=0) for own in found.values()), default=0)
    if not most:
        return None
    columns = [Column(said("버전", "version") if versions != (None,) else said("실행", "runs"), "words")]
    columns += [Column(f"pass^{k}", "share") for k in range(1, most + 1)]
    rows: list[list[Cell]] = [
        [
            value or said("전체", "all"),
            *(Estimate.of(own[k]) if k in own else None for k in range(1, most + 1)),
        ]
        for value, own in found.items()
    ]
    note = said(
        "pass^k는 같은 질의를 k번 실행해 모두 통과할 확률을 질의에 대해 평균한 값입니다(Yao 외 2024).",
        "pass^k is the probability that k runs of a query all pass, averaged over queries (Yao et al. 2024).",
    )
    note = f"{note} {passing(figures.rubric, results.rule)}"
    return table(said("반복해도 통과하는가", "Does it pass every time?"), columns, rows, note)


def changed_texts(figures: Analysis) -> Table | None:
    """Question, expectation and every answer of the queries that changed most."""
    changed = figures.changed_queries
    if changed is None or not changed.n:
        return None
    shown = changed.most.head(_LISTED)
    texts = texts_of(figures, [item for items in shown["items"].to_list() for item in items])
    rows: list[list[Cell]] = []
    for query, items in shown.select("query", "items").iter_rows():
        known = [item for item in items if item in texts]
        if not known:
            continue
        first = texts[known[0]]
        answers = [f"{item}: {brief_text(texts[item].answer or texts[item].error)}" for item in known]
        rows.append(
            [
                query,
                AuthoredText(brief_text(first.query)),
                AuthoredText(brief_text(first.expected)),
                AuthoredText("\n\n".join(answers)),
            ]
        )
    columns = [said("질의", "query"), said("질문", "question"), said("기대 결과", "expectation")]
    columns.append(said("실행별 답변", "answers by run"))
    title = said("달라진 질의의 질문, 기대 결과, 답변", "Question, expectation and answers of what changed")
    return table(title, columns, rows, words=4) if rows else None
