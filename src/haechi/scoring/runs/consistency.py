"""How far repeated runs of a query agree: in what they say (labels) and in what they do (signatures).

The counts of disjoint sets of runs add up, so a stream or a cluster can count in pieces and merge.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

_KEYS = ("query", "label", "signature")

NONE = pl.DataFrame(schema={"query": pl.String, "label": pl.String, "signature": pl.String, "n": pl.Int64})
"""The counts of no runs at all."""


def counts(measures: pl.DataFrame) -> pl.DataFrame:
    """How often each label and signature occurs together for each query; failed runs count like all others.

    >>> runs = {"query": ["q1", "q1", "q1"], "label": ["ADD", "ADD", "VIEW"], "signature": ["x", "y", "y"]}
    >>> counts(pl.DataFrame(runs)).sort("label", "signature").rows()
    [('q1', 'ADD', 'x', 1), ('q1', 'ADD', 'y', 1), ('q1', 'VIEW', 'y', 1)]
    """
    known = measures.lazy().select(_KEYS).filter(pl.col("query").is_not_null())
    return known.group_by(_KEYS).agg(n=pl.len().cast(pl.Int64)).collect()


def merge(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The counts of several disjoint sets of runs taken together."""
    return pl.concat(parts).group_by(_KEYS).agg(pl.col("n").sum())


def ratios(counted: pl.DataFrame) -> pl.DataFrame:
    """For each query, in their order, the number of runs, the most frequent label, and its share and the signature's.

    Of equally frequent labels the first in alphabetical order is named. A single run has no shares.

    >>> runs = {"query": ["q1", "q1", "q1"], "label": ["ADD", "ADD", "VIEW"], "signature": ["x", "y", "y"]}
    >>> ratios(counts(pl.DataFrame(runs))).rows()
    [('q1', 3, 'ADD', 0.6666666666666666, 0.6666666666666666)]
    """
    labels = (
        counted.group_by("query", "label")
        .agg(pl.col("n").sum())
        .sort("n", "label", descending=[True, False])
        .group_by("query", maintain_order=True)
        .agg(
            runs=pl.col("n").sum(),
            modal_label=pl.col("label").first(),
            same_label=pl.col("n").first(),
        )
    )
    signatures = (
        counted.group_by("query", "signature")
        .agg(pl.col("n").sum())
        .group_by("query")
        .agg(same_signature=pl.col("n").max())
    )
    share = pl.when(pl.col("runs") > 1)
    return (
        labels.join(signatures, on="query")
        .sort("query")
        .select(
            "query",
            "runs",
            "modal_label",
            ratio_a=share.then(pl.col("same_label") / pl.col("runs")),
            ratio_b=share.then(pl.col("same_signature") / pl.col("runs")),
        )
    )


def with_ratios(measures: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The measures of some runs with the ratios of their queries beside them.

    The queries are looked up in their order first: a join with all of them costs as much for a few runs as for many.

    >>> known = ratios(counts(pl.DataFrame({"query": ["q1", "q1"], "label": ["ADD"] * 2, "signature": ["x"] * 2})))
    >>> with_ratios(pl.DataFrame({"query": ["q1", None]}), known)["runs"].to_list()
    [2, None]
    """
    asked = measures["query"].drop_nulls().unique()
    if len(asked) < len(known):
        known = known[known["query"].search_sorted(asked)]
    return measures.join(known, on="query", how="left", maintain_order="left")
