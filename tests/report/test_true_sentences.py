"""Sentences of reports on studies of awkward shapes: none says what its figures do not."""

from __future__ import annotations

import random

import pytest
from small_studies import diary_study, votes

from haechi.analysis.analysis import Analysis
from haechi.report.build import build_report
from haechi.text import choose_language

NAMES = [f"d{n:02}" for n in range(24)]


def told(folder, rated, lang="en", meta=None):
    """The report of ratings in a language."""
    choose_language(lang)
    report = build_report(Analysis(diary_study(folder, rated, meta)))
    choose_language(None)
    return report


def finding(report, rule):
    return next(one for one in report.findings if one.rule == rule)


@pytest.fixture(scope="module")
def few_of_many(tmp_path_factory):
    """Every item rated by three of eight people, as large studies are."""
    chance = random.Random(5)
    raters = [f"r{n}" for n in range(8)]
    rated = {
        item: {
            rater: votes(*(int(chance.random() < good) for _ in range(3)))
            for rater in chance.sample(raters, 3)
        }
        for item, good in ((item, chance.random()) for item in NAMES)
    }
    return {lang: told(tmp_path_factory.mktemp("few") / "s", rated, lang) for lang in ("ko", "en")}


def test_the_reliability_of_three_of_eight_raters_is_not_called_that_of_eight(few_of_many):
    assert "the mean of about 3 of 8 people per item" in few_of_many["en"].answer.sure
    assert "사람 8명 중 항목마다 약 3명의 평균" in few_of_many["ko"].answer.sure
    assert "the mean of 8 people" not in finding(few_of_many["en"], "agreement").words
    assert any(name.endswith("about 3 of 8 people per item") for name, _ in few_of_many["en"].facts)


def test_a_missing_rating_or_two_make_no_other_panel(tmp_path):
    chance = random.Random(7)
    rated = {
        item: {
            rater: votes(*(int(chance.random() < good) for _ in range(3))) for rater in ("ann", "bo", "cy")
        }
        for item, good in ((item, chance.random()) for item in NAMES)
    }
    del rated["d03"]["bo"], rated["d11"]["cy"]
    report = told(tmp_path / "s", rated)
    assert "the mean of 3 people" in report.answer.sure
    assert "about" not in report.answer.sure
    assert any("ICC(2,2.88)" in name for name, _ in report.facts), "the name of the figure is exact"


def test_groups_that_differ_lead_to_their_section(tmp_path):
    rated = {item: {"ann": votes(*[int(n % 2)] * 3)} for n, item in enumerate(NAMES)}
    for item in NAMES[:2]:
        rated[item] = {"ann": votes(1, 0, 1)}
    report = told(tmp_path / "s", rated, meta={item: {"system": "AB"[n % 2]} for n, item in enumerate(NAMES)})
    differ = finding(report, "groups")
    assert (differ.tone, differ.section) == ("caution", "by-system")
    assert differ.section in {section.key for section in report.sections}


def test_what_nobody_computed_is_not_in_the_methods(few_of_many):
    assert "Cronbach" not in few_of_many["en"].methods
    assert "전원이 평가한" not in few_of_many["ko"].methods
    assert "REML" in few_of_many["ko"].methods
    assert "평가된 것" not in few_of_many["ko"].methods, "all were"


def test_where_all_ratings_are_equal_nobody_is_told_to_settle_disputes(tmp_path):
    rated = {item: {"ann": votes(1, 1, 1), "bo": votes(1, 1, 1)} for item in NAMES[:6]}
    report = told(tmp_path / "s", rated, meta={item: {"system": "AB"[n % 2]} for n, item in enumerate(rated)})
    assert "two or more" not in report.answer.sure, "two did"
    assert "cannot be computed" in report.answer.sure
    assert "disputed" not in finding(report, "agreement").advice
    assert finding(report, "weakest").advice == ""
    assert finding(report, "groups").advice == ""


def test_where_nobody_rated_what_another_did_the_advice_is_to_do_so(tmp_path):
    report = told(tmp_path / "s", {item: {f"person {item}": votes(1, 0, 1)} for item in NAMES[:12]})
    assert "two or more" in report.answer.sure
    assert finding(report, "agreement").advice == "Have two or more rate the same items."


def test_of_one_item_there_is_no_interval_and_no_reliability(tmp_path):
    report = told(tmp_path / "s", {"only": {"ann": votes(1, 0, 1), "bo": votes(1, 1, 1)}})
    assert "1 item)" in report.answer.good
    assert report.methods.startswith("The sample comprised 1 reply, scored with")
    assert "Wilson" not in report.methods
    assert "Reliability" not in report.methods
    assert "more items" in finding(report, "agreement").advice


def test_one_persons_ratings_are_no_mean_of_people(tmp_path):
    rated = {item: {"ann": votes(n % 2, 1, 0)} for n, item in enumerate(NAMES[:8])}
    assert "사람 1명의 평가" in told(tmp_path / "s", rated, "ko").answer.good


def test_particles_follow_the_sound_of_names_and_figures(tmp_path):
    rated = {item: {"ann": votes(n % 2, 1, 0), "bo": votes(1, 1, n % 2)} for n, item in enumerate(NAMES[:8])}
    methods = told(tmp_path / "s", rated, "ko").methods
    assert "가이드라인(기준 3개, 버전 86a3f3a49449)으로 평가하였다" in methods
    assert "답변 8건을" in methods


def test_the_difference_of_criteria_on_other_items_is_said_to_be_on_those_with_both(tmp_path):
    rated = {}
    for n, item in enumerate(
        NAMES
    ):  # sympathy has values on the first half only, where specificity is never met
        first = n < 12
        rated[item] = {"ann": {"sensibleness": 1, "specificity": 0 if first else n % 2}}
        if first:
            rated[item]["ann"]["sympathy"] = int(n > 4)
    figure = finding(told(tmp_path / "s", rated), "weakest").figure
    assert "difference on the items with both" in figure


def test_judges_are_not_asked_to_read_together(tmp_path):
    chance = random.Random(2)
    rated = {
        item: {judge: votes(*(chance.randrange(2) for _ in range(3))) for judge in ("ai-1", "ai-2")}
        for item in NAMES
    }
    assert "judges differ" in finding(told(tmp_path / "s", rated), "agreement").advice


def test_no_interval_for_other_raters_is_told_that_forgets_the_dialogues(tmp_path):
    """It would take turns of one dialogue for independent, and be narrower than the interval for these raters."""
    chance = random.Random(4)
    rated, meta = {}, {}
    for n in range(60):
        item, good = f"d{n:02}", n // 10 % 2
        meta[item] = {"dialogue": f"g{n // 10}"}
        rated[item] = {
            who: votes(*(int(chance.random() < 0.2 + 0.6 * good) for _ in range(3))) for who in "abc"
        }
    figures = Analysis(diary_study(tmp_path / "s", rated, meta))
    assert figures.scored.cluster == "dialogue"
    choose_language("en")
    tables = " ".join(table.note for table in build_report(figures).tables())
    choose_language(None)
    assert "For other raters like them" not in tables
    told = figures.scored.as_json()["summary"][0]["scores"]["mean3"]
    assert told["ci95_new_raters"] is None
    assert "clusters" in told["why_no_ci95_new_raters"]
