"""Pairs scored by system: of every verdict a row for each of the two systems, with the share of the vote that it got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from haechi.scoring.batches import in_memory
from haechi.scoring.ratings import KEYS
from haechi.scoring.score_table import ScoreTable, choose_groupings, summary_of

SYSTEM, OPPONENT, BASE = "system", "opponent", "base"
_SIDES = ("system_a", "system_b")


def by_system(table: ScoreTable, by: Sequence[str]) -> ScoreTable:
    """The same verdicts seen from both sides: what is 1 for a is 0 for b, a tie half for both.

    A share of wins means nothing without its system, which is the grouping where none was asked for. Pairs of one context
    are one cluster.
    """
    (frame,) = table.batches()
    for side in _SIDES:
        if side not in frame.columns:
            frame = frame.with_columns(pl.lit(None, pl.String).alias(side))
    numbered = frame.with_row_index("\0row")
    own = [name for name in table.rubric.score_names if name in frame.columns]
    of_a = numbered.with_columns(pl.col("system_a").alias(SYSTEM), pl.col("system_b").alias(OPPONENT))
    of_b = numbered.with_columns(
        pl.col("system_b").alias(SYSTEM),
        pl.col("system_a").alias(OPPONENT),
        *((1 - pl.col(name)).alias(name) for name in own),
    )
    both = pl.concat([of_a, of_b]).sort("\0row", maintain_order=True).drop("\0row", *_SIDES)
    fields = (SYSTEM, OPPONENT, *(name for name in table.meta if name not in _SIDES))
    rest = [name for name in both.columns if name not in (*KEYS, *fields)]
    groupings = choose_groupings(table.rubric, by or [SYSTEM], (*fields, "rater", "kind"), table.raters)
    made = replace(
        table,
        batches=in_memory(both.select(*KEYS, *fields, *rest)),
        rows=both.height,
        meta=fields,
        groupings=groupings,
        cluster_by=BASE if BASE in fields else None,
    )
    return replace(made, summarise=lambda: summary_of(made, groupings))
