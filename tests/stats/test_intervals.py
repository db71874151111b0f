"""Intervals: against leaving out by hand, on scales with ends, and none where none would hold."""

import math

import numpy as np
import pytest
import scipy.stats

from haechi import stats
from haechi.stats.groups import describe_one
from haechi.stats.jackknife import jackknife_interval
from haechi.stats.sample import Sample

POINTS = (1, 2, 3, 4, 5)
NAN = math.nan


def seen(n: int, raters: int, seed: int = 1, gaps: float = 0.0) -> np.ndarray:
    random = np.random.default_rng(seed)
    table = np.clip(np.rint(3 + random.normal(size=(n, 1)) + random.normal(0, 0.8, (n, raters))), 1, 5)
    table[random.random(table.shape) < gaps] = NAN
    return table


COEFFICIENTS = {
    "cohen": lambda x: stats.cohen_kappa(x[:, 0], x[:, 1], categories=POINTS),
    "linear": lambda x: stats.cohen_kappa(x[:, 0], x[:, 1], "linear", POINTS),
    "quadratic": lambda x: stats.cohen_kappa(x[:, 0], x[:, 1], "quadratic", POINTS),
    "kendall": lambda x: stats.kendall(x[:, 0], x[:, 1]),
    "fleiss": lambda x: stats.fleiss_kappa(x, POINTS),
    "ac1": lambda x: stats.gwet_ac(x, categories=POINTS),
    "ac2": lambda x: stats.gwet_ac(x, "quadratic", POINTS),
    "nominal": lambda x: stats.krippendorff_alpha(x, "nominal"),
    "ordinal": lambda x: stats.krippendorff_alpha(x, "ordinal"),
    "interval": lambda x: stats.krippendorff_alpha(x, "interval"),
    "ratio": lambda x: stats.krippendorff_alpha(x, "ratio"),
}


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_an_interval_is_that_of_leaving_out_item_by_item(name, gaps):
    compute, table = COEFFICIENTS[name], seen(24, 3, gaps=gaps)
    if name in ("cohen", "linear", "quadratic", "kendall"):
        table = table[~np.isnan(table[:, :2]).any(axis=1)]
    elif name in ("nominal", "ordinal", "interval", "ratio"):  # which take the items with two ratings
        table = table[(~np.isnan(table)).sum(axis=1) > 1]
    found = compute(table)
    left = np.array([compute(np.delete(table, i, axis=0)).value for i in range(len(table))])
    assert found.ci95 == pytest.approx(
        jackknife_interval(found.value, left, np.ones(len(table), np.int64)), abs=1e-9
    )
    assert found.ci95[0] < found.value < found.ci95[1]


def test_the_interval_by_hand():
    # Twelve items of two kinds, nine of which change a coefficient of .5 to .5, three to .6: c̄ = .525.
    left, count = np.array([0.5, 0.6]), np.array([9, 3])
    squares = 9 * 0.025**2 + 3 * 0.075**2
    error = math.sqrt(11 / 12 * squares) / 0.75  # on Fisher's scale
    reach = scipy.stats.t.ppf(0.975, 6) * error  # n/2: the kurtosis of 7/3 would allow 18
    low = math.atanh(0.5) + 11 * (0.5 - 0.525) / 0.75 - reach  # the estimate without bias lies lower
    assert jackknife_interval(0.5, left, count) == pytest.approx(
        (math.tanh(low), math.tanh(math.atanh(0.5) + reach))
    )


def test_continuous_values_take_the_sorting_way_to_the_same_interval():
    random = np.random.default_rng(3)
    x = np.concatenate([np.zeros(700), random.normal(size=2000)])
    y = np.round(x + random.normal(size=x.size), 3)
    found = stats.kendall(x, y)
    assert found.value == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)
    some = random.permutation(x.size)[:2000]
    few = stats.kendall(np.round(x[some], 1), y[some])
    ratio = (few.ci95[1] - few.ci95[0]) / (found.ci95[1] - found.ci95[0])
    assert ratio == pytest.approx((2700 / 2000) ** 0.5, rel=0.08)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_few_items_carry_no_interval(name):
    found = COEFFICIENTS[name](seen(9, 2))
    assert found.value is not None
    assert found.ci95 is None
    assert found.why_no_ci.en.startswith("too few items for an interval")
    assert found.as_json("ko")["why_no_ci"].startswith("구간을 구하기에는 항목이 적습니다")


