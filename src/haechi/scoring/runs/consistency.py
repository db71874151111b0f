"""How far repeated runs of a query agree: in what they say (labels) and in what they do (signatures).

They also tell the tool class of a failed run that has no payload to tell it.

The counts of disjoint sets of runs add up, so a stream or a cluster can count in pieces and merge.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

_KEYS = ("query", "label", "signature", "tool_class")
_REPEATED = "repeated"
_TOLD_BY = ("run", "query", "nobody")
"""Where a tool class comes from: the run itself, the other runs of its query, or the instrument's last resort."""

NONE = pl.DataFrame(schema={**dict.fromkeys(_KEYS, pl.String), "n": pl.Int64})
"""The counts of no runs at all."""


def counts(measures: pl.DataFrame) -> pl.DataFrame:
    """How often each label, signature and class occurs together for each query; failed runs count like all others.

    >>> runs = {"query": ["q1"] * 3, "label": ["ADD", "ADD", "VIEW"], "signature": ["x", "y", "y"], "tool_class": "MULTI"}
    >>> runs |= {"version": None}
    >>> counts(pl.DataFrame(runs)).sort("label", "signature").rows()
    [('q1', 'ADD', 'x', 'MULTI', 1), ('q1', 'ADD', 'y', 'MULTI', 1), ('q1', 'VIEW', 'y', 'MULTI', 1)]
    """
    known = (
        measures.lazy()
        .with_columns(_repeated().alias("query"))
        .select(_KEYS)
        .filter(pl.col("query").is_not_null())
    )
    return known.group_by(_KEYS).agg(n=pl.len().cast(pl.Int64)).collect()


def _repeated() -> pl.Expr:
    """What runs are repeats of: a query; asked of another version of the agent it is another."""
    of_version = pl.format("{}\0{}", "query", "version")
    return pl.when(pl.col("version").is_null()).then("query").otherwise(of_version)


def merge(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The counts of several disjoint sets of runs taken together."""
    return pl.concat(parts).group_by(_KEYS).agg(pl.col("n").sum())


def ratios(counted: pl.DataFrame) -> pl.DataFrame:
    """For each query, in their order, the number of runs, the most frequent label, its share and the signature's, the class.

    Of equally frequent labels the first in alphabetical order is named. A single run has no shares. The class is that
    of most runs that tell one, SINGLE where as many tell the other.

    >>> runs = {"query": ["q1"] * 3, "label": ["ADD", "ADD", "VIEW"], "signature": ["x", "y", "y"], "tool_class": "MULTI"}
    >>> runs |= {"version": None}
    >>> ratios(counts(pl.DataFrame(runs))).rows()
    [('q1', 3, 'ADD', 0.6666666666666666, 0.6666666666666666, 'MULTI')]
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
    n = pl.col("n")
    multi, single = (n.filter(pl.col("tool_class") == name).sum() for name in ("MULTI", "SINGLE"))
    told = pl.when(multi + single > 0)
    classes = counted.group_by("query").agg(
        query_class=told.then(pl.when(multi > single).then(pl.lit("MULTI")).otherwise(pl.lit("SINGLE")))
    )
    share = pl.when(pl.col("runs") > 1)
    return (
        labels.join(signatures, on="query")
        .join(classes, on="query")
        .sort("query")
        .select(
            "query",
            "runs",
            "modal_label",
            ratio_a=share.then(pl.col("same_label") / pl.col("runs")),
            ratio_b=share.then(pl.col("same_signature") / pl.col("runs")),
            query_class="query_class",
        )
    )


def with_ratios(measures: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The measures of some runs with the ratios of their queries beside them, and every run's class.

    A run that does not tell its class has that of its query, else SINGLE; `class_by` says which.
    The queries are looked up in their order first: a join with all of them costs as much for a few runs as for many.

    >>> runs = {"query": ["q1", "q1", None], "label": "ADD", "signature": "x", "tool_class": ["MULTI", None, None]}
    >>> runs = pl.DataFrame(runs | {"version": None})
    >>> with_ratios(runs, ratios(counts(runs))).select("runs", "tool_class", "class_by").rows()
    [(2, 'MULTI', 'run'), (2, 'MULTI', 'query'), (None, 'SINGLE', 'nobody')]
    """
    measures = measures.with_columns(_repeated().alias(_REPEATED))
    asked = measures[_REPEATED].drop_nulls().unique()
    if len(asked) < len(known):
        known = known[known["query"].search_sorted(asked)]
    own, of_query = pl.col("tool_class").is_not_null(), pl.col("query_class").is_not_null()
    run, query, nobody = map(pl.lit, _TOLD_BY)
    return (
        measures.join(known, left_on=_REPEATED, right_on="query", how="left", maintain_order="left")
        .with_columns(
            pl.coalesce("tool_class", "query_class", pl.lit("SINGLE")).alias("tool_class"),
            class_by=pl.when(own).then(run).when(of_query).then(query).otherwise(nobody),
        )
        .drop("query_class", _REPEATED)
    )
