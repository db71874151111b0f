"""Many-facet Rasch: how severe every rater is, how hard every criterion, and what items would get from a fair rater."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.conditional import Facets, fit
from haechi.stats.distributions import Z95
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.ratings import Floats, Given, distinct

MOST_CATEGORIES = 20
MOST_CELLS = 10_000_000
_TOO_LARGE = Why(
    f"항목 × 평가자 × 기준이 {MOST_CELLS:,}칸을 넘습니다. --where로 줄여서 보세요",
    f"items × raters × criteria are more than {MOST_CELLS:,} cells; look at a part of them, with --where",
)
_NEEDS = Why(
    "평가자가 두 명 이상, 쓰인 점수가 두 가지 이상이어야 합니다",
    "at least two raters and two different values are needed",
)
_CONTINUOUS = Why(
    f"서로 다른 값이 {MOST_CATEGORIES}개를 넘습니다. 순서가 있는 몇 개의 점수에만 맞는 모형입니다",
    f"there are more than {MOST_CATEGORIES} different values: the model is for a few ordered points",
)
_APART = Why(
    "같은 항목을 평가한 사람들로 이어지지 않는 평가자나 기준이 있어, 엄격함을 한 자 위에 놓을 수 없습니다",
    "some raters or criteria are not linked to the others by items that both rated: severities have no common scale",
)
_NO_END = Why(
    "자료가 적거나 한쪽으로 치우쳐(최저점이나 최고점만 준 평가자처럼) 추정값이 끝없이 커집니다",
    "the data are few or one-sided, as of a rater who gives only the lowest or highest values: the estimates have no end",
)


@frozen
class Facet:
    """One rater or criterion: its severity (difficulty) in logits above 0, the mean of all, and how well it fits the model.

    infit, outfit: mean squared residuals, weighted by information and not; 1 is expected, above it is noise.
    """

    name: Hashable
    n: int
    measure: Figure
    infit: float | None
    outfit: float | None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {"name": self.name, "n": self.n, "measure": self.measure.as_json(lang)}
        return said | {"infit": self.infit, "outfit": self.outfit}


@frozen
class ManyFacetRasch:
    """Raters, criteria, the thresholds between the points, and every item.

    measures: (items,) in logits, errors: their standard errors, fair: (items,) the mean over the criteria that a rater of
    mean severity would be expected to give; NaN where nobody rated. extreme: items with only lowest or only highest values.
    """

    raters: tuple[Facet, ...]
    criteria: tuple[Facet, ...]
    points: tuple[float, ...]
    thresholds: tuple[float, ...]
    measures: Floats
    errors: Floats
    fair: Floats
    extreme: int
    log_likelihood: float | None
    why: Why | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines; the items are left out."""
        if self.why:
            return {"why": self.why.say(lang)}
        return {
            "raters": [one.as_json(lang) for one in self.raters],
            "criteria": [one.as_json(lang) for one in self.criteria],
            "points": list(self.points),
            "thresholds": list(self.thresholds),
            "n_items": int((~np.isnan(self.measures)).sum()),
            "extreme_items": self.extreme,
            "log_likelihood": self.log_likelihood,
            "method": "conditional maximum likelihood",
        }


