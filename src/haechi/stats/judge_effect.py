"""What moves a judge that should not: how its scores go with a trait of the answers, or change when the answers are changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.clusters import Clustered
from haechi.stats.corrections import holm
from haechi.stats.figure import Figure, Lang, Why, undefined
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Floats, Given, as_values
from haechi.stats.reasons import fewer_than
from haechi.stats.slope import slope

FEWEST = 10
"""Items with a trait and without it, or changed ones, below which nothing is said."""
LEVEL = 0.05
NO_CHANGE = Why("모든 항목에서 점수가 그대로입니다", "the score stayed the same on every item")


@frozen
class JudgeEffect:
    """One effect in points of the score: `points` as the judge gave them; `against_people` what of it people did not give, None
    where they did not rate; `test` is of the one that decides, `against_people` where it has a value."""

    points: Figure
    against_people: Figure | None
    test: Outcome
    n_with: int

    @property
    def deciding(self) -> Figure:
        """The figure that is judged by."""
        known = self.against_people
        return self.points if known is None or known.value is None else known

    @property
    def is_adjusted(self) -> bool:
        """Whether people's ratings were taken off."""
        return self.deciding is not self.points

    @property
    def found(self) -> bool:
        """Whether it was shown, corrected for the other effects that were looked for."""
        return self.test.decisive is not None and self.test.decisive < LEVEL

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        people = None if self.against_people is None else self.against_people.as_json(lang)
        own = {"points": self.points.as_json(lang), "against_people": people, "test": self.test.as_json(lang)}
        return {**own, "n_with": self.n_with, "found": self.found}


def judge_effect(
    scores: Given, trait: Given, people: Given | None = None, clusters: Given | None = None
) -> JudgeEffect:
    """How a judge's scores go with a trait of the answers; what people gave for the same items is taken off where it is known.

    Formula: b = Σ (x − x̄)(y − ȳ) / Σ (x − x̄)², x the trait; `points` with y the judge's scores, `against_people` with y = judge −
    people. Interval and test are those of `slope` (CR2, clusters). Good answers may be longer, and a judge that says so is
    right: only the second is a bias of the judge. Below 20 items, or 10 that differ from what most are, there is neither.

    scores, trait, people: (n,), NaN where missing; a trait of 0 and 1 gives a difference of means, log₂ of a length points per doubling.
    References: Bell & McCaffrey 2002 and Pustejovsky & Tipton 2018, as of `slope`. R: clubSandwich::coef_test(lm(judge -
    people ~ trait), vcov = "CR2", test = "Satterthwaite").

    >>> length, people = [3, 4, 5, 6, 7] * 6, [2, 3, 3, 4, 4, 3] * 5
    >>> judge = [p + 0.5 * (x - 5) + (n % 4 - 1.5) / 5 for n, (p, x) in enumerate(zip(people, length))]
    >>> found = judge_effect(judge, length, people)
    >>> round(found.against_people.value, 2), found.found
    (0.5, True)
    """
    given, has = as_values(scores), as_values(trait)
    n_with = _n_with(has[~np.isnan(given) & ~np.isnan(has)])
    points, test = _slope(given, has, clusters)
    if people is None:
        return JudgeEffect(points, None, test, n_with)
    apart = given - as_values(people)
    against, own = _slope(apart, has, clusters)
    return JudgeEffect(points, against, own if against.value is not None else test, n_with)


def paired_effect(changed: Given, as_is: Given, clusters: Given | None = None) -> JudgeEffect:
    """By how much a judge's score moves when one thing about an item is changed: the mean difference over the same items.

    Formula: d̄ ± t s/√n, d = changed − as_is; in clusters the variance is Σ_c (Σ (d − d̄) / √(1 − n_c/n))² / n², CR2 with
    Satterthwaite's degrees of freedom. Where all items move alike that is 0: whether they moved at all is then an exact
    test of signs over the G clusters, p = 2/2^G.

    changed, as_is: (n,), NaN where missing; clusters: (n,) anything hashable, every item one of its own by default.
    References: Student 1908, Biometrika 6, 1–25; Bell & McCaffrey 2002, Survey Methodology 28, 169–181.
    R: t.test(changed, as_is, paired = TRUE); clubSandwich::coef_test(lm(changed - as_is ~ 1), vcov = "CR2"); binom.test(G, G).

    >>> found = paired_effect([4, 5, 3, 4, 5, 4, 3, 5, 4, 4], [3, 4, 3, 3, 4, 4, 2, 4, 4, 3])
    >>> found.points.value, found.found
    (0.7, True)
    >>> paired_effect([4] * 3, [3] * 3).points.why.en
    'at least 10 items that were asked both ways are needed, there are 3'
    """
    d = as_values(changed) - as_values(as_is)
    known = ~np.isnan(d)
    n = int(known.sum())
    if n < FEWEST:
        why = fewer_than(FEWEST, "두 가지로 물은 항목", "items that were asked both ways", n)
        return JudgeEffect(undefined(why, n), None, no_outcome("paired", why, n), n)
    whose = np.arange(d.size) if clusters is None else np.asarray(clusters, object)
    points, test = Clustered.of(d[known], np.zeros(n), whose[known]).contrast([1.0], "paired")
    many = int(points.details.get("clusters", 1))
    if test.p is None and points.value == 0:
        points, test = replace(points, why_no_ci=NO_CHANGE), no_outcome("paired", NO_CHANGE, n)
    elif test.p is None and points.value is not None:
        test = outcome("signs", float(n), 2.0 ** (1 - many), n, method="exact")
    return JudgeEffect(points, None, test, n)


def holm_effects(effects: Mapping[str, JudgeEffect]) -> dict[str, JudgeEffect]:
    """Effects that were looked for together, their p-values corrected by Holm: any false alarm at most 5 % of the time.

    >>> same = [3, 4, 2, 5, 3, 4, 2, 5, 3, 4]
    >>> found = holm_effects({"a": paired_effect([x + 1 for x in same], same), "b": paired_effect(same, same)})
    >>> found["a"].test.p_corrected, found["b"].found
    (0.001953125, False)
    """
    tested = [name for name, one in effects.items() if one.test.p is not None]
    p = dict(
        zip(tested, holm([effects[name].test.p for name in tested]).tolist() if tested else [], strict=True)
    )
    return {
        name: replace(one, test=replace(one.test, p_corrected=p[name], correction="holm"))
        if name in p
        else one
        for name, one in effects.items()
    }


def _slope(values: Floats, trait: Floats, clusters: Given | None) -> tuple[Figure, Outcome]:
    known = ~(np.isnan(values) | np.isnan(trait))
    n, n_with = int(known.sum()), _n_with(trait[known])
    why = None
    if n < 2 * FEWEST:
        why = fewer_than(2 * FEWEST, "항목", "items", n)
    elif n_with < FEWEST:
        why = fewer_than(FEWEST, "나머지와 다른 항목", "items that differ from the rest", n_with)
    if why is not None:
        return undefined(why, n), no_outcome("slope", why, n)
    return slope(values, trait, clusters)


def _n_with(trait: Floats) -> int:
    """How many items are apart from what most are."""
    counts = np.unique(trait, return_counts=True)[1]
    return int(trait.size - counts.max(initial=0))
