"""What a chart draws leads to its items: to the right ones, in the order in which one wants to read them."""

from __future__ import annotations

import re

import polars as pl
import pytest
from small_studies import diary_study, votes

from haechi.analysis import score_figures
from haechi.analysis.analysis import Analysis
from haechi.demo import make_duels, make_own_criteria, make_studies
from haechi.report.build import build_report
from haechi.report.chart_items import ChartPicture
from haechi.report.charts.canvas import wrap_name
from haechi.report.charts.curves import planning_chart
from haechi.report.document import Plot
from haechi.report.figure_items import behind_pairs, behind_raters, behind_scores
from haechi.report.html import html
from haechi.report.html_parts import anchor
from haechi.report.sections import reading
from haechi.text import choose_language


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    choose_language("en")
    folder = tmp_path_factory.mktemp("marks")
    studies = [*make_studies(folder), make_duels(folder), make_own_criteria(folder)]
    yield {study.name: Analysis(study) for study in studies}
    choose_language(None)


@pytest.fixture(scope="module")
def reports(figures):
    return {name: build_report(one) for name, one in figures.items()}


NAMES = ("ubica", "hiring-agent", "maice-qac", "diary-comment", "diary-duel", "own-criteria")


@pytest.mark.parametrize("name", NAMES)
def test_every_mark_of_every_chart_leads_to_items(figures, reports, name):
    report = reports[name]
    planned = planning_chart(figures[name])  # what more items would bring has no items yet
    plots = [part for section in report.sections for part in section.parts if isinstance(part, Plot)]
    for plot in plots:
        if planned is not None and plot.title == planned.title:
            continue
        marks = re.findall(r'<g class="mark"[^>]*>', plot.svg)
        assert marks, plot.title
        assert all("data-items=" in mark for mark in marks), plot.title
        assert isinstance(plot.svg, ChartPicture)
        assert len(plot.svg.leads) == len(marks)
    (gauge, _) = report.answer.gauge
    assert "data-items=" in gauge


@pytest.mark.parametrize("name", NAMES)
def test_the_items_of_marks_stand_on_the_page_without_a_script(reports, name):
    report, page = reports[name], html(reports[name])
    anchors = set(re.findall(r'id="(item-\w+)"', page))
    assert {anchor(item) for item in report.items} <= anchors
    listed = page.count('<details class="leads">')
    assert listed == sum(
        isinstance(part, Plot) and bool(getattr(part.svg, "leads", ()))
        for section in report.sections
        for part in section.parts
    )


def test_a_mean_leads_to_all_its_items_the_lowest_first(figures):
    own = figures["maice-qac"]
    found = behind_scores(own, ["A1"])["A1"]
    rows = pl.concat(list(own.batches(["item", "rater", "A1"])))
    means = rows.group_by("item", "rater").agg(pl.col("A1").mean()).group_by("item").agg(pl.col("A1").mean())
    values = dict(means.drop_nulls("A1").iter_rows())
    items = list(own.places)
    listed = [items[int(place)] for place in found.places.split()]
    assert set(listed) == set(values)
    assert [values[item] for item in listed] == sorted(values.values())


def test_a_group_leads_to_its_own_items_only(figures):
    own = figures["diary-comment"]
    comparison = own.comparisons[0]
    (field,) = comparison.items.by
    for name, group in comparison.items.groups.items():
        found = behind_scores(own, ["sympathy"], group.by)["sympathy"]
        items = list(own.places)
        listed = {items[int(place)] for place in found.places.split()}
        assert listed == {item.id for item in own.study.items() if str(item.meta.get(field)) == name}


def test_raters_lead_to_the_items_on_which_they_lie_furthest_apart(tmp_path):
    rated = {
        "d1": {"ann": votes(1, 1, 1), "bo": votes(1, 1, 1), "cy": votes(1, 1, 0)},
        "d2": {"ann": votes(0, 0, 0), "bo": votes(1, 1, 1), "cy": votes(1, 1, 1)},
        "d3": {"ann": votes(1, 1, 0), "bo": votes(1, 1, 1)},
    }
    own = Analysis(diary_study(tmp_path / "s", rated))
    apart = behind_pairs(own, "mean3", [("ann", "bo"), ("ann", "cy")])
    assert apart["ann", "bo"].names == ("d2", "d3", "d1")
    assert apart["ann", "cy"].names == ("d2", "d1")
    # cy gave 2/3 where the others gave 1, and on d2 1 where they gave 1/2 in the mean.
    assert behind_raters(own, "mean3")["cy"].names == ("d2", "d1")


def test_of_very_many_items_marks_lead_to_the_item_browser(demo, monkeypatch):
    for module in (score_figures, reading):
        monkeypatch.setattr(module, "MOST_LISTED", 5)
    choose_language("en")
    page = html(build_report(Analysis(demo / "ubica")))
    choose_language(None)
    assert 'data-serve="haechi serve ubica"' in page
    assert 'data-query="score=overall&amp;sort=score"' in page
    assert "<code>/owner/browse?score=" in page
    assert "data-items=" not in page


NAME = "학습자의 수준과 정서를 고려하여 다음에 무엇을 어떻게 공부하면 좋을지 구체적으로 안내하고 격려하는 정도(교사 관점)"


def test_a_name_is_wrapped_and_not_cut():
    lines = wrap_name(NAME, 310)
    assert " ".join(lines) == NAME
    assert len(lines) > 1
    assert len(wrap_name("word " * 500, 310)) == 5
    assert wrap_name("word " * 500, 310)[-1].endswith("…")
