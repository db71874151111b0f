"""Pairs of items: which of one group belongs to which of another, however many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from haechi.analysis.counts import ComparedGroup, GroupCounts
from haechi.scoring.batches import Batches, brought_together
from haechi.scoring.panel import panel_means
from haechi.stats.sample import Sample

SIDE = "\0side"


@dataclass(frozen=True)
class TwoGroups:
    """Two groups of one set of items, and the field whose equal values make pairs."""

    batches: Batches
    names: Sequence[str]
    by: tuple[str, ...]
    groups: Sequence[ComparedGroup]
    field: str

    def pieces(self) -> Iterator[pl.DataFrame]:
        """The items of both groups: the field, the scores, and which side they are on (0 or 1)."""
        keys = list(dict.fromkeys([*self.by, "item"]))
        for frame in self.batches(list(dict.fromkeys([*keys, "rater", self.field, *self.names]))):
            items = panel_means(frame, self.names, keys, [self.field] if self.field not in keys else [])
            side = pl.lit(None, pl.Int8)
            for number, group in enumerate(self.groups):
                own = [pl.col(name).cast(pl.String) == value for name, value in group.by.items()]
                side = pl.when(pl.all_horizontal(own)).then(pl.lit(number, pl.Int8)).otherwise(side)
            yield items.select(self.field, side.alias(SIDE), *self.names).drop_nulls(SIDE)

    def together(self) -> Iterator[pl.DataFrame]:
        """The same, items of equal values in one piece."""
        return brought_together(self.pieces(), self.field, sum(group.n for group in self.groups))


def one_to_one(sides: TwoGroups) -> bool:
    """Whether both groups have every value of the field exactly once."""
    key = [sides.field, SIDE]
    # Most fields are refused by the first piece, before anything is brought together.
    if any(
        piece[sides.field].null_count() or piece.select(key).is_duplicated().any() for piece in sides.pieces()
    ):
        return False
    return all(
        not piece.select(key).is_duplicated().any()
        and (piece[sides.field].value_counts()["count"] == 2).all()
        for piece in sides.together()
    )


def differences(sides: TwoGroups) -> dict[str, Sample]:
    """First − second of every score, over the values of the field that both groups have."""
    names, counts = sides.names, GroupCounts(sides.names, [])
    for piece in sides.together():
        means = [pl.col(name).mean() for name in names]
        first, second = (
            piece.filter(pl.col(SIDE) == side).group_by(sides.field, maintain_order=True).agg(means)
            for side in (0, 1)
        )
        joined = first.join(second, on=sides.field, suffix="\0second", maintain_order="left")
        counts.add(joined.select((pl.col(name) - pl.col(f"{name}\0second")).alias(name) for name in names))
    return counts.groups()[()].scores
