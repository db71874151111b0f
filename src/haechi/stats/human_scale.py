"""The number people would have given: few human ratings on a random part, many of a judge, and an interval that holds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.calibration import cross_fitted, why_beyond
from haechi.stats.distributions import t_quantile
from haechi.stats.figure import NO_WIDTH, Figure, Lang, Why, figure, undefined
from haechi.stats.human_ai import panel_mean
from haechi.stats.mean_interval import Bounds, interval_of_mean, mean_figure
from haechi.stats.population import clustered_mean
from haechi.stats.proportion import wilson_ends
from haechi.stats.rater_severity import FEWEST, for_new_raters, level_severities
from haechi.stats.ratings import Floats, Given, Integers, as_columns, as_values
from haechi.stats.reasons import NOTHING, fewer_than
from haechi.stats.sample import Sample

LOST = 2
"""Degrees of freedom that go to the mean and to the weight of the judge."""


@frozen
class HumanScale:
    """The mean that people would have given, beside what people and the judge gave themselves.

    mean: its `ci95` is for these people and items like these; these_items: for these people and these very items, of
    which only the unrated ones are unknown; new_raters: for people like these and items like these. weight: how far the judge is followed (0: not at all).
    effective: how many items people alone would have had to rate for so narrow an interval.
    """

    mean: Figure
    these_items: Figure
    new_raters: Figure
    human_only: Figure
    judge_only: Figure
    n_human: int
    n_items: int
    weight: float | None = None
    effective: float | None = None

    def __repr__(self) -> str:
        return f"<HumanScale {self.mean!r}; judge {self.judge_only!r}; people rated {self.n_human} of {self.n_items} items>"

    @property
    def saved(self) -> float | None:
        """How many items people need not rate for this, thanks to the judge; None where it cannot be said."""
        return None if self.effective is None else self.effective - self.n_human

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines: the figure, and beside its interval the other two."""
        said = self.mean.as_json(lang)
        for name, found in (("these_items", self.these_items), ("new_raters", self.new_raters)):
            said[f"ci95_{name}"] = None if found.ci95 is None else list(found.ci95)
            if found.ci95 is None and self.mean.value is not None and (why := found.why_no_ci or found.why):
                said[f"why_no_ci95_{name}"] = why.say(lang)
        return said | {
            "n_human": self.n_human,
            "n_items": self.n_items,
            "human_only": self.human_only.as_json(lang),
            "judge_only": self.judge_only.as_json(lang),
            "judge_weight": self.weight,
            "effective_human_items": self.effective,
            "human_items_saved": self.saved,
        }


def human_scale_mean(
    human: Given,
    judge: Given,
    probability: Given | None = None,
    bounds: Bounds | None = None,
    clusters: Given | None = None,
    by_rule: Given | None = None,
) -> HumanScale:
    """The mean score that people would have given all items, from a random part that they rated and a judge of all.

    Formula: θ = λ mean(g₋(f)) + Σ w (y − λ g₋(f)) / Σ w. f is the judge's score, g₋ the monotone calibration made without
    the item (10 folds; of an unrated item the mean of them all), w = 1/π. λ between 0 and 1 is the slope of y on g₋(f): a
    judge that says nothing gets 0, and the figure is then that of people alone. With e = y − λ g₋(f) its variance is
    Σ w² (1 − π k)(e − ē)² / (Σ w)² · n/(n − 2) for these items, k the share of the people who rated the item, plus
    var(y)/N for items like these. Student's t has n − 2 degrees of freedom, of the effective n where the w differ; on a
    scale with two ends the interval has Wilson's form, which stays between them. Where people only say one of two values,
    the variance counts one more item, which the judge got all wrong: a few ratings without an error are no proof.
    Where people rated every item it is their mean.
    With several people per item y is their mean; where not everybody rated every item and all rated at least 10, their
    severities are set equal first. For people like these, t s/√R of their R severities is added in quadrature.

    human: (items,) or (items, people), NaN where missing; judge: (items,) or (items, judges), whose mean is taken.
    probability: (items,) with which an item was chosen for people; all alike if not given, and a part whose judged
    scores do not look like a random one is then refused. bounds: the ends of the scale.
    clusters: (items,) codes 0, 1, 2 …; items of one, as of one student, are not independent. Each part of the variance is
    then multiplied by that of the sums over clusters, and stays out of its own calibration.
    by_rule: (items,) the score of items that nobody is asked about because a rule decides them, as of runs that failed; NaN
    elsewhere. They are part of the mean, and nothing about them is unknown.
    References: Angelopoulos et al. 2023, Science 382, 669–674; Zrnic & Candès 2024, PNAS 121, e2322083121 (cross-fitting);
    Särndal, Swensson & Wretman 1992, Model Assisted Survey Sampling, chapter 6. Coverage: docs/statistics/human-scale.md.
    R: none; where all w are alike ipd::ipd(y - g ~ 1, method = "ppi_plusplus", model = "mean") comes near, given g = g₋(f)
    (λ is found otherwise, the intervals are normal); Python: ppi_py.ppi_mean_ci, with w.

    >>> judge = [1 + (7 * i) % 5 for i in range(100)]
    >>> human = [max(1, f - 1) + i % 2 if i < 20 else None for i, f in enumerate(judge)]
    >>> found = human_scale_mean(human, judge, bounds=(1, 5))
    >>> found.mean, found.human_only, found.judge_only.value
    (2.70 [2.34, 3.09], 2.70 [2.14, 3.31], 3.0)
    """
    people, f = as_columns(human), panel_mean(as_columns(judge))
    n = f.size
    chance = np.ones(n) if probability is None else as_values(probability)
    ruled = np.full(n, np.nan) if by_rule is None else as_values(by_rule)
    group = None if clusters is None else np.asarray(clusters, dtype=np.int64)
    for name, size in (("human", len(people)), ("probability", chance.size), ("by_rule", ruled.size)):
        if size != n:
            raise ValueError(f"{name} and judge must have the same items: {size} and {n}")
    decided = ~np.isnan(ruled)
    known = ~np.isnan(f) & ~decided
    part = known & ~np.isnan(people).all(axis=1)
    if bool((~(chance[part] > 0) | (chance[part] > 1)).any()):
        raise ValueError("the probability of an item that was chosen lies above 0 and is at most 1")
    if probability is None:
        chance = np.full(n, part.sum() / max(1, int(known.sum())))
    order = np.concatenate([np.flatnonzero(one) for one in (part, known & ~part, decided)])
    rated = people[part][:, ~np.isnan(people[part]).all(axis=0)]
    study = _Study(
        rated,
        np.where(decided, ruled, f)[order],
        chance[part],
        bounds,
        probability is not None,
        None if group is None else group[order],
        int(decided.sum()),
    )
    with np.errstate(all="ignore"):
        return _estimated(study)


