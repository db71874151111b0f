"""The interval of a mean: Student's t, and on a scale with ends Wilson's score interval, which stays between them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from haechi.stats.distributions import Z95, normal_quantile, t_quantile
from haechi.stats.figure import NO_WIDTH, Figure, figure
from haechi.stats.proportion import wilson_ends
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import Sample

Bounds = tuple[float, float]
"""The lowest and the highest value that a score can take; an end that does not exist is infinite."""


@np.errstate(all="ignore")
def mean_figure(
    sample: Sample, bounds: Bounds | None = None, *, level: float = 0.95, **details: Any
) -> Figure:
    """The mean of independent values with its interval, of 95 % unless another level is asked for.

    Formula: m ± t s/√n, Student's t with n − 1 degrees of freedom. On a scale with two ends, p = (m − low)/(high − low)
    and Wilson's interval of a share, as though of n p(1 − p)/s² values (s on the scale of p, never fewer than n): it
    follows the skewness that a mean near an end has, and stays on the scale. Where all values lie at the ends they are
    a share, and it is Wilson's own interval. Values without any spread have no interval, unless they are a share.

    Reference: Student 1908; Wilson 1927. Coverage at small n: docs/statistics/coverage.md.

    >>> mean_figure(Sample.of([3, 4, 5]))
    4.00 [1.52, 6.48]
    >>> mean_figure(Sample.of([3, 4, 5]), (1, 5))
    4.00 [1.76, 4.90]
    >>> mean_figure(Sample.of([1, 1, 1, 0]), (0, 1)), mean_figure(Sample.of([4, 4, 4]), (1, 5)).ci95
    (0.75 [0.30, 0.95], None)
    >>> mean_figure(Sample.of([3, 4, 5]), level=0.99)
    4.00 [-1.73, 9.73]
    """
    n, mean = sample.n, sample.mean
    if n < 2:
        return figure(mean, n, None, fewer_than(2, "값", "values", n), **details)
    if bounds is not None and not bounds[0] <= sample.values[0] <= sample.values[-1] <= bounds[1]:
        bounds = None  # such values are not from this scale
    if bounds is not None and sample.values.size <= 2 and set(sample.values.tolist()) <= set(bounds):
        return figure(mean, n, share_interval(mean, n, bounds, level), **details)
    if sample.is_flat:
        return figure(mean, n, None, NO_WIDTH, **details)
    ends = interval_of_mean(mean, sample.variance / n, n - 1, bounds, fewest=n, level=level)
    return figure(mean, n, ends, **details)


def interval_of_mean(
    mean: float,
    variance: float,
    df: float,
    bounds: Bounds | None = None,
    fewest: float = 0.0,
    level: float = 0.95,
) -> Bounds:
    """The interval of a mean that has this variance, estimated with so many degrees of freedom.

    fewest: as of how many values at least a share on a bounded scale is taken.
    """
    quantile = t_quantile((1 + level) / 2, df)
    half = quantile * math.sqrt(variance)
    if bounds is None:
        return mean - half, mean + half
    low, high = bounds
    if not (math.isfinite(low) and math.isfinite(high)) or not low < mean < high:
        return max(low, mean - half), min(high, mean + half)

    def ends(share: float) -> Bounds:
        return wilson_ends(share, max(fewest, share * (1 - share) * (high - low) ** 2 / variance), quantile)

    return _on(bounds, mean, ends)


def share_interval(mean: float, n: int, bounds: Bounds, level: float = 0.95) -> Bounds:
    """Wilson's interval of a mean whose values all lie at the ends of the scale."""
    quantile = Z95 if level == 0.95 else normal_quantile((1 + level) / 2)
    return _on(bounds, mean, lambda share: wilson_ends(share, n, quantile))


def _on(bounds: Bounds, mean: float, ends: Any) -> Bounds:
    """The interval of a share brought back to the scale; rounding neither leaves the scale nor loses the mean."""
    low, high = bounds
    first, last = ends((mean - low) / (high - low))
    width = high - low
    return max(low, min(mean, low + width * first)), min(high, max(mean, low + width * last))
