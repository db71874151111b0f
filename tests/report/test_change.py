"""Two studies: what got better, what got worse, what flipped."""

from __future__ import annotations

import polars as pl
import pytest
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.analysis.change import change
from haechi.analysis.gates import check_regression
from haechi.errors import HaechiError
from haechi.report.change import build_change, write_change
from haechi.report.gate_words import gate_condition
from haechi.study.study import Study
from haechi.text import choose_language


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("versions")
    # Of ten comments, sympathy is met on 1 before and on 9 after; specificity on 10 before and on 3 after.
    before = {f"d{i}": {"ann": votes(i % 2, 1, int(i == 0))} for i in range(10)}
    after = {f"d{i}": {"ann": votes(i % 2, int(i < 3), int(i != 5))} for i in range(10)}
    return Analysis(diary_study(folder / "v1", before)), Analysis(diary_study(folder / "v2", after))


def test_better_and_worse_are_told_apart(versions):
    found = {one.name: one for one in change(*versions).scores}
    assert found["sympathy"].difference.value == pytest.approx(0.8)
    assert found["sympathy"].direction == 1
    assert found["specificity"].difference.value == pytest.approx(-0.7)
    assert found["specificity"].direction == -1
    assert found["sensibleness"].difference.value == 0
    assert found["sensibleness"].direction == 0


def test_intervals_are_turned_with_the_difference(versions):
    found = {one.name: one for one in change(*versions).scores}
    low, high = found["sympathy"].difference.ci95
    assert low < 0.8 < high


def test_items_that_crossed_the_middle_are_listed(versions):
    items = pl.concat(change(*versions).items())
    up = items.filter((pl.col("score") == "sympathy") & (pl.col("flipped") == "up"))
    # d0 was met before and stays; d5 is unmet in both; the eight others go up.
    assert set(up["item"]) == {f"d{i}" for i in range(1, 10)} - {"d5"}
    down = items.filter((pl.col("score") == "specificity") & (pl.col("flipped") == "down"))
    assert set(down["item"]) == {f"d{i}" for i in range(3, 10)}


def test_the_gate_fails_only_for_what_got_worse(versions):
    checks = check_regression(change(*versions).scores)
    # SSA is the mean of sensibleness, which stays, and specificity.
    assert [gate_condition(one) for one in checks if not one.passed] == [
        "no-regression specificity",
        "no-regression ssa",
    ]


def test_a_study_does_not_regress_against_itself(versions):
    assert all(one.passed for one in check_regression(change(versions[0], versions[0]).scores))


def test_the_report_of_a_change_is_written_as_a_whole(versions, tmp_path):
    report = write_change(*versions, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "changes.csv",
        "plots",
        "report.html",
        "report.md",
    ]
    words = " ".join(finding.words for finding in report.findings)
    assert "Sympathy got better by 0.80." in words
    assert "Specificity got worse by 0.70." in words
    assert pl.read_csv(tmp_path / "out" / "changes.csv").height == 10 * len(versions[0].names)


def test_different_instruments_are_refused(versions, gathered):
    with pytest.raises(HaechiError, match="two studies with the same rubric"):
        change(versions[0], gathered["ubica"])


def test_studies_without_shared_items_are_compared_as_groups(versions, tmp_path):
    other = {f"e{i}": {"ann": votes(1, 1, 1)} for i in range(6)}
    found = change(versions[0], Analysis(diary_study(tmp_path / "s", other)))
    assert found.sides.paired.n == 0
    assert {one.test for one in found.scores} == {"Welch t"}
    assert build_change(found).findings


def test_a_change_that_cannot_be_computed_is_not_called_chance(tmp_path):
    one = diary_study(tmp_path / "s", {"d1": {"ann": votes(1, 0, 1)}})
    (found,) = build_change(change(Analysis(one), Analysis(one))).findings
    assert found.words == "The change in Mean of all three cannot be computed."
    assert found.figure == "A: n = 1, B: n = 1"


@pytest.mark.parametrize(
    ("lang", "good", "sure"),
    [
        (
            "en",
            "Mean of all three (0 to 1): A 0.53, B 0.57. The difference, B − A = 0.03 [",
            "Compared in pairs: 10 items rated in both by the same rater.",
        ),
        (
            "ko",
            "세 지표의 평균(0–1점): A 0.53, B 0.57. 차이 B − A = 0.03 [",
            "같은 평가자 1명이 양쪽에서 평가한 항목 10개를 짝지어 비교했습니다.",
        ),
    ],
)
def test_the_first_screen_of_a_change_is_an_answer(versions, lang, good, sure):
    choose_language(lang)
    report = build_change(change(*versions))
    assert report.answer.good.startswith(good)
    assert report.answer.sure == sure
    assert report.answer.look.words in {one.words for one in report.findings}


def test_a_change_for_the_better_and_none_at_all_are_told_with_their_figures(tmp_path):
    choose_language("en")
    before = {f"d{i}": {"ann": votes(i % 2, 0, int(i == 0))} for i in range(10)}
    after = {f"d{i}": {"ann": votes(i % 2, 1, int(i != 5))} for i in range(10)}
    studies = [Analysis(diary_study(tmp_path / name, given)) for name, given in (("a", before), ("b", after))]
    answer = build_change(change(*studies)).answer
    assert answer.good.startswith(
        "Mean of all three (0 to 1) got better, from 0.20 in A to 0.80 in B: 0.60 ["
    )
    same = build_change(change(studies[0], studies[0]))
    assert same.answer.good == "Mean of all three (0 to 1): the same in A and B, 0.20."
    assert all(
        row[-1] == "" for table in same.tables() for row in table.rows
    )  # nothing varies, so nothing was tested


def test_labels_of_two_studies_are_refused_for_what_they_are(tmp_path):
    rubric = tmp_path / "labels.yaml"
    rubric.write_text(
        """id: labels
title: 의도
about: 의도를 고릅니다.
item: dialogue
speakers: {user: 사용자, assistant: 챗봇}
task: 고르세요.
criteria:
  - {key: intent, name: 의도, scale: {type: verdict, level: nominal, labels: {ASK: {points: 0, text: 질문}, CHAT: {points: 1, text: 잡담}}}}
""",
        "utf-8",
    )
    studies = []
    for name in ("a", "b"):
        made = Study.new(tmp_path / name, str(rubric))
        (tmp_path / "r.csv").write_text(
            "item,rater,criterion,value\ns1,kim,intent,ASK\ns2,kim,intent,CHAT\n", "utf-8"
        )
        made.import_ratings([tmp_path / "r.csv"])
        studies.append(Analysis(made.folder))
    with pytest.raises(HaechiError, match="labels only"):
        change(*studies)
