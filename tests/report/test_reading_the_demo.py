"""The worked reading of the demo in docs/statistics/agreement.md, and in Korean, says the numbers of the demo."""

from __future__ import annotations

from pathlib import Path

import pytest

from haechi.analysis.analysis import Analysis

PAGES = Path(__file__).parents[2] / "docs" / "statistics"


@pytest.fixture(scope="module")
def report(demo):
    return Analysis(demo / "maice-qac").agree()


@pytest.mark.parametrize(
    ("page", "start"), [("agreement.md", "**In plain words.**"), ("agreement.ko.md", "**쉬운 말로.**")]
)
def test_the_prose_quotes_the_figures(report, page, start):
    text = (PAGES / page).read_text("utf-8")
    prose = " ".join(text[text.index(start) : text.index("## `haechi agree --json`")].split())
    total, panels = report.criteria["total"], report.panels
    severity = {one.rater: abs(one.criteria["total"].behaviour.severity.value) for one in report.raters}
    bias = panels.human_ai["total"].panel.mean_difference.value
    quoted = [
        f"ICC(2,1) = {total.icc['ICC(2,1)'].value:.2f}",
        f"{total.icc['ICC(2,1)'].ci95[0]:.2f}",
        f"ICC(2,k) = {total.icc['ICC(2,k)'].value:.2f}",
        f"α = {total.krippendorff_alpha.value:.2f}",
        f"({panels.human_human['total'].icc['ICC(2,1)'].value:.2f})",
        f"({panels.ai_ai['total'].icc['ICC(2,1)'].value:.2f})",
        f"r = {panels.human_ai['total'].panel.pearson.value:.2f}",
        f"{bias:.2f}".replace("-", "−"),
        f"{severity['gpt-5-mini']:.2f}",
        f"{severity['gemini-2.5-flash']:.2f}",
        *(f"{found.value:.2f}" for _, found in report.lowest[:2]),
    ]
    assert [figure for figure in quoted if figure not in prose] == []
    assert [name for name, _ in report.lowest[:2]] == ["A2", "A1"]
    tests = report.judged.criteria["total"].alt_tests
    assert {test.replaces for test in tests.values()} == {None}
    assert f"{tests['claude-haiku-4-5'].advantage:.2f}" in prose
