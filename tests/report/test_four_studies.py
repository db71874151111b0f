"""No sentence is false of turns in dialogues with twenty raters, of judges alone, of runs without checks, of six items."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from four_studies import STUDIES, turns_in_dialogues

from haechi.analysis.analysis import Analysis
from haechi.report.build import build_report
from haechi.report.document import Finding, Plot, Report
from haechi.report.markdown import markdown
from haechi.text import choose_language


@pytest.fixture(scope="module")
def studies(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("studies")
    small = {"turns": lambda place: turns_in_dialogues(place, dialogues=24, turns=18)}
    return {name: small.get(name, make)(folder / name) for name, make in STUDIES.items()}


@pytest.fixture(params=["ko", "en"])
def report(request, studies):
    choose_language(request.param)
    yield lambda name: build_report(Analysis(studies[name]))
    choose_language(None)


def rules(report: Report) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        found.setdefault(finding.rule, []).append(finding)
    return found


@pytest.mark.parametrize("name", STUDIES)
def test_nothing_is_left_empty_in_a_sentence(report, name):
    text = markdown(report(name), {})
    for wrong in (
        r"\[–\]",
        r"= –[,. (]",
        r"\b1 (?:runs|items|raters|people)\b",
        r"\bnan\b",
        r"\bNone\b",
        r"평균의 분포",
    ):
        assert not re.search(wrong, text), wrong


def test_a_mean_of_the_few_is_not_the_answer(report):
    """One of 24 runs has an overall score, the failed one, since nobody judged intent: no mean of it is told."""
    found = report("runs")
    assert "1.38" not in found.answer.good
    assert re.search(r"24건 중 1건|1 of 24 runs", found.answer.good)
    assert found.answer.gauge is None
    assert "overall" not in rules(found)
    (weakest,) = rules(found)["weakest"]
    assert not re.search("정확성|Accuracy", weakest.words), "its zeros are by rule"
    (ruled,) = rules(found)["ruled"]
    assert not re.search("이를 빼면|Without them", ruled.words)
    assert not re.search("다시 평가할|another judgement", " ".join(one.words for one in found.findings))
    assert not re.search("평가자들의 평균|mean of its raters", markdown(found, {}))
    assert not re.search(
        r"\| 0\.00 \|\n", _table(found, "회차 사이에 달라진 질의|Queries that changed between rounds")
    )


def test_judges_alone_are_not_said_to_be_right(report):
    found = report("judges")
    assert re.search("사람의 판단과 맞는지는 알 수 없습니다|match what people would say", found.answer.sure)
    assert not re.search("같은 뜻으로|mean the same", markdown(found, {})), "why they differ is not known"
    assert not re.search(r"AI 평가자 \d개", found.methods)


def test_many_raters_are_told_in_a_sentence_one_can_read(report):
    found = report("turns")
    (severity,) = rules(found)["severity"]
    assert len(severity.numbers) > 5
    assert len(re.findall(r"낮게|높게|lower|higher", severity.words)) == 5
    for finding in found.findings:
        assert len(finding.words) < 400, finding.words
        assert len(re.findall(r"\br\d\d\b", finding.words)) <= 5
    assert len(rules(found).get("unusable", [])) <= 1
    assert re.search("묶음을 고려하지 않은|take no account of clusters", markdown(found, {}))


def test_the_weakest_criterion_is_told_over_dialogues_not_turns(studies):
    """Twins of every dialogue's turns add nothing: the interval is that of 24 dialogues."""
    figures = Analysis(studies["turns"])
    assert figures.scored.cluster == "dialogue"
    found = figures.weakest
    rows = pl.concat(list(figures.batches(["item", "dialogue", *found.worst, found.next])))
    items = rows.group_by("item", "dialogue").agg(away=(pl.col(found.next) - pl.col(found.worst[0])).mean())
    by = items.group_by("dialogue").agg(pl.col("away").mean())["away"]
    assert found.above.value == pytest.approx(by.mean())
    error = by.std() / len(by) ** 0.5  # dialogues of one size: the plain error of their means
    half = (found.above.ci95[1] - found.above.ci95[0]) / 2
    assert half / error == pytest.approx(2.39789, abs=1e-3)  # t with 23 degrees of freedom at 1 − .025 / 2


def test_the_table_beside_the_dots_counts_every_item(report, studies):
    figures = Analysis(studies["turns"])
    assert figures.n_rated == 24 * 18
    plots = [part for s in report("turns").sections for part in s.parts if isinstance(part, Plot)]
    dots = [
        one for one in plots if one.values and any(column.title == "dot" for column in one.values.columns)
    ]
    for plot in dots:
        told = [row for row in plot.values.rows if row[1] != "mean"]
        assert sum(row[3] for row in told) == figures.n_rated
    whole = dots[0].table
    assert sum(row[1] for row in whole.rows) == figures.n_rated
    edges = [tuple(map(float, str(row[0]).split("–"))) for row in whole.rows]
    means = (
        pl.concat(list(figures.batches(["item", "rater", figures.main])))
        .group_by("item")
        .agg(pl.col(figures.main).mean())[figures.main]
    )
    for (low, high), row in zip(edges, whole.rows, strict=True):
        last = high == edges[-1][1]
        inside = means.filter((means >= low) & ((means < high) | (last & (means <= high))))
        assert row[1] == len(inside)


def test_six_items_are_told_as_six(report):
    found = report("six")
    assert re.search(r"기준 9개|9 criteria", found.methods), "the comment is no criterion that is scored"
    (agreement,) = rules(found)["agreement"]
    assert agreement.tone == "caution"
    assert re.search("더 좁혀 말할 수 없습니다|do not say more", agreement.words)
    (weakest,) = rules(found)["weakest"]
    assert re.search("우연일 수|may be chance", weakest.words)


def _table(report: Report, title: str) -> str:
    text = markdown(report, {})
    return next((block for block in text.split("\n\n**") if re.match(title, block)), "")
