"""How often every value of every score occurs, in every group: what all means and tests of groups follow from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from haechi.data.group_order import GroupKey
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.scoring.rule_zeros import nothing_measured
from haechi.scoring.tally import VALUE, N, Tally
from haechi.stats.figure import Figure
from haechi.stats.groups import Group, describe_one, names_alone
from haechi.stats.sample import Sample


@frozen
class ItemCounts:
    """The items of a group: how many, and every score of those that have it."""

    n: int
    scores: dict[str, Sample]


@frozen
class ComparedGroup:
    """One group: the fields that make it, how many items, and every score of those that have it."""

    by: Mapping[str, str]
    n: int
    scores: Mapping[str, Sample]


class GroupCounts:
    """Counts the scores of items by group; `names` are the scores, `by` the fields that make the groups.

    >>> counts = GroupCounts(["total"], ["mode"])
    >>> counts.add(pl.DataFrame({"mode": ["a", "b", "a"], "total": [3.0, 4.0, None]}))
    >>> {key: (group.n, group.scores["total"].n) for key, group in counts.groups().items()}
    {('a',): (2, 1), ('b',): (1, 1)}
    """

    def __init__(self, names: Sequence[str], by: Sequence[str]) -> None:
        self.by = tuple(by)
        self._sizes: dict[GroupKey, int] = {}
        self._tally = Tally(names, by)

    def add(self, items: pl.DataFrame) -> None:
        """Count some items, one row each."""
        sizes = items.group_by(*self.by, maintain_order=True).len().rows() if self.by else [(items.height,)]
        for *key, size in sizes:
            self._sizes[tuple(key)] = self._sizes.get(tuple(key), 0) + size
        self._tally.add(items)

    def groups(self) -> dict[GroupKey, ItemCounts]:
        """Every group, in the order of first appearance."""
        values, names = self._tally.values(), self._tally.names
        return {
            key: ItemCounts(size, {name: _sample(values.get((*key, name))) for name in names})
            for key, size in self._sizes.items()
        }


def count_groups(
    batches: Batches, names: Sequence[str], groupings: Sequence[Sequence[str]]
) -> list[dict[GroupKey, ItemCounts]]:
    """The groups of several groupings in one pass; `()` makes one group of all items.

    An item counts in a group with the mean of its raters there.
    """
    made = [GroupCounts(names, by) for by in groupings]
    columns = list(dict.fromkeys(["item", "rater", *(field for by in groupings for field in by), *names]))
    for frame in batches(columns):
        for counts in made:
            keys = list(dict.fromkeys([*counts.by, "item"]))
            counts.add(panel_means(frame, names, keys))
    return [counts.groups() for counts in made]


def describe_score(
    rubric: Rubric,
    name: str,
    label: str,
    sample: Sample,
    size: int,
    cluster: str | None = None,
    over: Figure | None = None,
    ruled: bool = False,
) -> Group:
    """One score of a group that is called `label` and has so many members; of labels only how many there are.

    cluster: the field whose values make clusters of items, `over` the mean with its interval over these; ruled: whether the
    score is 0 by rule on all of them, so that there is no interval of it.
    """
    if not rubric.has_mean(name):
        return names_alone(label, sample, size)
    group = describe_one(label, sample, size, rubric.range(name))
    if ruled:
        return group.without_interval(nothing_measured())
    return group if cluster is None else group.over_clusters(cluster, over)


def _sample(counted: pl.DataFrame | None) -> Sample:
    if counted is None:
        return Sample.of([])
    return Sample(counted[VALUE].to_numpy().astype(np.float64), counted[N].to_numpy().astype(np.int64))
