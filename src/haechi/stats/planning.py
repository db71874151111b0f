"""Before a study: how wide an interval will be, and how surely a test finds what is there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from haechi.stats.alt_test import alt_test
from haechi.stats.bootstrap import SEED
from haechi.stats.distributions import normal_below, t_quantile
from haechi.stats.noncentral import noncentral_t_below
from haechi.stats.proportion import wilson_ends

MOST_ITEMS = 10_000_000
_TRIALS = 200
_ITEMS_TO_TRY = (50, 60, 75, 100, 125, 150, 200, 250, 300, 400, 500, 750, 1000, 1500, 2000)


class Spread(NamedTuple):
    """The variances of items, of raters, and what is left of a single rating."""

    item: float
    rater: float
    residual: float

    def of_item(self, raters: float) -> float:
        """The variance of an item's mean over so many raters, the same for all items.

        >>> Spread(0.6, 0, 0.4).of_item(4)
        0.7
        """
        return self.item + self.residual / raters


def mean_width(spread: Spread, items: float, raters: float, new_raters: bool = False) -> float:
    """The width of the 95 % interval of a mean over items, from end to end.

    Formula: 2 t √(s²/I), s² the variance of an item's mean over R raters and t the quantile with I − 1 degrees of
    freedom. It speaks for new items and these raters. For new raters the variance grows by rater/R, and the degrees of
    freedom are Satterthwaite's of the two parts.

    >>> round(mean_width(Spread(0.6, 0.1, 0.3), 40, 3), 4)
    0.5352
    >>> round(mean_width(Spread(0.6, 0.1, 0.3), 40, 3, new_raters=True), 4)
    1.1913
    """
    own = spread.of_item(raters) / items
    of_raters = spread.rater / raters if new_raters else 0.0
    if not of_raters:
        return 2 * t_quantile(0.975, items - 1) * math.sqrt(own)
    if raters < 2:
        return math.inf  # one rater says nothing about others
    df = (own + of_raters) ** 2 / (own**2 / (items - 1) + of_raters**2 / (raters - 1))
    return 2 * t_quantile(0.975, df) * math.sqrt(own + of_raters)


def t_power(effect: float, n: float, groups: int) -> float:
    """The probability that a two-sided t test at 5 % finds a difference of `effect` standard deviations.

    groups: 1 for n pairs (effect in standard deviations of their differences), 2 for n items in each of two groups.
    Reference: statsmodels' TTestPower and TTestIndPower; R: power.t.test(strict = TRUE).

    >>> round(t_power(0.5, 64, groups=2), 4), round(t_power(0.5, 34, groups=1), 4)
    (0.8015, 0.8078)
    """
    df, away = groups * (n - 1), effect * math.sqrt(n / groups)
    critical = t_quantile(0.975, df)
    return 1 - noncentral_t_below(critical, df, away) + noncentral_t_below(-critical, df, away)


def gate_probability(margin: float, sd: float, n: float, lower: bool) -> float:
    """The probability that a gate is passed which the true mean passes by `margin`.

    lower: the gate asks for the lower end of the 95 % interval (`--min-lower`), not for the mean itself (`--min`).

    >>> round(gate_probability(0.5, 2.0, 50, lower=False), 4), round(gate_probability(0.5, 2.0, 50, lower=True), 4)
    (0.9615, 0.4103)
    """
    away = margin * math.sqrt(n) / sd if sd else math.inf
    if not lower:
        return normal_below(away)
    return 1 - noncentral_t_below(t_quantile(0.975, n - 1), n - 1, away)


def share_width(share: float, n: float) -> float:
    """The width of Wilson's interval around a share.

    >>> round(share_width(0.8, 246), 4)
    0.0996
    """
    low, high = wilson_ends(share, n)
    return high - low


def pass_variance(share: float, icc: float, runs: int, k: int = 1) -> float:
    """The variance over queries of the estimate of pass^k from so many runs of each.

    share: of runs that succeed; icc: how much of their variance is between queries. The queries' own rates follow a beta
    distribution, so that the successes of a query are beta-binomial and the variance is a finite sum.

    >>> round(pass_variance(0.8, 0.0, 5), 4), round(pass_variance(0.8, 0.5, 5, k=3), 4)
    (0.032, 0.1825)
    """
    passed = np.arange(runs + 1)
    if icc >= 1 or share in (0.0, 1.0):
        return share * (1 - share)
    ln = np.vectorize(math.lgamma, otypes=[np.float64])
    chance = ln(runs + 1) - ln(passed + 1) - ln(runs - passed + 1)
    if icc <= 0:
        chance = chance + passed * math.log(share) + (runs - passed) * math.log1p(-share)
    else:
        a, b = share * (1 / icc - 1), (1 - share) * (1 / icc - 1)
        chance = (
            chance + ln(passed + a) + ln(runs - passed + b) - ln(runs + a + b) - ln(a) - ln(b) + ln(a + b)
        )
    weight = np.exp(chance)
    estimate = np.ones(runs + 1)
    for i in range(k):
        estimate *= np.maximum(passed - i, 0) / (runs - i)
    mean = float(weight @ estimate)
    return float(weight @ (estimate - mean) ** 2)


def alt_test_probability(
    people: int, items: int, human_error: float, judge_error: float, epsilon: float, seed: int = SEED
) -> float:
    """How often the alternative annotator test says that the judge may replace people, over 200 seeded simulations.

    Everybody gives the true one of two labels, but for so many errors, independently.

    >>> alt_test_probability(3, 100, human_error=0.15, judge_error=0.1, epsilon=0.2) > 0.9
    True
    """
    random = np.random.default_rng([seed, people, items])
    replaced = 0
    for _ in range(_TRIALS):
        humans = (random.random((items, people)) < human_error).astype(np.float64)
        judge = (random.random(items) < judge_error).astype(np.float64)
        replaced += alt_test(humans, judge, epsilon=epsilon).replaces is True
    return replaced / _TRIALS


def alt_test_items(reached: Callable[[int], bool]) -> int | None:
    """The fewest items, of some round numbers from 50 on, with which a test is reached; None if none will do."""
    low, high = -1, len(_ITEMS_TO_TRY)
    while high - low > 1:  # the chance only grows with the items
        middle = (low + high) // 2
        low, high = (low, middle) if reached(_ITEMS_TO_TRY[middle]) else (middle, high)
    return _ITEMS_TO_TRY[high] if high < len(_ITEMS_TO_TRY) else None


def items_for(reached: Callable[[int], bool]) -> int | None:
    """The fewest items with which a goal is reached that more items only bring nearer; None if ten million are not enough.

    >>> items_for(lambda n: mean_width(Spread(0.6, 0, 0.4), n, 3) <= 0.5)
    48
    """
    high = least = 2
    while not reached(high):
        if high >= MOST_ITEMS:
            return None
        high = min(MOST_ITEMS, high * 2)
    if high == least:
        return least
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def width_curve(
    spread: Spread, items: Sequence[int], raters: Sequence[int], new_raters: bool = False
) -> dict[int, list[float]]:
    """For every number of raters the widths of a mean's interval with so many items.

    >>> {many: [round(width, 2) for width in widths] for many, widths in width_curve(Spread(1, 0, 1), [10, 40], [1, 3]).items()}
    {1: [2.02, 0.9], 3: [1.65, 0.74]}
    """
    return {many: [mean_width(spread, n, many, new_raters) for n in items] for many in raters}
