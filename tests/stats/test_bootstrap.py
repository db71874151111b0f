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


def test_intervals_are_those_of_earlier_reports():
    """Frozen from the version that drew every resample in a loop; the last bits are the processor's."""
    random, means = np.random.default_rng(5), {}
    for n in (5, 12, 300):
        (group,) = stats.describe(np.round(random.normal(3, 1, n), 1), ["x"] * n)
        means[n] = group.mean.ci95
    assert means == {
        n: pytest.approx(ends, rel=1e-12)
        for n, ends in {
            5: (2.12, 3.5799999999999996),
            12: (2.4164583333333334, 3.516666666666667),
            300: (2.837275, 3.0603416666666665),
        }.items()
    }
    ratings = random.integers(1, 6, (15, 3)).astype(float)
    found = {
        level: stats.krippendorff_alpha(ratings, level).ci95 for level in ("nominal", "ordinal", "interval")
    }
    assert found == {
        level: pytest.approx(ends, rel=1e-12)
        for level, ends in {
            "nominal": (-0.1751918204011, 0.018587360594795488),
            "ordinal": (-0.15469695211801038, 0.39294116323464917),
            "interval": (-0.1493567294876488, 0.38632332224613575),
        }.items()
    }
    assert stats.pass_hat_k([[1, 1, 1], [1, 1, 0], [0, 0, 1], [1, 1, 1]], 2).ci95 == (
        0.16666666666666666,
        1.0,
    )


@pytest.mark.parametrize("size", [2, 3, 39, 40, 41, 81, 500, 999, 1000])
def test_the_middle_is_that_of_numpy_to_the_last_digit(size):
    random = np.random.default_rng(size)
    for values in (random.normal(size=size), random.integers(0, 9, size=size) / 7, np.full(size, 0.1)):
        assert middle(values) == tuple(np.percentile(values, [2.5, 97.5]))