def test_a_rare_category_carries_no_interval():
    rare = np.array([[0, 0]] * 47 + [[1, 1], [1, 0], [1, 1]], float)
    for found in (
        stats.cohen_kappa(*rare.T),
        stats.fleiss_kappa(rare),
        stats.krippendorff_alpha(rare, "nominal"),
    ):
        assert found.ci95 is None
        assert found.why_no_ci.en.endswith(
            "with another value than the most frequent one are needed, there are 3"
        )
    assert stats.gwet_ac(rare).ci95 is not None
    more = np.concatenate([rare, rare])
    assert stats.cohen_kappa(*more.T).ci95 is not None


def test_no_disagreement_is_no_certainty():
    same = np.repeat(seen(30, 1), 2, axis=1)
    for name, compute in COEFFICIENTS.items():
        found = compute(same)
        assert (found.value, found.ci95) == (pytest.approx(1.0), None), name
        assert "not certainty" in found.why_no_ci.en
    assert stats.pearson(*same.T).ci95 is None
    shares = stats.percent_agreement(same)
    assert shares.ci95 == pytest.approx(stats.wilson(30, 30).ci95)


def test_a_mean_without_ends_is_students():
    values = [3.2, 4.1, 5.0, 2.2, 3.9]
    (group,) = stats.describe(values, ["x"] * 5)
    expected = scipy.stats.t.interval(0.95, 4, np.mean(values), scipy.stats.sem(values))
    assert group.mean.ci95 == pytest.approx(expected)


def test_a_mean_stays_on_its_scale_and_holds_itself():
    random = np.random.default_rng(8)
    for n in (2, 3, 5, 20, 400):
        for middle in (1.2, 3.0, 4.9):
            values = np.clip(np.rint(random.normal(middle, 0.8, n)), 1, 5)
            found = describe_one("x", Sample.of(values), n, (1.0, 5.0)).mean
            if found.ci95 is None:
                assert np.ptp(values) == 0
                continue
            assert 1 <= found.ci95[0] <= found.value <= found.ci95[1] <= 5
            assert found.ci95[0] < found.ci95[1]
    wide = random.normal(3, 0.5, 900)
    students, wilsons = (
        describe_one("x", Sample.of(wide), 900, ends).mean.ci95 for ends in (None, (1.0, 5.0))
    )
    assert wilsons == pytest.approx(students, abs=0.001)


def test_values_at_the_ends_are_a_share():
    for values in ([1, 1, 1], [0, 0, 1, 1, 1, 0, 1]):
        found = describe_one("x", Sample.of(values), len(values), (0.0, 1.0)).mean
        assert found.ci95 == pytest.approx(stats.wilson(sum(values), len(values)).ci95)
    five, one = ([value] * 4 for value in (5, 1))
    low, high = (describe_one("x", Sample.of(of), 4, (1.0, 5.0)).mean.ci95 for of in (one, five))
    assert high == pytest.approx((1 + 4 * stats.wilson(4, 4).ci95[0], 5.0))
    assert low == pytest.approx((1.0, 1 + 4 * stats.wilson(0, 4).ci95[1]))


def test_values_from_another_scale_are_not_pressed_on_this_one():
    found = describe_one("x", Sample.of([3, 7, 9]), 3, (1.0, 5.0)).mean
    assert found.ci95 == stats.describe([3, 7, 9], ["x"] * 3)[0].mean.ci95


def test_response_times_are_not_negative():
    found = describe_one("seconds", Sample.of([0.1, 0.2, 9.0]), 3, (0.0, math.inf)).mean
    assert found.ci95[0] == 0


def test_passing_every_time_is_not_certain():
    found = stats.pass_hat_k([[1, 1, 1, 1]] * 20, k=3)
    assert (found.value, found.ci95) == (1.0, pytest.approx(stats.wilson(20, 20).ci95))
    partly = stats.pass_hat_k([[1, 1, 1, 1]] * 8 + [[1, 1, 1, 0]] * 2, k=3)
    assert 0.5 < partly.ci95[0] < partly.value < partly.ci95[1] < 1


def test_a_judge_tuned_on_few_items_costs_a_degree_of_freedom():
    human = np.array([4, 3, 5, 2, 4.5, *[NAN] * 20])
    judge = np.array([4, 3, 4, 2, 5, *np.linspace(2, 5, 20)])
    found = stats.prediction_powered_mean(human, judge, tuned=True)
    rest = human[:5] - found.weight * judge[:5]
    parts = found.weight**2 * judge[5:].var(ddof=1) / 20, rest.var(ddof=2) / 5
    df = sum(parts) ** 2 / (parts[0] ** 2 / 19 + parts[1] ** 2 / 3)
    half = scipy.stats.t.ppf(0.975, df) * math.sqrt(sum(parts))
    assert found.mean.ci95 == pytest.approx((found.mean.value - half, found.mean.value + half))
