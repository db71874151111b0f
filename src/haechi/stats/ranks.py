"""Ranks with their uncertainty: how often each is first in resamples, and the ranks that the data do not rule out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from haechi.stats.bootstrap import SEED
from haechi.stats.ratings import Floats, Integers

DRAWS = 10_000
MOST_CELLS = 100_000  # of draws × values: of a hundred systems 1,000 draws, whose error is a percent or two


@dataclass(frozen=True)
class Ranks:
    """Of every one: the share of draws in which it is first, and the ends of its ranks, 1 the best; both (n,)."""

    first: Floats
    best: Integers
    worst: Integers


@np.errstate(all="ignore")
def ranks(
    values: Floats, covariance: Floats, df: float | None = None, draws: int = DRAWS, seed: int = SEED
) -> Ranks:
    """Ranks of estimates that are uncertain together.

    first: over resamples of the estimates (normal with their covariance; Student's t with df, if given) the share in which
    each is the largest. best, worst: 95 % sure for each: all differences from it get intervals that hold at once, by
    the largest of their studentised deviations, and whoever lies above with the whole interval takes a better rank.
    The middle 95 % of resampled ranks would not do: the best of many equals looks better than it is.

    values: (n,), covariance: (n, n). Reference: Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91, 476–518.
    R: csranks::csranks.

    >>> found = ranks(np.array([0.0, 2.0, 2.1]), np.eye(3) * 0.02)
    >>> found.best.tolist(), found.worst.tolist(), found.first.round(1).tolist()
    ([3, 1, 1], [3, 2, 2], [0.0, 0.3, 0.7])
    """
    n = values.size
    draws = min(draws, max(1_000, MOST_CELLS // max(n, 1)))
    random = np.random.default_rng(seed)
    roots, axes = np.linalg.eigh(covariance)
    away = random.standard_normal((draws, n)) @ (axes * np.sqrt(np.clip(roots, 0.0, None))).T
    if df is not None:
        away *= np.sqrt(df / random.chisquare(df, draws))[:, None]
    first = np.bincount((values + away).argmax(axis=1), minlength=n) / draws
    spread = np.sqrt(
        np.clip(np.add.outer(np.diag(covariance), np.diag(covariance)) - 2 * covariance, 0, None)
    )
    best, worst = np.ones(n, dtype=np.int64), np.full(n, n)
    for one in range(n):
        others = np.arange(n) != one
        error = spread[one, others]
        largest = np.max(np.abs(away[:, others] - away[:, [one]]) / error, axis=1) if n > 1 else np.zeros(1)
        reach = float(np.quantile(largest, 0.95)) * error
        difference = values[others] - values[one]
        best[one] += int((difference - reach > 0).sum())
        worst[one] -= int((difference + reach < 0).sum())
    return Ranks(first, best, worst)