@frozen
class _Study:
    """What is known: (part, people) ratings, (items,) the judge's scores, those of the rated part first, (part,) chances.

    drawn: whether the chances are known; clusters: (items,) codes, or None; ruled: how many items, the last ones, a rule decides.
    """

    people: Floats
    judge: Floats
    chance: Floats
    bounds: Bounds | None
    drawn: bool
    clusters: Integers | None
    ruled: int = 0

    @property
    def n(self) -> int:
        return len(self.people)

    @property
    def asked(self) -> int:
        """How many items people can be asked about."""
        return self.judge.size - self.ruled

    @property
    def w(self) -> Floats:
        return 1 / self.chance

    def why_not(self) -> Why | None:
        """Why nothing can be said."""
        if self.n < FEWEST:
            return _too_few(self.n)
        if self.clusters is not None and (many := np.unique(self.clusters[: self.n]).size) < FEWEST:
            return fewer_than(
                FEWEST, "사람이 평가한 항목의 묶음", "clusters of items that people rated", many
            )
        return None if self.drawn else why_beyond(self.judge[: self.n], self.judge[: self.asked])

    def mean_of(self, values: Floats) -> Figure:
        """The plain mean of values of the first items, over their clusters."""
        if not values.size:
            return undefined(NOTHING, 0)
        if self.clusters is None:
            return mean_figure(Sample.of(values), self.bounds)
        code = self.clusters[: values.size]
        return clustered_mean(np.bincount(code, values), np.bincount(code), self.bounds)

    def inflation(self, contributions: Floats) -> float:
        """How many times the variance of independent items that over clusters is; contributions: of the first items."""
        if self.clusters is None:
            return 1.0
        sums = np.bincount(self.clusters[: contributions.size], contributions)
        held = int((np.bincount(self.clusters[: contributions.size]) > 0).sum())
        alone = float((contributions**2).sum())
        return max(1.0, held / (held - 1) * float((sums**2).sum()) / alone) if alone > 0 else 1.0

    def curves(self, y: Floats) -> tuple[Floats, Floats]:
        """What the calibration says of the part, and of the other items."""
        code = None if self.clusters is None else np.unique(self.clusters[: self.n], return_inverse=True)[1]
        return cross_fitted(y, self.judge[: self.n], self.judge[self.n : self.asked], self.w, clusters=code)


