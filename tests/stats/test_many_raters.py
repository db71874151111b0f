"""Very many raters, very many values and very large ones: figures that stay small, quick and right."""

import tracemalloc
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from haechi.stats import agreement
from haechi.stats.figure import OVERFLOW
from haechi.stats.many_pairs import LEFT_OUT, MOST_RATERS
from haechi.stats.pairs import rater_pair
from haechi.stats.patterns import encode

SHORT = ("pearson", "spearman", "kendall", "cohen_kappa", "weighted_kappa", "mean_difference")


def ratings(items: int, raters: int) -> np.ndarray:
    random = np.random.default_rng(7)
    noisy = random.normal(3, 1, (items, 1)) + random.normal(0, 0.8, (items, raters))
    table = np.clip(np.round(noisy), 1, 5)
    table[random.random(table.shape) < 0.1] = np.nan
    table[:, 1] = 3.0  # says the same of everything
    table[1:, 2] = np.nan  # has rated one item
    return table


@pytest.mark.parametrize("level", ["interval", "ordinal", "nominal"])
def test_pairs_of_many_raters_are_those_of_few_in_short(level):
    table = ratings(40, MOST_RATERS + 1)
    codes, values = encode(table)
    found = agreement(table, level=level, bootstrap=10)
    pairs = list(combinations(range(table.shape[1]), 2))
    assert len(found.pairs) == len(pairs)
    for (i, j), pair in zip(pairs, found.pairs, strict=True):
        alone = rater_pair((i, j), codes[:, i], codes[:, j], values, level)
        assert (pair.a, pair.b, pair.n) == (i, j, alone.n)
        for name in SHORT:
            short, whole = getattr(pair, name), getattr(alone, name)
            assert (short.value, short.why) == (pytest.approx(whole.value, abs=1e-13), whole.why)
            assert short.ci95 is None
            assert short.note == whole.note
    said = found.as_json()
    assert said["pairs_left_out"]["figures"] == list(LEFT_OUT)
    assert "30" in said["pairs_left_out"]["why"]
    assert set(said["pairs"][0]) == {"a", "b", "n", *SHORT}


def test_rows_that_stand_for_several_items_count_so_often():
    table = ratings(12, MOST_RATERS + 1)
    times = np.arange(1, 13)
    whole = agreement(np.repeat(table, times, axis=0), bootstrap=10).pairs
    for counted, one in zip(agreement(table, count=times, bootstrap=10).pairs, whole, strict=True):
        assert counted.n == one.n
        assert counted.kendall.value == pytest.approx(one.kendall.value)


def test_continuous_values_of_many_raters_have_correlations_without_a_table():
    random = np.random.default_rng(3)
    pair = agreement(random.normal(size=(60, MOST_RATERS + 1)), bootstrap=10).pairs[0]
    assert -1 < pair.pearson.value < 1
    assert pair.cohen_kappa.why is not None


def test_up_to_thirty_raters_every_pair_has_all(haechi, tmp_path):
    rows = [(f"i{i}", f"r{r}", (i * r) % 5) for i in range(12) for r in range(MOST_RATERS + 1)]
    table = pl.DataFrame(rows, schema=["item", "rater", "value"], orient="row")
    file = tmp_path / "r.csv"
    for wanted, short in ((table, True), (table.filter(pl.col("rater") != "r30"), False)):
        wanted.write_csv(file)
        said = haechi("agree", file, "--json").json["criteria"]["overall"]
        assert ("pairs_left_out" in said) is short
        assert ("linear_kappa" in said["pairs"][0]) is not short


def test_values_near_the_largest_number_have_no_icc_because_they_are_too_large():
    table = np.array([[1e308, -1e308, 1.0], [5e307, 1e308, -1e308], [-1e308, 3e307, 1e308]])
    found = agreement(table, bootstrap=10)
    assert {one.why for one in found.icc.values()} == {OVERFLOW}
    assert found.coefficients["cronbach_alpha"].why == OVERFLOW


def test_values_near_the_largest_number_leak_no_warning(haechi, write):
    rows = "".join(f"i{i},{(5 + i) / 10}e308,{(17 - i) / 10}e308,1e308\n" for i in range(12))
    said = haechi(
        "agree", write("w.csv", "item,a,b,c\n" + rows), "--wide", "--json"
    )  # warnings are errors here
    assert said.code == 0
    assert said.json["raters"][0]["with_others"]["correlation"]["value"] is None


def test_very_many_different_values_need_memory_that_grows_with_them_and_not_with_their_square():
    random = np.random.default_rng(5)
    table = random.normal(size=(20_000, 1)) + random.normal(size=(20_000, 3))
    tracemalloc.start()
    found = agreement(table, bootstrap=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.icc["ICC(3,1)"].value == pytest.approx(0.5, abs=0.02)
    assert found.coefficients["krippendorff_alpha"].value == pytest.approx(0.5, abs=0.02)
    assert peak < 500e6  # a matrix of 60,000 × 60,000 values would take 29 GB
