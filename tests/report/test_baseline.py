"""A study held against what was kept of an earlier one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy import stats
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.analysis.baseline import read_baseline
from haechi.analysis.change import change
from haechi.analysis.regression import regression

KEPT = (
    "study",
    "score.json",
    "report",
    "scores.csv",
    "report.json",
    "list.json",
    "check.json",
    "summary.csv",
)
PAIRED = KEPT[:4]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A study, a worse one, and everything that commands write about the first."""
    folder = tmp_path_factory.mktemp("baseline")
    # Twenty comments, two raters; specificity is met on all before and on five after, the rest stays.
    before = {
        f"=d{i}": {"ann": votes(i % 2, 1, i % 3 > 0), "bo": votes(i % 2, i % 4 > 0, 1)} for i in range(20)
    }
    after = {
        item: {rater: given | {"specificity": int(item in ("=d1", "=d2"))} for rater, given in rated.items()}
        for item, rated in before.items()
    }
    diary_study(folder / "study", before)
    diary_study(folder / "worse", after)
    return folder


@pytest.fixture
def kept(made, haechi):
    def path(name: str, study: str = "study") -> Path:
        target = made / f"{study}-kept" / name
        target.parent.mkdir(exist_ok=True)
        if name == "study":
            return made / study
        if name in ("report", "scores.csv", "summary.csv"):
            folder = target.parent / "report"
            if not folder.exists():
                haechi("report", made / study, "-o", folder)
            return folder if name == "report" else folder / name
        if target.exists():
            return target
        command, *options = {
            "score.json": ["score"],
            "report.json": ["report", "-o", target.parent / "report"],
            "list.json": ["check", "--list"],
            "check.json": ["check", "--min", "mean3=0"],
        }[name]
        target.write_text(haechi(command, made / study, *options, "--json").out, "utf-8")
        return target

    return path


@pytest.mark.parametrize("name", KEPT)
def test_a_study_does_not_regress_against_what_was_kept_of_it(haechi, made, kept, name):
    ran = haechi("check", made / "study", "--no-regression", kept(name), "--json")
    assert ran.code == 0, ran.err
    assert [check["value"] for check in ran.json["gates"]] == pytest.approx([0.0] * 5)


@pytest.mark.parametrize("name", KEPT)
def test_what_got_worse_fails_whatever_was_kept(haechi, made, kept, name):
    ran = haechi("check", made / "worse", "--no-regression", kept(name), "--json")
    assert ran.code == 1
    failed = {gate["score"] for gate in ran.json["gates"] if not gate["passed"]}
    assert "specificity" in failed
    assert not failed & {"sensibleness", "sympathy"}


@pytest.mark.parametrize("name", PAIRED)
def test_kept_items_are_tested_in_pairs_like_a_study(made, kept, name):
    figures = Analysis(made / "worse")
    expected = change(Analysis(made / "study"), figures).scores
    found = regression(read_baseline(kept(name)), figures, name).scores
    assert [(one.name, one.test, one.p) for one in found] == [
        (one.name, one.test, pytest.approx(one.p) if one.p is not None else None) for one in expected
    ]


@pytest.mark.parametrize("name", [name for name in KEPT if name not in PAIRED])
def test_kept_figures_are_tested_by_welch(made, kept, name):
    before, after = Analysis(made / "study"), Analysis(made / "worse")
    found = {one.name: one for one in regression(read_baseline(kept(name)), after, name).scores}
    for score in ("specificity", "ssa", "mean3"):
        expected = stats.ttest_ind(after.samples[score].each(), before.samples[score].each(), equal_var=False)
        assert found[score].p == pytest.approx(expected.pvalue)
        low, high = expected.confidence_interval()
        assert found[score].difference.ci95 == pytest.approx((low, high))


def test_a_score_that_cannot_be_computed_any_more_fails(haechi, made, kept, tmp_path):
    lost = diary_study(
        tmp_path / "lost", {f"=d{i}": {"ann": {"sensibleness": 1, "sympathy": 1}} for i in range(20)}
    )
    for name in ("score.json", "list.json"):
        ran = haechi("check", lost, "--no-regression", kept(name), "--json")
        failed = {gate["score"]: gate for gate in ran.json["gates"] if not gate["passed"]}
        assert {"specificity", "ssa", "mean3"} <= set(failed)
        assert all(gate["why"] for gate in failed.values())


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("b.json", "{", "b.json"),
        ("b.json", "[1]", "no object"),
        ("b.json", '{"figures": {"mean3": {"value": "many", "n": 3}}}', "mean3.value"),
        ("b.json", '{"figures": {"mean3": {"value": 1, "n": -3}}}', "mean3.n"),
        ("b.json", '{"items": [{"item": "a"}]}', "rater"),
        ("b.json", '{"items": [{"item": "a", "rater": "r", "scores": {"item": 1}}]}', "a score named item"),
        (
            "b.json",
            '{"figures": {"mean3": {"value": 1, "n": 3}, "mean3.sd": {"value": null, "n": 3}}}',
            "mean3: no standard deviation",
        ),
        ("b.csv", "by,score,items,mean,sd\n,mean3,9,1,\n", "mean3: no standard deviation"),
        ("b.json", '{"rubric": "ubica", "figures": {"overall": {"value": 3, "n": 9}}}', "ubica"),
        ("b.csv", "item,rater\na,b\n", "score"),
        ("b.csv", "item,mean:mean3\na,high\n", "valid number"),
        ("b.csv", "by,score,items,mean,sd\n,overall,9,3,1\n", "overall"),
        ("b.txt", "mean3 0.7", ".txt"),
    ],
)
def test_what_is_no_baseline_is_refused_with_the_place(haechi, made, write, name, content, found):
    ran = haechi("check", made / "study", "--no-regression", write(name, content))
    assert ran.code == 1
    assert found in ran.err
    assert "next" in ran.err


@pytest.mark.parametrize("name", ["gone.json", "."])
def test_no_baseline_there_is_refused(haechi, made, tmp_path, name):
    ran = haechi("check", made / "study", "--no-regression", tmp_path / name)
    assert ran.code == 1
    assert "a study, the folder of a report" in ran.err


def test_json_of_check_and_report_tells_every_figure(kept, haechi, made):
    listed = json.loads(kept("list.json").read_text())
    assert json.loads(kept("check.json").read_text())["figures"] == listed
    assert json.loads(kept("report.json").read_text())["figures"] == listed


@pytest.mark.parametrize(("value", "code"), [(0.1, 0), (1.0, 1)])
def test_one_item_cannot_be_tested_and_must_not_be_higher(haechi, made, write, value, code):
    """The study's mean3 lies between 0.1 and 1."""
    kept = {"mean3": {"value": value, "n": 1}, "mean3.sd": {"value": None, "n": 1}}
    ran = haechi("check", made / "study", "--no-regression", write("one.json", json.dumps(kept)), "--json")
    assert ran.code == code
    assert "at least 2 values" in ran.json["gates"][0]["why"]
