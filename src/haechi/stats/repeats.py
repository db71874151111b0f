"""Repeated runs of the same query: does it succeed every time, and does it answer alike?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Figure, Lang, figure, undefined
from haechi.stats.mean_interval import mean_figure
from haechi.stats.population import clustered_mean
from haechi.stats.ratings import Floats, Given, Integers, as_ratings
from haechi.stats.reasons import NOTHING, fewer_than
from haechi.stats.sample import Sample

_MOST_K = 5


def pass_hat_k(successes: Given, k: int) -> Figure:
    """pass^k: the probability that k runs of the same query all succeed, averaged over queries.

    Formula: mean over queries of C(c, k)/C(n, k), c successes among the query's n runs; unbiased for p^k.
    Interval: that of a mean between 0 and 1 over queries (see `mean_figure`), so 20 of 20 is not certain.

    successes: (queries, runs) zeros and ones, NaN where a run is missing. Queries with fewer than k runs are
    left out and counted in `n_too_few`. Reference: Yao et al. 2024, τ-bench. R: none; mean(choose(c, k) / choose(n, k)).

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
    return pass_hat_k_of(runs, passed, np.ones_like(runs), k)


def pass_hat_k_of(runs: Integers, passed: Any, count: Integers, k: int) -> Figure:
    """As `pass_hat_k`, of queries counted: `count` (kinds,) of them have so many runs, of which so many passed.

    runs, passed: (kinds,), or (kinds, versions) where a query was asked of several versions, 0 where it was not: every version
    of it counts in the mean, and the interval is over queries (see `clustered_mean`).

    >>> pass_hat_k_of(np.array([3, 3]), np.array([3, 2]), np.array([1, 1]), k=2).value
    0.6666666666666666
    >>> found = pass_hat_k_of(np.array([[2, 2], [2, 0]]), np.array([[0, 0], [0, 0]]), np.array([1, 1]), k=2)
    >>> found.n, [round(end, 2) for end in found.ci95]
    (2, [0.0, 0.66])
    """
    runs, passed = _by_version(runs), _by_version(passed)
    enough = runs >= k
    left_out = int(count[~enough.any(axis=1) & (runs > 0).any(axis=1)].sum())
    if not enough.any():
        most = int(runs.max(initial=0))
        return undefined(fewer_than(k, "질의당 실행", "runs of a query", most), 0, k=k, n_too_few=left_out)
    chance = np.where(enough, 1.0, 0.0)
    for i in range(k):
        chance[enough] *= np.maximum(passed[enough] - i, 0) / (runs[enough] - i)
    return _over_queries(chance, enough, count, k=k, n_too_few=left_out)


def _by_version(counted: Any) -> Integers:
    found: Integers = np.asarray(counted, dtype=np.int64)
    return found if found.ndim == 2 else found[:, None]


def _over_queries(shares: Floats, there: Any, count: Integers, **details: Any) -> Figure:
    """The mean of shares (kinds, versions) that are `there`, with its interval over queries: versions of one are not independent."""
    versions = there.sum(axis=1)
    if versions.max() == 1:
        return mean_figure(Sample.counted(shares[there], count[versions == 1]), (0.0, 1.0), **details)
    sums = np.where(there, shares, 0.0).sum(axis=1)
    found = clustered_mean(np.repeat(sums, count), np.repeat(versions, count), (0.0, 1.0))
    return replace(found, n=int(count[versions > 0].sum()), details=details)


def pass_hat_ks(runs: Integers, passed: Any, count: Integers, most: int) -> dict[int, Figure]:
    """pass^k of queries counted, as `pass_hat_k_of`, for every k up to `most` runs of a query, five at the most.

    >>> list(pass_hat_ks(np.array([3, 3]), np.array([3, 2]), np.array([1, 1]), most=3))
    [1, 2, 3]
    """
    return {k: pass_hat_k_of(runs, passed, count, k) for k in range(1, min(_MOST_K, most) + 1)}


@frozen
class Stability:
    """How alike the runs of each query are.

    per_query: (queries,) share of runs that gave the query's most frequent value, NaN below two runs; None where the
    queries were only counted.
    """

    modal_share: Figure
    always_same: Figure
    within_sd: Figure
    per_query: Floats | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said: dict[str, Any] = {
            "modal_share": self.modal_share.as_json(lang),
            "always_same": self.always_same.as_json(lang),
            "within_sd": self.within_sd.as_json(lang),
        }
        if self.per_query is not None:
            said["per_query"] = [None if np.isnan(share) else float(share) for share in self.per_query]
        return said


