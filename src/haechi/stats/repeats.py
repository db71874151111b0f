"""Repeated runs of the same query: does it succeed every time, and does it answer alike?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haechi.stats.bootstrap import REPLICATES, SEED, percentile_interval
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.ratings import Floats, as_ratings
from haechi.stats.reasons import NOTHING, fewer_than


def pass_hat_k(successes: Any, k: int, seed: int = SEED) -> Figure:
    """pass^k: the probability that k runs of the same query all succeed, averaged over queries.

    Formula: mean over queries of C(c, k)/C(n, k), c successes among the query's n runs; unbiased for p^k.
    Interval: seeded bootstrap over queries.

    successes: (queries, runs) zeros and ones, NaN where a run is missing. Queries with fewer than k runs are
    left out and counted in `n_too_few`. Reference: Yao et al. 2024, τ-bench.

    >>> pass_hat_k([[1, 1, 1], [1, 1, 0], [0, 0, 1]], k=2).value
    0.4444444444444444
    """
    array = as_ratings(successes)
    known = ~np.isnan(array)
    if not np.isin(array[known], (0.0, 1.0)).all():
        raise ValueError("successes must be zeros and ones")
    if k < 1:
        raise ValueError(f"k must be at least 1, found {k}")
    runs, passed = known.sum(axis=1), np.where(known, array, 0.0).sum(axis=1)
    enough = runs >= k
    left_out = int((~enough & (runs > 0)).sum())
    n = int(enough.sum())
    if n == 0:
        most = int(runs.max(initial=0))
        return undefined(fewer_than(k, "질의당 실행", "runs of a query", most), 0, k=k, n_too_few=left_out)
    chance = np.ones(n)
    for i in range(k):
        chance *= np.maximum(passed[enough] - i, 0) / (runs[enough] - i)
    return _mean_over_queries(chance, seed, k=k, n_too_few=left_out)


def _mean_over_queries(values: Floats, seed: int, **details: Any) -> Figure:
    n = values.size
    if n < 2:
        return figure(float(values[0]), n, None, fewer_than(2, "질의", "queries", n), **details)
    kinds, count = np.unique(values, return_counts=True)
    ends = percentile_interval(count, lambda weight: weight @ kinds / n, REPLICATES, seed)
    if isinstance(ends, Why):
        return figure(float(values.mean()), n, None, ends, **details)
    return figure(float(values.mean()), n, ends, seed=seed, bootstrap=REPLICATES, **details)


@dataclass(frozen=True)
class Stability:
    """How alike the runs of each query are.

    per_query: (queries,) share of runs that gave the query's most frequent value, NaN below two runs.
    """

    modal_share: Figure
    always_same: Figure
    within_sd: Figure
    per_query: Floats

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        per_query = [None if np.isnan(share) else float(share) for share in self.per_query]
        return {
            "modal_share": self.modal_share.as_json(lang),
            "always_same": self.always_same.as_json(lang),
            "within_sd": self.within_sd.as_json(lang),
            "per_query": per_query,
        }


def stability(values: Any, seed: int = SEED) -> Stability:
    """Per query: the share of runs with its most frequent value, whether all are the same, and the SD within.

    values: (queries, runs), NaN where a run is missing; queries with fewer than two runs are left out.
    The SD within is pooled: the root of the mean variance of a query's runs. Intervals of the two shares:
    seeded bootstrap over queries.

    >>> result = stability([[5, 5, 5], [5, 4, 5]])
    >>> round(result.modal_share.value, 4), result.always_same.value
    (0.8333, 0.5)
    """
    array = as_ratings(values)
    runs = (~np.isnan(array)).sum(axis=1)
    enough = runs >= 2
    per_query = np.full(array.shape[0], np.nan)
    per_query[enough] = most_frequent(array)[enough] / runs[enough]
    n = int(enough.sum())
    if n == 0:
        most = int(runs.max(initial=0))
        none = undefined(fewer_than(2, "질의당 실행", "runs of a query", most) if most else NOTHING, 0)
        return Stability(none, none, none, per_query)
    shares = per_query[enough]
    with np.errstate(all="ignore"):
        pooled = np.sqrt(np.nanvar(array[enough], axis=1, ddof=1).mean())
    return Stability(
        _mean_over_queries(shares, seed),
        _mean_over_queries((shares == 1).astype(np.float64), seed),
        figure(float(pooled), n),
        per_query,
    )


def most_frequent(array: Floats) -> NDArray[np.integer]:
    """(rows,) how often the most frequent value of each row occurs, 0 where there is none."""
    most = np.zeros(array.shape[0], dtype=np.int64)
    for column in array.T:  # NaN equals nothing, so a missing run is never counted
        np.maximum(most, (array == column[:, None]).sum(axis=1), out=most)
    return most
