"""Queries that did not give the same result in every round, however many runs there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from haechi.scoring.batches import brought_together

COLUMNS = ("query", "round", "details:label", "details:signature")
LISTED = 30
_ORDER = {"descending": [True, False], "nulls_last": True}


@dataclass(frozen=True)
class ChangedQueries:
    """How many of how many queries changed, and those that changed most, with their labels and scores."""

    n: int
    n_queries: int
    most: pl.DataFrame


def changed_queries(runs: Iterable[pl.DataFrame], main: str, n_runs: int) -> ChangedQueries:
    """Queries whose label, answer or main score is not the same in every round; none where there is one round.

    >>> runs = {"query": ["q1", "q1"], "round": ["1", "2"], "details:label": ["ADD", "VIEW"]}
    >>> frame = pl.DataFrame(runs | {"details:signature": ["x", "x"], "overall": [5.0, 4.0]})
    >>> changed_queries([frame], "overall", 2).most["spread"].to_list()
    [1.0]
    """
    rounds: set[str | None] = set()
    n = n_queries = 0
    most: list[pl.DataFrame] = []
    for together in brought_together(_numbered(runs, rounds), "query", n_runs):
        n_queries += together["query"].n_unique()
        changed = _changed(together, main)
        n += changed.height
        most.append(changed.sort("spread", "at", **_ORDER).head(LISTED))  # type: ignore[arg-type]
    if len(rounds) < 2:
        return ChangedQueries(0, n_queries, pl.DataFrame())
    return ChangedQueries(n, n_queries, pl.concat(most).sort("spread", "at", **_ORDER).head(LISTED))  # type: ignore[arg-type]


def _numbered(runs: Iterable[pl.DataFrame], rounds: set[str | None]) -> Iterator[pl.DataFrame]:
    before = 0
    for piece in runs:
        rounds.update(piece["round"].unique().to_list())
        yield piece.with_columns(at=pl.int_range(before, before + piece.height, dtype=pl.Int64))
        before += piece.height


def _changed(runs: pl.DataFrame, main: str) -> pl.DataFrame:
    grouped = (
        runs.drop_nulls("query")
        .group_by("query", maintain_order=True)
        .agg(
            labels=pl.col("details:label"),
            scores=pl.col(main),
            n=pl.len(),
            other_label=pl.col("details:label").n_unique() > 1,
            other_answer=pl.col("details:signature").n_unique() > 1,
            other_score=pl.col(main).n_unique() > 1,
            spread=pl.col(main).max() - pl.col(main).min(),
            at=pl.col("at").first(),
        )
    )
    return grouped.filter((pl.col("n") > 1) & pl.any_horizontal("other_label", "other_answer", "other_score"))