def _estimated(study: _Study) -> HumanScale:
    people, n, many = study.people, study.n, study.judge.size
    y = panel_mean(people)
    alone, judges = study.mean_of(y), study.mean_of(study.judge)
    if 0 < n == study.asked:
        return _counted(study, judges)
    if (why := study.why_not()) is not None:
        none = undefined(why, many, n_human=n)
        return HumanScale(none, none, none, alone, judges, n, many)
    own, of_others = study.curves(y)
    if (levelled := level_severities(people, own)) is not None:
        y = panel_mean(levelled)
        own, of_others = study.curves(y)
    found = _combined(study, y, own, np.concatenate([own, of_others]))
    others = for_new_raters(found.mean, people, own, study.bounds, study.asked / many)
    return replace(found, new_raters=others, human_only=alone, judge_only=judges)


def _counted(study: _Study, judges: Figure) -> HumanScale:
    """Where people rated everything, nothing is left to be estimated: it is their mean."""
    many, rated = study.judge.size, panel_mean(study.people)
    y = np.concatenate([rated, study.judge[study.n :]])
    alone = study.mean_of(y)
    spread = float(y.std(ddof=1)) / math.sqrt(many) if many > 1 else 0.0
    known = alone.details
    error = {"se": known.get("clusters_se", spread), "df": known.get("clusters_df", many - 1.0)}
    mean = replace(alone, details={**known, **error})
    of_these = figure(float(alone), many, None, ALL_RATED)
    others = for_new_raters(mean, study.people, rated, study.bounds, study.asked / many)
    return HumanScale(mean, of_these, others, study.mean_of(rated), judges, study.n, many)


def _combined(study: _Study, y: Floats, own: Floats, of_all: Floats) -> HumanScale:
    w, n, many, bounds = study.w, study.n, study.judge.size, study.bounds
    total = float(w.sum())
    weight = _slope(y, own, w)
    e = y - weight * own
    rest = float(w @ e) / total
    expected = np.concatenate([weight * of_all + rest, study.judge[study.asked :]])
    theta = float(expected.mean())
    asked = study.asked / many
    away = n / (n - LOST) * (e - rest) ** 2
    share_of = None
    if bounds is not None:
        theta = min(max(theta, bounds[0]), bounds[1])
        if bool(np.isin(y, bounds).all()):
            share_of = total**2 / float(w @ w)
            away = (n * away + (bounds[1] - bounds[0]) ** 2) / (n + 1)
    unknown = 1 - study.chance * (~np.isnan(study.people)).mean(axis=1)
    these = asked**2 * study.inflation(w * (e - rest)) * float(w**2 * unknown @ away) / total**2
    spread = asked * float(w @ away) / total + float(expected.var())
    variance = these + study.inflation(expected - expected.mean()) * spread / many
    df = max(1.0, total**2 / float(w @ w) - LOST)
    if study.clusters is not None:
        df = min(df, np.unique(study.clusters[:n]).size - 1)
    mean = _interval(theta, variance, df, bounds, share_of, many)
    of_these = _interval(theta, these, df, bounds, share_of, many)
    alone = n / (n - 1) * float(w @ (y - float(w @ y) / total) ** 2) / total
    effective = alone / variance if mean.ci95 else None
    none = undefined(NO_WIDTH, many)
    return HumanScale(mean, of_these, none, none, none, n, many, weight, effective)


def _interval(
    theta: float, variance: float, df: float, bounds: Bounds | None, share_of: float | None, many: int
) -> Figure:
    """The estimate with its interval; share_of: of how many values it is a share, where people say one of two only."""
    if variance <= 1e-24 * max(1.0, theta**2):
        return figure(theta, many, None, NO_WIDTH)
    details: dict[str, Any] = {"se": math.sqrt(variance), "df": df}
    if bounds is not None and share_of is not None and theta in bounds:
        low, high = bounds
        ends = wilson_ends((theta - low) / (high - low), share_of, t_quantile(0.975, df))
        return figure(theta, many, (low + (high - low) * ends[0], low + (high - low) * ends[1]), **details)
    return figure(theta, many, interval_of_mean(theta, variance, df, bounds, share_of or 0.0), **details)


def _slope(y: Floats, own: Floats, w: Floats) -> float:
    """How far the curve is to be followed, between 0 and 1."""
    w = w / w.sum()
    away = own - w @ own
    spread = float(w @ away**2)
    return min(1.0, max(0.0, float(w @ (away * y)) / spread)) if spread > 0 else 0.0


ALL_RATED = Why(
    "사람이 모든 항목을 평가했으므로 이 항목들의 평균은 추정이 아니라 그대로 센 값입니다",
    "people rated every item, so the mean of these very items is counted and not estimated",
)


def _too_few(n: int) -> Why:
    return Why(
        f"사람과 AI 평가자가 함께 평가한 항목이 {FEWEST}개 이상이어야 하는데 {n}개입니다",
        f"at least {FEWEST} items rated by people and the judge are needed, there are {n}",
    )
