"""Variance components of incomplete designs against lme4 and the analysis of variance, and the figures made of them."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from stats_designs import ratings as designs

from haechi.stats import agreement, components, icc
from haechi.stats.components import APART, NO_LOOP, Ratings, components_from
from haechi.stats.figure import Why
from haechi.stats.mean_squares import mean_squares
from haechi.stats.patterns import PatternTally
from haechi.stats.ratings import codes_of, matrix
from haechi.stats.reasons import NO_PAIR

# R 4.2.2, lme4 1.1-31: lmer(value ~ 1 + (1 | item) + (1 | rater)) and lmer(value ~ 1 + (1 | item)), nloptwrap with
# tolerances of 1e-14: items, raters, residual; items and within.
LME4 = {
    "overlap": (0.659267401, 0.225596042, 0.467325205, 0.629808422, 0.68805905),
    "crowd": (0.698586929, 0.232030754, 0.500548116, 0.657582645, 0.668333331),
    "two": (0.740640838, 0.0294207096, 0.383204601, 0.680104647, 0.435095611),
    "boundary": (1.83264795, 0.0, 1.01813963, 1.83264793, 1.01813963),
    "replicates": (0.776037778, 0.129288758, 0.23241581, 0.855822048, 0.327538509),
    "few_items": (0.541484833, 0.327390229, 0.509301307, 0.516344267, 0.836440248),
    "no_items": (0.0, 0.548596821, 0.905215704, 0.0, 1.35256204),
}


def read(name: str) -> tuple[list[str], list[str], list[float]]:
    with (Path(__file__).parent / "designs" / f"{name}.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    return (
        [row["item"] for row in rows],
        [row["rater"] for row in rows],
        [float(row["value"]) for row in rows],
    )


@pytest.mark.parametrize("name", LME4)
def test_the_components_are_those_of_lme4(name):
    item, rater, value = read(name)
    found = components(item, rater, value)
    (rows, items), (columns, raters) = codes_of(item), codes_of(rater)
    one_way = Ratings(rows, columns, np.array(value), len(items), len(raters)).one_way()
    ours = (found.item, found.rater, found.residual, one_way.item, one_way.within)
    assert ours == pytest.approx(LME4[name], rel=1e-6, abs=1e-6)
    assert (found.rater == 0) == (name == "boundary")
    assert (found.item == 0) == (name == "no_items")


@pytest.mark.parametrize("name", [name for name in LME4 if name != "replicates"])
def test_the_six_forms_are_made_of_the_components(name):
    table = matrix(*read(name))
    item, rater, residual, between, within = LME4[name]
    found = icc(table.ratings)
    k = len(table.raters)
    assert found["ICC(1,1)"].value == pytest.approx(between / (between + within), abs=1e-6)
    assert found["ICC(2,1)"].value == pytest.approx(item / (item + rater + residual), abs=1e-6)
    assert found["ICC(3,1)"].value == pytest.approx(item / (item + residual), abs=1e-6)
    assert found["ICC(2,k)"].value == pytest.approx(item / (item + (rater + residual) / k), abs=1e-6)
    assert found["ICC(2,k)"].details["k"] == k
    own = 1 / np.mean(1 / (~np.isnan(table.ratings)).sum(axis=1))
    really = found["ICC(2,k)"].details["per_item"]
    assert really["raters"] == pytest.approx(own)
    assert really["value"] == pytest.approx(item / (item + (rater + residual) / own), abs=1e-6)
    for one in found.values():
        assert 0 <= one.ci95[0] <= one.value <= one.ci95[1] <= 1


@settings(max_examples=60, deadline=None)
@given(designs(gaps=False, items=(3, 12), raters=(2, 5)))
def test_on_complete_data_both_ways_agree(table):
    squares = mean_squares(table)
    if isinstance(squares, Why) or min(squares.items, squares.raters) <= squares.error * (1 + 1e-6):
        return  # REML does not go below 0
    exact, found = components_from(squares), Ratings.of(table).components()
    assert list(found.as_json().values()) == pytest.approx(list(exact.as_json().values()), rel=1e-6, abs=1e-9)
    assert found.df == exact.df
    assert found.shape == pytest.approx(exact.shape)
    again = _incomplete_forms(table)
    for form, one in icc(table).items():
        if form[4] != "1" and one.ci95 and one.ci95[0] > 0:  # the ends too, where they are not cut off
            assert again[form].value == pytest.approx(one.value, abs=1e-6)
            assert again[form].ci95 == pytest.approx(one.ci95, abs=1e-5)


def _incomplete_forms(table):
    from haechi.stats.icc import icc_by_reml

    return icc_by_reml(Ratings.of(table))[0]


@settings(max_examples=60, deadline=None)
@given(designs(items=(2, 12), raters=(2, 5)))
def test_whatever_was_rated_there_is_a_figure_or_a_reason(table):
    for one in icc(table).values():
        assert (one.value is None) == (one.why is not None)
        assert one.value is None or math.isfinite(one.value)


def test_counted_rows_give_what_the_items_give():
    table = np.round(matrix(*read("overlap")).ratings)
    table = np.vstack([table, table[::2]])
    tally = PatternTally.of(table)
    assert tally.rows.shape[0] < table.shape[0]
    one, other = agreement(table), agreement(tally.rows, count=tally.count)
    assert other.components.as_json() == pytest.approx(one.components.as_json(), rel=1e-6)
    assert other.icc["ICC(2,k)"].ci95 == pytest.approx(one.icc["ICC(2,k)"].ci95, rel=1e-6)


def test_complete_data_keep_the_analysis_of_variance():
    found = agreement([[4, 5], [2, 3], [5, 5], [1, 2]]).as_json()
    assert found["icc_method"] == "anova"
    assert found["components"]["residual"] == pytest.approx(0.125)
    assert "per_item" not in found["icc"]["ICC(2,k)"]


def test_groups_of_raters_that_share_no_item_say_nothing_about_raters():
    gap = np.nan
    table = [[1, 2, gap, gap], [3, 3, gap, gap], [2, 4, gap, gap], [gap, gap, 4, 5], [gap, gap, 3, 3]]
    found = agreement(table)
    assert found.components == APART
    assert found.icc["ICC(2,1)"].why == found.icc["ICC(3,k)"].why == APART
    assert found.icc["ICC(1,1)"].value is not None  # asks only who rated the same item
    said = found.as_json("ko")
    assert said["components"] == {"item": None, "rater": None, "residual": None, "why": APART.ko}
    assert said["generalizability"]["why"] == APART.ko


def test_a_stray_pair_does_not_silence_the_rest():
    table = matrix(*read("overlap")).ratings
    stray = np.full((table.shape[0] + 1, table.shape[1] + 2), np.nan)
    stray[:-1, :-2], stray[-1, -2:] = table, (3, 4)
    assert icc(stray)["ICC(2,1)"].value == pytest.approx(icc(table)["ICC(2,1)"].value, abs=0.05)


def test_one_rating_for_every_item_says_nothing():
    found = agreement([[1, None], [None, 2], [3, None], [None, 5]])
    assert found.components == NO_PAIR
    assert {one.why for one in found.icc.values()} == {NO_PAIR}


def test_a_chain_without_a_loop_leaves_no_residual():
    assert components([*"aabbcc"], [*"wxxyyz"], [1, 2, 4, 4, 3, 5]) == NO_LOOP


def test_raters_who_differ_by_a_constant_leave_no_residual():
    found = agreement([[1, 2, None], [2, 3, 5], [4, None, 7], [3, 4, 6]])
    assert found.components.residual == 0
    assert found.components.item == pytest.approx(np.var([1, 2, 4, 3], ddof=1))
    assert found.components.rater == pytest.approx(np.var([0, 1, 3], ddof=1))
    assert found.icc["ICC(3,1)"].value == 1
    assert found.icc["ICC(3,1)"].ci95 is None
    assert found.icc["ICC(2,1)"].value < 1


def test_what_a_further_rater_gives_is_a_sentence():
    again = agreement([[1, 5], [5, 1], [2, 4], [4, 2], [3, 3], [1, 5]]).generalizability
    assert (
        again.words("ko") == "추정한 항목 간 분산이 0이어서 평가자를 늘렸을 때의 신뢰도는 추정할 수 없습니다."
    )
    assert again.words("en").startswith("The variance between items is estimated as 0")
    assert again.rows[0].absolute.value < 0
    assert (
        {row.absolute.value for row in again.rows[1:]}
        == {row.relative.value for row in again.rows[1:]}
        == {None}
    )
    assert again.rows[4].absolute.why.ko == again.words("ko").removesuffix(".")
    close = agreement([[1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [5, 5], [1, 1.001]]).generalizability
    assert "(Φ)는 1.00으로 같습니다." in close.words("ko")
    assert "(Φ) stays 1.00." in close.words("en")
