"""The report of items that bring criteria: what was missed, what should not have been, and the files to compute it again."""

from __future__ import annotations

import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.demo import make_own_criteria
from haechi.report.build import build_report
from haechi.report.findings import findings
from haechi.report.folder import write_report
from own_criteria import REFUND, own_study, prompt


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return make_own_criteria(tmp_path_factory.mktemp("demo"))


def test_findings_can_be_computed_again_from_criteria_csv(study, tmp_path):
    write_report(Analysis(study), tmp_path / "report")
    rows = pl.read_csv(tmp_path / "report" / "criteria.csv").drop_nulls("met")
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
