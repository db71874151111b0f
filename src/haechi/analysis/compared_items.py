"""The items of a comparison: one row per item and group, and which item of one group belongs to which other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.analysis.asked import NOTHING_ASKED, Asked
from haechi.analysis.clustering import Clustering, find_clusters
from haechi.analysis.counts import ComparedGroup, Counted, Key, count_groups
from haechi.analysis.first_last import first_and_last
from haechi.analysis.group_order import Order, find_order, given_order
from haechi.analysis.group_panels import SAME_RATERS, GroupPanel, group_panel
from haechi.analysis.group_ways import ItemWays
from haechi.analysis.pairs import Sided, cluster_changes, matched, one_to_one
from haechi.data.fields import Where, field_name, is_of_rows, split_fields
from haechi.data.tables import AS_FOUND, Reading
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.clusters import clustered_means
from haechi.scoring.human_scale import HumanScores
from haechi.scoring.judge_panel import JudgePanel
from haechi.scoring.ratings import KEYS
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.unmeasured import unmeasured
from haechi.stats.figure import Why
from haechi.stats.same_items import Changes, Matched
from haechi.stats.sample import Sample
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
    every group the scores that are 0 by rule on all its runs. asked: what was wished.
    """

    rubric: Rubric
    names: tuple[str, ...]
    by: tuple[str, ...]
    groups: Mapping[str, ComparedGroup]
    batches: Batches
    left_out: int = 0
    compared: Mapping[str, ComparedGroup] = field(default_factory=dict)
    panel: GroupPanel = SAME_RATERS
    order: Order | None = None
    pair: dict[str, str] | None = None
    matched: Mapping[str, Matched] | None = None
    changes: Mapping[str, Changes] = field(default_factory=dict)
    clusters: Clustering | None = None
    intervals: Mapping[str, Mapping[str, Figure]] = field(default_factory=dict)
    ruled: Mapping[str, frozenset[str]] = field(default_factory=dict)
    asked: Asked = NOTHING_ASKED
    judges: JudgePanel | None = None
    human: HumanScores | None = None

    @property
    def n(self) -> int:
        """How many items are compared."""
        return sum(group.n for group in self.groups.values())

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
                    f"모든 집단에 {name} 값이 하나씩 맞물려 있어 짝지어 비교했습니다(--pair none으로 끔).",
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
        if self.panel.note is not None:
            notes.append(self.panel.note)
        if self.judges is not None:
            notes.append(Why(self.judges.about.ko, self.judges.about.say("en")))
        return tuple(notes)


def compared_items(
    target: Path,
    by: str,
    rubric: str | Path | Rubric | None = None,
    asked: Asked = NOTHING_ASKED,
    exclude: tuple[str, ...] = (),
    where: Where | None = None,
    wide: bool = False,
    reading: Reading = AS_FOUND,
) -> ComparedItems:
    """The items of a file, grouped by one or more fields (`mode` or `mode,level`); without a rubric, of any ratings table."""
    from haechi.scoring.plain_tables import table_scores  # and all that reads files
    from haechi.scoring.sources import score_files

    fields = split_fields(by)
    wished = [",".join(fields)] if fields else []
    if rubric is None:
        scored = table_scores(target, wished, asked.fields, exclude, where, wide, reading)
    else:
        scored = score_files(
            [target], rubric, wished, exclude, keep=asked.fields, where=where, reading=reading
        )
    if fields:
        (fields,) = scored.groupings  # by the names that columns have with us, however they are spelt
    return grouped_items(scored, fields, asked)


def grouped_items(
    scored: ScoreTable, by: tuple[str, ...], asked: Asked = NOTHING_ASKED, ways: ItemWays | None = None
) -> ComparedItems:
    """The items of a table of scores, one row per item and rater, grouped by some of its fields.

    ways: how judges were asked about every item, where a study was not judged in one way throughout.
    """
    _check_fields(asked, scored.meta)
    batches = first_and_last(scored.batches, by, asked.pair) if asked.first_last else scored.batches
    (counted,) = count_groups(batches, scored.names, [by])
    if by and all(None in key for key in counted):
        found = Text(f"{', '.join(by)} 값이 있는 항목 없음", f"no item with a value of {', '.join(by)}")
        expected = Text("집단을 나눌 수 있는 필드", "a field that makes groups")
        raise HaechiError.of("--by", found, expected, Text("--by를 고치세요", "correct --by"))
    meta = tuple(name for name in scored.meta if name not in (*by, *KEYS))
    asked = asked.or_cluster(scored.cluster)
    grouped = compared_groups(scored.rubric, scored.names, batches, by, counted, asked, scored.judges)
    return replace(designed(grouped, meta, ways), human=human_of(scored, by))


def human_of(scored: ScoreTable, by: Sequence[str]) -> HumanScores | None:
    """What people would have given, where groups are of items that people and AI judges rated."""
    if not by or any(map(is_of_rows, by)) or not scored.human.is_there:
        return None
    return scored.human


def _check_fields(asked: Asked, known: Sequence[str]) -> None:
    """Fields that are asked for and not there; `--pair` says itself what it could be."""
    for option, name in (("--cluster-by", asked.cluster), *(("--with", one) for one in asked.outside)):
        if name not in (None, "none", *known):
            expected = Text(f"다음 중 하나: {', '.join(known)}", f"one of {', '.join(known)}")
            raise HaechiError.of(
                option, str(name), expected, Text(f"{option} 값을 고치세요", f"correct {option}")
            )


