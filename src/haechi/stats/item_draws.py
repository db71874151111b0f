"""Which item to ask people about next: more often one that tells more, always with a chance that is known."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from haechi.stats.calibration import cross_fitted, curve_error
from haechi.stats.distributions import Z95, t_quantile
from haechi.stats.figure import Figure, figure
from haechi.stats.human_ai import panel_mean
from haechi.stats.human_scale import HumanScale
from haechi.stats.mean_interval import Bounds
from haechi.stats.rater_severity import FEWEST
from haechi.stats.ratings import Floats, Given, as_ratings, as_values

EQUAL_SHARE = 0.3
"""So much of every draw is the same for all items: no item is so unlikely that its weight could carry a figure alone."""
FLOOR = 0.15
"""At least this share of the mean squared error is expected of an item on which all judges agree."""
LOOKS = 2.2
"""What takes the place of 1.96 when one may look after every rating: Brownian motion leaves ± 2.24 before time 1 with a
probability of 5 %, and ± 2.2 when it is looked at a hundred times on the way."""
FIRST = 20
"""So many items are rated before the first interval: of fewer the error is too uncertain to stop at."""


def inclusion_of_draws(chances: Given, items: int) -> Floats:
    """(n,) with which probability every item came in, of items that were drawn one after the other without returning any.

    Formula: vₜ = 1 + (N − n)/(N − t) · (1/((N − t + 1) qₜ) − 1) makes Σ vₜ yₜ/n unbiased; it weighs as π = n/(N vₜ) does.
    With equal chances, q = 1/(N − t + 1), all π are n/N. It may depend on what was rated before how likely a draw is.

    chances: (n,) of every draw among those that were left, in their order; items: N, how many there were at first.
    Reference: Farquhar, Gal & Rainforth 2021, ICLR, On statistical bias in active learning. Cut at 1.
    R: none; t <- 1:n; v <- 1 + (N - n) / (N - t) * (1 / ((N - t + 1) * q) - 1); pmin(1, n / (N * v)), for n below N.

    >>> inclusion_of_draws([1 / 5, 1 / 4], items=5).tolist()
    [0.4, 0.4]
    >>> inclusion_of_draws([1 / 5, 1 / 2], items=5).round(2).tolist()
    [0.4, 0.8]
    """
    q = as_values(chances)
    n = q.size
    if n > items:
        raise ValueError(f"{n} items cannot be drawn from {items}")
    drawn = np.arange(1, n + 1)
    left = np.maximum(items - drawn, 1)
    v = 1 + (items - n) / left * (1 / ((items - drawn + 1) * q) - 1)
    found: Floats = np.clip(n / (items * np.maximum(v, 1e-9)), 0.0, 1.0)
    return found


def next_chances(judges: Given, human: Given, drawn: Given, probability: Given | None = None) -> Floats:
    """(items,) with which chance every item is to be drawn next: 0 for those that were, more where more is unknown.

    Formula: q = 0.3/left + 0.7 s/Σ s over the items left. s² is the squared error to be expected of the calibrated judge:
    a + b d² + c. d is the spread of the judges around their mean after their severities are taken off, a and b ≥ 0 come
    from the items rated so far by weighted least squares, drawn towards equal shares by five further ones, and c is the
    squared error of the calibration there. Before ten items are rated a and b have equal shares, and c is 0.

    judges: (items, judges); human: (items,) or (items, people), NaN where missing; drawn: (items,) whether it was drawn;
    probability: (items,) of those rated. Reference: Neyman 1934, Journal of the Royal Statistical Society 97, 558–625;
    Zrnic & Candès 2024, ICML, Active statistical inference. R: none; of an s that is known 0.3 / left + 0.7 * s / sum(s).

    >>> judges = [[3, 3], [1, 5], [4, 4], [2, 2]]
    >>> next_chances(judges, [None] * 4, [False, False, True, False]).round(2).tolist()
    [0.29, 0.42, 0.0, 0.29]
    """
    table = as_ratings(judges)
    left = ~np.asarray(drawn, dtype=bool)
    if not left.any():
        return np.zeros(left.size)
    with np.errstate(all="ignore"):
        expected = _expected_error(table, human, probability)
    share = np.where(left, np.sqrt(expected), 0.0)
    equal: Floats = left / left.sum()
    total = float(share.sum())
    if not np.isfinite(total) or total <= 0:
        return equal
    found: Floats = EQUAL_SHARE * equal + (1 - EQUAL_SHARE) * share / total
    return found


def _expected_error(judges: Floats, human: Given, probability: Given | None) -> Floats:
    """(items,) how far people are expected from the calibrated judges, squared."""
    d2 = _disagreement(judges)
    mean = float(d2.mean())
    x = d2 / mean if mean > 0 else np.zeros(d2.size)
    array = np.asarray(human, dtype=np.float64)
    y = array if array.ndim == 1 else panel_mean(array)
    f = panel_mean(judges)
    part = ~np.isnan(y) & ~np.isnan(f)
    if int(part.sum()) < FEWEST:
        return 1 + x
    weights = np.ones(int(part.sum())) if probability is None else 1 / as_values(probability)[part]
    rated = y[part], f[part]
    own, _ = cross_fitted(*rated, f[part], weights)
    unsure = curve_error(*rated, np.where(np.isnan(f), np.nanmean(f), f), weights)
    return _two_shares(x[part], (rated[0] - own) ** 2, x) + unsure


def _disagreement(judges: Floats) -> Floats:
    """(items,) the variance of the judges of an item around their mean, severities taken off; of one judge 0."""
    level = judges - np.nanmean(judges, axis=0)
    several = (~np.isnan(level)).sum(axis=1) > 1
    found = np.zeros(level.shape[0])
    found[several] = np.nanvar(level[several], axis=1, ddof=1)
    if several.any():
        found[~several] = found[several].mean()
    return found


def _two_shares(x: Floats, squared: Floats, everywhere: Floats) -> Floats:
    """a + b x by least squares, nearer points weighing more, five further ones saying that both are equal."""
    w = 1 / (1 + x) ** 2
    five = 5 * float(w.mean())
    mean = float(squared.mean())
    matrix = np.array([[w.sum() + five, w @ x], [w @ x, w @ x**2 + five]])
    a, b = np.linalg.solve(matrix, np.array([w @ squared, w @ (x * squared)]) + five * mean / 2)
    found: Floats = max(float(a), FLOOR * mean) + max(float(b), 0.0) * everywhere
    return found


def always_valid(found: HumanScale, goal: float, bounds: Bounds | None = None) -> HumanScale:
    """The same mean with intervals that one may look at after every rating, on the way to ± goal for these items.

    Formula: k = 2.2 t/1.96. The interval of these items is ± k²s²/goal as long as k s is above the goal, s the standard
    error, and ± k s from then on: the boundary of O'Brien & Fleming in the time of information, of which the goal is the
    end. Under continuous looking all intervals together hold as often as one does, whenever somebody stops; the goal is
    set before. The other intervals are wider by what this one is wider, in quadrature. `these_items.details` says whether
    the goal is reached.

    References: O'Brien & Fleming 1979, Biometrics 35, 549–556; Jennison & Turnbull 2000, Group Sequential Methods, chapters
    9 and 11. Coverage: docs/statistics/human-scale-measured.md. R: none; k <- 2.2 * qt(.975, df) / qnorm(.975) * se, then
    ifelse(k > goal, k^2 / goal, k) is the half width, `se` and `df` in the details of these items.

    >>> from haechi.stats.human_scale import human_scale_mean
    >>> judge = [1 + (7 * i) % 5 for i in range(100)]
    >>> human = [max(1, f - 1) + i % 2 if i < 20 else None for i, f in enumerate(judge)]
    >>> looked = always_valid(human_scale_mean(human, judge, bounds=(1, 5)), goal=0.2, bounds=(1, 5))
    >>> looked.these_items, looked.these_items.details["reached"]
    (2.70 [2.23, 3.18], False)
    """
    of_these = found.these_items
    if of_these.value is None or of_these.ci95 is None:
        return found
    reach = LOOKS * _over_normal(of_these.details["df"]) * of_these.details["se"]
    half = reach if reach <= goal else reach**2 / goal
    wider = half**2 - (t_quantile(0.975, of_these.details["df"]) * of_these.details["se"]) ** 2
    details = dict(of_these.details) | {
        "reached": reach <= goal and found.n_human >= FIRST,
        "half_width": half,
    }
    ends = _within((of_these.value - half, of_these.value + half), bounds)
    return replace(
        found,
        mean=_widened(found.mean, wider, bounds),
        these_items=figure(of_these.value, of_these.n, ends, **details),
        new_raters=_widened(found.new_raters, wider, bounds),
    )


def _widened(found: Figure, wider: float, bounds: Bounds | None) -> Figure:
    if found.value is None or found.ci95 is None:
        return found
    below, above = (math.sqrt((end - found.value) ** 2 + wider) for end in found.ci95)
    return replace(found, ci95=_within((found.value - below, found.value + above), bounds))


def _within(ends: Bounds, bounds: Bounds | None) -> Bounds:
    return ends if bounds is None else (max(ends[0], bounds[0]), min(ends[1], bounds[1]))


def items_alone(found: HumanScale) -> float | None:
    """How many items, drawn alike and rated without a judge's help, would have told as much about these items.

    Formula: 1/n = s²/var(y) + 1/N, s the standard error for these items: var(y) (1/n − 1/N) would be that of n of N items.
    Reference: Cochran 1977, Sampling Techniques, 3rd ed., chapter 2. R: none; 1 / (se^2 / var(y) + 1 / N).

    >>> from haechi.stats.human_scale import human_scale_mean
    >>> judge = [1 + (7 * i) % 5 for i in range(100)]
    >>> human = [max(1, f - 1) + i % 2 if i < 20 else None for i, f in enumerate(judge)]
    >>> round(items_alone(human_scale_mean(human, judge, bounds=(1, 5))), 1)
    50.0
    """
    if found.effective is None or "se" not in found.these_items.details:
        return None
    variance = found.effective * found.mean.details["se"] ** 2
    return float(1 / (found.these_items.details["se"] ** 2 / variance + 1 / found.n_items))


@cache
def _over_normal(df: float) -> float:
    return t_quantile(0.975, df) / Z95
