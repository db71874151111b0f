"""The shape that scripts rely on, and that one call gives the same as each function by itself."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from haechi import stats
from haechi.stats.examples import KRIPPENDORFF, SHROUT_FLEISS
from haechi.stats.reasons import NO_PAIR

FORMS = ["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]


def test_contract_shape():
    said = stats.agreement(KRIPPENDORFF, ["a", "b", "c", "d"], level="ordinal").as_json()
    assert (said["n_items"], said["n_raters"], said["n_complete"], said["n_ratings"]) == (12, 4, 8, 41)
    assert said["level"] == "ordinal"
    assert list(said["icc"]) == FORMS
    for name in ("cronbach_alpha", "krippendorff_alpha", "fleiss_kappa", "gwet_ac"):
        assert len(said[name]["ci95"]) == 2
    assert set(said["percent_agreement"]) >= {"value", "ci95", "n"}
    assert len(said["pairs"]) == 6
    correlations = {"pearson", "spearman", "kendall"}
    wanted = correlations | {"a", "b", "n", "cohen_kappa", "weighted_kappa", "mean_difference"}
    assert wanted <= set(said["pairs"][0])
    assert said["seed"] == stats.SEED
    assert json.loads(json.dumps(said, allow_nan=False)) == said


def test_one_call_gives_what_each_function_gives():
    found = stats.agreement(KRIPPENDORFF, level="interval", categories=(1, 2, 3, 4, 5))
    assert found.krippendorff_alpha == stats.krippendorff_alpha(KRIPPENDORFF, "interval")
    assert found.gwet_ac == stats.gwet_ac(KRIPPENDORFF, "quadratic", categories=(1, 2, 3, 4, 5))
    assert found.fleiss_kappa.value == stats.fleiss_kappa(KRIPPENDORFF).value
    assert found.cronbach_alpha == stats.cronbach_alpha(KRIPPENDORFF)
    assert found.icc == stats.icc(KRIPPENDORFF)
    assert found.percent_agreement.value == stats.percent_agreement(KRIPPENDORFF).value
    a, b = KRIPPENDORFF[:, 0], KRIPPENDORFF[:, 2]
    pair = found.pairs[1]
    assert (pair.a, pair.b, pair.n) == (0, 2, 8)
    assert pair.pearson.value == pytest.approx(stats.pearson(a, b).value)
    assert pair.spearman.ci95 == pytest.approx(stats.spearman(a, b).ci95)
    assert pair.kendall.value == pytest.approx(stats.kendall(a, b).value)
    assert pair.weighted_kappa.value == pytest.approx(stats.cohen_kappa(a, b, "quadratic").value)
    assert pair.linear_kappa.value == pytest.approx(stats.cohen_kappa(a, b, "linear").value)
    assert pair.mean_difference.value == pytest.approx(stats.bland_altman(a, b).bias.value)


def test_levels_permit():
    nominal = stats.agreement(SHROUT_FLEISS, level="nominal").as_json("ko")
    assert nominal["icc"]["ICC(2,1)"]["value"] is None
    assert nominal["icc"]["ICC(2,1)"]["why"].startswith("명목")
    assert nominal["pairs"][0]["spearman"]["value"] is None
    assert nominal["pairs"][0]["cohen_kappa"]["value"] is not None
    assert nominal["gwet_ac"]["coefficient"] == "AC1"
    ordinal = stats.agreement(SHROUT_FLEISS, level="ordinal").as_json()
    assert "equal steps" in ordinal["icc"]["ICC(2,1)"]["note"]
    assert ordinal["krippendorff_alpha"]["level"] == "ordinal"
    assert ordinal["gwet_ac"]["coefficient"] == "AC2"
    interval = stats.agreement(SHROUT_FLEISS, level="interval").as_json()
    assert "note" not in interval["icc"]["ICC(2,1)"]
    assert "equal" in interval["fleiss_kappa"]["note"]


def test_a_rater_without_ratings_is_not_counted():
    table = np.column_stack([SHROUT_FLEISS, np.full(6, math.nan)])
    found = stats.agreement(table, ["a", "b", "c", "d", "absent"])
    assert found.raters == ("a", "b", "c", "d")
    assert found.n_complete == 6


def test_readings_cite_their_source():
    said = stats.agreement(SHROUT_FLEISS, level="interval").as_json("ko")
    assert said["icc"]["ICC(3,k)"]["reading"] == {
        "supported": False,
        "word": "매우 좋음",
        "source": "Koo & Li 2016",
        "between": ["중간", "매우 좋음"],
    }
    more = stats.agreement(np.vstack([SHROUT_FLEISS] * 2), level="interval").as_json("ko")
    assert more["krippendorff_alpha"]["reading"]["source"] == "Krippendorff 2004"


def test_six_items_are_too_few_for_a_word():
    said = stats.agreement(SHROUT_FLEISS, level="interval").as_json()
    for name in ("krippendorff_alpha", "fleiss_kappa", "gwet_ac"):
        assert said[name]["value"] is not None
        assert "too few items" in said[name]["why_no_ci"]
        assert "reading" not in said[name]


@pytest.mark.parametrize(
    ("statistic", "value", "word"),
    [
        ("icc", 0.49, "poor"),
        ("icc", 0.5, "moderate"),
        ("icc", 0.75, "good"),
        ("icc", 0.95, "excellent"),
        ("kappa", -0.01, "poor"),
        ("kappa", 0.0, "slight"),
        ("kappa", 0.2, "slight"),
        ("kappa", 0.41, "moderate"),
        ("kappa", 0.8, "substantial"),
        ("kappa", 0.81, "almost perfect"),
        ("krippendorff_alpha", 0.66, "not reliable"),
        ("krippendorff_alpha", 0.667, "tentative conclusions only"),
        ("krippendorff_alpha", 0.8, "reliable"),
        ("cronbach_alpha", 0.7, "acceptable"),
        ("correlation", -0.75, "strong"),
        ("cohen_d", -0.55, "moderate"),
        ("cliff_delta", 0.5, "large"),
    ],
)
def test_published_cut_offs(statistic, value, word):
    assert stats.interpret(statistic, stats.Figure(value, 10)).word.en == word


def test_human_ai_by_hand():
    people = np.array([[4, 5], [2, math.nan], [math.nan, math.nan], [5, 4], [1, 1]])
    judges = np.array([[5, 5], [2, 3], [4, 4], [math.nan, 4], [math.nan, math.nan]])
    # panel means on the shared items 0, 1, 3: people 4.5 2 4.5, AI 5 2.5 4; AI − people 0.5 0.5 −0.5
    found = stats.human_ai(people, judges, ["g", "c"])
    assert found.panel.n == 3
    assert found.panel.mean_difference.value == pytest.approx(0.5 / 3)
    assert found.panel.pearson.value == pytest.approx(np.corrcoef([4.5, 2, 4.5], [5, 2.5, 4])[0, 1])
    said = found.as_json()
    assert [(judge["rater"], judge["n"]) for judge in said["judges"]] == [("g", 2), ("c", 3)]
    assert {"n", "pearson", "spearman", "kendall", "mean_difference"} <= set(said) & set(said["judges"][0])


def test_human_ai_of_names_compares_majorities():
    people = np.array([[1, 1, 2], [2, 2, 2], [1, 2, math.nan], [1, 1, 1]])
    judges = np.array([[1], [1], [1], [1]])
    found = stats.human_ai(people, judges, level="nominal").panel
    assert found.pearson.value is None
    assert found.n_ties == 1
    assert (found.majority_agreement.value, found.majority_agreement.n) == (pytest.approx(2 / 3), 3)


def test_data_frames_are_taken():
    rows = {"a": [1, 2, None, 4], "b": [1, 3, 3, 4]}
    expected = stats.icc([[1, 1], [2, 3], [math.nan, 3], [4, 4]])
    assert stats.icc(pl.DataFrame(rows)) == expected
    assert stats.icc(pd.DataFrame(rows)) == expected
    masked = np.ma.masked_invalid(np.array([[1, 1], [2, 3], [math.nan, 3], [4, 4]]))
    assert stats.icc(masked) == expected
    long = pl.DataFrame({"item": ["x", "x", "y"], "rater": ["a", "b", "a"], "value": [1, 2, None]})
    table = stats.matrix(long["item"], long["rater"], long["value"])
    assert np.array_equal(table.ratings, [[1, 2], [math.nan, math.nan]], equal_nan=True)
    assert (table.items, table.raters) == (("x", "y"), ("a", "b"))


def test_whole_number_ids_with_gaps_and_offsets():
    table = stats.matrix(np.array([10**12, 10**12 + 7, 10**12]), np.array([3, 1, 1]), [1.0, 2.0, 3.0])
    assert (table.items, table.raters) == ((10**12, 10**12 + 7), (1, 3))
    assert np.array_equal(table.ratings, [[3, 1], [2, math.nan]], equal_nan=True)
    spread = stats.matrix(np.array([-(2**60), 2**60]), np.array([0, 0]), [1.0, 2.0])
    assert spread.items == (-(2**60), 2**60)


def test_many_sparse_raters_are_packed():
    # 200 raters, three ratings per item: too many for a key of all columns, so the order of raters is dropped
    random = np.random.default_rng(9)
    table = np.full((60, 200), math.nan)
    for row in table:
        row[random.choice(200, 3, replace=False)] = random.integers(1, 6, 3)
    dense = np.array([row[~np.isnan(row)] for row in table])
    for level in stats.LEVELS:
        sparse = stats.krippendorff_alpha(table, level, bootstrap=0).value
        assert sparse == pytest.approx(stats.krippendorff_alpha(dense, level, bootstrap=0).value)
    assert stats.fleiss_kappa(table).value == pytest.approx(stats.fleiss_kappa(dense).value)


def test_labels():
    codes, names = stats.encode_labels([["좋음", "나쁨"], ["", "좋음"]], ["나쁨", "좋음"])
    assert np.array_equal(codes, [[1, 0], [math.nan, 1]], equal_nan=True)
    assert names == ("나쁨", "좋음")


def test_many_raters_of_an_item_each_are_not_called_one_rater():
    alone = np.where(np.eye(6, dtype=bool), 3.0, np.nan)
    for statistic in (stats.fleiss_kappa, stats.percent_agreement, stats.krippendorff_alpha):
        found = statistic(alone)
        assert found.value is None
        assert found.why == NO_PAIR, statistic
