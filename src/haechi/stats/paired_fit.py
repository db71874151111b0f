"""The likelihood of votes between two systems: Newton's method on the table of votes, and errors that count clusters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from haechi.frozen import frozen
from haechi.stats.ratings import Floats, Integers
from haechi.stats.votes import FIRST, SECOND, TIE, Votes

MOST_STEPS = 100
RUNS_AWAY = 30.0  # log-odds; no data that end have such differences
DENSE = 20_000_000  # cells of clusters × parameters held at once


@frozen
class Fit:
    """The largest likelihood: strengths, then effects, then log ν where there are ties; of the reference 0.

    covariance: of them, over clusters if there are some, else of the model; model: that of the model; groups: how many clusters
    of every kind.
    """

    at: Floats
    covariance: Floats
    model: Floats
    groups: tuple[int, ...]
    log_likelihood: float


@frozen
class _Moments:
    """What the table of votes expects at some parameters, row by row."""

    residual: Floats  # of (first − second) / 2
    tied: Floats  # of ties
    weight: Floats  # variance of (first − second) / 2
    cross: Floats  # its covariance with ties
    ties: Floats  # variance of ties
    log_likelihood: float


def fit(votes: Votes, base: int) -> Fit | None:
    """The estimates of connected systems, or None where some have no end."""
    has_ties = bool(votes.counts[:, TIE].any())
    size = len(votes.names) + len(votes.called) + has_ties
    free = np.delete(np.arange(size), base)
    at = np.zeros(size)
    if has_ties:
        ties, decided = votes.counts[:, TIE].sum(), votes.counts[:, :TIE].sum()
        at[-1] = np.log(2 * ties / decided) if decided else RUNS_AWAY + 1
    now = _moments(votes, at, has_ties)
    for _ in range(MOST_STEPS):
        gradient, information = _gradient(votes, now, has_ties)[free], _information(votes, now, has_ties)
        step = _solved(information[np.ix_(free, free)], gradient)
        if step is None or np.abs(at).max() > RUNS_AWAY:
            return None
        at, now, moved = _further(votes, at, now, free, step, has_ties)
        if moved < 1e-11:
            break
    else:
        return None
    information = _information(votes, now, has_ties)[np.ix_(free, free)]
    inverse = np.zeros((size, size))
    inverse[np.ix_(free, free)] = np.linalg.inv(information)
    robust, groups = _sandwich(votes, at, has_ties, inverse)
    return Fit(at, robust, inverse, groups, now.log_likelihood)


def _further(
    votes: Votes, at: Floats, now: _Moments, free: Integers, step: Floats, has_ties: bool
) -> tuple[Floats, _Moments, float]:
    """A step that does not lose likelihood: the whole of it, or half, or a quarter …"""
    share = 1.0
    for _ in range(30):
        then = at.copy()
        then[free] += share * step
        there = _moments(votes, then, has_ties)
        if there.log_likelihood >= now.log_likelihood - 1e-9 * abs(now.log_likelihood):
            return then, there, float(np.abs(share * step).max(initial=0.0))
        share /= 2
    return at, now, 0.0


def _solved(information: Floats, gradient: Floats) -> Floats | None:
    scale = np.sqrt(np.diag(information))
    if not (scale > 0).all():
        return None
    scaled = information / np.outer(scale, scale)
    if not np.isfinite(scaled).all():
        return None
    try:
        pivots = np.diag(np.linalg.cholesky(scaled))
    except np.linalg.LinAlgError:
        return None
    if pivots.min(initial=1.0) ** 2 < 1e-9:  # some parameters cannot be told from the others
        return None
    step: Floats = np.linalg.solve(scaled, gradient / scale) / scale
    return step


def _chances(votes: Votes, at: Floats, has_ties: bool) -> tuple[Floats, Floats, Floats, Floats]:
    """(rows,) chances of the three endings, and the logarithm of what they are divided by."""
    k, effects = len(votes.names), len(votes.called)
    ahead = at[votes.first] - at[votes.second]
    if effects:
        ahead = ahead + votes.effects @ at[k : k + effects]
    half = np.abs(ahead) / 2  # the larger of the two taken out, so that nothing overflows
    tie = np.exp(at[-1] - half) if has_ties else np.zeros_like(half)
    low = np.exp(-2 * half)
    total = 1.0 + low + tie
    big, small = 1.0 / total, low / total
    return (
        np.where(ahead >= 0, big, small),
        np.where(ahead >= 0, small, big),
        tie / total,
        np.log(total) + half,
    )


def _moments(votes: Votes, at: Floats, has_ties: bool) -> _Moments:
    first, second, tie, log_total = _chances(votes, at, has_ties)
    n = votes.counts.sum(axis=1)
    gap = first - second
    ahead = at[votes.first] - at[votes.second]
    if votes.called:
        ahead = ahead + votes.effects @ at[len(votes.names) : len(votes.names) + len(votes.called)]
    said = (votes.counts[:, FIRST] - votes.counts[:, SECOND]) / 2
    likelihood = float(said @ ahead - n @ log_total)
    if has_ties:
        likelihood += float(votes.counts[:, TIE].sum() * at[-1])
    return _Moments(
        residual=said - n * gap / 2,
        tied=votes.counts[:, TIE] - n * tie,
        weight=n * (first + second - gap**2) / 4,
        cross=-n * tie * gap / 2,
        ties=n * tie * (1 - tie),
        log_likelihood=likelihood,
    )


def _gradient(votes: Votes, now: _Moments, has_ties: bool) -> Floats:
    parts = [_between(votes, now.residual), votes.effects.T @ now.residual]
    return np.concatenate([*parts, [now.tied.sum()]] if has_ties else parts)


def _between(votes: Votes, values: Floats) -> Floats:
    """(systems,) sums over rows, with a minus where the system is the second."""
    k = len(votes.names)
    there, back = np.bincount(votes.first, values, k), np.bincount(votes.second, values, k)
    return np.asarray(there - back, dtype=np.float64)


def _information(votes: Votes, now: _Moments, has_ties: bool) -> Floats:
    k, effects = len(votes.names), len(votes.called)
    size = k + effects + has_ties
    full = np.zeros((size, size))
    met = np.bincount(votes.first * k + votes.second, now.weight, k * k).reshape(k, k)
    full[:k, :k] = -(met + met.T)
    full[np.arange(k), np.arange(k)] += (met + met.T).sum(axis=1)
    for at in range(effects):
        full[:k, k + at] = full[k + at, :k] = _between(votes, now.weight * votes.effects[:, at])
    full[k : k + effects, k : k + effects] = votes.effects.T @ (votes.effects * now.weight[:, None])
    if has_ties:
        full[:k, -1] = full[-1, :k] = _between(votes, now.cross)
        full[k : k + effects, -1] = full[-1, k : k + effects] = votes.effects.T @ now.cross
        full[-1, -1] = now.ties.sum()
    return full


def _sandwich(votes: Votes, at: Floats, has_ties: bool, inverse: Floats) -> tuple[Floats, tuple[int, ...]]:
    """The covariance over clusters; of several kinds the sums over each, less what was counted twice."""
    single = votes.single
    if single is None or not single.clusters:
        return inverse, ()
    first, second, tie, _ = _chances(votes, at, has_ties)
    said = np.array([0.5, -0.5, 0.0])[single.outcome]
    residual = said - ((first - second) / 2)[single.row]
    tied = (single.outcome == TIE) - tie[single.row] if has_ties else None
    scores = [
        (votes.first[single.row], residual),
        (votes.second[single.row], -residual),
        *(
            (np.full(residual.size, len(votes.names) + place), residual * votes.effects[single.row, place])
            for place in range(len(votes.called))
        ),
    ]
    if tied is not None:
        scores.append((np.full(residual.size, inverse.shape[0] - 1), tied))
    middle, groups = np.zeros_like(inverse), []
    for size in range(1, len(single.clusters) + 1):
        for chosen in combinations(single.clusters, size):
            codes, many = _crossed(chosen)
            if size == 1:
                groups.append(many)
            part = _middle(scores, codes, many, inverse.shape[0])
            middle += (-1) ** (size + 1) * part * (many / (many - 1) if many > 1 else np.nan)
    covariance = inverse @ middle @ inverse
    if len(single.clusters) > 1 and np.isfinite(covariance).all():
        # The difference of several sums can leave what no covariance can be.
        roots, axes = np.linalg.eigh((covariance + covariance.T) / 2)
        covariance = (axes * np.clip(roots, 0.0, None)) @ axes.T
    return covariance, tuple(groups)


def _crossed(codes: Sequence[Integers]) -> tuple[Integers, int]:
    """The clusters of one kind, or those that two votes share in every kind."""
    joint = codes[0]
    for more in codes[1:]:
        joint = joint * (int(more.max(initial=0)) + 1) + more
    if int(joint.max(initial=0)) < 4 * joint.size + 1024:
        used = np.zeros(int(joint.max(initial=0)) + 1, dtype=bool)
        used[joint] = True
        return (np.cumsum(used) - 1)[joint], int(used.sum())
    names, joint = np.unique(joint, return_inverse=True)
    return joint, names.size


def _middle(scores: Sequence[tuple[Integers, Floats]], codes: Integers, many: int, size: int) -> Floats:
    """Σ over clusters of the outer product of their score; (parameters, parameters)."""
    if many * size <= DENSE:
        total = np.zeros(many * size)
        for place, values in scores:
            total += np.bincount(codes * size + place, values, many * size)
        each = total.reshape(many, size)
        return each.T @ each
    # A cluster knows few of very many systems: only what it knows is multiplied, neighbours at every distance.
    rows = np.tile(codes, len(scores))
    columns, values = (np.concatenate(parts) for parts in zip(*scores, strict=True))
    known, at = np.unique(rows * size + columns, return_inverse=True)
    (cluster, column), value = np.divmod(known, size), np.bincount(at, values)
    product = np.zeros(size * size)
    for apart in range(known.size):
        last = known.size - apart
        same = np.flatnonzero(cluster[apart:] == cluster[:last])
        if not same.size:
            break
        one, other = column[same], column[same + apart]
        part = np.bincount(one * size + other, value[same] * value[same + apart], size * size)
        product += part if not apart else part + part.reshape(size, size).T.ravel()
    return product.reshape(size, size)
