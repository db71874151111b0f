"""The unit of every mean: an item, with the mean of its raters."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def panel_means(
    frame: pl.DataFrame, names: Sequence[str], keys: Sequence[str], meta: Sequence[str] = ()
) -> pl.DataFrame:
    """One row per item: the mean over its raters, of a rater who rated repeatedly the mean of the replicates.

    >>> rows = {"item": ["a"] * 3, "rater": ["x", "x", "y"], "total": [1.0, 3.0, 4.0]}
    >>> panel_means(pl.DataFrame(rows), ["total"], ["item"])["total"].to_list()
    [3.0]
    """
    if "item" in keys and frame["item"].n_unique() == frame.height:  # as of very many runs nearly all are
        return frame.select(*keys, *(pl.col(name).cast(pl.Float64) for name in names), *meta)
    kept = [pl.col(name).first() for name in meta]
    by_rater = list(dict.fromkeys([*keys, "rater"]))
    per_rater = frame.group_by(by_rater, maintain_order=True).agg(
        *(pl.col(name).cast(pl.Float64).mean() for name in names), *kept
    )
    return per_rater.group_by(list(keys), maintain_order=True).agg(
        *(pl.col(name).mean() for name in names), *kept
    )
