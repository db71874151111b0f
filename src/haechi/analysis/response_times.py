"""Response times of agent runs: their means and how slow the slowest are, over clusters where runs come in such."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from haechi.analysis.counts import GroupCounts, ItemCounts
from haechi.data.group_order import GroupKey
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.clusters import CLUSTER, SUM, N, cluster_sums, mean_over_clusters, several_in_one
from haechi.scoring.score_table import ScoreTable
from haechi.stats.figure import Figure
from haechi.stats.groups import Group, describe_one
from haechi.stats.quantile import InClusters, quantile
from haechi.stats.sample import Sample, count_rows

TIMES = (0.0, float("inf"))
"""Between what response times lie."""
SECONDS, TOOL_CLASS = "details:seconds", "details:tool_class"
TIME_QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95}
NO_TIMES = ItemCounts(0, {SECONDS: Sample.of([])})


def response_times(batches: Batches, rubric: Rubric) -> dict[str, ItemCounts]:
    """Response times of agent runs: of all under "", of a tool class under its latency score; else nothing."""
    if SECONDS not in next(batches()).columns:
        return {}
    classes = counted_times(batches, [TOOL_CLASS])
    values, counts = count_rows([one.scores[SECONDS] for one in classes.values()])
    every = ItemCounts(sum(one.n for one in classes.values()), {SECONDS: Sample(values, counts.sum(axis=0))})
    return {"": every} | {c.score: classes.get((c.only,), NO_TIMES) for c in rubric.criteria if c.only}


def counted_times(batches: Batches, by: Sequence[str]) -> dict[GroupKey, ItemCounts]:
    """The response times of every group of runs."""
    counts = GroupCounts([SECONDS], by)
    for frame in batches(list(dict.fromkeys(["item", SECONDS, *by]))):
        counts.add(frame.unique("item", keep="first", maintain_order=True).with_columns(_texts(by)))
    return counts.groups()


def times_over_clusters(batches: Batches, rubric: Rubric, field: str | None) -> dict[str, Figure]:
    """The mean of every response time with its interval over clusters of runs; nothing without such."""
    if field is None or SECONDS not in next(batches()).columns:
        return {}
    found = _in_clusters(batches, field, [TOOL_CLASS])
    if not several_in_one(found):
        return {}
    of = {c.score: found.filter(pl.col(TOOL_CLASS) == c.only) for c in rubric.criteria if c.only}
    of[""] = found.drop(TOOL_CLASS).group_by(CLUSTER, maintain_order=True).sum()
    return {name: _mean(rows) for name, rows in of.items()}


def described_times(scored: ScoreTable, times: Mapping[str, ItemCounts]) -> dict[str, Group]:
    """Response times in short, by their names, with intervals over clusters where runs come in such."""
    over = times_over_clusters(scored.batches, scored.rubric, scored.cluster)
    return {
        name: describe_time(name or "seconds", one, scored.cluster, over.get(name))
        for name, one in times.items()
    }


def describe_time(name: str, one: ItemCounts, field: str | None, found: Figure | None) -> Group:
    """A response time in short, with its interval over clusters where there are such."""
    group = describe_one(name, one.scores[SECONDS], one.n, TIMES)
    return group if field is None else group.over_clusters(field, found)


def group_times(batches: Batches, field: str | None, by: Sequence[str]) -> dict[GroupKey, Figure]:
    """The means of groups of runs over clusters; nothing without such."""
    found = pl.DataFrame() if field is None else _in_clusters(batches, field, by)
    if not several_in_one(found):
        return {}
    return {key: _mean(rows) for key, rows in found.partition_by(by, as_dict=True).items()}


def time_quantiles(
    batches: Batches, field: str | None, by: Sequence[str], samples: Mapping[GroupKey, Sample]
) -> dict[GroupKey, dict[str, Figure]]:
    """How long runs take that are slower than half, nine tenths and nineteen twentieths, of every group of runs.

    samples: the response times of the groups, by the values of the fields `by`.
    """
    plain = {
        key: {name: quantile(sample, share) for name, share in TIME_QUANTILES.items()}
        for key, sample in samples.items()
    }
    known = {key: found for key, found in plain.items() if samples[key].n}
    if field is None or not known:
        return plain
    rows = [(*key, *(one.value for one in found.values())) for key, found in known.items()]
    schema = {**dict.fromkeys(by, pl.String), **dict.fromkeys(TIME_QUANTILES, pl.Float64)}
    counted = _in_clusters(batches, field, by, pl.DataFrame(rows, schema, orient="row"))
    if not several_in_one(counted):
        return plain
    parts = counted.partition_by(by, as_dict=True) if by else {(): counted}
    for key in known:
        own = parts[key]
        for name, share in TIME_QUANTILES.items():
            clusters = InClusters(own[SUM + name].to_numpy(), own[N].to_numpy())
            plain[key][name] = quantile(samples[key], share, clusters)
    return plain


def quantiles_of_classes(
    batches: Batches, rubric: Rubric, field: str | None, times: Mapping[str, Sample]
) -> dict[str, dict[str, Figure]]:
    """The same of all runs under "", and of every tool class under its latency score."""
    if not times:
        return {}
    classes = {c.score: (c.only,) for c in rubric.criteria if c.only}
    own = {key: times[name] for name, key in classes.items()}
    found = time_quantiles(batches, field, [TOOL_CLASS], own)
    whole = time_quantiles(batches, field, [], {(): times[""]})
    return {"": whole[()]} | {name: found[key] for name, key in classes.items()}


def _in_clusters(
    batches: Batches, field: str, by: Sequence[str], at: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Of every cluster in every group how many response times it has and their sum, and how many lie at most at each of `at`."""
    names = [SECONDS, *(at.columns[len(by) :] if at is not None else ())]

    def pieces() -> Iterator[pl.DataFrame]:
        for frame in batches(list(dict.fromkeys(["item", SECONDS, *by, field]))):
            runs = frame.unique("item", keep="first", maintain_order=True).drop_nulls(SECONDS)
            runs = runs.with_columns(_texts(by))
            if at is not None:
                runs = runs.join(at, on=list(by)) if by else runs.join(at, how="cross")
            yield runs.with_columns((pl.col(SECONDS) <= pl.col(name)).alias(name) for name in names[1:])

    return cluster_sums(pieces(), field, names, by)


def _texts(by: Sequence[str]) -> list[pl.Expr]:
    return [pl.col(name).cast(pl.String) for name in by]


def _mean(rows: pl.DataFrame) -> Figure:
    return mean_over_clusters(rows, SECONDS, TIMES)
