"""Quantiles equal R's, and their intervals hold."""

import numpy as np
import pytest

from haechi.stats import quantile

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