def stability(values: Given) -> Stability:
    """Per query: the share of runs with its most frequent value, whether all are the same, and the SD within.

    Formula: over queries modal_share = mean of r_max/r, r_max how often the most frequent value of the r runs occurs;
    always_same = share with r_max = r; within_sd = √(mean of the variance of a query's runs). Intervals of the two shares:
    those of a mean between 0 and 1 over queries (see `mean_figure`).

    values: (queries, runs), NaN where a run is missing; queries with fewer than two runs are left out. References:
    Freeman 1965, Elementary Applied Statistics (1 − r_max/r, the variation ratio); Bland & Altman 1996, BMJ 313, 744.
    R: none; mean(apply(x, 1, function(r) max(table(r)) / length(r))), sqrt(mean(apply(x, 1, var))).

    >>> result = stability([[5, 5, 5], [5, 4, 5]])
    >>> round(result.modal_share.value, 4), result.always_same.value
    (0.8333, 0.5)
    """
    array = as_ratings(values)
    runs, most = (~np.isnan(array)).sum(axis=1), most_frequent(array)
    enough = runs >= 2
    with np.errstate(all="ignore"):
        variances = float(np.nanvar(array[enough], axis=1, ddof=1).sum()) if enough.any() else 0.0
        found = stability_of(runs, most, np.ones_like(runs), variances)
        return replace(found, per_query=np.where(enough, most / runs, np.nan))


def stability_of(runs: Integers, most: Integers, count: Integers, variances: float) -> Stability:
    """As `stability`, of queries counted: `count` of them have so many runs, the most frequent value so often.

    count: (kinds,); runs, most: (kinds,) or (kinds, versions), as in `pass_hat_k_of`; variances: the sum of the variances
    within queries, of one version each, of two or more runs.

    >>> stability_of(np.array([3, 3]), np.array([3, 2]), np.array([1, 1]), 1 / 3).always_same.value
    0.5
    """
    runs, most = _by_version(runs), _by_version(most)
    enough = runs >= 2
    if not enough.any():
        longest = int(runs.max(initial=0))
        none = undefined(fewer_than(2, "질의당 실행", "runs of a query", longest) if longest else NOTHING, 0)
        return Stability(none, none, none)
    shares = most / np.maximum(runs, 1)
    modal = _over_queries(shares, enough, count)
    same = _over_queries((shares == 1).astype(np.float64), enough, count)
    return Stability(modal, same, figure(float(np.sqrt(variances / (count @ enough.sum(axis=1)))), modal.n))


def most_frequent(array: Floats) -> Integers:
    """(rows,) how often the most frequent value of each row occurs, 0 where there is none."""
    most = np.zeros(array.shape[0], dtype=np.int64)
    for column in array.T:  # NaN equals nothing, so a missing run is never counted
        np.maximum(most, (array == column[:, None]).sum(axis=1), out=most)
    return most


def flip_chance(before: int, after: int) -> float:
    """How probable it is at most that a query seems fixed or broken although nothing about it has changed.

    It seems so when all its runs of one version pass and all of the other fail. With the same chance p of passing in both,
    that happens with probability pⁿ(1 − p)ᵐ + pᵐ(1 − p)ⁿ for n and m runs; the largest value over p is given, so that it
    holds whatever p is (unconditional, as in Barnard 1947, Biometrika 34, 123–138). For n = m it is 2 ⁄ 4ⁿ.

    >>> flip_chance(1, 1), flip_chance(2, 2), flip_chance(3, 3)
    (0.5, 0.125, 0.03125)
    """
    p = np.linspace(0.0, 1.0, 2001)
    return float(np.max(p**before * (1 - p) ** after + p**after * (1 - p) ** before))


def repeats_to_tell(level: float = 0.05) -> int:
    """How many runs of each version it takes before a query can be called fixed or broken: `flip_chance` ≤ level.

    >>> repeats_to_tell()
    3
    """
    return int(np.ceil(np.log(level / 2) / np.log(0.25)))


def repeats_to_notice(share: float, level: float = 0.05) -> int:
    """How many runs show at least one failure of a query that fails in so large a share of its runs, save with chance `level`.

    Formula: the least n with (1 − share)ⁿ ≤ level.

    >>> repeats_to_notice(0.2)
    14
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1, found {share}")
    return int(np.ceil(np.log(level) / np.log(1 - share)))
