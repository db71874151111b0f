"""The items of a comparison: one row per item and group, and which item of one group belongs to which other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from haechi.analysis.clustering import Clustering, find_clusters
from haechi.analysis.compared_groups import ComparedItems, compared_groups
from haechi.analysis.comparison_options import NOTHING_ASKED, ComparisonOptions
from haechi.analysis.counts import ComparedGroup, count_groups
from haechi.analysis.first_last import first_and_last
from haechi.analysis.group_pairs import GroupPairs, cluster_changes, matched_scores, one_to_one
from haechi.analysis.group_panels import group_panel
from haechi.analysis.group_ways import ItemWays
from haechi.data.fields import Where, split_fields
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.ratings import KEYS
from haechi.scoring.score_table import ScoreTable
from haechi.stats.sample import Sample
from haechi.text import Text


def compared_items(
    target: Path,
    by: str,
    rubric: str | Path | Rubric | None = None,
    asked: ComparisonOptions = NOTHING_ASKED,
    exclude: tuple[str, ...] = (),
    where: Where | None = None,
    wide: bool = False,
    reading: TableReading = AS_FOUND,
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
    scored: ScoreTable,
    by: tuple[str, ...],
    asked: ComparisonOptions = NOTHING_ASKED,
    ways: ItemWays | None = None,
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
    return with_design(compared_groups(scored, batches, by, counted, asked), meta, ways)


def _check_fields(asked: ComparisonOptions, known: Sequence[str]) -> None:
    """Fields that are asked for and not there; `--pair` says itself what it could be."""
    for option, name in (("--cluster-by", asked.cluster), *(("--with", one) for one in asked.outside)):
        if name not in (None, "none", *known):
            expected = Text(f"다음 중 하나: {', '.join(known)}", f"one of {', '.join(known)}")
            raise HaechiError.of(
                option, str(name), expected, Text(f"{option} 값을 고치세요", f"correct {option}")
            )


def _clusters(items: ComparedItems, batches: Batches) -> Clustering | None:
    of = GroupPairs(batches, items.names, items.by, tuple(items.compared.values()), "item")
    return find_clusters(of, items.asked, paired=items.pair is not None)


def with_design(items: ComparedItems, meta: Sequence[str], ways: ItemWays | None = None) -> ComparedItems:
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
        found = replace(found, pair=pair, matched=matched_scores(_sided(found, pair["field"])))
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


def _sided(items: ComparedItems, name: str) -> GroupPairs:
    rows = items.panel.rows(items.batches)
    return GroupPairs(rows, items.names, items.by, tuple(items.compared.values()), name)


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
        if one_to_one(replace(_sided(items, name), names=())):  # whatever the scores are
            return {"field": name, "chosen": "found"}
    return None
