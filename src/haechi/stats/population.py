"""For whom a mean speaks: for these raters and new items, or for new raters too; and items that come in clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.mean_interval import Bounds, interval_of_mean, share_interval
from haechi.stats.ratings import Floats, Given, Integers, as_ratings
from haechi.stats.reasons import NOTHING, ONE_RATER, fewer_than

NOT_CROSSED = Why(
    "항목마다 평가자가 한 명뿐이어서 평가자의 차이와 항목의 차이를 나눌 수 없습니다",
    "every item has one rater, so differences between raters cannot be told from those between items",
)
FEWEST_RATERS = 3
"""Two raters say too little about others: their interval does not hold."""
ONE_CLUSTER = fewer_than(2, "묶음", "clusters", 1)
EQUAL_CLUSTERS = fewer_than(2, "평균이 서로 다른 묶음", "clusters with different means", 1)


@frozen
class CrossedSums:
    """What the components of items, raters and rest follow from; adds up over items.

    n_items, mean: the items, and the sum of their means; squares: Σ y²; of_items: Σ (Σ y)²/r over the items, r ratings
    each; item_squares: Σ r²; weights: Σ 1/r; and per rater (raters,) the ratings, their sum, and Σ 1/r.
    """

    n_items: int
    mean: float
    squares: float
    of_items: float
    item_squares: float
    weights: float
    rated: Floats
    sums: Floats
    rater_weights: Floats

    @classmethod
    def of(cls, item: Integers, rater: Integers, value: Floats, raters: int) -> CrossedSums:
        """From ratings in long format, one of every item and rater: (n,) codes of items and of raters, and the values."""
        r = np.bincount(item).astype(np.float64)
        total = np.bincount(item, value, minlength=r.size)
        total, r = total[r > 0], r[r > 0]
        own = 1 / np.bincount(item)[item]
        return cls(
            r.size,
            float((total / r).sum()),
            float((value**2).sum()),
            float((total**2 / r).sum()),
            float((r**2).sum()),
            float((1 / r).sum()),
            np.bincount(rater, minlength=raters).astype(np.float64),
            np.bincount(rater, value, minlength=raters).astype(np.float64),
            np.bincount(rater, own, minlength=raters).astype(np.float64),
        )

    @classmethod
    def of_table(cls, ratings: Given) -> CrossedSums:
        """From a matrix of items × raters, NaN where missing."""
        array = as_ratings(ratings)
        item, rater = np.nonzero(~np.isnan(array))
        return cls.of(item, rater, array[item, rater], array.shape[1])

    def __add__(self, other: CrossedSums) -> CrossedSums:
        """Of further items; a rater who came later has none among the first."""
        return CrossedSums(*map(_added, vars(self).values(), vars(other).values()))


def _added(a: Any, b: Any) -> Any:
    if not isinstance(a, np.ndarray):
        return a + b
    size = max(a.size, b.size)
    return np.pad(a, (0, size - a.size)) + np.pad(b, (0, size - b.size))


@np.errstate(all="ignore")
def new_raters_interval(sums: CrossedSums, bounds: Bounds | None = None, centre: float = 0.0) -> Bounds | Why:
    """The 95 % interval of the mean over items for raters and items like these: both are samples, crossed.

    Formula: y = μ + item + rater + rest. The three variances come from Henderson's first method, which allows gaps: the
    sums of squares of all values, of items, of raters and of the mean equal their expectations. The variance of the mean
    of the items' means weighs each with the squared weights of its levels; the degrees of freedom are Satterthwaite's,
    of the items' and the raters' mean squares. Fewer than three raters carry no interval.

    centre: what was taken off all values before, so that their squares stay small.
    Reference: Henderson 1953, Biometrics 9, 226–252; Searle, Casella & McCulloch 1992, Variance Components, chapter 5.

    >>> table = [[4, 5, 3], [2, 4, 2], [5, 5, 4], [1, 3, 2], [3, 4, 3]]
    >>> low, high = new_raters_interval(CrossedSums.of_table(table), bounds=(1, 5))
    >>> float(round(low, 2)), float(round(high, 2))
    (1.95, 4.45)
    """
    rated = sums.rated[sums.rated > 0]
    items, raters, n = sums.n_items, rated.size, float(rated.sum())
    if items == 0:
        return NOTHING
    if raters < FEWEST_RATERS:
        return ONE_RATER if raters < 2 else fewer_than(FEWEST_RATERS, "평가자", "raters", raters)
    if items < 2:
        return fewer_than(2, "항목", "items", items)
    if n <= items:
        return NOT_CROSSED
    own = sums.sums[sums.rated > 0]
    grand = float(own.sum()) ** 2 / n
    item_part, rater_part = sums.item_squares / n, float((rated**2).sum()) / n
    found = np.array([sums.squares, sums.of_items, float((own**2 / rated).sum())]) - grand
    expected = np.array(
        [
            [n - item_part, n - rater_part, n - 1],
            [n - item_part, items - rater_part, items - 1],
            [raters - item_part, n - rater_part, raters - 1],
        ]
    )
    if abs(np.linalg.det(expected / n)) < 1e-12:
        return NOT_CROSSED
    of_item, of_rater, rest = np.maximum(np.linalg.solve(expected, found), 0.0)
    noise = rest * sums.weights / items**2
    by_rater = of_rater * float((sums.rater_weights**2).sum()) / items**2 + noise
    by_item = of_item / items + noise
    variance = by_item + by_rater - noise
    if variance <= 0:
        return fewer_than(2, "서로 다른 값", "different values", 1)
    df = variance**2 / (by_item**2 / (items - 1) + by_rater**2 / (raters - 1))
    return interval_of_mean(sums.mean / items + centre, float(variance), max(1.0, float(df)), bounds)


@np.errstate(all="ignore")
def clustered_mean(sums: Given, sizes: Given, bounds: Bounds | None = None, level: float = 0.95) -> Figure:
    """A mean over items that come in clusters, as turns of a dialogue or sessions of a student do, with its interval.

    Formula: m = Σ s / Σ k, s the sum and k the size of a cluster; variance G/(G − 1) Σ (s − k m)² / (Σ k)², Student's t
    with G − 1 degrees of freedom, fewer where a few clusters hold most items: (Σ k²)²/Σ k⁴ − 1. Where all values are one
    end of the scale it is Wilson's interval of G values.
    sums, sizes: (clusters,); level: of the interval. Reference: Liang & Zeger 1986, Biometrika 73, 13–22; Cameron & Miller 2015, Journal of
    Human Resources 50, 317–372. R: clubSandwich, sandwich::vcovCL(type = "HC0", cadjust = TRUE) of lm(y ~ 1).

    >>> found = clustered_mean([5, 9, 2], [2, 3, 1], bounds=(1, 5))
    >>> [round(end, 2) for end in found.ci95], found.details["clusters"]
    ([1.21, 4.61], 3)
    """
    s, k = np.asarray(sums, np.float64), np.asarray(sizes, np.float64)
    s, k = s[k > 0], k[k > 0]
    many, n = s.size, float(k.sum())
    if n == 0:
        return undefined(NOTHING, 0)
    mean = float(s.sum()) / n
    if many < 2:
        return figure(mean, int(n), None, ONE_CLUSTER, clusters=many)
    variance = many / (many - 1) * float(((s - k * mean) ** 2).sum()) / n**2
    if variance <= 1e-24 * max(1.0, mean**2):
        if (
            bounds is not None and mean in bounds
        ):  # nothing but an end of the scale: a share, of so many clusters
            return figure(mean, int(n), share_interval(mean, many, bounds, level), clusters=many)
        return figure(mean, int(n), None, EQUAL_CLUSTERS, clusters=many)
    df = max(1.0, min(many - 1.0, float((k**2).sum()) ** 2 / float((k**4).sum()) - 1))
    return figure(
        mean,
        int(n),
        interval_of_mean(mean, variance, df, bounds, level=level),
        clusters=many,
        clusters_df=df,
        clusters_se=variance**0.5,
    )
