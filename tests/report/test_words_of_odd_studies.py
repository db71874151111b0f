"""What reports say of studies that few have thought of: labels, one judge asked again, equal scores, scales below zero."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.report.build import build_report
from haechi.report.document import Finding, Plot, Report
from haechi.report.markdown import markdown
from haechi.report.table import Table, say
from haechi.study.study import Study
from haechi.text import choose_language

LIKERT = "{type: likert, anchors: {1: {ko: 하, en: low}, 2: {ko: 중, en: middle}, 3: {ko: 상, en: high}}}"
BELOW = "{type: likert, anchors: {-1: {ko: 나쁨, en: bad}, 0: {ko: 보통, en: fair}, 1: {ko: 좋음, en: good}}}"
LABELS = (
    "{type: verdict, level: nominal, labels: {ASK: {points: 0, text: {ko: 질문, en: question}}, "
    "CHAT: {points: 1, text: {ko: 잡담, en: small talk}}, COMPLAIN: {points: 2, text: {ko: 불만, en: complaint}}}}"
)
RUBRIC = """\
id: odd
title: {ko: 시험, en: Trial}
about: {ko: 시험합니다., en: A trial.}
item: dialogue
speakers: {user: {ko: 사용자, en: user}, assistant: {ko: 챗봇, en: chatbot}}
task: {ko: 읽으세요., en: Read.}
criteria:
"""
Given = tuple[str, str, str, float | None]
"""Item, rater, criterion and value."""


@pytest.fixture(params=["ko", "en"])
def lang(request) -> str:
    choose_language(request.param)
    return str(request.param)


def study(
    folder: Path,
    scales: Mapping[str, str],
    given: Iterable[tuple[Given, int]],
    meta: Mapping[str, Mapping[str, str]] | None = None,
) -> Analysis:
    """A study of its own rubric; raters whose name begins with "ai" are AI judges."""
    criteria = [
        f"  - {{key: {key}, name: {{ko: {key}도, en: {key}}}, scale: {scale}}}"
        for key, scale in scales.items()
    ]
    rubric = folder / "odd.yaml"
    folder.mkdir(exist_ok=True)
    rubric.write_text(RUBRIC + "\n".join(criteria), "utf-8")
    made = Study.new(folder / "study", str(rubric))
    rows = [
        {
            "item": item,
            "rater": rater,
            "kind": "ai" if rater.startswith("ai") else "human",
            "criterion": criterion,
            "replicate": replicate,
            "value": value,
            **({} if value is not None else {"status": "missing", "reason": "no answer"}),
        }
        for (item, rater, criterion, value), replicate in given
    ]
    ids = dict.fromkeys(row["item"] for row in rows)
    items = [
        {
            "id": one,
            "messages": [{"role": "user", "content": str(one)}],
            "meta": (meta or {}).get(str(one), {}),
        }
        for one in ids
    ]
    (folder / "items.json").write_text(json.dumps(items), "utf-8")
    (folder / "ratings.json").write_text(json.dumps(rows), "utf-8")
    made.add([folder / "items.json"])
    made.import_ratings([folder / "ratings.json"])
    return Analysis(folder / "study")


def once(given: Iterable[Given]) -> list[tuple[Given, int]]:
    return [(one, 1) for one in given]


def the(report: Report, rule: str) -> Finding:
    return next(one for one in report.findings if one.rule == rule)


def all_words(report: Report) -> str:
    return markdown(report, {})


def labels(folder: Path) -> Analysis:
    """Twenty items of two systems; Kim calls every fourth otherwise than Lee."""
    given = [
        (f"s{i}", rater, "intent", (i % 3 + (rater == "Kim" and i % 4 == 0)) % 3)
        for i in range(20)
        for rater in ("Kim", "Lee")
    ]
    meta = {f"s{i}": {"system": "A" if i % 2 else "B"} for i in range(20)}
    return study(folder, {"intent": LABELS}, once(given), meta)


def test_labels_have_no_mean_anywhere(tmp_path, lang):
    report = build_report(labels(tmp_path))
    words = all_words(report)
    assert not re.search(
        "평가자별 평균|Means by rater|한 항목의 점수는 평가자들의 평균|An item's score is the mean", words
    )
    assert not re.search("점수가 가장 낮은|lowest scores", words)
    (shown,) = (t for t in report.tables() if re.search("답의 비율|shares of the labels", t.title))
    assert [(row[0], row[1]) for row in shown.rows] == [("ASK", 13), ("CHAT", 14), ("COMPLAIN", 13)]
    (items,) = (
        part for s in report.sections if s.key == "items" for part in s.parts if isinstance(part, Table)
    )
    assert {say(cell) for row in items.rows for cell in row[2:]} == {"ASK", "CHAT", "COMPLAIN"}
    assert all(
        re.search("Kim (ASK|CHAT|COMPLAIN), Lee (ASK|CHAT|COMPLAIN)", one) for one in _headings(report)
    )


def _headings(report: Report) -> list[str]:
    parts = [part for section in report.sections if section.key == "read" for part in section.parts]
    return [part.heading for part in parts if not isinstance(part, str | Table | Plot)]


def test_groups_of_labels_are_compared_by_how_often_each_was_given(tmp_path, lang):
    figures = labels(tmp_path)
    report = build_report(figures)
    groups = the(report, "groups")
    tests = figures.comparisons[0].criteria["intent"].counts.tests
    assert groups.numbers["p"] == tests.exact.p
    assert f"χ²(2) = {tests.chi_squared.statistic:.2f}" in groups.figure
    assert not re.search("견줄 수 없|cannot be compared", groups.words)
    assert f"χ²(2, N = {tests.chi_squared.n}) = {tests.chi_squared.statistic:.2f}" in report.methods
    assert "Holm" not in all_words(report)  # there is one p, and nothing to correct


def test_labels_are_as_sure_as_raters_agree_on_them(tmp_path, lang):
    figures = labels(tmp_path)
    alpha = figures.agreement.criteria["intent"].krippendorff_alpha
    report = build_report(figures)
    shown = f"{alpha.value:.2f}".removeprefix("0")
    assert shown in report.answer.sure
    assert any(shown in value for name, value in report.facts if "Krippendorff" in name)
    assert any(re.match("(ASK|CHAT|COMPLAIN) 35 %", value) for _, value in report.facts)


def test_one_judge_asked_again_says_how_often_it_answers_alike(tmp_path, lang):
    # Of ten items the last is called otherwise the second time.
    given = [
        ((f"s{i}", "ai-1", "tone", float(1 + (i + (i == 9 and again == 2)) % 3)), again)
        for i in range(10)
        for again in (1, 2)
    ]
    report = build_report(study(tmp_path, {"tone": LIKERT}, given))
    assert "ai-1 90 % [" in report.answer.sure
    (alone,) = (t for t in report.tables() if t.title in ("자기 일관성", "Agreement with oneself"))
    assert say(alone.rows[0][1]).startswith("90 %")
    assert re.search("2번까지 되풀이해|up to 2 times by the same rater", report.methods)
    assert not re.search("사람 평균을 견줄|against the people's", all_words(report))


def test_scores_that_are_all_equal_have_no_lowest_item_and_no_doubt(tmp_path, lang):
    given = [
        (f"s{i}", rater, criterion, value)
        for i in range(8)
        for rater in ("Kim", "Lee")
        for criterion, value in (("tone", 2.0), ("fit", 3.0))
    ]
    report = build_report(study(tmp_path, {"tone": LIKERT, "fit": LIKERT}, once(given)))
    assert "read" not in {one.rule for one in report.findings}
    assert re.search("뚜렷이 낮습니다|clearly below", the(report, "weakest").words)
    assert re.search("일치율 100 %|agreement 100 %", the(report, "agreement").figure)


def test_a_scale_below_zero_is_written_so_that_it_can_be_read(tmp_path, lang):
    given = [(f"s{i}", "Kim", "tone", float(i % 3 - 1)) for i in range(9)]
    report = build_report(study(tmp_path, {"tone": BELOW}, once(given)))
    words = all_words(report)
    assert r"−1 \~ 1" in words
    assert "−1–1" not in words
    assert not re.search(r"\| \\?-1 \|", words)


def test_no_difference_is_larger_than_the_scale(tmp_path, lang):
    # Two items of each system, one at either end: the interval of the difference is wider than the scale.
    meta = {f"s{i}": {"system": "A" if i < 2 else "B"} for i in range(4)}
    given = [(f"s{i}", rater, "tone", float(1 + 2 * (i % 2))) for i in range(4) for rater in ("Kim", "Lee")]
    report = build_report(study(tmp_path, {"tone": LIKERT}, once(given), meta))
    words = the(report, "groups").words
    assert re.search("아무리 큰 차이도 배제할 수 없습니다|rule out no difference", words)


def test_a_mean_of_many_that_is_reliable_is_not_called_unusable(tmp_path, lang):
    """Single raters agree poorly, the mean of sixty well: what is reported is the mean."""
    rng = np.random.default_rng(1)
    true = rng.normal(2, 0.5, 40)
    given = [
        (f"s{i}", f"r{r}", "tone", float(np.clip(round(true[i] + rng.normal(0, 1.2)), 1, 3)))
        for i in range(40)
        for r in range(60)
    ]
    figures = study(tmp_path, {"tone": LIKERT}, once(given))
    found = figures.agreement.criteria["tone"]
    assert found.krippendorff_alpha.ci95[1] < 0.4
    assert found.reported_mean[1].ci95[0] > 0.75
    assert "unusable" not in {one.rule for one in build_report(figures).findings}


def test_every_finding_about_items_opens_them(tmp_path):
    given = [
        (f"s{i}", rater, criterion, float(1 + (i * 7 + shift * (i % 5 == 0)) % 3))
        for i in range(20)
        for rater, shift in (("Kim", 0), ("Lee", 1), ("Park", 0))
        for criterion in ("tone", "fit")
    ]
    given = [(i, r, c, max(1.0, v - 1) if c == "fit" else v) for i, r, c, v in given]
    figures = study(tmp_path, {"tone": LIKERT, "fit": LIKERT}, once(given))
    report = build_report(figures)
    weakest = the(report, "weakest")
    assert weakest.items
    scores = pl.concat(list(figures.batches(["item", "fit"]))).group_by("item").mean()
    assert scores.filter(item=weakest.items[0])["fit"].item() == scores["fit"].min()
    assert set(weakest.items) <= report.passages
    apart = the(report, "agreement").items
    assert {int(item[1:]) % 5 for item in apart} == {0}


def test_ten_systems_are_compared_without_being_asked_for(tmp_path):
    meta = {f"s{i}": {"system": f"v{i % 10}"} for i in range(30)}
    given = [(f"s{i}", "Kim", "tone", float(1 + i % 3)) for i in range(30)]
    report = build_report(study(tmp_path, {"tone": LIKERT}, once(given), meta))
    assert "by-system" in {section.key for section in report.sections}


def study_of_runs(folder, queries, more):
    """A study of every query run twice; `more`: what else is known of a run, by query and round."""
    payload = json.dumps({"assistantMessage": "조회했습니다", "responseTimeSec": 3})
    runs = [
        {"id": f"q{q}-{n}", "query_id": f"q{q}", "query": "조회해줘", "payload": payload, **more(q, n)}
        for q in range(queries)
        for n in range(2)
    ]
    (folder / "runs.json").write_text(json.dumps(runs), "utf-8")
    Study.new(folder / "study", "hiring-agent").add([folder / "runs.json"])


def test_runs_without_rounds_or_checks_are_told_as_they_are(tmp_path, lang):
    study_of_runs(tmp_path, 3, lambda q, n: {"error": "timeout" if q + n == 0 else ""})
    report = build_report(Analysis(tmp_path / "study"))
    words = all_words(report)
    assert "None" not in words
    assert not re.search("1건, 대괄호|has a value; brackets", words)  # one value has no interval
    assert re.search(
        r"정확성 0\.00\(5/6건은 규칙에 따른 0점\)|Accuracy 0\.00 \(5 of 6 are 0 by rule\)", words
    )
    assert re.search("규칙에 따라 0점인 값도 평균에|Means hold zeros by rule", words)
    assert re.search("의도 충족 20 %|Intent 20 %", words)
    # The scores that most runs lack are one finding, not two, and open the runs that lack them.
    assert [one.rule for one in report.findings].count("missing") == 0
    assert the(report, "few").items[0] == "q0-1"
    assert the(report, "ruled").items


@pytest.mark.parametrize(
    ("mark", "ko", "en"),
    [
        (1.2, "통과 기준 1.2점 이상입니다.", "It reaches the pass mark of 1.2."),
        (
            2,
            "통과 기준 2점에 이르는지 이 자료로는 말할 수 없습니다.",
            "Whether it reaches the pass mark of 2 these data do not say.",
        ),
        (2.8, "통과 기준 2.8점에 못 미칩니다.", "It is below the pass mark of 2.8."),
    ],
)
def test_the_answer_says_on_which_side_of_the_pass_mark_it_surely_lies(tmp_path, lang, mark, ko, en):
    given = [(f"s{i}", "Kim", "tone", float(1 + i % 3)) for i in range(30)]
    folder = study(tmp_path, {"tone": LIKERT}, once(given)).study.folder
    with (folder / "study.yaml").open("a", encoding="utf-8") as settings:
        settings.write(f"\npass: {{tone: {mark}}}\n")
    report = build_report(Analysis(folder))  # the mean is 2
    assert report.answer.good.endswith(f" {ko if lang == 'ko' else en}")


def test_the_answer_of_runs_says_over_how_many_queries_and_how_many_runs_lack_it(tmp_path, lang):
    verdicts = ({}, {"intent_verdict": "GOOD"}, {"intent_verdict": "WEAK"}, {"intent_verdict": "GOOD"})
    study_of_runs(tmp_path, 4, lambda q, n: {"expected": "@check formType=LIST", **verdicts[q]})
    sure = build_report(Analysis(tmp_path / "study")).answer.sure
    assert re.search("질의 3개를 단위로|over 3 queries", sure)
    assert re.search("실행 8건 중 2건은 값이 없어|Of 8 runs 2 have no value", sure)


@pytest.mark.parametrize("said", [True, False])
def test_a_criterion_that_nobody_rated_is_not_called_one_that_nobody_can_use(tmp_path, lang, said):
    given = [(f"s{i}", "Kim", "tone", float(1 + i % 3)) for i in range(6)]
    given += [("s0", "Kim", "fit", None)] if said else []
    words = the(build_report(study(tmp_path, {"tone": LIKERT, "fit": LIKERT}, once(given))), "unusable").words
    unusable, unrated = "아무도 쓰지 못한|nobody can use", "아직 아무도 평가하지|has rated fit yet"
    assert bool(re.search(unusable, words)) is said
    assert bool(re.search(unrated, words)) is not said
