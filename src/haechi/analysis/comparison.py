"""Groups of items compared, criterion by criterion: what `haechi compare` finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from haechi.analysis.compared_criterion import (
    CategoryCounts,
    ComparedCriterion,
    GroupScores,
    without_interval,
)
from haechi.analysis.compared_groups import ComparedItems
from haechi.analysis.counts import ComparedGroup, GroupCounts, describe_score
from haechi.analysis.criterion_tests import TESTS, families, test_criterion
from haechi.analysis.human_groups import HumanGroups
from haechi.analysis.outside_number import OutsideNumber, correlations
from haechi.analysis.repeated_runs import MOST_QUERIES, RepeatedRuns, repeated_runs
from haechi.frozen import frozen
from haechi.scoring.panel import most_said
from haechi.stats import SEED, contingency, wilson
from haechi.stats.corrections import CORRECTION_NAMES, correct, correct_each
from haechi.stats.figure import Lang, Why
from haechi.stats.lazy import LazyMapping

if TYPE_CHECKING:
    from haechi.analysis.group_bridges import BridgedGroups

UNIT = Why(
    "한 항목의 점수는 평가자들의 평균입니다(같은 평가자의 반복은 먼저 평균). n은 항목 수입니다.",
    "An item's score is the mean over its raters (a rater's replicates are averaged first); n counts items.",
)
TIES = Why(
    "평가자들의 의견이 반반인 항목은 비율에서 뺐습니다.",
    "Items on which the raters tie are left out of the share.",
)
LABELS = Why(
    "범주형(명목) 기준은 평균을 내지 않고, 가장 많은 평가자가 고른 범주로 항목을 셌습니다. 동수인 항목은 뺐습니다.",
    "Labels have no mean: an item counts in the category that most of its raters chose, and where they tie in none.",
)
MANY = Why(
    f"질의가 {MOST_QUERIES:,}개보다 많아 질의마다의 값(per_query)은 싣지 않았습니다.",
    f"There are more than {MOST_QUERIES:,} queries, so what each one came to (per_query) is left out.",
)
_FAMILIES = {
    "headline": Why("대표 점수", "the headline score"),
    "criteria": Why("기준들", "the criteria"),
    "areas": Why("그 밖의 합계들", "the other sums"),
}


@frozen
class Comparison:
    """What `haechi compare` finds: the groups of a score when they are first asked for, the tests of all scores together."""

    items: ComparedItems
    seed: int = SEED
    bridge: Callable[[ComparedItems, int], BridgedGroups | None] | None = None
    """Brings two groups that a judge was not asked about alike to one scale, where a study has anchors."""

    @cached_property
    def bridged(self) -> BridgedGroups | None:
        """The difference of two groups over anchors; None where it is taken without, or cannot be taken."""
        if self.bridge is None or self.items.panel.how != "none":
            return None
        return self.bridge(self.items, self.seed)

    @cached_property
    def groups(self) -> Mapping[str, tuple[GroupScores, ...]]:
        """Of every score the groups, over all raters."""
        items = self.items
        return LazyMapping(
            items.names,
            lambda name: tuple(_group(items, name, label, group) for label, group in items.groups.items()),
        )

    @cached_property
    def families(self) -> dict[str, tuple[str, ...]]:
        """The scores that answer one question together, over which p-values are corrected."""
        return families(self.items.rubric, self.items.names)

    @cached_property
    def criteria(self) -> Mapping[str, ComparedCriterion]:
        """Of every score the groups and the tests; these are corrected over the scores of its family."""
        found = {
            name: test_criterion(self.items, name, self.groups[name], self._counts.get(name), self.seed)
            for name in self.items.names
        }
        for family in self.families.values():
            found |= _corrected(found, family, self.items)
        return {name: found[name] for name in self.items.names}

    @property
    def measured(self) -> dict[str, ComparedCriterion]:
        """The scores that have a mean; labels are counted only."""
        return {name: one for name, one in self.criteria.items() if self.items.rubric.has_mean(name)}

    @cached_property
    def _counts(self) -> Mapping[str, CategoryCounts]:
        """What falls into categories, counted: met and unmet, verdicts, labels."""
        items = self.items
        if len(items.groups) < 2:
            return {}
        met = {
            name: _met_counts(self.groups[name], ("met", "unmet"))
            for name in items.names
            if items.rubric.is_met(name)
        }
        return met | _category_counts(items)

    @cached_property
    def outside(self) -> tuple[OutsideNumber, ...]:
        """The correlations with numbers from outside that were asked for."""
        return tuple(correlations(self.items, field) for field in self.items.asked.outside)

    @cached_property
    def repeats(self) -> RepeatedRuns | None:
        """What repeated runs of a query come to, or repeated trials of an item."""
        return repeated_runs(self.items)

    def human(self, name: str) -> HumanGroups | None:
        """What people would have given for every group; None where people or AI judges did not rate."""
        items = self.items
        if items.human is None or items.asked.first_last or len(items.groups) < 1:
            return None
        known = items.human.groups(items.by)
        groups = {
            label: known.get(tuple(map(str, group.by.values())), frozenset())
            for label, group in items.groups.items()
        }
        field = (items.pair or {}).get("field")
        partners = items.human.values(field) if field else {}
        return HumanGroups(items.human, name, items.rubric.range(name), groups, partners)

    @property
    def correction(self) -> Why:
        """Which p-values are corrected over what."""
        method = self.items.asked.correction
        if method == "none":
            return Why(
                "p는 보정하지 않았습니다(--correct none).", "p-values are not corrected (--correct none)."
            )
        name, known = CORRECTION_NAMES[method], self.families
        parts = [_FAMILIES[family] for family, of in known.items() if family != "headline" and len(of) > 1]
        over = [Why(f"{one.ko}끼리", one.en) for one in parts]
        alone = "headline" in known
        ko = "p는 검정통계량과 짝이 되는 원래 값이고, 보정한 p는 따로 적었습니다"
        en = "p belongs to its statistic; the corrected p is a second one"
        ko += f"({name} 방법, {', '.join(one.ko for one in over)} 보정" if over else f"({name} 방법"
        en += f" ({name}, over {' and over '.join(one.en for one in over)}" if over else f" ({name}"
        ko += "; 대표 점수는 하나의 물음이라 보정하지 않음)." if alone else ")."
        en += "; the headline score is one question and is not corrected)." if alone else ")."
        if len(self.items.groups) > 2:
            ko, en = (
                ko + " 쌍 비교는 점수마다 쌍들끼리 보정했습니다.",
                en + " Pairs are corrected over the pairs of a score.",
            )
        return Why(ko, en)

    @property
    def about_correction(self) -> list[Why]:
        """The same where something is corrected or could be: of two groups on one score there is one p."""
        groups, several = len(self.items.groups), any(len(of) > 1 for of in self.families.values())
        return [self.correction] if groups > 2 or (groups == 2 and several) else []

    @property
    def notes(self) -> tuple[Why, ...]:
        """What a reader must know."""
        binary = any(group.share is not None for found in self.criteria.values() for group in found.groups)
        many = self.repeats is not None and self.repeats.per_query is None
        labels = len(self.measured) < len(self.criteria)
        return (
            UNIT,
            *([TIES] if binary else []),
            *([LABELS] if labels else []),
            *self.about_correction,
            *([MANY] if many else []),
            *self._notes_of_items(),
        )

    def _notes_of_items(self) -> tuple[Why, ...]:
        """What is said of the items; of a bridge in place of the refusal that it makes unnecessary."""
        notes, panel = self.items.notes, self.items.panel
        if self.bridged is None:
            return notes
        named = [Why(*panel.asked.named)] if panel.asked.named is not None else []
        return (*(one for one in notes if one != panel.note), *named, self.bridged.note)

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The contract of `haechi compare --json`."""
        items = self.items
        over = {name: list(of) for name, of in self.families.items()}
        method = CORRECTION_NAMES.get(items.asked.correction, "none")
        said: dict[str, Any] = {
            "rubric": items.rubric.id,
            "by": list(items.by),
            "groups": [{"by": dict(group.by), "n": group.n} for group in items.groups.values()],
            "left_out": items.left_out,
            "order": list(items.order.values) if items.order and not items.asked.first_last else None,
            "paired_by": items.pair,
            "clustered_by": items.clusters.as_json() if items.clusters else None,
            "panel": items.panel.as_json(lang),
            "correction": {
                "method": method,
                "over": "criteria",
                "families": over,
                "pairs_over": "pairs of groups",
            },
            "criteria": {name: found.as_json(lang) for name, found in self.criteria.items()},
        }
        for name in items.names if items.human is not None else ():
            if (human := self.human(name)) is not None:
                said["criteria"][name]["human_scale"] = human.as_json(lang)
        if self.bridged is not None:
            said["panel"]["asked"]["comparable"] = "bridged"
            said["panel"]["words"] = self.bridged.note.say(lang)
            for name in self.bridged.scores:
                said["criteria"][name]["bridged"] = self.bridged.as_json(name, lang)
        said |= {"with": {one.field: one.as_json(lang) for one in self.outside}} if self.outside else {}
        said |= {"repeats": self.repeats.as_json(lang)} if self.repeats else {}
        return said | {"notes": [note.say(lang) for note in self.notes], "seed": self.seed}