@np.errstate(all="ignore")
def many_facet_rasch(
    ratings: Given, raters: Sequence[Hashable] | None = None, criteria: Sequence[Hashable] | None = None
) -> ManyFacetRasch:
    """Severity of raters and difficulty of criteria on one scale with the items: Linacre's rating scale model.

    Model: log P(x = h) − log P(x = h − 1) = θ_item − severity_rater − difficulty_criterion − τ_h; severities, difficulties and
    τ each add up to 0. Estimated by conditional maximum likelihood: given the sum of its ratings an item says
    nothing more about itself, so the items drop out and their number brings no bias; ratings may be missing. Items with
    only lowest or only highest values say nothing about raters and are counted as `extreme`. Their own measures, as those of
    all items, are Warm's weighted likelihood estimates, which are always finite; the fair average is the expected value at
    that measure and mean severity. Values that nobody gave are no points of the scale. Reference: Linacre 1989, Many-Facet
    Rasch Measurement; Andersen 1972, JRSS B 34, 42–54; Warm 1989, Psychometrika 54, 427–450. R: eRm::LRSM with a
    design matrix of raters and criteria.

    ratings: (items, raters) or (items, raters, criteria), NaN where missing.

    >>> found = many_facet_rasch([[0, 1], [0, 1], [1, 0], [1, 1], [0, 0], [0, 1]], ["strict", "kind"])
    >>> [round(one.measure.value, 4) for one in found.raters], found.extreme  # log(3 / 1) / 2
    ([0.5493, -0.5493], 2)
    """
    array = _cube(ratings)
    who = list(raters) if raters is not None else list(range(array.shape[1]))
    what = list(criteria) if criteria is not None else list(range(array.shape[2]))
    if (len(who), len(what)) != array.shape[1:]:
        raise ValueError(f"{array.shape[1:]} raters and criteria, but {len(who)} and {len(what)} names")
    points = distinct(array[~np.isnan(array)])
    if (why := _why_not(points.size, len(who), array.size)) is not None:
        return _without(len(array), why)
    codes = np.where(np.isnan(array), -1, np.searchsorted(points, array))
    facets = Facets(codes, points.size - 1)
    fitted = fit(facets) if facets.is_linked else None
    if fitted is None:
        return _without(len(array), _NO_END if facets.is_linked else _APART, points, facets.extreme)
    theta, error, fair = facets.items(fitted, points)
    expected, variance = facets.expected(fitted, theta)
    parts = codes - expected, variance, (codes >= 0) & ~facets.is_extreme[:, None, None]
    return ManyFacetRasch(
        raters=_facets(who, fitted.severity, fitted.severity_error, parts, 1),
        criteria=_facets(what, fitted.difficulty, fitted.difficulty_error, parts, 2),
        points=tuple(points.tolist()),
        thresholds=tuple(fitted.thresholds.tolist()),
        measures=theta,
        errors=error,
        fair=fair,
        extreme=facets.extreme,
        log_likelihood=fitted.log_likelihood,
    )


def _why_not(points: int, raters: int, cells: int) -> Why | None:
    """Why the model is not for so many different values, raters and cells."""
    if points > MOST_CATEGORIES:
        return _CONTINUOUS
    if cells > MOST_CELLS:
        return _TOO_LARGE
    return _NEEDS if points < 2 or raters < 2 else None


def _without(items: int, why: Why, points: Floats | None = None, extreme: int = 0) -> ManyFacetRasch:
    """No estimates, and why."""
    nothing = np.full(items, np.nan)
    used = () if points is None else tuple(points.tolist())
    return ManyFacetRasch((), (), used, (), nothing, nothing, nothing, extreme, None, why)


def _cube(ratings: Given) -> Floats:
    array = np.asarray(ratings.to_numpy() if hasattr(ratings, "to_numpy") else ratings, dtype=np.float64)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise ValueError(
            f"ratings must be items × raters or items × raters × criteria, found {array.ndim} dimensions"
        )
    if np.isinf(array).any():
        raise ValueError("ratings must be finite: an infinite value was found")
    return array


def _facets(
    names: Sequence[Hashable], values: Floats, errors: Floats, parts: tuple[Any, ...], axis: int
) -> tuple[Facet, ...]:
    """The raters or the criteria, along their axis of the residuals, their variances, and which of them count."""
    return tuple(
        _facet(name, float(values[i]), float(errors[i]), *(np.take(part, i, axis) for part in parts))
        for i, name in enumerate(names)
    )


def _facet(name: Hashable, value: float, error: float, away: Floats, variance: Floats, used: Any) -> Facet:
    n = int(used.sum())
    if n == 0:
        return Facet(name, 0, undefined(_NEEDS, 0), None, None)
    squares, information = away[used] ** 2, variance[used]
    infit, outfit = float(squares.sum() / information.sum()), float((squares / information).mean())
    measure = figure(value, n, (value - Z95 * error, value + Z95 * error), se=error)
    return Facet(name, n, measure, infit, outfit)
