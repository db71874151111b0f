"""Resamples drawn many at a time are those that were drawn one after the other; the figures stay."""

import numpy as np
import pytest

from haechi import stats
from haechi.stats import bootstrap
from haechi.stats.bootstrap import middle, resamples


def one_by_one(count, replicates, seed):
    """Every resample by a draw of its own, as reports of earlier versions have it."""
    random = np.random.default_rng(seed)
    kind_of = np.repeat(np.arange(count.size), count)
    draws = (random.integers(0, kind_of.size, size=kind_of.size, dtype=np.int32) for _ in range(replicates))
    return np.array([np.bincount(kind_of[drawn], minlength=count.size) for drawn in draws])


@pytest.mark.parametrize("count", [[1] * 7, [3, 1, 2], [1] * 400, [2] * 150 + [1] * 33], ids=len)
@pytest.mark.parametrize(
    ("chunk", "drawn"), [(4_000_000, 100_000), (1_000, 100_000), (4_000_000, 50), (900, 1000)]
)
def test_the_stream_is_the_same_however_many_are_drawn_at_once(monkeypatch, count, chunk, drawn):
    monkeypatch.setattr(bootstrap, "CHUNK", chunk)
    monkeypatch.setattr(bootstrap, "_DRAWN", drawn)
    found = np.concatenate(list(resamples(np.array(count), 57, seed=9)))
    assert np.array_equal(found, one_by_one(np.array(count), 57, seed=9))


def test_no_more_is_drawn_at_once_than_stays_in_the_cache(monkeypatch):
    sizes, draw = [], bootstrap._draw

    def counted(random, kind_of, rows):
        sizes.append(len(rows) * kind_of.size)
        draw(random, kind_of, rows)

    monkeypatch.setattr(bootstrap, "_draw", counted)
    list(resamples(np.ones(3_000, dtype=np.int64), 1000, seed=1))
    assert max(sizes) <= bootstrap._DRAWN
    assert sum(sizes) == 3_000 * 1000


def test_very_many_different_units_are_resampled_with_the_seed():
    random = np.random.default_rng(5)
    ratings = np.round(random.normal(3, 1, (1_200, 1)) + random.normal(0, 0.5, (1_200, 2)), 3)
    first, again, other = (stats.krippendorff_alpha(ratings, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.ci95 != other.ci95
    assert first.details["bootstrap"] == 1000
    few = stats.krippendorff_alpha(ratings[:900])
    assert "seed" not in few.details
    assert few.ci95[1] - few.ci95[0] == pytest.approx(
        (first.ci95[1] - first.ci95[0]) * (4 / 3) ** 0.5, rel=0.15
    )


@pytest.mark.parametrize("size", [2, 3, 39, 40, 41, 81, 500, 999, 1000])
def test_the_middle_is_that_of_numpy_to_the_last_digit(size):
    random = np.random.default_rng(size)
    for values in (random.normal(size=size), random.integers(0, 9, size=size) / 7, np.full(size, 0.1)):
        assert middle(values) == tuple(np.percentile(values, [2.5, 97.5]))
