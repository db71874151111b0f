"""How far repeated runs of a query agree: in what they say (labels) and in what they do (signatures).

They also tell the tool class of a failed run that has no payload to tell it.

The counts of disjoint sets of runs add up, so a stream or a cluster can count in pieces and merge.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

REPEATED = "repeated:query"
"""The column of scored runs that says what each of them is a repeat of."""
_KEYS = ("query", "label", "signature", "tool_class")
_OF_VERSION = "\0"
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
        .with_columns(repeated_query().alias("query"))
        .select(_KEYS)
        .filter(pl.col("query").is_not_null())
    )
    return known.group_by(_KEYS).agg(n=pl.len().cast(pl.Int64)).collect()


def repeated_query() -> pl.Expr:
    """What runs are repeats of: a query; asked of another version of the agent it is another.

    >>> runs = pl.DataFrame({"query": ["q1", "q1", None], "version": ["v1", None, "v1"]})
    >>> runs = runs.with_columns(repeated_query().alias(REPEATED))
    >>> runs.select(query_with_version(), version_of_query().alias("version")).rows()
    [('q1 · v1', 'v1'), ('q1', None), (None, None)]
    """
    of_version = pl.format(f"{{}}{_OF_VERSION}{{}}", "query", "version")
    return pl.when(pl.col("version").is_null()).then("query").otherwise(of_version)


def query_with_version() -> pl.Expr:
    """The same for people to read."""
    return pl.col(REPEATED).str.replace(_OF_VERSION, " · ", literal=True)


def query_alone() -> pl.Expr:
    """The query without the version that it was asked of."""
    return pl.col(REPEATED).str.split(_OF_VERSION).list.first()


def version_of_query() -> pl.Expr:
    """The version that it was asked of; null where runs name none."""
    return pl.col(REPEATED).str.split(_OF_VERSION).list.get(1, null_on_oob=True)


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
    measures = measures.with_columns(repeated_query().alias(REPEATED))
    asked = measures[REPEATED].drop_nulls().unique()
    if len(asked) < len(known):
        known = known[known["query"].search_sorted(asked)]
    own, of_query = pl.col("tool_class").is_not_null(), pl.col("query_class").is_not_null()
    run, query, nobody = map(pl.lit, _TOLD_BY)
    return (
        measures.join(known, left_on=REPEATED, right_on="query", how="left", maintain_order="left")
        .with_columns(
            pl.coalesce("tool_class", "query_class", pl.lit("SINGLE")).alias("tool_class"),
            class_by=pl.when(own).then(run).when(of_query).then(query).otherwise(nobody),
        )
        .drop("query_class")
    )
