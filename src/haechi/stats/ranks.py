"""Ranks with their uncertainty: how often each is first in resamples, and the ranks that the data do not rule out."""

from __future__ import annotations

import numpy as np

from haechi.frozen import frozen
from haechi.stats.bootstrap import SEED
from haechi.stats.ratings import Floats, Integers

DRAWS = 10_000
MOST_CELLS = 100_000  # of draws × values: of a hundred systems 1,000 draws, whose error is a percent or two


@frozen
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

    Formula: first = the share of resamples v + d in which each is the largest, d normal with the covariance C (with df
    Student's t). best, worst: 95 % sure for each: best_i = 1 + #{j: v_j − v_i > c_i s_ij}, worst_i = n − #{j: v_i − v_j > c_i s_ij},
    s_ij² = C_ii + C_jj − 2 C_ij, c_i the 95 % quantile over resamples of max_j |d_j − d_i| / s_ij: all differences from i get
    intervals that hold at once, and whoever lies above with the whole interval takes a better rank.
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
    # Only differences count, and a quantile of draws needs no more digits than these have: half the bytes, half the time.
    drawn = np.ascontiguousarray((away - away.mean(axis=1, keepdims=True)).T, dtype=np.float32)
    precision = np.where(spread > 0, 1 / spread, 0.0).astype(np.float32)
    largest, apart = np.empty_like(drawn), np.empty_like(drawn)
    for one in range(n):
        np.subtract(drawn, drawn[one], out=apart)
        apart *= precision[one][:, None]
        np.maximum(apart.max(axis=0), -apart.min(axis=0), out=largest[one])
    # Of a difference without an error nobody knows how certain it is.
    reach = np.where(spread > 0, np.quantile(largest, 0.95, axis=1)[:, None] * spread, np.inf)
    difference = values[None, :] - values[:, None]
    best = 1 + (difference > reach).sum(axis=1)
    worst = n - (difference < -reach).sum(axis=1)
    return Ranks(first, best, worst)
