"""What the raters of an item come to together: their mean, the unit of every mean; what most of them said where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from haechi.rubrics import Rubric

_TIMES = "\0times"


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
    if "rater" in keys:  # then these are the rows
        return per_rater
    return per_rater.group_by(list(keys), maintain_order=True).agg(
        *(pl.col(name).mean() for name in names), *kept
    )


def means_by_item(frame: pl.DataFrame, name: str) -> dict[str, float]:
    """The same mean of every item that has one.

    >>> means_by_item(pl.DataFrame({"item": ["a", "a", "b"], "rater": ["x", "y", "x"], "total": [1.0, 4.0, None]}), "total")
    {'a': 2.5}
    """
    return dict(panel_means(frame, [name], ["item"]).drop_nulls(name).select("item", name).iter_rows())


def most_said(given: pl.DataFrame, keys: Sequence[str], name: str = "value") -> pl.DataFrame:
    """One row per thing that was rated: the value that most of its raters gave; null where they tie or nobody gave one.

    A rater has one vote, however often they rated: the value they gave most often, and none where two are as frequent.

    >>> rows = {"item": ["a"] * 5, "rater": ["gpt", "gpt", "gpt", "kim", "lee"], "value": ["1", "1", "1", "0", "0"]}
    >>> most_said(pl.DataFrame(rows), ["item"]).rows()
    [('a', '0')]
    """
    by_rater = list(dict.fromkeys([*keys, "rater"]))
    return _most_frequent(_most_frequent(given, by_rater, name), list(keys), name)


def _most_frequent(rows: pl.DataFrame, keys: list[str], name: str) -> pl.DataFrame:
    counted = rows.group_by(*keys, name, maintain_order=True).agg(pl.col(name).count().alias(_TIMES))
    top = counted.filter(pl.col(_TIMES) == pl.col(_TIMES).max().over(keys))
    single = pl.when(pl.len() == 1).then(pl.col(name).first()).alias(name)
    return top.group_by(keys, maintain_order=True).agg(single)


def majorities(frame: pl.DataFrame, rubric: Rubric) -> list[dict[str, Any]]:
    """What most raters said about each item, for yes-or-no criteria that three or more raters judged.

    These criteria have a mean, and it decides, as in comparisons; of a rater who rated repeatedly the mean of the replicates counts.

    >>> import haechi
    >>> frame = pl.DataFrame({"item": ["a"] * 4, "rater": list("wxyz"), "sympathy": [1.0, 1.0, 0.0, 0.0]})
    >>> majorities(frame, haechi.rubric("diary-comment"))
    [{'item': 'a', 'majority': {'sympathy': {'value': 'tie', 'met': 2, 'raters': 4}}}]
    """
    binary = [c.score for c in rubric.criteria if c.scale.counts_met and c.score in frame.columns]
    if not binary:
        return []
    votes = frame.group_by("item", "rater", maintain_order=True).agg(pl.col(name).mean() for name in binary)
    counted = votes.group_by("item", maintain_order=True).agg(
        *(pl.col(name).sum().alias(f"{name}:met") for name in binary),
        *(pl.col(name).count().alias(f"{name}:raters") for name in binary),
    )
    rows = []
    for row in counted.iter_rows(named=True):
        said = {
            name: _majority(row[f"{name}:met"], row[f"{name}:raters"])
            for name in binary
            if row[f"{name}:raters"] >= 3
        }
        if said:
            rows.append({"item": row["item"], "majority": said})
    return rows


def _majority(met: float, raters: int) -> dict[str, Any]:
    value: int | str = "tie" if 2 * met == raters else int(2 * met > raters)
    return {"value": value, "met": int(met) if met.is_integer() else met, "raters": raters}
