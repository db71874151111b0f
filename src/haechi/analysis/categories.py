"""Yes or no, verdicts and labels counted: how many items of every group most raters put into every category."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.analysis.compared_criterion import CategoryCounts, GroupScores
from haechi.analysis.compared_groups import ComparedItems
from haechi.analysis.counts import GroupCounts
from haechi.scoring.panel import most_said
from haechi.stats import contingency


def met_counts(groups: Sequence[GroupScores], words: tuple[str, str]) -> CategoryCounts:
    """Items met and unmet in every group."""
    counts = []
    for group in groups:
        share = group.share
        met = int(share.details.get("successes", 0)) if share is not None else 0
        counts.append((met, (share.n if share is not None else 0) - met))
    return CategoryCounts(words, tuple(counts), contingency(counts))


def category_counts(items: ComparedItems) -> dict[str, CategoryCounts]:
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
