"""How raters behave: severity, spread, central tendency, use of the scale, halo, self-consistency."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.correlation import pearson, pearson_of
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.icc import icc
from haechi.stats.mean_interval import mean_figure
from haechi.stats.patterns import encode
from haechi.stats.percent_agreement import percent_agreement
from haechi.stats.proportion import wilson
from haechi.stats.ratings import Floats, Given, Level, as_ratings
from haechi.stats.reasons import NEED_NUMBERS, NOTHING, fewer_than
from haechi.stats.repeats import stability
from haechi.stats.sample import Sample
from haechi.stats.weights import MOST_CATEGORIES

NO_MIDDLE = Why(
    "척도점이 세 개 이상이어야 가운데가 있습니다", "a scale needs at least three points to have a middle"
)
OTHERS_FLAT = Why("다른 평가자의 값에 분산이 없습니다", "the other raters' values do not vary")


@frozen
class RaterBehaviour:
    """One rater's habits on one criterion.

    severity: mean of own − mean of the others on the same item, negative where the rater is stricter.
    spread: SD of the rater's values; spread_ratio: that over the typical SD of the others, below 1 if
    compressed. middle, ends: share of ratings on the middle point(s) and on the two ends of the scale.
    use: how often each scale point was given.
    """

    rater: Hashable
    n: int
    severity: Figure
    spread: Figure
    spread_ratio: Figure
    middle: Figure
    ends: Figure
    use: Mapping[float, int]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "rater": self.rater,
            "n": self.n,
            "severity": self.severity.as_json(lang),
            "spread": self.spread.as_json(lang),
            "spread_ratio": self.spread_ratio.as_json(lang),
            "middle": self.middle.as_json(lang),
            "ends": self.ends.as_json(lang),
            "use": {
                f"{point:.15g}": n for point, n in self.use.items() if n or len(self.use) <= MOST_CATEGORIES
            },
        }


@np.errstate(all="ignore")
def rater_behaviour(
    ratings: Given, raters: Sequence[Hashable] | None = None, categories: Sequence[float] | None = None
) -> tuple[RaterBehaviour, ...]:
    """Each rater's severity, spread, central tendency and use of the scale.

    Formula: severity = mean of d ± t SD(d)/√m, d = own value − mean of the others on each of the m items that someone
    else rated too. Spread s_j = SD of the own values; its ratio is s_j / √(mean of the others' s²). Middle and ends: the
    shares of ratings on the middle point (of an even number the two middle ones) and on the two outer points, of three
    points or more, with Wilson's intervals; the points are `categories`, else the values that occur.

    ratings: (items, raters), NaN where missing. Reference: Saal, Downey & Lahey 1980, Psychological Bulletin
    88, 413–428, on leniency, central tendency and range restriction.
    R: none; t.test(x[, j] - rowMeans(x[, -j, drop = FALSE], na.rm = TRUE)), sd(x[, j], na.rm = TRUE), binom::binom.wilson.

    >>> strict, kind = rater_behaviour([[1, 3], [2, 3], [3, 5]], ["ann", "bo"], categories=(1, 2, 3, 4, 5))
    >>> round(strict.severity.value, 4), strict.use[1.0], round(kind.middle.value, 4)
    (-1.6667, 1, 0.6667)
    """
    array = as_ratings(ratings)
    names = list(raters) if raters is not None else list(range(array.shape[1]))
    if len(names) != array.shape[1]:
        raise ValueError(f"{array.shape[1]} raters, but {len(names)} names")
    codes, points = encode(array, categories)
    known = ~np.isnan(array)
    filled = np.where(known, array, 0.0)
    total, count = filled.sum(axis=1), known.sum(axis=1)
    variances = np.array([_variance(array[known[:, j], j]) for j in range(array.shape[1])])
    found = []
    for j, name in enumerate(names):
        shared = known[:, j] & (count > 1)
        own = array[shared, j] - (total[shared] - array[shared, j]) / (count[shared] - 1)
        use = np.bincount(codes[known[:, j], j], minlength=points.size)[: points.size]
        found.append(_habits(name, own, (variances[j], np.delete(variances, j)), points, use))
    return tuple(found)


def _variance(values: Floats) -> float:
    return float(values.var(ddof=1)) if values.size > 1 else math.nan


def _habits(
    name: Hashable, own: Floats, variances: tuple[float, Floats], points: Floats, use: Any
) -> RaterBehaviour:
    n, q = int(use.sum()), points.size
    middle = ends = undefined(NOTHING if n == 0 else NO_MIDDLE, n)
    if n and q >= 3:
        middle = wilson(int(use[(q - 1) // 2 : q // 2 + 1].sum()), n)
        ends = wilson(int(use[0] + use[-1]), n)
    tally = dict(zip(points.tolist(), use.tolist(), strict=True))
    return RaterBehaviour(
        name,
        n,
        _severity(own, float(np.abs(points).max(initial=0))),
        *_spread(*variances, n),
        middle,
        ends,
        tally,
    )


def _spread(variance: float, others: Floats, n: int) -> tuple[Figure, Figure]:
    """The rater's SD, and its ratio to the others'."""
    if n < 2:
        few = undefined(fewer_than(2, "평가", "ratings", n), n)
        return few, few
    known = others[np.isfinite(others)]
    typical = math.sqrt(float(known.mean())) if known.size else 0.0
    ratio = undefined(OTHERS_FLAT, n) if typical == 0 else figure(math.sqrt(variance) / typical, n)
    return figure(math.sqrt(variance), n), ratio


def _severity(own: Floats, size: float) -> Figure:
    """The mean of a rater's differences from the others; size: of what values they are the differences."""
    n = own.size
    if n == 0:
        return undefined(
            fewer_than(1, "다른 평가자와 함께 평가한 항목", "items rated by someone else too", 0), 0
        )
    if n < 2:
        return figure(float(own.mean()), n, None, fewer_than(2, "함께 평가한 항목", "shared items", n))
    return mean_figure(Sample(*np.unique(own, return_counts=True)).without_noise(size))


@frozen
class Halo:
    """How much one rater's criteria move together; near 1 it is one impression, not several ratings."""

    mean: Figure
    pairs: tuple[tuple[str, str, Figure], ...]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        pairs = [{"a": a, "b": b, "pearson": r.as_json(lang)} for a, b, r in self.pairs]
        return {"mean": self.mean.as_json(lang), "pairs": pairs}


def halo(scores: Given, criteria: Sequence[str] | None = None) -> Halo:
    """Correlation between criteria within one rater: the mean of Pearson's r over pairs of criteria.

    Formula: Σ r_ab / number of pairs a < b, `pearson` over the items with both values; pairs without an r are left out.

    scores: (items, criteria) of a single rater, NaN where missing. References: Thorndike 1920, Journal of Applied
    Psychology 4, 25–29; Saal et al. 1980. R: r <- cor(x, use = "pairwise"); mean(r[lower.tri(r)], na.rm = TRUE).

    >>> round(halo([[1, 2, 1], [2, 2, 3], [3, 4, 3], [4, 5, 5]]).mean.value, 4)
    0.904
    """
    array = as_ratings(scores)
    names = list(criteria) if criteria is not None else [str(j) for j in range(array.shape[1])]
    if len(names) != array.shape[1]:
        raise ValueError(f"{array.shape[1]} criteria, but {len(names)} names")
    codes, points = encode(array)
    pairs = tuple(
        (names[i], names[j], _pearson_of_codes(codes[:, i], codes[:, j], points))
        for i in range(len(names))
        for j in range(i + 1, len(names))
    )
    defined = [r.value for _, _, r in pairs if r.value is not None]
    if not defined:
        why = fewer_than(1, "상관을 구할 수 있는 기준 쌍", "pairs of criteria with a correlation", 0)
        return Halo(undefined(why, 0), pairs)
    return Halo(figure(sum(defined) / len(defined), len(defined)), pairs)


def _pearson_of_codes(a: NDArray[np.integer], b: NDArray[np.integer], points: Floats) -> Figure:
    """Pearson's r from how often each combination of scale points occurs, where these are few."""
    q = points.size
    if q > MOST_CATEGORIES:
        shown = np.append(points, np.nan)
        return pearson(shown[a], shown[b])
    joint = np.bincount(a.astype(np.int32) * np.int32(q + 1) + b, minlength=(q + 1) ** 2)
    i, j = np.nonzero(joint.reshape(q + 1, q + 1)[:q, :q])
    return pearson_of(points[i], points[j], joint[i * (q + 1) + j].astype(np.float64))


@frozen
class SelfConsistency:
    """One rater who rated the same items several times."""

    agreement: Figure
    within_sd: Figure
    icc: Figure

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {name: getattr(self, name).as_json(lang) for name in ("agreement", "within_sd", "icc")}


def self_consistency(replicates: Given, level: Level = "interval") -> SelfConsistency:
    """Does a rater repeat its own judgement? Percent agreement, SD within items and ICC(1,1) over replicates.

    Formula: agreement = mean over items of Σ_k r_k (r_k − 1) / (r (r − 1)), as `percent_agreement`; SD within =
    √(mean over items of the variance of the item's replicates), as `stability`; ICC(1,1) = (MSB − MSW) / (MSB + (m − 1) MSW)
    of m replicates, by REML where some are missing, as `icc`. Of names only the agreement.

    replicates: (items, replicates) of a single rater, NaN where missing. References: Gwet 2014, Handbook of Inter-Rater
    Reliability; Bland & Altman 1996, BMJ 313, 744; Shrout & Fleiss 1979, Psychological Bulletin 86, 420–428.
    R: irrCAC::pa.coeff.raw(x); sqrt(mean(apply(x, 1, var, na.rm = TRUE), na.rm = TRUE)); psych::ICC(x, lmer = FALSE), ICC1.

    >>> same = self_consistency([[4, 4, 4], [2, 2, 3], [5, 5, 5]])
    >>> round(same.agreement.value, 4), round(same.icc.value, 4)
    (0.7778, 0.9412)
    """
    array = as_ratings(replicates)
    agreement = percent_agreement(array)
    if level == "nominal":
        none = undefined(NEED_NUMBERS, agreement.n)
        return SelfConsistency(agreement, none, none)
    return SelfConsistency(agreement, stability(array).within_sd, icc(array)["ICC(1,1)"])
