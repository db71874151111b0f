"""The items of a comparison by their groups, counted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from haechi.analysis.clustering import Clustering
from haechi.analysis.comparison_options import NOTHING_ASKED, ComparisonOptions
from haechi.analysis.counts import ComparedGroup, ItemCounts
from haechi.analysis.group_panels import SAME_RATERS, GroupPanel
from haechi.data.fields import field_name, is_of_rows
from haechi.data.group_order import GroupKey, GroupOrder, given_order, group_orders, in_order
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.clusters import clustered_means
from haechi.scoring.human_scale import HumanScores
from haechi.scoring.judge_panel import PanelRater
from haechi.scoring.population import POOLED
from haechi.scoring.rule_zeros import unmeasured_scores
from haechi.scoring.score_table import ScoreTable
from haechi.stats.figure import Why
from haechi.stats.same_items import Changes, Matched
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.stats.figure import Figure


@frozen
class ComparedItems:
    """Scores of items by group, counted; an item's score is the mean over its raters.

    by: the fields that make the groups; groups: by label, in order; batches: the rows behind them. compared: the groups
    over the raters that all of them have; panel: who these are. order: of the groups, where they have one. pair: the
    field whose equal values bring items of several groups together, and how it was chosen; matched: these; changes: of
    what is met or unmet, by clusters. clusters: the
    values that come from one person; intervals: over them, of every group's means, where they were asked for. ruled: of
    every group the scores that are 0 by rule on all its runs. asked: what was wished. passes: from where scores pass, as
    the study states.
    """

    rubric: Rubric
    names: tuple[str, ...]
    by: tuple[str, ...]
    groups: Mapping[str, ComparedGroup]
    batches: Batches
    left_out: int = 0
    compared: Mapping[str, ComparedGroup] = field(default_factory=dict)
    panel: GroupPanel = SAME_RATERS
    order: GroupOrder | None = None
    pair: dict[str, str] | None = None
    matched: Mapping[str, Matched] | None = None
    changes: Mapping[str, Changes] = field(default_factory=dict)
    clusters: Clustering | None = None
    intervals: Mapping[str, Mapping[str, Figure]] = field(default_factory=dict)
    ruled: Mapping[str, frozenset[str]] = field(default_factory=dict)
    asked: ComparisonOptions = NOTHING_ASKED
    judges: PanelRater | None = None
    human: HumanScores | None = None
    passes: Mapping[str, float] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many items are compared."""
        return sum(group.n for group in self.groups.values())

    @property
    def pools_kinds(self) -> bool:
        """Whether means of items are over people and AI judges together, as `haechi score` says of the whole set."""
        has_means = any(map(self.rubric.has_mean, self.names))
        return self.panel.has_both and has_means and self.rubric.item != "run"

    @property
    def notes(self) -> tuple[Why, ...]:
        """What was left out, and how pairs were found."""
        notes: list[Why] = []
        if self.left_out:
            fields = ", ".join(self.by)
            notes.append(
                Why(
                    f"{fields} 값이 없는 항목 {self.left_out:,}개를 뺐습니다.",
                    f"{self.left_out:,} items without a value of {fields} were left out.",
                )
            )
        if self.pair and self.pair["chosen"] == "found":
            name = self.pair["field"]
            notes.append(
                Why(
                    f"집단마다 {field_name(name).ko} 값이 하나씩 빠짐없이 있어 짝지어 비교했습니다(--pair none으로 끔).",
                    f"All groups have each {name} exactly once, so they are compared in pairs too (--pair none "
                    "turns it off).",
                )
            )
        if self.order is not None and len(self.groups) > 2:
            listed = " < ".join(self.order.values)
            notes.append(
                Why(
                    f"집단에 순서가 있다고 보고 추세도 검정했습니다: {listed} ({self.order.why.ko}; --order none으로 끔).",
                    f"The groups have an order, so the trend is tested too: {listed} ({self.order.why.en}; --order none "
                    "turns it off).",
                )
            )
        if self.clusters is not None:
            notes.append(self.clusters.note)
        if self.intervals:
            own, too = self.asked.clusters, self.clusters is not None
            notes.append(
                Why(
                    f"집단 평균의 구간{'도' if too else '은'} {field_name(own or '').ko} 값이 같은 항목을 한 묶음으로 보고 구했습니다.",
                    f"The intervals of the groups' means are over clusters{' too' if too else ''}, the items of one {own}.",
                )
            )
        if self.pools_kinds:
            notes.append(Why(*POOLED))
        if self.panel.note is not None:
            notes.append(self.panel.note)
        if self.judges is not None:
            notes.append(Why(self.judges.about.ko, self.judges.about.say("en")))
        return tuple(notes)


def compared_groups(
    scored: ScoreTable,
    batches: Batches,
    by: tuple[str, ...],
    counted: Mapping[GroupKey, ItemCounts],
    asked: ComparisonOptions,
) -> ComparedItems:
    """What was counted, as groups in order; items without a value of a field that makes the groups are left out."""
    rubric, names = scored.rubric, scored.names
    known = [key for key in counted if None not in key]
    orders = _orders(by, known, asked)
    ordered = in_order(known, orders)
    groups = {
        label: ComparedGroup(dict(zip(by, map(str, key), strict=True)), counted[key].n, counted[key].scores)
        for label, key in zip(_labels(ordered), ordered, strict=True)
    }
    left_out = sum(group.n for key, group in counted.items() if None in key)
    order = orders[0] if len(by) == 1 else None
    ends = clustered_means(batches, rubric, names, asked.clusters, by) if asked.clusters else {}
    intervals = {
        label: ends[key] for label, group in groups.items() if (key := tuple(group.by.values())) in ends
    }
    ruled = unmeasured_scores(batches, rubric, names, by)
    return ComparedItems(
        rubric,
        names,
        by,
        groups,
        batches,
        left_out,
        groups,
        order=order,
        asked=asked,
        intervals=intervals,
        ruled={label: ruled.get(tuple(group.by.values()), frozenset()) for label, group in groups.items()},
        judges=scored.judges,
        human=_human_of(scored, by),
        passes=scored.passes,
    )


def _human_of(scored: ScoreTable, by: Sequence[str]) -> HumanScores | None:
    """What people would have given, where groups are of items that people and AI judges rated."""
    if not by or any(map(is_of_rows, by)) or not scored.human.is_there:
        return None
    return scored.human


def _orders(by: Sequence[str], keys: Sequence[GroupKey], asked: ComparisonOptions) -> list[GroupOrder | None]:
    """The order of the values of every field; what was asked for is about a single field."""
    if asked.order and len(by) == 1:
        return [given_order(asked.order, [str(value) for (value,) in keys])]
    if asked.first_last:
        return [
            GroupOrder(("last", "first"), (2.0, 1.0), Text("--first-last", "--first-last"))
        ]  # the change is last − first
    if asked.order is not None:
        return [None] * len(by)
    return group_orders(by, keys)


def _labels(keys: Sequence[GroupKey]) -> list[str]:
    """A label for every group; quoted where a value that holds the mark between them would make two the same.

    >>> _labels([("agent", "Q1")]), _labels([("a · b", "c"), ("a", "b · c")])
    (['agent · Q1'], ['"a · b" · "c"', '"a" · "b · c"'])
    """
    plain = [" · ".join(map(str, key)) or Text("전체", "all").say() for key in keys]
    if len(set(plain)) == len(plain):
        return plain
    return [" · ".join(json.dumps(str(value), ensure_ascii=False) for value in key) for key in keys]
