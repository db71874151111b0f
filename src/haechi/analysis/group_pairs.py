"""Items that belong together: which of one group belongs to which of another, and which come from one person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from haechi.analysis.counts import ComparedGroup
from haechi.frozen import frozen
from haechi.scoring.batches import Batches, brought_together
from haechi.scoring.clusters import CLUSTER, SUM, N, cluster_of, cluster_sums
from haechi.scoring.panel import panel_means
from haechi.scoring.tally import Counts
from haechi.stats.clusters import Clustered
from haechi.stats.same_items import Matched
from haechi.stats.sample import Sample

SIDE = "\0side"


@frozen
class GroupPairs:
    """Groups of one set of items, and a field that brings items of several groups together."""

    batches: Batches
    names: Sequence[str]
    by: tuple[str, ...]
    groups: Sequence[ComparedGroup]
    field: str
    whose: str | None = None
    """The field that makes clusters of what belongs together, where somebody asks for it."""

    def pieces(self) -> Iterator[pl.DataFrame]:
        """The items of the groups: their field, the scores, and which group they are of (0, 1, …)."""
        keys = list(dict.fromkeys([*self.by, "item"]))
        fields = [name for name in dict.fromkeys([self.field, self.whose]) if name is not None]
        for frame in self.batches(list(dict.fromkeys([*keys, "rater", *fields, *self.names]))):
            items = panel_means(frame, self.names, keys, [name for name in fields if name not in keys])
            side = pl.lit(None if self.by else 0, pl.Int32)  # without a field all items are one group
            for number, group in enumerate(self.groups if self.by else ()):
                own = [pl.col(name).cast(pl.String) == value for name, value in group.by.items()]
                side = pl.when(pl.all_horizontal(own)).then(pl.lit(number, pl.Int32)).otherwise(side)
            item = [] if "item" in fields else ["item"]
            yield items.select(*fields, *item, side.alias(SIDE), *self.names).drop_nulls(SIDE)

    def together(self) -> Iterator[pl.DataFrame]:
        """The same, items of equal values in one piece."""
        return brought_together(self.pieces(), self.field, sum(group.n for group in self.groups))


def one_to_one(sides: GroupPairs) -> bool:
    """Whether every group has every value of the field exactly once."""
    key = [sides.field, SIDE]
    # Most fields are refused by the first piece, before anything is brought together.
    if any(
        piece[sides.field].null_count() or piece.select(key).is_duplicated().any() for piece in sides.pieces()
    ):
        return False
    return all(
        not piece.select(key).is_duplicated().any()
        and (piece[sides.field].value_counts()["count"] == len(sides.groups)).all()
        for piece in sides.together()
    )


def matched_scores(sides: GroupPairs) -> dict[str, Matched]:
    """Every score of the values of the field that two groups or more have: a row per value, a column per group."""
    columns = [str(side) for side in range(len(sides.groups))]
    counts = {name: Counts(columns) for name in sides.names}
    for piece in sides.together():
        means = piece.drop_nulls(sides.field).group_by(sides.field, SIDE, maintain_order=True)
        means_ = means.agg(pl.col(name).mean() for name in sides.names)
        for name, counted in counts.items():
            wide = means_.pivot(SIDE, index=sides.field, values=name)
            absent = [pl.lit(None, pl.Float64).alias(one) for one in columns if one not in wide.columns]
            rows = wide.with_columns(absent).select(columns)
            counted.add(rows.filter(pl.sum_horizontal(pl.all().is_not_null()) > 1))
    return {name: _matched(counted.total(), columns) for name, counted in counts.items()}


def _matched(total: pl.DataFrame, columns: Sequence[str]) -> Matched:
    values = total.select(pl.col(columns).cast(pl.Float64).fill_null(np.nan)).to_numpy().astype(np.float64)
    return Matched(values.reshape(-1, len(columns)), total[:, -1].to_numpy().astype(np.int64))


def cluster_changes(sides: GroupPairs) -> dict[str, dict[tuple[int, int], Sample]]:
    """Of every score and every two groups the net changes of the clusters: items that most call met in the first only, less the others."""
    columns = [str(side) for side in range(len(sides.groups))]
    pairs = list(combinations(range(len(columns)), 2))
    whose = cluster_of(sides.whose or sides.field, sides.field)
    parts: dict[str, list[pl.DataFrame]] = {name: [] for name in sides.names}
    for piece in sides.together():
        known = piece.drop_nulls(sides.field).with_columns(whose)
        means = known.group_by(sides.field, SIDE, maintain_order=True).agg(
            pl.col(CLUSTER).first(), *(pl.col(name).mean() for name in sides.names)
        )
        own = means.group_by(sides.field, maintain_order=True).agg(pl.col(CLUSTER).first())
        for name, made in parts.items():
            wide = means.pivot(SIDE, index=sides.field, values=name)
            absent = [pl.lit(None, pl.Float64).alias(one) for one in columns if one not in wide.columns]
            met = [pl.when(pl.col(one) != 0.5).then((pl.col(one) > 0.5).cast(pl.Int64)) for one in columns]
            nets = [(met[i] - met[j]).sum().alias(f"{i}:{j}") for i, j in pairs]
            made.append(wide.with_columns(absent).join(own, on=sides.field).group_by(CLUSTER).agg(nets))
    found = {}
    for name, made in parts.items():
        total = pl.concat(made).group_by(CLUSTER).sum()
        found[name] = {(i, j): Sample.of(total[f"{i}:{j}"].to_numpy()) for i, j in pairs}
    return found


def clustered(sides: GroupPairs) -> tuple[dict[str, Clustered], int]:
    """How many values every cluster has in every group and their sum, of every score; items without a value are counted."""
    alone = sum(piece[sides.field].null_count() for piece in sides.pieces())
    return cluster_totals(sides.pieces(), sides.field, sides.names, len(sides.groups)), alone


def cluster_totals(
    pieces: Iterable[pl.DataFrame], field: str, names: Sequence[str], groups: int
) -> dict[str, Clustered]:
    """The same of rows that say in `SIDE` of which group they are; an item without a value is a cluster of its own."""
    total = cluster_sums(pieces, field, names, [SIDE])
    row = total[CLUSTER].rle_id().cast(pl.Int64).to_numpy()
    column = total[SIDE].to_numpy()
    shape = int(row.max(initial=-1)) + 1, groups
    found = {}
    for name in names:
        sums_, sizes_ = np.zeros(shape), np.zeros(shape, dtype=np.int64)
        sums_[row, column], sizes_[row, column] = total[SUM + name].to_numpy(), total[N + name].to_numpy()
        found[name] = Clustered(sizes_, sums_)
    return found
