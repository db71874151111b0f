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
    assert all(check["passed"] for check in ran.json["gates"])
    ran = haechi("check", demo / "hiring-agent", "--max", "latency_single.seconds=5")
    assert ran.code == 1
    assert "too high" in ran.out


def test_the_value_of_a_gate_is_the_one_that_the_report_says(haechi, demo, tmp_path):
    import polars as pl

    haechi("report", demo / "hiring-agent", "-o", tmp_path / "out")
    summary = pl.read_csv(tmp_path / "out" / "summary.csv")
    listed = haechi("check", demo / "hiring-agent", "--list", "--json").json
    for name in ("overall", "accuracy", "latency_single.seconds"):
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


def test_an_unknown_name_fails_with_similar_ones_and_the_others_are_tried(haechi, demo, tmp_path):
    gates = ["--min", "sensiblenes=0.5", "--min", "mean3=0.6", "--junit", tmp_path / "gates.xml"]
    ran = haechi("check", demo / "diary-comment", *gates, "--json")
    assert ran.code == 1
    first, second = ran.json["gates"]
    assert (first["passed"], first["value"], second["passed"]) == (False, None, True)
    assert "sensibleness" in first["why"]
    cases = ElementTree.parse(tmp_path / "gates.xml").getroot().findall("testsuite/testcase")
    assert [case.find("failure") is not None for case in cases] == [True, False]
    assert "sensibleness" in haechi("check", demo / "diary-comment", *gates[:2]).out


def test_json_of_gates_does_not_change_with_the_language(haechi, demo, tmp_path):
    study = demo / "diary-comment"
    gates = ["--min", "mean3=0.6", "--min-lower", "mean3=0.6", "--no-regression", study]
    english, korean = (
        haechi("check", study, *gates, "--lang", lang, "--json", "--junit", tmp_path / f"{lang}.xml").json[
            "gates"
        ]
        for lang in ("en", "ko")
    )
    first = english[0] | {"value": None, "ci95": None}
    assert first == {
        "name": "min mean3", "kind": "min", "score": "mean3", "limit": 0.6, "value": None, "ci95": None, "n": 24,
        "passed": True, "why": None,
    }  # fmt: skip
    named = [(one["name"], one["kind"], one["score"]) for one in english]
    assert named[1] == ("min-lower mean3", "min-lower", "mean3")
    assert named[-1] == ("no-regression mean3", "no-regression", "mean3")
    assert [(one["name"], one["kind"], one["score"]) for one in korean] == named
    cases = [
        [case.get("name") for case in ElementTree.parse(tmp_path / f"{lang}.xml").iter("testcase")]
        for lang in ("en", "ko")
    ]
    assert cases[0] == cases[1] == [name for name, *_ in named]


def test_a_drop_of_an_unknown_score_fails_and_one_without_baseline_is_wrong_usage(haechi, demo):
    study = demo / "diary-comment"
    ran = haechi("check", study, "--baseline", study, "--max-drop", "total=1", "--json")
    assert (ran.code, ran.json["gates"][0]["passed"]) == (1, False)
    assert "no figure of this name" in ran.json["gates"][0]["why"]
    assert haechi("check", study, "--max-drop", "mean3=1").code == 2
    assert haechi("check", study, "--baseline", study).code == 2
    assert haechi("check", study, "--baseline", study, "--max-drop", "mean3=-1").code == 2


@pytest.mark.parametrize("bad", ["total", "total=", "=3", "total=many", "total=nan", "total=inf"])
def test_a_gate_without_a_number_is_wrong_usage(haechi, demo, bad):
    assert haechi("check", demo / "diary-comment", "--min", bad).code == 2


def test_no_gate_is_wrong_usage(haechi, demo):
    assert haechi("check", demo / "diary-comment").code == 2


def test_a_figure_without_a_value_does_not_pass(haechi, demo):
    # Two yes-or-no values are names: an ICC is not defined for them.
    ran = haechi("check", demo / "diary-comment", "--min", "agree.sympathy.icc2_1=-1", "--json")
    assert ran.code == 1
    assert "not permitted for nominal ratings" in ran.json["gates"][0]["why"]


def test_a_study_does_not_regress_against_itself(haechi, demo):
    ran = haechi("check", demo / "diary-comment", "--no-regression", demo / "diary-comment", "--json")
    assert ran.code == 0
    assert len(ran.json["gates"]) == len(ran.json["checks"]) == 5


def test_differences_stand_under_their_own_head(haechi, demo, tmp_path):
    study, summary = demo / "diary-comment", tmp_path / "summary.md"
    ran = haechi("check", study, "--min", "mean3=0.1", "--no-regression", study, "--markdown", summary)
    figure, change = "figure [95 % interval]", "change from baseline [95 % interval]"
    assert ran.out.index(figure) < ran.out.index("mean3 ≥ 0.1") < ran.out.index(change)
    assert ran.out.index(change) < ran.out.index("no-regression mean3")
    assert ran.out.rstrip().endswith("6 of 6 gates passed")
    assert "6 of 6 gates passed" in summary.read_text("utf-8").splitlines()[0]
    assert f"| gate | {change} | why |" in summary.read_text("utf-8").replace("\\", "")
    korean = haechi("check", study, "--no-regression", study, "--lang", "ko").out
    assert "수치 [95 % 구간]" not in korean
    assert "기준과의 차이 [95 % 구간]" in korean
    assert "통과 기준 5개 모두 통과" in korean


def test_the_pytest_helper_says_what_was_found(demo):
    assert_score(demo / "diary-comment", "mean3", min=0.6)
    with pytest.raises(AssertionError, match=r"mean3 ≥ 0.9: 0.685 \[0.539, 0.802\]"):
        assert_score(demo / "diary-comment", "mean3", min=0.9)
    with pytest.raises(TypeError):
        assert_score(demo / "diary-comment", "mean3")


def test_slow_runs_can_be_gated(haechi, demo):
    listed = haechi("check", demo / "hiring-agent", "--list", "--json").json
    assert listed["seconds.p50"]["value"] == listed["seconds.median"]["value"]
    assert {"seconds.p90", "seconds.p95", "latency_single.p95", "latency_multi.p50"} <= listed.keys()
    names = ("latency_single.p95", "latency_single.seconds.p95")
    gates = [part for name in names for part in ("--max", f"{name}=8")]
    ran = haechi("check", demo / "hiring-agent", *gates, "--max-upper", "seconds.p95=9", "--json")
    first, second, third = ran.json["gates"]
    assert first["value"] == second["value"] == listed["latency_single.p95"]["value"] > 8
    assert "needs at least 72 independent values, and those of 20 clusters are worth" in third["why"]
