"""Plans against statsmodels, scipy and simulation."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from haechi.stats import wilson
from haechi.stats.planning import (
    Spread,
    alt_test_items,
    alt_test_probability,
    gate_probability,
    items_for,
    mean_width,
    pass_variance,
    share_width,
    t_power,
)


@pytest.mark.parametrize("effect", [0.15, 0.4, 0.9])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_items_for_a_difference_are_those_of_statsmodels(effect, power):
    groups = math.ceil(TTestIndPower().solve_power(effect_size=effect, alpha=0.05, power=power))
    pairs = math.ceil(TTestPower().solve_power(effect_size=effect, alpha=0.05, power=power))
    assert items_for(lambda n: t_power(effect, n, 2) >= power) == groups
    assert items_for(lambda n: t_power(effect, n, 1) >= power) == pairs


@pytest.mark.parametrize("n", [5, 40, 300])
def test_power_is_that_of_statsmodels(n):
    assert t_power(0.3, n, 2) == pytest.approx(TTestIndPower().power(0.3, n, 0.05), abs=1e-9)
    assert t_power(0.3, n, 1) == pytest.approx(TTestPower().power(0.3, n, 0.05), abs=1e-9)
    lower = TTestPower().power(0.3, n, 0.025, alternative="larger")
    assert gate_probability(0.6, 2.0, n, lower=True) == pytest.approx(lower, abs=1e-9)
    assert gate_probability(0.6, 2.0, n, lower=False) == pytest.approx(scipy_stats.norm.cdf(0.3 * n**0.5))


def test_a_width_is_that_of_the_t_interval_and_the_items_are_the_fewest():
    spread = Spread(0.864, 0.0, 0.576)
    sd = math.sqrt(0.864 + 0.576 / 3)
    width = [2 * scipy_stats.t.ppf(0.975, n - 1) * sd / math.sqrt(n) for n in (67, 68)]
    assert width[1] <= 0.5 < width[0]
    assert items_for(lambda n: mean_width(spread, n, 3) <= 0.5) == 68
    assert mean_width(spread, 68, 3) == pytest.approx(width[1])


def test_a_width_for_new_raters_holds_in_a_simulation():
    random, spread, n, k = np.random.default_rng(4), Spread(1.0, 0.3, 0.7), 40, 5
    scores = [
        random.normal(0, 1, (n, 1)) + random.normal(0, 0.3**0.5, k) + random.normal(0, 0.7**0.5, (n, k))
        for _ in range(2000)
    ]
    half = mean_width(spread, n, k, new_raters=True) / 2
    covered = np.mean([abs(one.mean()) <= half for one in scores])
    assert 0.95 < covered < 0.995  # t quantiles of an estimated variance lie outside those of the known one
    assert (
        mean_width(spread, 10**7, k, new_raters=True)
        > 2 * scipy_stats.t.ppf(0.975, k - 1) * (0.3 / k) ** 0.5 * 0.99
    )
    assert items_for(lambda items: mean_width(spread, items, k, new_raters=True) <= 0.9) is None


def test_the_width_of_a_share_is_wilsons():
    low, high = wilson(80, 100).ci95
    assert share_width(0.8, 100) == pytest.approx(high - low)


@pytest.mark.parametrize(
    ("share", "icc", "runs", "k"), [(0.8, 0.5, 5, 3), (0.9, 0.2, 4, 1), (0.6, 0.0, 6, 2)]
)
def test_the_variance_of_pass_k_is_that_of_a_simulation(share, icc, runs, k):
    random = np.random.default_rng(1)
    rates = (
        random.beta(share * (1 / icc - 1), (1 - share) * (1 / icc - 1), 200_000)
        if icc
        else np.full(200_000, share)
    )
    passed = random.binomial(runs, rates)
    estimate = np.array([math.comb(c, k) / math.comb(runs, k) for c in range(runs + 1)])[passed]
    assert pass_variance(share, icc, runs, k) == pytest.approx(estimate.var(), rel=0.02)


def test_the_alternative_annotator_test_is_rarely_passed_by_a_bad_judge():
    good = alt_test_probability(3, 100, human_error=0.2, judge_error=0.1, epsilon=0.2)
    bad = alt_test_probability(3, 100, human_error=0.02, judge_error=0.3, epsilon=0.1)
    assert good > 0.9
    assert bad <= 0.05
    assert good == alt_test_probability(3, 100, human_error=0.2, judge_error=0.1, epsilon=0.2)
    assert alt_test_items(lambda n: n >= 120) == 125
    assert alt_test_items(lambda n: False) is None
    assert alt_test_items(lambda n: True) == 50
