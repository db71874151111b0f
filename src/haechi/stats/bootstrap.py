"""Seeded resampling: a sample of units is a histogram, and so is every resample of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from haechi.stats.figure import Why
from haechi.stats.ratings import Floats, Integers
from haechi.stats.reasons import fewer_than

SEED = 2026
REPLICATES = 1000
CHUNK = 4_000_000  # cells held at once: 32 MB
_DRAWN = 100_000  # units drawn at once: small enough to stay in the processor's cache


def resamples(count: Integers, replicates: int, seed: int) -> Iterator[Floats]:
    """Resamples of units counted by kind, in chunks of shape (some replicates, kinds).

    count: (kinds,) how many units of each kind there are. Where kinds repeat often a multinomial draw is
    quicker, else drawing the units one by one; both give the same distribution.

    >>> import numpy as np
    >>> [chunk.sum(axis=1).tolist() for chunk in resamples(np.array([3, 1]), replicates=2, seed=1)]
    [[4.0, 4.0]]
    """
    random = np.random.default_rng(seed)
    n, kinds = int(count.sum()), count.size
    step = max(1, CHUNK // max(kinds, 1))
    if kinds * 10 <= n:
        share = count / n
        for start in range(0, replicates, step):
            yield random.multinomial(n, share, size=min(step, replicates - start)).astype(np.float64)
        return
    kind_of = np.repeat(np.arange(kinds, dtype=np.int32), count)
    for start in range(0, replicates, step):
        chunk = np.empty((min(step, replicates - start), kinds))
        rows = max(1, _DRAWN // n)
        for first in range(0, len(chunk), rows):
            _draw(random, kind_of, chunk[first : first + rows])
        yield chunk


def _draw(random: np.random.Generator, kind_of: NDArray[np.int32], rows: Floats) -> None:
    """Fill every row with the counts of one resample, all drawn at once; the stream is that of one row after another."""
    n, (many, kinds) = kind_of.size, rows.shape
    drawn = random.integers(0, n, size=(many, n), dtype=np.int32)
    if kinds < n:
        drawn = kind_of[drawn]
    drawn += np.arange(0, many * kinds, kinds, dtype=np.int32)[:, None]
    rows[:] = np.bincount(drawn.ravel(), minlength=rows.size).reshape(rows.shape)


def percentile_interval(
    count: Integers, statistic: Callable[[Floats], Floats], replicates: int, seed: int
) -> tuple[float, float] | Why:
    """The middle 95 % of a statistic over resamples; `statistic` maps (b, kinds) counts to (b,) values.

    Resamples in which the statistic is undefined are left out; if more than half are, there is no interval.
    """
    values = np.concatenate([statistic(chunk) for chunk in resamples(count, replicates, seed)])
    defined = values[np.isfinite(values)]
    if defined.size * 2 < values.size or defined.size < 2:
        return fewer_than(replicates // 2, "정의되는 재표본", "resamples with a defined value", defined.size)
    return middle(defined)


def middle(values: Floats) -> tuple[float, float]:
    """The ends of the middle 95 % of two values or more: `numpy.percentile`, which takes longer for small samples.

    >>> middle(np.arange(11.0))
    (0.25, 9.75)
    """
    places = [share * (values.size - 1) for share in (0.025, 0.975)]
    below = [min(int(place), values.size - 2) for place in places]
    ordered = np.partition(values, [*below, *(place + 1 for place in below)])
    low, high = (
        _between(float(ordered[at]), float(ordered[at + 1]), place - at)
        for at, place in zip(below, places, strict=True)
    )
    return low, high


def _between(low: float, high: float, share: float) -> float:
    """A value on the way from one to another, counted from the nearer end, so that both ends are met exactly."""
    way = high - low
    return high - way * (1 - share) if share >= 0.5 else low + way * share
