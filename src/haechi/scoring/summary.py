"""The summary of scores: for the whole set and for every group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.figures import figures_of
from haechi.scoring.panel import panel_means


def summarise(
    frame: pl.DataFrame, rubric: Rubric, groupings: Sequence[Sequence[str]] = ()
) -> list[dict[str, Any]]:
    """Summary rows: first the whole set, then every group of every grouping.

    `frame` has a column per score, `item`, `rater`, and the fields that are grouped by. `mean` is that of all
    ratings, like `n` and the distribution; `mean_over_items` counts every item once, with the mean of its raters.

    >>> import haechi
    >>> frame = pl.DataFrame({"item": ["a", "b"], "rater": ["x", "x"], "system": ["A", "B"], "sensibleness": [1.0, 0.0]})
    >>> rows = summarise(frame, haechi.rubric("diary-comment"), [["system"]])
    >>> [(row["by"], row["scores"]["sensibleness"]["mean"]) for row in rows]
    [({}, 0.5), ({'system': 'A'}, 1.0), ({'system': 'B'}, 0.0)]
    """
    rows = [_row({}, frame, rubric)]
    for fields in groupings:
        rows += [_row(by, group, rubric) for by, group in _groups(frame, fields)]
    return rows


def _groups(frame: pl.DataFrame, fields: Sequence[str]) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    parts = frame.partition_by(list(fields), as_dict=True, maintain_order=True)
    ordered = sorted(parts.items(), key=lambda part: [(value is None, str(value)) for value in part[0]])
    for values, group in ordered:
        yield dict(zip(fields, values, strict=True)), group


def _row(by: dict[str, Any], frame: pl.DataFrame, rubric: Rubric) -> dict[str, Any]:
    names = [name for name in rubric.score_names if name in frame.columns]
    items = panel_means(frame, names, ["item"])
    scores = {name: _figures(frame, name, rubric) | {"mean_over_items": items[name].mean()} for name in names}
    return {"by": by, "n": frame.height, "n_items": frame["item"].n_unique(), "scores": scores}


def _figures(frame: pl.DataFrame, name: str, rubric: Rubric) -> dict[str, Any]:
    values = frame[name].drop_nulls()
    counts = values.value_counts()
    figures = figures_of(
        list(zip(counts[name].to_list(), counts["count"].to_list(), strict=True)), name, rubric
    )
    figures["missing"] = frame.height - len(values)
    criterion = rubric.criterion(name)
    if criterion is not None and criterion.scale.counts_met:
        from haechi.stats.proportion import wilson  # numpy and all statistics with it

        interval = wilson(int(values.sum()), len(values)).ci95
        figures["ci95"] = list(interval) if interval else None
    return figures


def majorities(frame: pl.DataFrame, rubric: Rubric) -> list[dict[str, Any]]:
    """What most raters said about each item, for yes-or-no criteria that three or more raters judged.

    >>> import haechi
    >>> frame = pl.DataFrame({"item": ["a"] * 4, "rater": list("wxyz"), "sympathy": [1.0, 1.0, 0.0, 0.0]})
    >>> majorities(frame, haechi.rubric("diary-comment"))
    [{'item': 'a', 'majority': {'sympathy': {'value': 'tie', 'met': 2, 'raters': 4}}}]
    """
    binary = [c.score for c in rubric.criteria if c.scale.counts_met and c.score in frame.columns]
    if not binary:
        return []
    counted = frame.group_by("item", maintain_order=True).agg(
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
    return {"value": value, "met": int(met), "raters": raters}
