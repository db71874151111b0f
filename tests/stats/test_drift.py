"""Drift of a judge over anchors: what the docs say of power and false alarms comes out of the simulation."""

from __future__ import annotations

import numpy as np
import pytest
from bench.drift import false_alarms, power

from haechi.stats.drift import drift
from haechi.stats.linking import mean_sigma


@pytest.mark.slow
def test_a_shift_of_a_fifth_of_a_standard_deviation_is_found():
    assert power(0.95, 2) >= 0.9
    assert power(0.9, 4) >= 0.9
    assert power(0.8, 8) >= 0.9


@pytest.mark.slow
def test_a_hundred_looks_raise_few_false_alarms():
    assert false_alarms(0.9, times=200) <= 0.01


def test_flips_now_and_then_are_no_change():
    looks = np.zeros((60, 40))
    looks[50, :2] = 1  # two of forty answers, after fifty looks without any
    assert not drift(looks).alarm


def test_the_error_of_a_link_is_what_repeated_anchors_show():
    rng = np.random.default_rng(3)
    found, errors = [], []
    for _ in range(400):
        quality = rng.normal(0, 1, 40)
        old, new = quality + rng.normal(0, 0.4, 40), 0.5 + quality + rng.normal(0, 0.4, 40)
        link = mean_sigma(old, new)
        found.append(link.at(0.3))
        errors.append(link.se(0.3))
    assert np.std(found) == pytest.approx(np.mean(errors), rel=0.15)
    assert np.mean(found) == pytest.approx(0.8, abs=0.03)
