"""The report of items that bring criteria: what was missed, what should not have been, and the files to compute it again."""

from __future__ import annotations

import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.demo import make_own_criteria
from haechi.report.build import build_report
from haechi.report.findings import findings
from haechi.report.folder import write_report


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
