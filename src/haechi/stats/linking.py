"""Old scores on a new scale: what anchors that were judged in both ways say about it, and how surely."""

from __future__ import annotations

import math

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Why
from haechi.stats.ratings import Given, both
from haechi.stats.reasons import fewer_than

FEWEST = 10
"""Anchors, below which no link is made."""
LEAST_CORRELATION = 0.5
"""Below it old and new do not measure the same, and no line makes one of the other."""
_FLAT = Why(
    "앵커의 점수가 모두 같아 척도를 이을 수 없습니다",
    "the anchors all have the same score, so nothing links the scales",
)


@frozen
class Link:
    """A line from the old scale to the new one; `why` says why there is none."""

    n: int
    old_mean: float = 0.0
    old_sd: float = 1.0
    new_mean: float = 0.0
    new_sd: float = 1.0
    correlation: float | None = None
    why: Why | None = None

    @property
    def slope(self) -> float:
        """How much a point of the old scale is on the new one."""
        return self.new_sd / self.old_sd

    def at(self, value: float) -> float:
        """A value of the old scale on the new one."""
        return self.new_mean + self.slope * (value - self.old_mean)

    def se(self, value: float) -> float:
        """The standard error of `at`: s²(1 − r)(2 + (1 + r)z²)/n, z the value in standard deviations of the old scale."""
        r, z = self.correlation or 0.0, (value - self.old_mean) / self.old_sd
        return self.new_sd * math.sqrt(max(0.0, (1 - r) * (2 + (1 + r) * z * z) / self.n))


def mean_sigma(old: Given, new: Given) -> Link:
    """Link two scales by the anchors that have a score on both: the same mean and standard deviation.

    Formula: L(x) = m_new + (s_new/s_old)(x − m_old). Its error is that of linear equating with one group, where both scores
    are of the same anchors. old, new: (n,) scores of the anchors, NaN where missing.

    Reference: Kolen & Brennan 2014, Test Equating, Scaling, and Linking, chapters 6 and 7.

    >>> link = mean_sigma([1, 2, 3, 4, 5, 1, 2, 3, 4, 5], [2, 3, 4, 5, 6, 2, 3, 4, 5, 6])
    >>> link.at(3.0), link.slope, link.se(3.0)
    (4.0, 1.0, 0.0)
    >>> mean_sigma([1, 2], [1, 2]).why.en
    'at least 10 anchors are needed, there are 2'
    """
    x, y = both(old, new)
    n = int(x.size)
    if n < FEWEST:
        return Link(n, why=fewer_than(FEWEST, "앵커", "anchors", n))
    sx, sy = float(np.std(x, ddof=1)), float(np.std(y, ddof=1))
    if min(sx, sy) <= 0:
        return Link(n, why=_FLAT)
    r = min(1.0, float(np.corrcoef(x, y)[0, 1]))
    found = Link(n, float(x.mean()), sx, float(y.mean()), sy, r)
    if r < LEAST_CORRELATION:
        why = Why(
            f"앵커에서 두 방식의 상관이 {r:.2f}여서 같은 것을 잰다고 볼 수 없습니다",
            f"on the anchors the two ways correlate by {r:.2f} only: they do not measure the same",
        )
        return Link(n, correlation=r, why=why)
    return found
