"""Do scores fall in two clusters?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from haechi.stats.distributions import binomial_below
from haechi.stats.sample import Sample

ENOUGH, MANY_VALUES = 30, 15
_SHARE, _LEVEL = 0.2, 0.01


class TwoClusters(NamedTuple):
    """Two clusters: their means and sizes."""

    low: float
    high: float
    n_low: int
    n_high: int


def two_clusters(sample: Sample) -> TwoClusters | None:
    """The two clusters of a sample; None where it has none, or is too small or too coarse to show any.

    The sample is cut where the squares within the parts are least (Otsu's method). The parts are clusters when each has a
    fifth of the values and fewer lie in the middle third between their means than chance allows (p < .01) if the sample
    were spread evenly, where a sixth lies there. Of a thousand even, normal and skewed samples none has clusters.

    >>> rng = np.random.default_rng(1)
    >>> apart = np.concatenate([rng.normal(1.5, 0.3, 40), rng.normal(4.2, 0.3, 40)])
    >>> [round(value, 1) for value in two_clusters(Sample.of(apart))], two_clusters(Sample.of(rng.normal(3, 1, 80)))
    ([1.5, 4.2, 40, 40], None)
    """
    values, count, n = sample.values, sample.count, sample.n
    if n < ENOUGH or values.size < MANY_VALUES:
        return None
    below = np.cumsum(count)[:-1]
    sums = np.cumsum(values * count)
    means_low, means_high = sums[:-1] / below, (sums[-1] - sums[:-1]) / (n - below)
    between = below * (n - below) * (means_high - means_low) ** 2
    cut = int(between.argmax())
    low, high, n_low = float(means_low[cut]), float(means_high[cut]), int(below[cut])
    third = (high - low) / 3
    middle = int(count[(values > low + third) & (values < high - third)].sum())
    if min(n_low, n - n_low) < _SHARE * n or binomial_below(middle, n, 1 / 6) >= _LEVEL:
        return None
    return TwoClusters(low, high, n_low, n - n_low)
