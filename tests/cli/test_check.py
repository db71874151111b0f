"""`haechi check` as a user and as CI runs it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from haechi.testing import assert_score


def test_gates_that_hold_exit_with_0_and_others_with_1(haechi, demo):
    # The demo's mean3 is 0.685 with an interval from 0.56.
    assert haechi("check", demo / "diary-comment", "--min", "mean3=0.6").code == 0
    ran = haechi("check", demo / "diary-comment", "--min", "mean3=0.6", "--min-lower", "mean3=0.6")
    assert ran.code == 1
    assert "1 of 2 gates failed" in ran.out
    assert "[red]" not in ran.out


def test_agreement_and_latency_can_be_gated(haechi, demo):
    ran = haechi("check", demo / "maice-qac", "--min-lower", "agree.total.icc2_1=0.4", "--min", "human_ai.total.pearson=0.8",
                 "--max", "evidence.unfounded=0.05", "--min", "total@mode=agent=30", "--json")  # fmt: skip
    assert ran.code == 0, ran.out
    assert all(check["passed"] for check in ran.json["checks"])
    ran = haechi("check", demo / "hiring-agent", "--max", "latency_single.seconds=5")
    assert ran.code == 1
    assert "too high" in ran.out


def test_the_value_of_a_gate_is_the_one_that_the_report_says(haechi, demo, tmp_path):
    import polars as pl

    haechi("report", demo / "hiring-agent", "-o", tmp_path / "out")
    summary = pl.read_csv(tmp_path / "out" / "summary.csv")
    listed = haechi("check", demo / "hiring-agent", "--list", "--json").json
    for name in ("overall", "accuracy", "seconds", "latency_single.seconds"):
        row = (
            summary.filter(pl.col("by").is_null() | (pl.col("by") == ""))
            .filter(pl.col("score") == name)
            .row(0, named=True)
        )
        assert listed[name]["value"] == row["mean"]
        assert listed[name]["ci95"] == [row["ci95_low"], row["ci95_high"]]


def test_junit_and_markdown_are_written(haechi, demo, tmp_path):
    junit, summary = tmp_path / "gates.xml", tmp_path / "summary.md"
    haechi(
        "check",
        demo / "diary-comment",
        "--min",
        "mean3=0.6",
        "--max",
        "mean3=0.6",
        "--junit",
        junit,
        "--markdown",
        summary,
    )
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.find("failure") is not None for case in suite.findall("testcase")] == [False, True]
    assert "1 of 2 gates failed" in summary.read_text("utf-8")
    assert summary.read_text("utf-8").count("\n| ") == 4


def test_an_unknown_name_is_refused_with_similar_ones(haechi, demo):
    ran = haechi("check", demo / "diary-comment", "--min", "sensiblenes=0.5")
    assert ran.code == 1
    assert "sensibleness" in ran.err


@pytest.mark.parametrize("bad", ["total", "total=", "=3", "total=many", "total=nan", "total=inf"])
def test_a_gate_without_a_number_is_wrong_usage(haechi, demo, bad):
    assert haechi("check", demo / "diary-comment", "--min", bad).code == 2


def test_no_gate_is_wrong_usage(haechi, demo):
    assert haechi("check", demo / "diary-comment").code == 2


def test_a_figure_without_a_value_does_not_pass(haechi, demo):
    # Two yes-or-no values are names: an ICC is not defined for them.
    ran = haechi("check", demo / "diary-comment", "--min", "agree.sympathy.icc2_1=-1", "--json")
    assert ran.code == 1
    assert "not permitted for nominal ratings" in ran.json["checks"][0]["why"]


def test_a_study_does_not_regress_against_itself(haechi, demo):
    ran = haechi("check", demo / "diary-comment", "--no-regression", demo / "diary-comment", "--json")
    assert ran.code == 0
    assert len(ran.json["checks"]) == 5


def test_differences_stand_under_their_own_head(haechi, demo, tmp_path):
    study, summary = demo / "diary-comment", tmp_path / "summary.md"
    ran = haechi("check", study, "--min", "mean3=0.1", "--no-regression", study, "--markdown", summary)
    figure, change = "figure [95 % interval]", "change from baseline [95 % interval]"
    assert ran.out.index(figure) < ran.out.index("mean3 ≥ 0.1") < ran.out.index(change)
    assert ran.out.index(change) < ran.out.index("mean3: no loss shown")
    assert ran.out.rstrip().endswith("6 of 6 gates passed")
    assert "6 of 6 gates passed" in summary.read_text("utf-8").splitlines()[0]
    assert f"| gate | {change} | why |" in summary.read_text("utf-8").replace("\\", "")
    korean = haechi("check", study, "--no-regression", study, "--lang", "ko").out
    assert "수치 [95 % 구간]" not in korean
    assert "기준과의 차이 [95 % 구간]" in korean
    assert "관문 5개 모두 통과" in korean


def test_the_pytest_helper_says_what_was_found(demo):
    assert_score(demo / "diary-comment", "mean3", min=0.6)
    with pytest.raises(AssertionError, match=r"mean3 ≥ 0.9: 0.685 \[0.560, 0.815\]"):
        assert_score(demo / "diary-comment", "mean3", min=0.9)
    with pytest.raises(TypeError):
        assert_score(demo / "diary-comment", "mean3")
