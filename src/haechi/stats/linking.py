"""Old scores on a new scale: what anchors that were judged in both ways say about it, and how surely."""

from __future__ import annotations

import math

import numpy as np

from haechi.frozen import frozen
from haechi.stats.distributions import t_two_sided
from haechi.stats.figure import Why
from haechi.stats.ratings import Floats, Given, paired_values
from haechi.stats.reasons import fewer_than

FEWEST = 10
"""Anchors, below which no link is made."""
BENT, FAR = 0.1, 0.3
"""Where the anchors bend at this p, a mean further from theirs than so many standard deviations is not moved."""
LEAST_CORRELATION = 0.5
"""Below it old and new do not measure the same, and no line makes one of the other."""
_FLAT = Why(
    "앵커의 점수가 모두 같아 척도를 이을 수 없습니다",
    "the anchors all have the same score, so nothing links the scales",
)


@frozen
class ScaleLink:
    """A line from the old scale to the new one; `why` says why there is none, `curved` is the p that the anchors bend."""

    n: int
    old_mean: float = 0.0
    old_sd: float = 1.0
    new_mean: float = 0.0
    new_sd: float = 1.0
    correlation: float | None = None
    why: Why | None = None
    curved: float | None = None

    @property
    def slope(self) -> float:
        """How much a point of the old scale is on the new one."""
        return self.new_sd / self.old_sd

    def at(self, value: float) -> float:
        """A value of the old scale on the new one."""
        return self.new_mean + self.slope * (value - self.old_mean)

    def why_not_at(self, value: float) -> Why | None:
        """Why a mean on the old scale cannot be moved: far from the anchors' mean a line says nothing of a bent relation."""
        away = abs(value - self.old_mean) / self.old_sd
        if self.curved is None or self.curved >= BENT or away <= FAR:
            return None
        return Why(
            f"앵커에서 두 방식의 관계가 굽어 있고 옮길 평균이 앵커 평균에서 표준편차의 {away:.1f}배 떨어져 있어 직선으로 이을 수 없습니다",
            f"on the anchors the two ways are not in line, and the mean to be moved lies {away:.1f} standard deviations from that of the anchors",
        )

    def se(self, value: float) -> float:
        """The standard error of `at`: s²(1 − r)(2 + (1 + r)z²)/n, z the value in standard deviations of the old scale."""
        r, z = self.correlation or 0.0, (value - self.old_mean) / self.old_sd
        return self.new_sd * math.sqrt(max(0.0, (1 - r) * (2 + (1 + r) * z * z) / self.n))


def mean_sigma(old: Given, new: Given) -> ScaleLink:
    """Link two scales by the anchors that have a score on both: the same mean and standard deviation.

    Formula: L(x) = m_new + (s_new/s_old)(x − m_old). Its error is that of linear equating with one group, where both scores
    are of the same anchors. old, new: (n,) scores of the anchors, NaN where missing. A line is right for items like the
    anchors however the two scales are related; for others `why_not_at` says where it is not, by the t of x² in a regression
    of the new score on x and x².

    Reference: Kolen & Brennan 2014, Test Equating, Scaling, and Linking, chapters 6 and 7.

    >>> link = mean_sigma([1, 2, 3, 4, 5, 1, 2, 3, 4, 5], [2, 3, 4, 5, 6, 2, 3, 4, 5, 6])
    >>> link.at(3.0), link.slope, link.se(3.0)
    (4.0, 1.0, 0.0)
    >>> mean_sigma([1, 2], [1, 2]).why.en
    'at least 10 anchors are needed, there are 2'
    """
    x, y = paired_values(old, new)
    n = int(x.size)
    if n < FEWEST:
        return ScaleLink(n, why=fewer_than(FEWEST, "앵커", "anchors", n))
    sx, sy = float(np.std(x, ddof=1)), float(np.std(y, ddof=1))
    if min(sx, sy) <= 0:
        return ScaleLink(n, why=_FLAT)
    r = min(1.0, float(np.corrcoef(x, y)[0, 1]))
    found = ScaleLink(n, float(x.mean()), sx, float(y.mean()), sy, r, curved=_bend(x, y))
    if r < LEAST_CORRELATION:
        why = Why(
            f"앵커에서 두 방식의 상관이 {r:.2f}여서 같은 것을 잰다고 볼 수 없습니다",
            f"on the anchors the two ways correlate by {r:.2f} only: they do not measure the same",
        )
        return ScaleLink(n, correlation=r, why=why)
    return found


def _bend(x: Floats, y: Floats) -> float | None:
    """The p of x² beside x: whether the anchors lie on a curve rather than on a line; None where x has too few values to tell."""
    z = (x - x.mean()) / x.std()
    design = np.column_stack([np.ones(z.size), z, z**2])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    fitted, *_ = np.linalg.lstsq(design, y, rcond=None)
    left, df = float(((y - design @ fitted) ** 2).sum()), z.size - 3
    error = math.sqrt(left / df * float(np.linalg.inv(design.T @ design)[2, 2]))
    return t_two_sided(float(fitted[2]) / error, df) if error > 0 else None
