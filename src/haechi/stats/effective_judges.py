"""How many independent judges a panel is worth: judges that err together are fewer than they look."""

from __future__ import annotations

import math

import numpy as np

from haechi.stats.correlation import fisher_z
from haechi.stats.distributions import t_quantile
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.human_ai import panel_mean
from haechi.stats.ratings import Floats, Given, as_ratings
from haechi.stats.reasons import fewer_than

LEAST_ITEMS = 10
MOST_GROUPS = 100
NO_ERRORS = Why(
    "AI 평가자들이 사람끼리의 차이보다 더 벗어나지 않아, 견줄 오차가 없습니다",
    "the judges are no further from the people than these from each other: there are no errors to correlate",
)

ONE_PERSON = Why(
    "항목마다 사람이 한 명뿐이라 그 사람의 오차도 AI 평가자들의 공통 오차로 셉니다. 실제로는 이보다 많은 몫일 수 있습니다",
    "one person per item: that person's own error counts as one that the judges share, so they may be worth more",
)


def effective_judges(people: Given, judges: Given) -> Figure:
    """The number of independent judges whose mean would be as precise as the mean of this panel.

    Formula: k / (1 + (k − 1) r̄), Kish's design effect, with r̄ the mean correlation of the judges' errors, r̄ cut off at 0.
    An error is the judge's value less the mean of the people, over items that all judges and at least one person rated.
    The people's mean errs too, and all judges inherit that: where several people rated an item, the variance of
    their mean (the pooled variance within items over the mean number of people) is taken out of the errors' variances
    and covariances; else it stays in, r̄ comes out too large and the number too small. Interval: jackknife over items (over
    at most 100 groups of items) of Fisher's z of r̄, Student's t. Without people the errors that judges share cannot be
    told from the items, and there is no such number. Reference: Kish 1965, Survey Sampling, 162; Clemen & Winkler 1985,
    Operations Research 33, 427–442. R: k / (1 + (k - 1) * mean(cor(e)[lower.tri(cor(e))])).

    people: (items, people), judges: (items, judges), NaN where missing.

    >>> people = [[3], [4], [2], [5], [1], [3], [4], [2], [5], [1]]
    >>> judges = [[3, 3], [5, 5], [2, 3], [5, 4], [2, 2], [3, 3], [4, 5], [1, 1], [5, 5], [1, 2]]
    >>> found = effective_judges(people, judges)
    >>> round(found.value, 4), round(found.details["correlation"], 4)
    (1.2181, 0.6419)
    """
    human, machine = as_ratings(people), as_ratings(judges)
    if human.shape[0] != machine.shape[0]:
        raise ValueError(
            f"people and judges must have the same items: {human.shape[0]} and {machine.shape[0]}"
        )
    k = machine.shape[1]
    truth = panel_mean(human)
    kept = ~np.isnan(truth) & ~np.isnan(machine).any(axis=1)
    n = int(kept.sum())
    if k < 2:
        return undefined(fewer_than(2, "AI 평가자", "judges", k), n, judges=k)
    if n < LEAST_ITEMS:
        words = "모든 AI 평가자와 사람이 평가한 항목", "items that all judges and people rated"
        return undefined(fewer_than(LEAST_ITEMS, *words, n), n, judges=k)
    rows = human[kept]
    errors = machine[kept] - truth[kept, None]
    shared = _people_error(rows)
    r = _mean_correlation(errors, shared)
    if r is None:
        return undefined(NO_ERRORS, n, judges=k)
    ends = _jackknife(errors, rows, r)
    ci95 = None if ends is None else (worth(k, ends[1]), worth(k, ends[0]))
    note = ONE_PERSON if shared is None else None
    return figure(worth(k, r), n, ci95, NO_ERRORS, note, judges=k, correlation=r)


def worth(k: int, correlation: float) -> float:
    """What k judges are worth whose errors correlate.

    >>> worth(3, 0.0), worth(3, 1.0), round(worth(3, 0.6), 2)
    (3.0, 1.0, 1.36)
    """
    return k / (1 + (k - 1) * max(0.0, correlation))


def _people_error(rows: Floats) -> float | None:
    """The variance of the people's mean, from how far people of the same item lie apart; None where nobody was doubled."""
    known = ~np.isnan(rows)
    count = known.sum(axis=1)
    several = count > 1
    if not several.any():
        return None
    own, many = rows[several], count[several]
    away = np.where(known[several], own - panel_mean(own)[:, None], 0.0)
    within = float((away**2).sum() / (many - 1).sum())
    return within * float((1 / count).mean())


def _mean_correlation(errors: Floats, shared: float | None) -> float | None:
    covariance = np.cov(errors, rowvar=False) - (shared or 0.0)
    variance = np.diag(covariance)
    if (variance <= 1e-12 * (errors**2).mean()).any():
        return None
    r = covariance / np.sqrt(np.outer(variance, variance))
    return float(np.clip(r[np.triu_indices(len(variance), 1)].mean(), -1.0, 1.0))


def _jackknife(errors: Floats, rows: Floats, r: float) -> tuple[float, float] | None:
    """The ends of r̄, on Fisher's z: pseudo-values of every group left out."""
    groups = min(len(errors), MOST_GROUPS)
    at = np.arange(len(errors)) % groups
    without = []
    for group in range(groups):
        stay = at != group
        one = _mean_correlation(errors[stay], _people_error(rows[stay]))
        if one is None:
            return None
        without.append(fisher_z(one))
    pseudo = groups * fisher_z(r) - (groups - 1) * np.array(without)
    half = t_quantile(0.975, groups - 1) * float(pseudo.std(ddof=1)) / math.sqrt(groups)
    return math.tanh(fisher_z(r) - half), math.tanh(fisher_z(r) + half)
