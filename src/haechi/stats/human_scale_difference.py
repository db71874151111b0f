"""What people would have said of two systems: the difference on the human scale, over the same items or over others."""

from __future__ import annotations

import numpy as np

from haechi.stats.distributions import t_quantile
from haechi.stats.figure import Figure, figure, undefined
from haechi.stats.human_ai import panel_mean
from haechi.stats.human_scale import HumanScale, human_scale_mean
from haechi.stats.mean_interval import Bounds
from haechi.stats.ratings import Given, as_columns
from haechi.stats.two_samples import NO_SPREAD


def human_scale_difference(first: HumanScale, second: HumanScale, bounds: Bounds | None = None) -> Figure:
    """The first mean minus the second, where the two are of different items.

    Formula: d = θ₁ − θ₂; d ± t √(s₁² + s₂²), s the standard errors, with (s₁² + s₂²)² / (s₁⁴/df₁ + s₂⁴/df₂) degrees of
    freedom; cut off at the width of the scale.
    References: those of `human_scale_mean`; Welch 1947, Biometrika 34, 28–35.
    R: none; d + c(-1, 1) * qt(.975, df) * sqrt(se1^2 + se2^2), `se` and `df` in the details of the two means.

    >>> judge = [1 + (7 * i) % 5 for i in range(100)]
    >>> part = [max(1, f - 1) + i % 2 if i < 20 else None for i, f in enumerate(judge)]
    >>> better = human_scale_mean([None if y is None else y + 1 for y in part], [f + 1 for f in judge])
    >>> human_scale_difference(better, human_scale_mean(part, judge))
    1.00 [0.48, 1.52]
    """
    n = first.n_items + second.n_items
    for one in (first.mean, second.mean):
        if one.value is None and one.why is not None:
            return undefined(one.why, n)
    difference = float(first.mean) - float(second.mean)
    for one in (first.mean, second.mean):
        if one.ci95 is None:
            return figure(difference, n, None, one.why_no_ci)
    parts = [(one.mean.details["se"] ** 2, one.mean.details["df"]) for one in (first, second)]
    variance = sum(part for part, _ in parts)
    if not variance:
        return figure(difference, n, None, NO_SPREAD)
    df = variance**2 / sum(part**2 / df for part, df in parts)
    half = t_quantile(0.975, df) * variance**0.5
    width = np.inf if bounds is None else bounds[1] - bounds[0]
    ends = max(-width, difference - half), min(width, difference + half)
    return figure(difference, n, ends, se=variance**0.5, df=df)


def human_scale_paired(
    first: tuple[Given, Given],
    second: tuple[Given, Given],
    probability: Given | None = None,
    bounds: Bounds | None = None,
    clusters: Given | None = None,
    by_rule: Given | None = None,
) -> HumanScale:
    """The mean difference, first minus second, that people would have found between two answers to the same questions.

    Formula: that of `human_scale_mean` for y = y₁ − y₂ and f = f₁ − f₂, each the mean over the raters of an answer, over the
    questions of which people rated both answers; the ends of the scale are ± its width.

    first, second: what people gave, and what the judge gave, (questions,) or (questions, raters) each. clusters and by_rule:
    as of `human_scale_mean`, of the questions and of their differences.
    References: those of `human_scale_mean`. R: none; see there, with y1 - y2 for y and f1 - f2 for the judge.

    >>> judge = np.array([1.0 + (7 * i) % 5 for i in range(100)])
    >>> part = np.where(np.arange(100) < 20, judge, np.nan)
    >>> better = part + np.arange(100) % 3
    >>> human_scale_paired((better, judge + np.arange(100) % 2), (part, judge)).mean
    0.95 [0.55, 1.35]
    """
    human, judge = (
        panel_mean(as_columns(one)) - panel_mean(as_columns(other))
        for one, other in zip(first, second, strict=True)
    )
    width = None if bounds is None else bounds[1] - bounds[0]
    ends = None if width is None else (-width, width)
    return human_scale_mean(human, judge, probability, ends, clusters, by_rule)
