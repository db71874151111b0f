"""Which pairs to ask next: those that make the differences between systems known best."""

from __future__ import annotations

from typing import Any

import numpy as np

from haechi.stats.ratings import Floats, Given

_BEFORE = 0.1
"""What is known of every system beforehand, in votes: enough to begin with, too little to matter later."""


@np.errstate(all="ignore")
def next_pairs(
    met: Given, count: int, strengths: Given | None = None, room: Given | None = None
) -> list[tuple[int, int]]:
    """The pairs to ask next, one after the other, each for the narrowest ranking that one more vote can make.

    Formula: every vote between i and j tells w = p(1 − p) about their difference. The next pair is the one whose vote takes most
    from the mean variance of all differences, if strengths are as they seem so far: Σ of L ∘ (w V x xᵀ V / (1 + w xᵀ V x)), with V
    the covariance, x = e_i − e_j, L = k I − 1 1ᵀ (A-optimal, step by step). Without any votes that is a balanced, connected
    design: every system equally often, every two as equally as the count allows.

    met: (systems, systems) votes so far; strengths: (systems,) in log-odds, 0 if not given; room: (systems, systems) how many
    more of a pair there are to ask, without end if not given. References: Glickman & Jensen 2005, JASA 100, 97–109;
    Atkinson, Donev & Tobias 2007, Optimum Experimental Designs. R: none; V <- solve(information + 0.1 * diag(k)), then
    which.max of the formula over combn(k, 2), V anew after every vote.

    >>> next_pairs(np.zeros((4, 4)), 6)  # every pair once
    [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]
    >>> next_pairs([[0, 9, 0], [9, 0, 9], [0, 9, 0]], 1)  # the two that never met
    [(0, 2)]
    """
    votes = np.asarray(met, dtype=np.float64)
    k = votes.shape[0]
    strong = np.zeros(k) if strengths is None else np.asarray(strengths, dtype=np.float64)
    strong = np.where(np.isnan(strong), 0.0, strong)
    left = np.full((k, k), np.inf) if room is None else np.asarray(room, dtype=np.float64).copy()
    chance = 1 / (1 + np.exp(strong[None, :] - strong[:, None]))
    weight = chance * (1 - chance)
    covariance: Floats = np.linalg.inv(_information(votes * weight) + _BEFORE * np.eye(k)).astype(np.float64)
    one, other = np.triu_indices(k, 1)
    chosen: list[tuple[int, int]] = []
    for _ in range(count):
        gains = np.where(left[one, other] > 0, _gains(covariance, one, other, weight[one, other]), -np.inf)
        best = int(np.argmax(np.round(gains, 12))) if gains.size else 0
        if not gains.size or gains[best] == -np.inf:
            break
        i, j = int(one[best]), int(other[best])
        chosen.append((i, j))
        left[i, j] -= 1
        left[j, i] = left[i, j]
        step = covariance[:, i] - covariance[:, j]
        w = weight[i, j]
        covariance = covariance - w * np.outer(step, step) / (1 + w * (step[i] - step[j]))
    return chosen


def _information(weights: Floats) -> Floats:
    both = (weights + weights.T) / 2
    return np.diag(both.sum(axis=1)) - both


def _gains(covariance: Floats, one: Any, other: Any, weight: Floats) -> Floats:
    """How much every pair would take from the sum of the variances of all differences."""
    steps = covariance[one] - covariance[other]
    own = steps[np.arange(one.size), one] - steps[np.arange(one.size), other]
    k = covariance.shape[0]
    spread = k * (steps**2).sum(axis=1) - steps.sum(axis=1) ** 2
    gained: Floats = weight * spread / (1 + weight * own)
    return gained
