"""Figures from counted rows, however the items were divided, are those of the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from close_figures import assert_close
from haechi.stats import agreement
from haechi.stats.patterns import PatternTally

DESIGNS = {
    "three raters, five points": (500, 3, lambda random, size: random.integers(1, 6, size).astype(float)),
    "many raters, packed patterns": (300, 9, lambda random, size: random.integers(0, 8, size).astype(float)),
    "rows beyond sixty-two bits": (60, 30, lambda random, size: random.integers(1, 6, size).astype(float)),
    "continuous values": (80, 3, lambda random, size: random.normal(10, 2, size)),
    "all alike": (30, 3, lambda _, size: np.full(size, 4.0)),
}


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("design", DESIGNS)
def test_any_division_gives_the_figures_of_the_whole(design, level):
    items, raters, draw = DESIGNS[design]
    random = np.random.default_rng(5)
    ratings = draw(random, (items, raters))
    ratings[random.random(ratings.shape) < 0.15] = np.nan
    ratings[:2] = np.nan  # nobody rated these
    names = [f"r{number}" for number in range(raters)]
    whole = agreement(ratings, names, level, bootstrap=200).as_json()
    cut = random.integers(0, 4, items)
    tally = PatternTally.sum([PatternTally.of(ratings[cut == piece]) for piece in range(4)])
    counted = agreement(tally.rows, names, level, count=tally.count, bootstrap=200).as_json()
    assert tally.count.sum() == items - np.isnan(ratings).all(axis=1).sum()
    assert_close(counted, whole)
