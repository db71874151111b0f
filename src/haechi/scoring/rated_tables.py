"""What ratings come to, as a table: with the meta fields of their items, and of pairs seen from both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from haechi.data.fields import EVERYTHING, Selection, is_of_rows
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import in_memory
from haechi.scoring.ratings import KEYS, Scores
from haechi.scoring.score_rows import choose_groupings
from haechi.scoring.score_table import ScoreTable, summary_of
from haechi.text import Text, did_you_mean

SYSTEM, OPPONENT, BASE = "system", "opponent", "base"
_SIDES = ("system_a", "system_b")


def rated_table(scores: Scores, exclude: tuple[str, ...], missing: Missing | None, place: str) -> ScoreTable:
    """What ratings come to, as a table; `scores` are by the rubric without what is excluded."""
    rubric, frame = scores.rubric, scores.frame
    names = tuple(name for name in rubric.score_names if name in frame.columns)
    of_rows = [name for name in frame.columns if name not in KEYS and is_of_rows(name)]
    table = ScoreTable(
        rubric=rubric,
        batches=in_memory(
            frame[[*KEYS, *of_rows, *names]],
            lambda: scores.reasons.select(pl.col(name).alias(f"why:{name}") for name in names),
        ),
        names=names,
        rows=frame.height,
        raters=frame["rater"].n_unique(),
        missing=missing or rubric.missing,
        summarise=list,
        excluded=exclude,
        rated=lambda: scores.elements,
        verdicts=scores.verdicts,
        place=place,
        of_rows=tuple(of_rows),
        judges=scores.judges,
    )
    return replace(table, summarise=lambda: summary_of(table, ()))


def with_meta(
    table: ScoreTable, meta: pl.DataFrame, by: Sequence[str], selection: Selection = EVERYTHING
) -> ScoreTable:
    """The same rows with the meta fields of their items, grouped; meta: (item, a column per field).

    `selection` is what the ratings were selected by; of the scores those are kept that it names.
    """
    taken = {*KEYS, *table.of_rows, *table.names}
    fields = tuple(name for name in meta.columns if name not in taken)
    groupings = choose_groupings(table.rubric, by, (*fields, *table.fields), table.raters)
    (items,) = table.batches(["item"])
    known = items.join(meta.select("item", *fields), on="item", how="left", maintain_order="left").drop(
        "item"
    )

    def batches(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        if columns is None:
            (own,) = table.batches()
            columns = [*KEYS, *fields, *(name for name in own.columns if name not in KEYS)]
        else:
            (own,) = table.batches(["item", *(name for name in columns if name not in ("item", *fields))])
        yield own.hstack(known)[list(columns)]

    made = replace(table, batches=batches, meta=fields, groupings=groupings).of_criteria(selection)
    return replace(made, summarise=lambda: summary_of(made, groupings))


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


def without_criteria(rubric: Rubric, exclude: tuple[str, ...]) -> Rubric:
    """The rubric less some criteria; an unknown name is refused."""
    unknown = [name for name in exclude if rubric.criterion(name) is None]
    if unknown:
        known = [c.score for c in rubric.criteria]
        names = ", ".join(known)
        expected = Text(f"다음 중 하나: {names}", f"one of {names}")
        todo = did_you_mean(unknown[0], known) or Text("--exclude를 고치세요", "correct --exclude")
        raise HaechiError.of("--exclude", ", ".join(unknown), expected, todo)
    return rubric.without(exclude) if exclude else rubric
