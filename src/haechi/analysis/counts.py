"""How often every value of every score occurs, in every group: what all means and tests of groups follow from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.tally import VALUE, N, Tally
from haechi.scoring.unmeasured import nothing_measured
from haechi.stats.figure import Figure
from haechi.stats.groups import Group, describe_one
from haechi.stats.population import clustered_mean
from haechi.stats.sample import Sample, aligned

TIMES = (0.0, float("inf"))
"""Between what response times lie."""

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Counted:
    """The items of a group: how many, and every score of those that have it."""

    n: int
    scores: dict[str, Sample]


@dataclass(frozen=True)
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
        self._sizes: dict[Key, int] = {}
        self._tally = Tally(names, by)

    def add(self, items: pl.DataFrame) -> None:
        """Count some items, one row each."""
        sizes = items.group_by(*self.by, maintain_order=True).len().rows() if self.by else [(items.height,)]
        for *key, size in sizes:
            self._sizes[tuple(key)] = self._sizes.get(tuple(key), 0) + size
        self._tally.add(items)

    def groups(self) -> dict[Key, Counted]:
        """Every group, in the order of first appearance."""
        values, names = self._tally.values(), self._tally.names
        return {
            key: Counted(size, {name: _sample(values.get((*key, name))) for name in names})
            for key, size in self._sizes.items()
        }


def count_groups(
    batches: Batches, names: Sequence[str], groupings: Sequence[Sequence[str]]
) -> list[dict[Key, Counted]]:
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


def describe_scores(counted: Counted, rubric: Rubric) -> dict[str, Group]:
    """Every score over the items."""
    return {
        name: describe_one(name, sample, counted.n, rubric.range(name))
        for name, sample in counted.scores.items()
    }


def response_times(batches: Batches, rubric: Rubric) -> dict[str, Counted]:
    """Response times of agent runs: of all under "", of a tool class under its latency score; else nothing."""
    seconds, of_class = "details:seconds", "details:tool_class"
    if seconds not in next(batches()).columns:
        return {}
    by_class = GroupCounts([seconds], [of_class])
    for frame in batches(["item", seconds, of_class]):
        by_class.add(frame.unique("item", keep="first", maintain_order=True))
    classes = by_class.groups()
    values, counts = aligned([one.scores[seconds] for one in classes.values()])
    every = Counted(sum(one.n for one in classes.values()), {seconds: Sample(values, counts.sum(axis=0))})
    none = Counted(0, {seconds: Sample.of([])})
    return {"": every} | {c.score: classes.get((c.only,), none) for c in rubric.criteria if c.only}


def times_over_clusters(batches: Batches, rubric: Rubric, field: str | None) -> dict[str, Figure]:
    """The mean of every response time with its interval over clusters of runs; nothing without such."""
    seconds, of_class, whose = "details:seconds", "details:tool_class", "\0whose"
    if field is None or seconds not in next(batches()).columns:
        return {}
    own = pl.coalesce(pl.col(field).cast(pl.String), pl.col("item")).alias(whose)
    known = pl.col(seconds).sum().alias("sum"), pl.col(seconds).count().alias("n")
    found: pl.DataFrame | None = None
    for frame in batches(list(dict.fromkeys(["item", seconds, of_class, field]))):
        piece = frame.unique("item", keep="first").group_by(own, of_class).agg(known)
        found = piece if found is None else pl.concat([found, piece]).group_by(whose, of_class).sum()
    if found is None or found["n"].max() in (None, 0, 1):
        return {}
    of = {c.score: found.filter(pl.col(of_class) == c.only) for c in rubric.criteria if c.only}
    of[""] = found.drop(of_class).group_by(whose).sum()
    return {name: _over_clusters(rows.sort(whose)) for name, rows in of.items()}


def _over_clusters(rows: pl.DataFrame) -> Figure:
    return clustered_mean(rows["sum"].to_numpy(), rows["n"].to_numpy(), TIMES)


def describe_time(name: str, one: Counted, field: str | None, found: Mapping[str, Figure]) -> Group:
    """A response time in short, with its interval over clusters where there are such."""
    (sample,) = one.scores.values()
    group = describe_one(name or "seconds", sample, one.n, TIMES)
    return group if field is None else group.over_clusters(field, found.get(name))


class ItemFigures(NamedTuple):
    """Every score over the items, and the response times of agent runs."""

    whole: Mapping[str, Group]
    seconds: Mapping[str, Group]


def item_figures(scored: ScoreTable) -> ItemFigures:
    """The figures of scored items, from their rows."""
    ((counted,),) = (groups.values() for groups in count_groups(scored.batches, scored.names, [()]))
    times = response_times(scored.batches, scored.rubric)
    whole, ends = describe_scores(counted, scored.rubric), scored.over_clusters().get((), {})
    if scored.cluster is not None:
        whole = {name: one.over_clusters(scored.cluster, ends.get(name)) for name, one in whole.items()}
    for name in scored.unmeasured().get((), ()):
        whole[name] = whole[name].without_interval(nothing_measured())
    field, clustered = scored.cluster, times_over_clusters(scored.batches, scored.rubric, scored.cluster)
    return ItemFigures(
        whole, {name: describe_time(name, one, field, clustered) for name, one in times.items()}
    )


def _sample(counted: pl.DataFrame | None) -> Sample:
    if counted is None:
        return Sample.of([])
    return Sample(counted[VALUE].to_numpy().astype(np.float64), counted[N].to_numpy().astype(np.int64))
