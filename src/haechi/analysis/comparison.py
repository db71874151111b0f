"""Groups of items compared, criterion by criterion: what `haechi compare` finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from haechi.analysis.compared_items import ComparedItems
from haechi.analysis.counts import ComparedGroup
from haechi.analysis.lazy import Lazy
from haechi.analysis.repeated_runs import MOST_QUERIES, RepeatedRuns, repeated_runs
from haechi.stats import (
    SEED,
    Figure,
    Group,
    ManySamples,
    Paired,
    TwoSamples,
    holm,
    many_samples,
    two_samples,
    wilson,
)
from haechi.stats.figure import Lang, Why
from haechi.stats.groups import describe_one
from haechi.stats.paired import differing

UNIT = Why(
    "한 항목의 점수는 평가자들의 평균입니다(같은 평가자의 반복은 먼저 평균). n은 항목 수입니다.",
    "An item's score is the mean over its raters (a rater's replicates are averaged first); n counts items.",
)
CORRECTED = Why(
    "보정한 p는 같은 검정을 기준마다 되풀이한 것을 Holm 방법으로 보정한 값입니다. "
    "세 집단 이상의 쌍 비교는 기준마다 쌍들에 대해 보정했습니다.",
    "p_corrected corrects each test for being repeated over the criteria (Holm); with three or more groups the "
    "pairs are corrected over the pairs of a criterion.",
)
TIES = Why(
    "평가자들의 의견이 반반인 항목은 비율에서 뺐습니다(n_ties).",
    "Items on which the raters tie are left out of the share (n_ties).",
)

MANY = Why(
    f"질의가 {MOST_QUERIES:,}개보다 많아 질의마다의 값(per_query)은 싣지 않았습니다.",
    f"There are more than {MOST_QUERIES:,} queries, so what each one came to (per_query) is left out.",
)

Result = TypeVar("Result", TwoSamples, Paired, ManySamples)
TESTS = {
    TwoSamples: ("welch_t", "mann_whitney"),
    Paired: ("t_test", "wilcoxon", "sign_flip"),
    ManySamples: ("welch_anova", "kruskal_wallis"),
}


@dataclass(frozen=True)
class GroupScores:
    """One group on one criterion; `share` and `n_ties` for yes-or-no criteria: items that most raters call met."""

    by: Mapping[str, str]
    described: Group
    share: Figure | None
    n_ties: int = 0

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {"by": dict(self.by), **self.described.as_json(lang)}
        if self.share is not None:
            said |= {"proportion": self.share.as_json(lang), "n_ties": self.n_ties}
        return said


@dataclass(frozen=True)
class ComparedCriterion:
    """One criterion: the groups, and the tests that fit their number."""

    groups: tuple[GroupScores, ...]
    two: TwoSamples | None = None
    paired: Paired | None = None
    many: ManySamples | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said: dict[str, Any] = {"groups": [group.as_json(lang) for group in self.groups]}
        for name, found in (("two_samples", self.two), ("paired", self.paired), ("many_samples", self.many)):
            if found is not None:
                said[name] = found.as_json(lang)
        return said


@dataclass(frozen=True)
class Comparison:
    """What `haechi compare` finds: the groups of a score when they are first asked for, the tests of all scores together."""

    items: ComparedItems
    seed: int = SEED

    @cached_property
    def groups(self) -> Mapping[str, tuple[GroupScores, ...]]:
        """Of every score the groups."""
        items = self.items
        return Lazy(
            items.names,
            lambda name: tuple(_group(items, name, label, group) for label, group in items.groups.items()),
        )

    @cached_property
    def criteria(self) -> Mapping[str, ComparedCriterion]:
        """Of every score the groups and the tests; these are corrected for being made on every score."""
        found = {name: self._tested(name) for name in self.items.names}
        for kind in ("two", "paired", "many"):
            found = _corrected(found, kind)
        return found

    def _tested(self, name: str) -> ComparedCriterion:
        items, groups = self.items, self.groups[name]
        values = {label: group.scores[name] for label, group in items.groups.items()}
        if len(values) != 2:
            return ComparedCriterion(groups, many=many_samples(values) if len(values) > 2 else None)
        first, second = values.values()
        matched = None
        if items.differences is not None:
            size = max(first.largest, second.largest)
            matched = differing(items.differences[name].without_noise(size), self.seed)
        return ComparedCriterion(groups, two=two_samples(first, second), paired=matched)

    @cached_property
    def repeats(self) -> RepeatedRuns | None:
        """What repeated runs of a query come to; only for agent runs."""
        return repeated_runs(self.items) if self.items.rubric.item == "run" else None

    @property
    def notes(self) -> tuple[Why, ...]:
        """What a reader must know."""
        binary = any(group.share is not None for found in self.criteria.values() for group in found.groups)
        many = self.items.rubric.item == "run" and self.repeats is not None and self.repeats.per_query is None
        return (UNIT, *([TIES] if binary else []), CORRECTED, *([MANY] if many else []), *self.items.notes)

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The contract of `haechi compare --json`."""
        items = self.items
        said: dict[str, Any] = {
            "rubric": items.rubric.id,
            "by": list(items.by),
            "groups": [{"by": dict(group.by), "n": group.n} for group in items.groups.values()],
            "left_out": items.left_out,
            "paired_by": items.pair,
            "correction": {"method": "Holm", "over": "criteria", "pairs_over": "pairs of groups"},
            "criteria": {name: found.as_json(lang) for name, found in self.criteria.items()},
        }
        said |= {"repeats": self.repeats.as_json(lang)} if self.repeats else {}
        return said | {"notes": [note.say(lang) for note in self.notes], "seed": self.seed}


def _group(items: ComparedItems, name: str, label: str, group: ComparedGroup) -> GroupScores:
    sample = group.scores[name]
    described = describe_one(label, sample, group.n, items.rubric.range(name))
    criterion = items.rubric.criterion(name)
    if criterion is None or not criterion.scale.counts_met:
        return GroupScores(group.by, described, None)
    met, unmet, ties = (
        int(sample.count[which].sum())
        for which in (sample.values > 0.5, sample.values < 0.5, sample.values == 0.5)
    )
    return GroupScores(group.by, described, wilson(met, met + unmet), ties)


def _corrected(found: dict[str, ComparedCriterion], kind: str) -> dict[str, ComparedCriterion]:
    results = {name: getattr(one, kind) for name, one in found.items() if getattr(one, kind) is not None}
    corrected = over_criteria(results)
    return {
        name: replace(one, **{kind: corrected[name]}) if name in corrected else one
        for name, one in found.items()
    }


def over_criteria(results: Mapping[str, Result]) -> dict[str, Result]:
    """Each test's p-values corrected by Holm over the criteria on which it could be made.

    >>> both = {"a": two_samples([1, 2, 3], [4, 5, 7]), "b": two_samples([1, 2, 3], [2, 3, 3])}
    >>> first = over_criteria(both)["a"].welch_t
    >>> round(first.p_corrected / first.p, 6)
    2.0
    """
    corrected = dict(results)
    for test in TESTS[type(next(iter(results.values())))] if results else ():
        made = [name for name, one in corrected.items() if getattr(one, test).p is not None]
        for name, p in zip(made, holm([getattr(corrected[n], test).p for n in made]).tolist(), strict=True):
            outcome = replace(getattr(corrected[name], test), p_corrected=p)
            corrected[name] = replace(corrected[name], **{test: outcome})
    return corrected
