"""The tests of one score: those that fit the number of groups, their order, and what belongs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from haechi.analysis.compared_criterion import (
    CategoryCounts,
    ClusteredGroups,
    ClusteredPair,
    ComparedCriterion,
    GroupScores,
    WithinMargin,
)
from haechi.analysis.compared_groups import ComparedItems
from haechi.analysis.crossed_fields import crossed_tests
from haechi.analysis.panel_change import code_scores
from haechi.rubrics import Rubric
from haechi.stats import ManySamples, equivalence, many_samples, same_items, trend, two_samples
from haechi.stats.clusters import Clustered
from haechi.stats.corrections import correct
from haechi.stats.figure import Why, undefined
from haechi.stats.outcome import no_outcome
from haechi.stats.paired import PAIRED_TESTS, paired_differences
from haechi.stats.reasons import NEED_NUMBERS
from haechi.stats.same_items import mcnemar_of
from haechi.stats.sample import Sample
from haechi.stats.trend import slope_weights
from haechi.stats.two_samples import TwoSamples

BY_RULE_THROUGHOUT = Why(
    "규칙에 따라 모두 0점인 집단이 있어 견줄 것이 없습니다",
    "a group is 0 by rule throughout, so there is nothing to compare",
)
TESTS = {
    "two": ("welch_t", "mann_whitney"),
    "paired": PAIRED_TESTS,
    "mcnemar": ("exact", "mid_p"),
    "many": ("welch_anova", "kruskal_wallis"),
    "same": ("friedman",),
    "trend": ("linear", "jonckheere"),
    "interaction": ("anova", "welch_james"),
}


def test_criterion(
    items: ComparedItems,
    name: str,
    groups: tuple[GroupScores, ...],
    categories: CategoryCounts | None,
    seed: int,
) -> ComparedCriterion:
    """The groups of one score and all tests that fit."""
    found = ComparedCriterion(groups, counts=categories)
    values = {label: group.scores[name] for label, group in items.compared.items()}
    if len(values) < 2:
        return found
    if items.panel.how == "none" and name not in code_scores(items.rubric, items.names):
        return _refused(
            replace(found, counts=None), sum(one.n for one in values.values()), Why(*items.panel.why)
        )
    if any(name in own for own in items.ruled.values()):
        return _refused(found, sum(one.n for one in values.values()), BY_RULE_THROUGHOUT)
    if not items.rubric.has_mean(name):
        return _refused(found, sum(one.n for one in values.values()), NEED_NUMBERS)
    found = (
        _two(found, items, name, values, seed)
        if len(values) == 2
        else _many(found, items, name, values, seed)
    )
    if items.clusters is not None:
        found = replace(found, clustered=_clustered(items, items.clusters.scores[name]))
    if len(items.by) == 2:
        found = crossed_tests(found, items, name, values)
    margin = items.asked.margins.get(name)
    return found if margin is None else replace(found, equivalence=_within(found, list(values), margin))


def _refused(found: ComparedCriterion, n: int, why: Why) -> ComparedCriterion:
    """No difference is taken, and every figure says why."""
    if len(found.groups) > 2:
        nothing = ManySamples(no_outcome("welch_anova", why, n), no_outcome("kruskal_wallis", why, n), ())
        return replace(found, many=nothing, refused=why)
    none, t, u = undefined(why, n), no_outcome("welch_t", why, n), no_outcome("mann_whitney", why, n)
    return replace(found, two=TwoSamples(none, t, u, none, none, none), refused=why)


def _two(
    found: ComparedCriterion, items: ComparedItems, name: str, values: Mapping[str, Sample], seed: int
) -> ComparedCriterion:
    found = replace(found, two=two_samples(*values.values()))
    if items.matched is None:
        return found
    own = items.matched[name]
    found = replace(found, paired=paired_differences(own.difference(0, 1), seed))
    if not items.rubric.is_met(name):
        return found
    return replace(found, mcnemar=mcnemar_of(own.met(), 0, 1, items.changes.get(name)))


def _many(
    found: ComparedCriterion, items: ComparedItems, name: str, values: Mapping[str, Sample], seed: int
) -> ComparedCriterion:
    method = items.asked.correction
    found = replace(found, many=many_samples(values, method))
    if items.matched is not None:
        met, changes = items.rubric.is_met(name), items.changes.get(name)
        same = same_items(items.matched[name], list(values), met, method, seed, changes)
        found = replace(found, same=same)
    if items.order is not None:
        found = replace(found, trend=trend(list(values.values()), items.order.steps))
    return found


def _clustered(items: ComparedItems, own: Clustered) -> ClusteredGroups:
    labels = list(items.compared)
    pairs = []
    for i, j in combinations(range(len(labels)), 2):
        weights = [1.0 if at == i else -1.0 if at == j else 0.0 for at in range(len(labels))]
        pairs.append(ClusteredPair(labels[i], labels[j], *own.contrast(weights)))
    if len(labels) == 2:
        return ClusteredGroups(tuple(pairs))
    tests = correct([pair.test for pair in pairs], items.asked.correction)
    made = tuple(replace(pair, test=test) for pair, test in zip(pairs, tests, strict=True))
    found = ClusteredGroups(made, own.omnibus())
    if items.order is None:
        return found
    per_step, linear = own.contrast(slope_weights(items.order.steps), "linear")
    return replace(found, per_step=per_step, linear=linear)


def _within(found: ComparedCriterion, labels: Sequence[str], margin: float) -> tuple[WithinMargin, ...]:
    """Every two groups against the margin: in pairs or by clusters where they are, else by Welch's t."""
    if found.clustered is not None:
        known = [(pair.a, pair.b, pair.difference, pair.test) for pair in found.clustered.pairs]
    elif found.paired is not None:
        known = [(labels[0], labels[1], found.paired.difference, found.paired.t_test)]
    elif found.same is not None:
        known = [(p.a, p.b, p.comparison.difference, p.comparison.t_test) for p in found.same.pairs]
    elif found.two is not None:
        known = [(labels[0], labels[1], found.two.difference, found.two.welch_t)]
    else:
        pairs = found.many.pairs if found.many else ()
        known = [(p.a, p.b, p.comparison.difference, p.comparison.welch_t) for p in pairs]
    return tuple(
        WithinMargin(a, b, equivalence(difference, test, margin)) for a, b, difference, test in known
    )


def families(rubric: Rubric, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The scores that answer one question together: the headline alone, the criteria, and what is made of some of them.

    A total and its parts are not two questions, so that neither pays for the other.

    >>> import haechi
    >>> rubric = haechi.rubric("maice-qac")
    >>> {name: len(of) for name, of in families(rubric, rubric.score_names).items()}
    {'headline': 1, 'criteria': 8, 'areas': 3}
    """
    main = rubric.main_score(names)
    criteria = tuple(name for name in names if rubric.criterion(name) is not None)
    areas = tuple(name for name in names if name not in criteria and name != main)
    headline = () if main in criteria else (main,)
    found = {"headline": headline, "criteria": criteria, "areas": areas}
    return {name: of for name, of in found.items() if of}
