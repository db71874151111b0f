"""Groups with an order: does a score rise or fall along it? Jonckheere–Terpstra and a linear contrast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.correlation import kendall_of
from haechi.stats.distributions import normal_below
from haechi.stats.figure import Figure, Lang, undefined
from haechi.stats.many_samples import ALL_TIED, EMPTY_GROUP
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Floats, Given
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import Sample, count_rows
from haechi.stats.two_samples import Moments, contrast, shares_of_u

EXACT_UP_TO = 100  # values in all; beyond, the normal approximation is close


@frozen
class Trend:
    """How a score moves along ordered groups.

    per_step: the slope of the line through the group means, in points for one step of `steps`; linear: whether it is 0;
    jonckheere: the same question of ranks; tau: Kendall's τ-b of the group's place and the value.
    """

    steps: tuple[float, ...]
    per_step: Figure
    linear: Outcome
    jonckheere: Outcome
    tau: Figure

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "steps": list(self.steps),
            "per_step": self.per_step.as_json(lang),
            "linear": self.linear.as_json(lang),
            "jonckheere_terpstra": self.jonckheere.as_json(lang),
            "kendall_tau": self.tau.as_json(lang),
        }


def trend(groups: Sequence[Given] | Sequence[Sample], steps: Sequence[float] | None = None) -> Trend:
    """Does a score rise or fall along groups that have an order?

    Formula: linear contrast, slope Σ c x̄ / Σ c², c = steps − their mean, equal variances not assumed (`contrast`): points for one
    step. Jonckheere–Terpstra: J = Σ over groups i < j of how often a value of j beats one of i, ties half; exact without
    ties up to 100 values, else normal with the tie-corrected variance. Two-sided both.

    groups: (n,) values each, in order, NaN left out, or samples; steps: how far apart they are, 1, 2, 3 … if not given.
    References: Jonckheere 1954, Biometrika 41, 133–145; Terpstra 1952; Kirk 2013, Experimental Design, 4th ed.
    R: clinfun::jonckheere.test (exact), PMCMRplus::jonckheereTest (ties); sandwich::vcovHC(type = "HC2") for the slope.

    >>> found = trend([[1, 2, 3], [2.5, 4, 3.5], [5, 6, 4.5]])
    >>> round(found.per_step.value, 4), round(found.jonckheere.p, 4), found.jonckheere.statistic
    (1.5833, 0.0036, 26.0)
    """
    samples = [Sample.of(one) for one in groups]
    places = tuple(float(step) for step in (steps or range(1, len(samples) + 1)))
    n = sum(one.n for one in samples)
    if len(samples) < 2:
        why = fewer_than(2, "집단", "groups", len(samples))
        none = undefined(why, n)
        return Trend(
            places, none, no_outcome("linear", why, n), no_outcome("jonckheere_terpstra", why, n), none
        )
    with np.errstate(all="ignore"):
        return Trend(places, *_linear(samples, places), *_jonckheere(samples))


def _linear(samples: Sequence[Sample], steps: Sequence[float]) -> tuple[Figure, Outcome]:
    if min(one.n for one in samples) < 1:
        n = sum(one.n for one in samples)
        return undefined(EMPTY_GROUP, n), no_outcome("linear", EMPTY_GROUP, n)
    return contrast([Moments.of(one) for one in samples], slope_weights(steps), "linear")


def slope_weights(steps: Sequence[float]) -> list[float]:
    """The weights of group means whose sum is the slope per step.

    >>> slope_weights([1, 2, 3])
    [-0.5, 0.0, 0.5]
    """
    away = np.asarray(steps, dtype=np.float64) - np.mean(steps)
    weights: list[float] = (away / (away @ away)).tolist()
    return weights


def _jonckheere(samples: Sequence[Sample]) -> tuple[Outcome, Figure]:
    n, sizes = sum(one.n for one in samples), np.array([one.n for one in samples], dtype=np.float64)
    if sizes.min() < 1:
        return no_outcome("jonckheere_terpstra", EMPTY_GROUP, n), undefined(EMPTY_GROUP, n)
    _, counts = count_rows(samples)
    ties = counts.sum(axis=0).astype(np.float64)
    if ties.size == 1:
        return no_outcome("jonckheere_terpstra", ALL_TIED, n), undefined(ALL_TIED, n)
    j = _ordered_pairs(counts.astype(np.float64))
    if ties.max() == 1 and n <= EXACT_UP_TO:
        p = _exact(j, [one.n for one in samples])
        return outcome("jonckheere_terpstra", j, p, n, method="exact"), kendall_of(counts)
    z = (j - (float(n) ** 2 - (sizes**2).sum()) / 4) / math.sqrt(_variance(float(n), sizes, ties))
    p = 2 * normal_below(-abs(z))
    return outcome("jonckheere_terpstra", j, p, n, method="normal approximation"), kendall_of(counts)


def _ordered_pairs(counts: Floats) -> float:
    """How often a value of a later group is above one of an earlier group, ties half; counts: (groups, values)."""
    earlier = np.zeros(counts.shape[1])
    total = 0.0
    for own in counts:
        below = np.cumsum(earlier) - earlier / 2
        total += float(own @ below)
        earlier = earlier + own
    return total


def _variance(n: float, sizes: Floats, ties: Floats) -> float:
    def both(of: Floats) -> tuple[float, float, float]:
        return (
            float((of * (of - 1) * (2 * of + 5)).sum()),
            float((of * (of - 1) * (of - 2)).sum()),
            float((of * (of - 1)).sum()),
        )

    size, tie = both(sizes), both(ties)
    first = (n * (n - 1) * (2 * n + 5) - size[0] - tie[0]) / 72
    second = size[1] * tie[1] / (36 * n * (n - 1) * (n - 2)) if n > 2 else 0.0
    return first + second + size[2] * tie[2] / (8 * n * (n - 1))


def _exact(j: float, sizes: Sequence[int]) -> float:
    """Two-sided p without ties: J is a sum of independent U, of every group against all before it."""
    before = np.cumsum(sizes)[:-1]
    shares = reduce(np.convolve, (shares_of_u(own, int(m)) for own, m in zip(sizes[1:], before, strict=True)))
    at = round(j)
    return 2 * min(float(shares[: at + 1].sum()), float(shares[at:].sum()))
