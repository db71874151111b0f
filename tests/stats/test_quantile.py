"""Quantiles equal R's, and their intervals hold."""

import numpy as np
import pytest

from haechi.stats import quantile
from haechi.stats.quantile import InClusters

SECONDS = [0.8, 1.1, 1.1, 1.4, 1.9, 2.0, 2.6, 3.1, 4.4, 9.7]


@pytest.mark.parametrize(
    ("share", "value"), [(0.5, 1.95), (0.9, 4.93), (0.95, 7.315)]
)  # R: quantile(x, share, type = 7)
def test_as_r_has_it(share, value):
    assert quantile(SECONDS, share).value == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "share", "ranks"),
    # R: qbinom(.025, n, share) and qbinom(.975, n, share) + 1
    [(10, 0.5, (2, 9)), (100, 0.9, (84, 96)), (100, 0.95, (90, 100)), (1000, 0.95, (936, 964))],
)
def test_the_interval_lies_between_order_statistics(n, share, ranks):
    assert quantile(range(1, n + 1), share).ci95 == ranks


def test_the_interval_holds_whatever_the_distribution():
    random, true = np.random.default_rng(3), -np.log(0.1)
    ends = [quantile(random.exponential(size=80), 0.9).ci95 for _ in range(400)]
    assert np.mean([low <= true <= high for low, high in ends]) >= 0.93


@pytest.mark.parametrize(("share", "needed"), [(0.5, 6), (0.9, 36), (0.95, 72)])
def test_too_few_values_have_no_interval(share, needed):
    assert quantile(range(needed), share).ci95 is not None
    few = quantile(range(needed - 1), share)
    assert few.ci95 is None
    assert f"at least {needed} values" in few.why_no_ci.en


LATENCIES = [*SECONDS, 1.2, 1.3, 2.2, 2.4, 0.7, 3.3, 5.1, 2.8, 1.6, 1.0]
QUERIES = np.repeat(np.arange(8), [4, 2, 3, 1, 3, 2, 3, 2])


def test_what_clusters_are_worth():
    """R, survey 4.1: p(1 − p)/vcov(svymean(~below, svydesign(ids = ~query))) is 8.75; with qt(.025, 19)² / qt(.025, 7)² 6.855."""
    counted = InClusters.of(LATENCIES, QUERIES, quantile(LATENCIES, 0.5).value)
    assert counted.below.tolist() == [4, 1, 0, 0, 2, 1, 0, 2]
    assert counted.worth() == 6


def test_clusters_of_one_value_are_values():
    counted = InClusters.of(SECONDS, range(10), quantile(SECONDS, 0.5).value)
    assert quantile(SECONDS, 0.5, counted) == quantile(SECONDS, 0.5)


def test_copies_of_values_tell_nothing_new():
    once, again = np.arange(1.0, 41.0), np.repeat(np.arange(1.0, 41.0), 25)
    counted = InClusters.of(again, again, quantile(again, 0.5).value)
    low, high = quantile(again, 0.5, counted).ci95
    assert low <= quantile(once, 0.5).ci95[0]
    assert high >= quantile(once, 0.5).ci95[1]
    assert quantile(again, 0.5).ci95 == (19, 22)  # what it would be if all thousand were runs of their own


def test_a_tail_of_few_clusters_has_no_interval():
    values = np.random.default_rng(1).exponential(size=200)
    counted = InClusters.of(values, np.repeat(np.arange(10), 20), quantile(values, 0.9).value)
    assert quantile(values, 0.9, counted).why_no_ci.en == "at least 20 clusters are needed, there are 10"
    few = InClusters.of(values[:30], np.repeat(np.arange(15), 2), quantile(values[:30], 0.9).value)
    assert "those of 15 clusters are worth" in quantile(values[:30], 0.9, few).why_no_ci.en


def test_the_interval_over_clusters_holds():
    random, whose = np.random.default_rng(4), np.repeat(np.arange(40), 10)
    true, held, alone = 1.2815515655446004, 0, 0  # the 90 % quantile of a standard normal
    for _ in range(300):
        values = 0.5**0.5 * (random.normal(size=40)[whose] + random.normal(size=400))
        plain = quantile(values, 0.9)
        low, high = quantile(values, 0.9, InClusters.of(values, whose, plain.value)).ci95
        held += low <= true <= high
        alone += plain.ci95[0] <= true <= plain.ci95[1]
    assert held / 300 >= 0.93
    assert alone / 300 < 0.8  # as though runs of one query were independent
