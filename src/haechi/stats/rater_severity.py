"""How severe every rater is beside the judge, and what that says about people like these."""

from __future__ import annotations

import math

import numpy as np

from haechi.stats.distributions import t_quantile
from haechi.stats.figure import Figure, Why, figure
from haechi.stats.mean_interval import Bounds
from haechi.stats.ratings import Floats
from haechi.stats.reasons import fewer_than

FEWEST = 10
"""Of fewer items that people rated the interval of a curve that these items make does not hold, nor is a severity known."""


def level_severities(people: Floats, predicted: Floats) -> Floats | None:
    """Ratings as though all raters were equally severe; None where it changes nothing, or too little is known of a rater.

    people: (items, people) of the rated part; predicted: (items,) what the judge lets expect of an item.

    >>> people = np.array([[3.0, np.nan], [np.nan, 2.0]] * 10)
    >>> level_severities(people, np.full(20, 3.0))[:2].tolist()
    [[2.5, nan], [nan, 2.5]]
    """
    given = ~np.isnan(people)
    if people.shape[1] < 2 or bool(given.all()) or int(given.sum(axis=0).min()) < FEWEST:
        return None
    levels = severities(people, predicted)
    levelled: Floats = people - (levels - levels.mean())
    return levelled


def severities(people: Floats, predicted: Floats) -> Floats:
    """(people,) how much more each gives, in the mean, than is predicted of the items that they rated."""
    found: Floats = np.nanmean(people - predicted[:, None], axis=0)
    return found


def for_new_raters(
    mean: Figure, people: Floats, own: Floats, bounds: Bounds | None, share: float = 1.0
) -> Figure:
    """The same mean with an interval for people like these: their severities are a sample too.

    Formula: the half widths of the interval, and t s/√R with R − 1 degrees of freedom of the R severities, in quadrature.
    s holds what chance adds to the severities, and is never below that: two people who happen to agree do not prove that
    all do. So two carry an interval, be it a wide one.

    mean: for these people; people, own: (items, people) and (items,), the rated part and what the judge lets expect of it.
    share: of the items on which severity counts at all, the others being decided by a rule.

    >>> from haechi.stats.figure import Figure
    >>> people = np.array([[3.0, 4.0]] * 10)
    >>> for_new_raters(Figure(3.5, 10, (3.0, 4.0)), people, np.full(10, 3.5), (1, 5)).ci95
    (1.0, 5.0)
    """
    raters = int((~np.isnan(people)).any(axis=0).sum())
    counts = (~np.isnan(people)).sum(axis=0)
    if raters < 2 or int(counts.min()) < FEWEST or mean.value is None or mean.ci95 is None:
        why = fewer_than(2, "사람", "people", raters) if raters < 2 else _few_each(int(counts.min()))
        return figure(mean.value or 0.0, mean.n, None, mean.why_no_ci or mean.why or why)
    levels = severities(people, own)
    spread = math.sqrt(max(float(levels.var(ddof=1)), _chance(people, own)))
    reach = share * t_quantile(0.975, raters - 1) * spread / math.sqrt(raters)
    low, high = (
        mean.value + side * math.hypot(end - mean.value, reach)
        for side, end in zip((-1, 1), mean.ci95, strict=True)
    )
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return figure(mean.value, mean.n, (low, high), raters=raters)


def _chance(people: Floats, own: Floats) -> float:
    """The variance that severities have by chance alone; what raters of an item share does not tell them apart."""
    apart = people - own[:, None]
    several = (~np.isnan(apart)).sum(axis=1) > 1
    apart[several] -= np.nanmean(apart[several], axis=1, keepdims=True)
    raters = people.shape[1]
    lost = raters / (raters - 1) if several.any() else 1.0
    counts = (~np.isnan(apart)).sum(axis=0)
    return float(np.mean(lost * np.nanvar(apart, axis=0, ddof=1) / counts))


def _few_each(n: int) -> Why:
    return Why(
        f"다른 사람들까지 말하려면 사람마다 {FEWEST}개 이상을 평가해야 하는데 {n}개만 평가한 사람이 있습니다",
        f"to speak for other people, each must have rated {FEWEST} items or more, and one rated {n}",
    )