def compared_groups(
    rubric: Rubric,
    names: Sequence[str],
    batches: Batches,
    by: tuple[str, ...],
    counted: Mapping[Key, Counted],
    asked: Asked = NOTHING_ASKED,
    judges: JudgePanel | None = None,
) -> ComparedItems:
    """What was counted, as groups in order; items without a value of a field that makes the groups are left out."""
    known = [key for key in counted if None not in key]
    orders = _orders(by, known, asked)
    places = [{value: at for at, value in enumerate(order.values)} if order else {} for order in orders]
    ordered = sorted(
        known,
        key=lambda key: [
            (own.get(str(value), -1), _order(value)) for own, value in zip(places, key, strict=True)
        ],
    )
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
    ruled = unmeasured(batches, rubric, names, by)
    found = ComparedItems(
        rubric, tuple(names), by, groups, batches, left_out, groups, order=order, asked=asked, judges=judges
    )
    return replace(
        found,
        intervals=intervals,
        ruled={label: ruled.get(tuple(group.by.values()), frozenset()) for label, group in groups.items()},
    )


def _orders(by: Sequence[str], keys: Sequence[Key], asked: Asked) -> list[Order | None]:
    """The order of the values of every field; what was asked for is about a single field."""
    values = [list(dict.fromkeys(str(key[place]) for key in keys)) for place in range(len(by))]
    if asked.order and len(by) == 1:
        return [given_order(asked.order, values[0])]
    if asked.first_last:
        return [
            Order(("last", "first"), (2.0, 1.0), Why("--first-last", "--first-last"))
        ]  # the change is last − first
    if asked.order is not None:
        return [None] * len(by)
    return [find_order(name, own) for name, own in zip(by, values, strict=True)]


def _labels(keys: Sequence[Key]) -> list[str]:
    """A label for every group; quoted where a value that holds the mark between them would make two the same.

    >>> _labels([("agent", "Q1")]), _labels([("a · b", "c"), ("a", "b · c")])
    (['agent · Q1'], ['"a · b" · "c"', '"a" · "b · c"'])
    """
    plain = [" · ".join(map(str, key)) or Text("전체", "all").say() for key in keys]
    if len(set(plain)) == len(plain):
        return plain
    return [" · ".join(json.dumps(str(value), ensure_ascii=False) for value in key) for key in keys]


def _clusters(items: ComparedItems, batches: Batches) -> Clustering | None:
    of = Sided(batches, items.names, items.by, tuple(items.compared.values()), "item")
    return find_clusters(of, items.asked, paired=items.pair is not None)


def designed(items: ComparedItems, meta: Sequence[str], ways: ItemWays | None = None) -> ComparedItems:
    """The same with what belongs together: common raters, pairs of items, clusters of items."""
    if len(items.groups) < 2:
        return replace(items, clusters=_clusters(items, items.batches) if items.asked.outside else None)
    panel = group_panel(items.batches, items.by, ways)
    found = replace(items, panel=panel)
    if panel.how == "common":
        (counted,) = count_groups(panel.rows(items.batches), items.names, [items.by])
        own = {tuple(map(str, key)): one for key, one in counted.items() if None not in key}
        none = {name: Sample.of([]) for name in items.names}
        compared = {
            label: ComparedGroup(group.by, one.n if one else 0, one.scores if one else none)
            for label, group in items.groups.items()
            for one in [own.get(tuple(group.by.values()))]
        }
        found = replace(found, compared=compared)
    pair = _pair(found, meta, items.asked.pair)
    if pair is not None:
        found = replace(found, pair=pair, matched=matched(_sided(found, pair["field"])))
        if pair["chosen"] == "asked":
            return found
    return _with_changes(replace(found, clusters=_clusters(found, panel.rows(items.batches))))


def _with_changes(items: ComparedItems) -> ComparedItems:
    """The same with what changed in every cluster, where items are paired, come in clusters, and are met or unmet."""
    if items.clusters is None or items.pair is None or items.clusters.field == items.pair["field"]:
        return items
    met = [c.score for c in items.rubric.criteria if c.scale.counts_met and c.score in items.names]
    sides = replace(_sided(items, items.pair["field"]), names=met, whose=items.clusters.field)
    return replace(items, changes=cluster_changes(sides)) if met else items


def _sided(items: ComparedItems, name: str) -> Sided:
    rows = items.panel.rows(items.batches)
    return Sided(rows, items.names, items.by, tuple(items.compared.values()), name)


def _pair(items: ComparedItems, meta: Sequence[str], wished: str | None) -> dict[str, str] | None:
    """The field that makes pairs: the one asked for, else one whose values all groups have exactly once."""
    candidates = [name for name in ("item", *meta) if name not in items.by]
    if wished == "none":
        return None
    if wished is not None:
        if wished not in candidates:
            expected = Text(f"다음 중 하나: {', '.join(candidates)}", f"one of {', '.join(candidates)}")
            raise HaechiError.of("--pair", wished, expected, Text("--pair를 고치세요", "correct --pair"))
        return {"field": wished, "chosen": "asked"}
    sizes = {group.n for group in items.compared.values()}
    if len(sizes) != 1 or min(sizes) < 2 or (items.asked.clusters and not items.asked.found):
        return None
    for name in candidates:
        if one_to_one(_sided(items, name)):
            return {"field": name, "chosen": "found"}
    return None


def _order(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then words."""
    try:
        return (0, float(value), "")
    except (TypeError, ValueError):
        return (1, 0.0, str(value))