def _group(items: ComparedItems, name: str, label: str, group: ComparedGroup) -> GroupScores:
    sample = group.scores[name]
    over, ruled = items.intervals.get(label, {}).get(name), name in items.ruled.get(label, ())
    cluster = items.asked.clusters
    described = describe_score(items.rubric, name, label, sample, group.n, cluster, over, ruled)
    if not items.rubric.is_met(name):
        return GroupScores(group.by, described, None)
    met, unmet, ties = (
        int(sample.count[which].sum())
        for which in (sample.values > 0.5, sample.values < 0.5, sample.values == 0.5)
    )
    share = wilson(met, met + unmet)
    return GroupScores(group.by, described, share if cluster is None else without_interval(share), ties)


def _corrected(
    found: Mapping[str, ComparedCriterion], family: Sequence[str], items: ComparedItems
) -> dict[str, ComparedCriterion]:
    """The scores of a family, every test corrected over them."""
    own, method = {name: found[name] for name in family}, items.asked.correction
    by_clusters = {"interaction": ("clustered",)} if items.clusters is not None else {}
    for kind, tests in (TESTS | by_clusters).items():
        names = [name for name, one in own.items() if getattr(one, kind) is not None]
        made = correct_each([getattr(own[name], kind) for name in names], tests, method)
        own |= {name: replace(own[name], **{kind: one}) for name, one in zip(names, made, strict=True)}
    return own | _clusters_corrected(own, items)


