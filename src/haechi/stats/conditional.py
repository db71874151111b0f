"""Conditional maximum likelihood for the many-facet rating scale model: the items drop out, raters and criteria stay."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.ratings import Floats, Integers

_STEPS, _CLOSE, _FAR = 60, 1e-8, 25.0
_CHUNK = 2_000_000


@frozen
class Fitted:
    """Estimates with standard errors; each kind adds up to 0."""

    severity: Floats
    severity_error: Floats
    difficulty: Floats
    difficulty_error: Floats
    thresholds: Floats
    log_likelihood: float


class Facets:
    """Ratings as codes 0 … top, −1 where missing, gathered by which ratings an item has and what they add up to.

    codes: (items, raters, criteria).
    """

    def __init__(self, codes: Integers, top: int) -> None:
        self.codes, self.top = codes, top
        _, self.n_raters, self.n_criteria = codes.shape
        flat = codes.reshape(codes.shape[0], -1)
        self.known = flat >= 0
        self.total = np.where(self.known, flat, 0).sum(axis=1)
        self.count = self.known.sum(axis=1)
        self.is_extreme: NDArray[np.bool_] = (self.count > 0) & (
            (self.total == 0) | (self.total == top * self.count)
        )

    @property
    def extreme(self) -> int:
        """How many items have only lowest or only highest values."""
        return int(self.is_extreme.sum())

    @cached_property
    def patterns(self) -> list[tuple[Integers, Integers]]:
        """By how many ratings items have: (patterns, ratings) which these are, (patterns, totals) how many items."""
        useful = (self.count > 1) & ~self.is_extreme
        kinds, of = np.unique(np.packbits(self.known[useful], axis=1), axis=0, return_inverse=True)
        masks = np.unpackbits(kinds, axis=1, count=self.known.shape[1]).astype(bool)
        sizes, totals = masks.sum(axis=1), self.total[useful]
        found = []
        for size in np.unique(sizes):
            own = np.flatnonzero(sizes == size)
            place = np.full(len(kinds), -1)
            place[own] = np.arange(own.size)
            at = place[of.ravel()]
            cells = np.flatnonzero(masks[own].ravel()) % masks.shape[1]
            tally = np.zeros((own.size, int(size) * self.top + 1), dtype=np.int64)
            np.add.at(tally, (at[at >= 0], totals[at >= 0]), 1)
            found.append((cells.reshape(own.size, int(size)), tally))
        return found

    @property
    def is_linked(self) -> bool:
        """Whether items that several rated link every rater and criterion to all others.

        An item only says how its own ratings differ: these differences must span all of severities and difficulties.
        """
        k = self.n_raters + self.n_criteria
        spanned = np.zeros((k, k))
        for cells, _ in self.patterns:
            for one in cells:
                rows = np.zeros((one.size, k))
                rows[np.arange(one.size), one // self.n_criteria] = 1
                rows[np.arange(one.size), self.n_raters + one % self.n_criteria] = 1
                rows -= rows.mean(axis=0)
                spanned += rows.T @ rows
        return bool(np.linalg.matrix_rank(spanned, hermitian=True) == k - 2)

    @cached_property
    def observed(self) -> Floats:
        """The sufficient statistics: the sum of every rater and criterion, and how often each point was given."""
        useful = ((self.count > 1) & ~self.is_extreme)[:, None, None]
        codes = np.where(useful & (self.codes >= 0), self.codes, 0)
        given = [(useful & (self.codes == h)).sum() for h in range(1, self.top + 1)]
        return np.concatenate([codes.sum(axis=(0, 2)), codes.sum(axis=(0, 1)), given]).astype(np.float64)

    def weights(self, all_parameters: Floats) -> Floats:
        """(ratings, points) exp of what a rater, a criterion and the thresholds say of a point, the item left out."""
        severity, difficulty, steps = np.split(
            all_parameters, [self.n_raters, self.n_raters + self.n_criteria]
        )
        place = (severity[:, None] + difficulty[None, :]).ravel()
        reached = np.concatenate([[0.0], steps])
        weight: Floats = np.exp(-np.arange(self.top + 1) * place[:, None] - reached)
        return weight

    def gradient(self, parameters: Floats) -> tuple[float, Floats]:
        """Conditional log-likelihood and its slope; parameters: severities, difficulties, thresholds added up."""
        weight = self.weights(parameters)
        value, expected = -float(self.observed @ parameters), np.zeros_like(self.observed)
        points = np.arange(self.top + 1)
        for cells, tally in self.patterns:
            chances, log_sums = _given_totals(weight[cells], tally)
            value -= float((tally * np.where(tally > 0, log_sums, 0.0)).sum())
            sums = chances @ points  # (patterns, ratings)
            np.add.at(expected, cells // self.n_criteria, sums)
            np.add.at(expected, self.n_raters + cells % self.n_criteria, sums)
            expected[self.n_raters + self.n_criteria :] += chances.sum(axis=(0, 1))[1:]
        return value, expected - self.observed

    def items(self, fitted: Fitted, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Warm's estimate of every item, its error, and the expected mean over the criteria at mean severity."""
        theta = np.full(len(self.codes), np.nan)
        error, fair = theta.copy(), theta.copy()
        rated = np.flatnonzero(self.count > 0)
        keys = np.column_stack([np.packbits(self.known[rated], axis=1), self.total[rated][:, None]])
        _, first, of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        place = (fitted.severity[:, None] + fitted.difficulty[None, :]).ravel()
        step = max(1, _CHUNK // (place.size * (self.top + 1)))
        own = [
            _warm(self.known[some], self.total[some], place, fitted.thresholds)
            for start in range(0, first.size, step)
            for some in [rated[first[start : start + step]]]
        ]
        at, se = (np.concatenate(part)[of.ravel()] for part in zip(*own, strict=True))
        theta[rated], error[rated] = at, se
        chance, _, _ = _moments(theta[rated][:, None] - fitted.difficulty, fitted.thresholds)
        fair[rated] = (chance @ points).mean(axis=1)
        return theta, error, fair

    def expected(self, fitted: Fitted, theta: Floats) -> tuple[Floats, Floats]:
        """(items, raters, criteria) what every rating should have been, and its variance."""
        place = theta[:, None, None] - fitted.severity[:, None] - fitted.difficulty
        _, mean, variance = _moments(place, fitted.thresholds)
        return mean, variance


def _multiply(a: Floats, b: Floats) -> Floats:
    """Polynomials, row by row: by rows where these are few, else by the columns of the shorter one."""
    if a.shape[0] < min(a.shape[1], b.shape[1]):
        return np.array([np.convolve(one, two) for one, two in zip(a, b, strict=True)])
    product = np.zeros((a.shape[0], a.shape[1] + b.shape[1] - 1))
    if a.shape[1] < b.shape[1]:
        a, b = b, a
    for j in range(b.shape[1]):
        product[:, j : j + a.shape[1]] += a * b[:, [j]]
    return product


def _scaled(a: Floats) -> tuple[Floats, Floats]:
    top = a.max(axis=1, keepdims=True)
    return a / top, np.log(top[:, 0])


def _given_totals(weight: Floats, tally: Integers) -> tuple[Floats, Floats]:
    """(patterns, ratings, points) how often each point is expected, given the items' totals; (patterns, totals) log γ.

    weight: (patterns, ratings, points). γ_t is the sum over all ways to make the total t; of a rating at a point, over the
    ways to make the rest.
    """
    n, size, q = weight.shape
    one = np.ones((n, 1))
    before, logs = [one], np.zeros(n)
    for j in range(size):
        scaled, log = _scaled(_multiply(before[-1], weight[:, j]))
        before.append(scaled)
        logs = logs + log
    log_sums = np.log(before[-1]) + logs[:, None]
    expected = np.empty((n, size, q))
    after = one
    for j in reversed(range(size)):
        rest = _multiply(before[j], after)
        ways = np.zeros((n, tally.shape[1], q))
        for h in range(q):
            ways[:, h : h + rest.shape[1], h] = rest * weight[:, j, [h]]
        share = ways / ways.sum(axis=2, keepdims=True)
        expected[:, j] = np.einsum("nt,nth->nh", tally, np.nan_to_num(share))
        after, _ = _scaled(_multiply(after, weight[:, j]))
    return expected, log_sums


def _moments(place: Floats, thresholds: Floats) -> tuple[Floats, Floats, Floats]:
    """Of ratings at a place: the chance of every point, the expected code and its variance."""
    points = np.arange(thresholds.size + 1)
    logits = place[..., None] * points - np.concatenate([[0.0], np.cumsum(thresholds)])
    chance = np.exp(logits - logits.max(axis=-1, keepdims=True))
    chance /= chance.sum(axis=-1, keepdims=True)
    mean = chance @ points
    variance = chance @ points**2 - mean**2
    return chance, mean, variance


def _warm(
    known: NDArray[np.bool_], total: Integers, place: Floats, thresholds: Floats
) -> tuple[Floats, Floats]:
    """Warm's weighted likelihood estimate of some items and its error, by bisection."""
    low, high = np.full(len(known), -_FAR), np.full(len(known), _FAR)
    points = np.arange(thresholds.size + 1)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        chance, mean, variance = _moments(middle[:, None] - place, thresholds)
        third = ((points - mean[..., None]) ** 3 * chance).sum(axis=-1)
        information = np.where(known, variance, 0.0).sum(axis=1)
        slope = total - np.where(known, mean, 0.0).sum(axis=1)
        slope = slope + np.where(known, third, 0.0).sum(axis=1) / (2 * information)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    return (low + high) / 2, 1 / np.sqrt(information)


def _free(k: int) -> Floats:
    """(k, k − 1): the last of k numbers that add up to 0 follows from the others."""
    return np.vstack([np.eye(k - 1), -np.ones((1, k - 1))])


def fit(facets: Facets) -> Fitted | None:
    """Newton's method on the conditional likelihood; None where it has no maximum."""
    r, c, top = facets.n_raters, facets.n_criteria, facets.top
    sizes = [r - 1, c - 1, top - 1]
    design = np.zeros((r + c + top, sum(sizes)))
    design[:r, : r - 1] = _free(r)
    design[r : r + c, r - 1 : r + c - 2] = _free(c)
    # The thresholds add up to 0 too; the likelihood takes their running sums, the last of which is 0.
    design[r + c :, r + c - 2 :] = np.tril(np.ones((top, top))) @ _free(top)
    free = np.zeros(design.shape[1])
    value, slope = _at(facets, design, free)
    for turn in range(_STEPS):
        if turn % 3 == 0:  # the curvature changes slowly, and is most of the work
            information = _information(facets, design, free)
        try:
            step = np.linalg.solve(information, slope)
        except np.linalg.LinAlgError:
            return None
        size = 1.0
        while size > 1e-6:
            tried, tried_slope = _at(facets, design, free + size * step)
            if np.isfinite(tried) and tried >= value - 1e-12 * abs(value):
                break
            size /= 2
        free, value, slope = free + size * step, tried, tried_slope
        if np.abs(design @ free).max() > _FAR:
            return None
        if np.abs(size * step).max(initial=0.0) < _CLOSE:
            return _fitted(facets, design, free, value)
    return None


def _at(facets: Facets, design: Floats, free: Floats) -> tuple[float, Floats]:
    value, slope = facets.gradient(design @ free)
    return value, design.T @ slope


def _information(facets: Facets, design: Floats, free: Floats) -> Floats:
    """Minus the second derivative, from slopes on both sides."""
    rows, step = [], 1e-4
    for j in range(free.size):
        away = np.zeros_like(free)
        away[j] = step
        rows.append((_at(facets, design, free - away)[1] - _at(facets, design, free + away)[1]) / (2 * step))
    found = np.array(rows).reshape(free.size, free.size)
    return (found + found.T) / 2


def _fitted(facets: Facets, design: Floats, free: Floats, value: float) -> Fitted | None:
    try:
        covariance = np.linalg.inv(_information(facets, design, free))
    except np.linalg.LinAlgError:
        return None
    r, c = facets.n_raters, facets.n_criteria
    estimate = design @ free
    error = np.sqrt(np.maximum(0.0, np.einsum("ij,jk,ik->i", design, covariance, design)))
    steps = np.diff(estimate[r + c :], prepend=0.0)
    return Fitted(estimate[:r], error[:r], estimate[r : r + c], error[r : r + c], steps, value)
