"""A figure costs what it costs, and nothing else is computed for it."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from haechi.analysis.analysis import Analysis
from haechi.analysis.analysis_cache import open_analysis
from haechi.data.rating import Rating
from haechi.store.ratings import append_ratings
from haechi.testing import assert_score

SEEN = {
    "haechi.stats.mean_interval.mean_figure",
    "haechi.stats.krippendorff.alpha_from",
    "haechi.stats.pairs.rater_pair",
    "haechi.stats.behaviour.rater_behaviour",
    "haechi.stats.behaviour.disagreements",
    "haechi.stats.alt_test.alt_test",
    "haechi.stats.human_ai.human_ai",
    "haechi.stats.two_samples.two_samples",
    "haechi.analysis.group_pairs.one_to_one",
    "haechi.study.quotes.quoted_evidence",
    "haechi.analysis.counts.count_groups",
    "haechi.study.scores.scores",
}


def calls(work: Callable[[], object]) -> Counter[str]:
    """How often the costly functions are called."""
    seen: Counter[str] = Counter()

    def look(frame, event, _):
        if event == "call":
            seen[f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}"] += 1

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return Counter({name: count for name, count in seen.items() if name in SEEN})


ONE_MEAN = {
    "haechi.study.scores.scores": 1,
    "haechi.analysis.counts.count_groups": 1,
    "haechi.stats.mean_interval.mean_figure": 1,
}


@pytest.mark.parametrize("name", ["ubica", "hiring-agent", "maice-qac", "diary-comment"])
def test_a_gate_computes_the_mean_it_names_and_nothing_else(haechi, demo, name):
    main = Analysis(demo / name).main
    seen = calls(lambda: haechi("check", demo / name, "--min", f"{main}=0"))
    # A total with parts that are 0 by rule is said with the same total without them.
    beside = {"haechi.stats.mean_interval.mean_figure": 3} if name == "hiring-agent" else {}
    assert seen == ONE_MEAN | beside


def test_assert_score_computes_the_mean_it_names_and_nothing_else(demo, tmp_path):
    study = shutil.copytree(demo / "maice-qac", tmp_path / "study")
    assert calls(lambda: assert_score(study, "total", min=0)) == ONE_MEAN
    again = {"haechi.stats.mean_interval.mean_figure": 1}
    assert calls(lambda: assert_score(study, "C1", min_lower=0)) == again
    assert calls(lambda: assert_score(study, "total", max_upper=100)) == {}


def test_the_agreement_on_one_score_is_not_that_on_the_others(demo):
    figures = Analysis(demo / "maice-qac")
    # α of all raters on one score, and no other coefficient; no pairs, no habits, no test of judges
    work = calls(lambda: figures.agreement.criteria["total"].krippendorff_alpha)
    assert work == {"haechi.stats.krippendorff.alpha_from": 1}
    assert calls(lambda: figures.agreement.criteria["total"].icc["ICC(2,1)"]) == {}
    assert calls(lambda: figures.agreement.panels.human_ai["total"]) == {"haechi.stats.human_ai.human_ai": 1}


def test_the_mean_of_one_group_needs_no_test_and_no_other_score(demo):
    figures = Analysis(demo / "maice-qac", ["mode"])
    work = calls(lambda: figures.comparison("mode").groups["total"][0].described.mean)
    assert work["haechi.stats.two_samples.two_samples"] == 0
    assert work["haechi.stats.mean_interval.mean_figure"] == 2  # the two groups


def test_a_new_rating_makes_a_new_analysis(demo, tmp_path):
    folder = shutil.copytree(demo / "diary-comment", tmp_path / "study")
    before = open_analysis(folder)
    assert open_analysis(folder) is before
    mean = before.whole["sympathy"].mean.value
    row = ("test", Rating("d01-a", "sympathy", "rater-4", "human", "0"))
    with before.study.database.write() as connection:
        append_ratings(connection, [row], before.rubric.version, "test")
    after = open_analysis(folder)
    assert after is not before
    assert after.whole["sympathy"].mean.value < mean


def test_a_study_made_anew_in_the_same_folder_is_another_one(demo, tmp_path):
    folder = Path(shutil.copytree(demo / "diary-comment", tmp_path / "study"))
    before = open_analysis(folder)
    shutil.rmtree(folder)
    shutil.copytree(demo / "ubica", folder)
    assert (before.rubric.id, open_analysis(folder).rubric.id) == ("diary-comment", "ubica")


def test_a_study_that_was_opened_is_found_from_another_folder(demo, tmp_path, monkeypatch):
    shutil.copytree(demo / "ubica", tmp_path / "ubica")
    monkeypatch.chdir(tmp_path)
    assert_score("ubica", "sum", min=1)
    monkeypatch.chdir(tmp_path / "ubica")
    assert_score(tmp_path / "ubica", "sum", min=1)