def _clusters_corrected(
    own: Mapping[str, ComparedCriterion], items: ComparedItems
) -> dict[str, ComparedCriterion]:
    """Tests that count clusters; pairs of three groups or more are corrected over the pairs already."""
    known = {name: one.clustered for name, one in own.items() if one.clustered is not None}
    if not known:
        return {}
    method, first = items.asked.correction, list(known.values())
    if first[0].omnibus is None:
        tests = correct([one.pairs[0].test for one in first], method)
        made = [
            replace(one, pairs=(replace(one.pairs[0], test=test),))
            for one, test in zip(first, tests, strict=True)
        ]
    else:
        named = ["omnibus"] + (["linear"] if first[0].linear is not None else [])
        made = correct_each(first, named, method)
    return {name: replace(own[name], clustered=one) for name, one in zip(known, made, strict=True)}


def _met_counts(groups: Sequence[GroupScores], words: tuple[str, str]) -> CategoryCounts:
    """Items met and unmet in every group."""
    counts = []
    for group in groups:
        share = group.share
        met = int(share.details.get("successes", 0)) if share is not None else 0
        counts.append((met, (share.n if share is not None else 0) - met))
    return CategoryCounts(words, tuple(counts), contingency(counts))


def _category_counts(items: ComparedItems) -> dict[str, CategoryCounts]:
    """Of every criterion whose values are categories, yes-or-no criteria left out: items by the value most raters gave.

    Items on which raters tie are in no category.
    """
    scales = {name: criterion.scale for name in items.names if (criterion := items.rubric.criterion(name))}
    names = [name for name, scale in scales.items() if scale.is_category and not scale.counts_met]
    if not names:
        return {}
    counts = {name: GroupCounts([name], items.by) for name in names}
    keys = list(dict.fromkeys([*items.by, "item"]))
    for frame in items.batches(list(dict.fromkeys([*keys, "rater", *names]))):
        for name in names:
            counts[name].add(most_said(frame, keys, name))
    found = {}
    for name in names:
        groups = {tuple(map(str, key)): one for key, one in counts[name].groups().items() if None not in key}
        samples = [groups[tuple(group.by.values())].scores[name] for group in items.groups.values()]
        points = sorted({float(point) for sample in samples for point in sample.values})
        table = tuple(
            tuple(int(sample.count[sample.values == point].sum()) for point in points) for sample in samples
        )
        words = tuple(scales[name].category(point) for point in points)
        if len(points) > 1:
            found[name] = CategoryCounts(words, table, contingency(table))
    return found
