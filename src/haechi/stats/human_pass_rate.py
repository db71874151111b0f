"""How many items people would have let pass: a share on the human scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from haechi.stats.human_ai import panel_mean
from haechi.stats.human_scale import HumanScale, human_scale_mean
from haechi.stats.ratings import Floats, Given, as_columns, as_values


def human_pass_rate(
    human: Given,
    judge: Given,
    at_least: float,
    probability: Given | None = None,
    clusters: Given | None = None,
    by_rule: Given | None = None,
) -> HumanScale:
    """The share of items that people would have given at least so much: a pass rate on the human scale.

    Formula: that of `human_scale_mean` for z = 1 where y ≥ limit, else 0, in the place of y: θ = λ mean(g₋(f)) +
    Σ w (z − λ g₋(f)) / Σ w. The judge's score f itself predicts z, by a monotone curve: where the judge's own limit lies
    does not matter. `judge_only` is the share that the judge let pass, the mean of f ≥ limit.

    human, judge, probability, clusters, by_rule: as of `human_scale_mean`; of several people the mean is what must reach
    the limit. References: those of `human_scale_mean`. R: none; see there, with as.numeric(y >= limit) for y.

    >>> judge = [i % 10 for i in range(200)]
    >>> human = [f - 2 if i < 40 else None for i, f in enumerate(judge)]
    >>> human_pass_rate(human, judge, at_least=5).mean
    0.30 [0.22, 0.39]
    """
    y, f = panel_mean(as_columns(human)), panel_mean(as_columns(judge))
    ruled = None if by_rule is None else _passed(as_values(by_rule), at_least)
    found = human_scale_mean(_passed(y, at_least), f, probability, (0.0, 1.0), clusters, ruled)
    own = human_scale_mean(
        _passed(y, at_least), _passed(f, at_least), probability, (0.0, 1.0), clusters, ruled
    )
    return replace(found, judge_only=own.judge_only)


def _passed(scores: Floats, at_least: float) -> Floats:
    """1 where a score reaches the limit, 0 where it does not, NaN where there is none."""
    return np.where(np.isnan(scores), np.nan, (scores >= at_least - 1e-9).astype(np.float64))
