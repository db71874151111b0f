"""The report of items that bring criteria: what was missed, what should not have been, and the files to compute it again."""

from __future__ import annotations

import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.demo import make_own_criteria
from haechi.report.build import build_report
from haechi.report.findings import findings
from haechi.report.folder import write_report
from haechi.scoring.panel import most_said
from own_criteria import REFUND, own_study, prompt


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return make_own_criteria(tmp_path_factory.mktemp("demo"))


def test_findings_can_be_computed_again_from_criteria_csv(study, tmp_path):
    write_report(Analysis(study), tmp_path / "report")
    rows = pl.read_csv(tmp_path / "report" / "criteria.csv").drop_nulls("met")
    assert (rows["replicate"] == 1).all(), "every row is an answer"
    rules = {finding.rule: finding for finding in findings(Analysis(study))}
    unwanted, wanted = rows.filter(pl.col("points") < 0), rows.filter(pl.col("points") > 0)
    assert rules["wrong"].numbers == {"wrong": unwanted["met"].sum(), "answers": unwanted.height}
    assert rules["missed"].numbers == {"missed": (1 - wanted["met"]).sum(), "answers": wanted.height}


def test_tags_that_are_scores_have_the_same_figure_in_both_tables(study):
    figures = Analysis(study)
    (own,) = figures.scored.own
    tags = {one.tag: one.mean for one in own.tags}
    for name, tag in {
        "accuracy": "axis:정확성",
        "completeness": "axis:충실성",
        "manner": "axis:전달",
    }.items():
        assert figures.whole[name].mean.value == pytest.approx(tags[tag])
    assert own.undeclared == ()


def test_sections_and_gates(study):
    report = build_report(Analysis(study))
    assert "own-checklist" in [section.key for section in report.sections]
    assert "few" not in [finding.rule for finding in report.findings], (
        "that an item has no such axis is no loss"
    )


def test_an_item_without_anything_to_earn_needs_no_other_judgement(tmp_path):
    study = own_study(tmp_path, prompt("p1", REFUND), prompt("p2", [{"criterion": "틀린다", "points": -1}]))
    names = {"p1": [one["criterion"] for one in REFUND], "p2": ["틀린다"]}
    rows = [(item, name) for item, of in names.items() for name in of]
    study.import_ratings(
        {
            "item": [item for item, _ in rows],
            "criterion": [name for _, name in rows],
            "rater": ["kim"] * len(rows),
            "value": [1] * len(rows),
        }
    )
    (missing,) = [one for one in findings(Analysis(study)) if one.rule == "missing"]
    assert "another judgement" not in missing.words
    assert "다시 평가할" not in missing.words
    assert tuple(missing.items) == ("p2",)


@pytest.fixture
def asked_again(tmp_path):
    """Two people call "polite" met in all four items, a judge that was asked five times does not; "due" is unmet in p0 and p1."""
    lists = [{"criterion": "polite", "points": 2}, {"criterion": "due", "points": 5}]
    study = own_study(tmp_path, *(prompt(f"p{n}", lists) for n in range(4)))
    rows = []
    for n in range(4):
        for rater, kind, times, polite in (
            ("kim", "human", 1, 1),
            ("lee", "human", 1, 1),
            ("gpt", "ai", 5, 0),
        ):
            rows += [(f"p{n}", "1", rater, kind, again + 1, polite) for again in range(times)]
            rows += [(f"p{n}", "2", rater, kind, 1, int(kind == "ai" or n > 1))]
    columns = ["item", "criterion", "rater", "kind", "replicate", "value"]
    study.import_ratings(pl.DataFrame(rows, schema=columns, orient="row").to_dict(as_series=False))
    return study


def test_a_rater_has_one_answer_about_a_criterion_of_an_item_on_every_surface(asked_again, tmp_path):
    told = asked_again.scores().as_json()["summary"][0]["own_criteria"]["own"]["criteria"]
    assert {one["text"]: (one["answers"], one["met"], one["share_met"]) for one in told} == {
        "polite": (12, 8, 2 / 3),
        "due": (12, 8, 2 / 3),
    }
    figures = Analysis(asked_again)
    (missed,) = [one for one in findings(figures) if one.rule == "missed"]
    assert missed.numbers == {"missed": 8, "answers": 24}
    assert "due" in missed.words, "of equally many the one with more points"
    assert missed.items == ("p0", "p1")
    write_report(figures, tmp_path / "report")
    lines = (tmp_path / "report" / "report.md").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith(("| due", "| polite"))] == [
        "| due | 5 | 33 % | 12 | 2 |",
        "| polite | 2 | 33 % | 12 | 0 |",
    ]
    rows = pl.read_csv(tmp_path / "report" / "criteria.csv").drop_nulls("met")
    votes = most_said(rows, ["text", "item", "rater"], "met")
    assert (votes.height, votes["met"].sum()) == (24, 16)


def test_the_examples_of_a_finding_bring_the_criterion_that_it_names(tmp_path):
    """Nowhere do most raters call "due" unmet, but one of three does in two items; "polite" fails in p2 and is unmet less often."""
    study = own_study(
        tmp_path,
        *(prompt(f"p{n}", [{"criterion": "due", "points": 5}]) for n in range(2)),
        *(prompt(f"p{n}", [{"criterion": "polite", "points": 2}]) for n in range(2, 5)),
    )
    said = {"p0": (0, 1, 1), "p1": (1, 0, 1), "p2": (0, 0, 1), "p3": (1, 1, 1), "p4": (1, 1, 1)}
    rows = [(item, "1", f"r{n}", value) for item, values in said.items() for n, value in enumerate(values)]
    columns = ["item", "criterion", "rater", "value"]
    study.import_ratings(pl.DataFrame(rows, schema=columns, orient="row").to_dict(as_series=False))
    (missed,) = [one for one in findings(Analysis(study)) if one.rule == "missed"]
    assert "due" in missed.words
    assert missed.items == ("p0", "p1")
    (own,) = study.scores().own
    assert [one.failing for one in own.criteria] == [(), ("p2",)]
