"""The items behind a study's figures: the lowest first, those on which two raters lie furthest apart, those of a version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.report.behind import Behind, behind, browsed
from haechi.scoring.panel import panel_means

_APART = 30
"""Items of a pair of raters that a page leads to: of twenty raters there are 190 pairs."""


def behind_scores(
    figures: Analysis, names: Sequence[str], where: Mapping[str, str] | None = None
) -> dict[str, Behind]:
    """The items of which every score is the mean, the lowest first; of very many what the item browser is to be asked.

    where: columns of the scores and the value that rows have in them, for a group or a kind of raters.
    """
    where = where or {}
    if not figures.places:
        asked = {field: value for field, value in where.items() if field in figures.scored.meta}
        by_rater = {field: value for field, value in where.items() if field == "rater"}
        return {one: browsed(one, asked, **by_rater) for one in names}
    columns = list(dict.fromkeys(["item", "rater", *names, *where]))
    own = [pl.col(field).cast(pl.String) == value for field, value in where.items()]
    rows = pl.concat([frame.filter(*own) for frame in figures.batches(columns)])
    means = panel_means(rows, names, ["item"])
    return {one: behind(_ascending(means, one), figures.places) for one in names}


def _ascending(means: pl.DataFrame, name: str) -> list[str]:
    return means.select("item", name).drop_nulls(name).sort(name, maintain_order=True)["item"].to_list()


def behind_pairs(
    figures: Analysis, name: str, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], Behind]:
    """The items that both of two raters scored, those first on which they lie furthest apart."""
    if not figures.places:
        return {pair: browsed(name, sort="-disagreement") for pair in pairs}
    by_rater = _by_rater(figures, name)
    found = {}
    for one, other in pairs:
        if one in by_rater and other in by_rater:
            both = by_rater[one].join(by_rater[other], on="item", maintain_order="left")
            apart = (pl.col(name) - pl.col(f"{name}_right")).abs()
            ordered = both.sort(apart, descending=True, maintain_order=True)["item"].to_list()
            found[one, other] = behind(ordered, figures.places, _APART)
    return found


def behind_raters(figures: Analysis, name: str) -> dict[str, Behind]:
    """The items that every rater scored, those first on which the rater lies furthest from the others."""
    if not figures.places:
        return {rater: browsed(name, rater=rater) for rater in figures.raters}
    every = pl.concat(
        [frame.with_columns(rater=pl.lit(who)) for who, frame in _by_rater(figures, name).items()]
    )
    value, of_item = pl.col(name), pl.col(name).sum().over("item")
    others = (of_item - value) / (pl.len().over("item") - 1)
    apart = every.with_columns(apart=(value - others).abs().fill_nan(None))
    return {
        str(who): behind(
            own.sort("apart", descending=True, nulls_last=True, maintain_order=True)["item"].to_list(),
            figures.places,
        )
        for (who,), own in apart.partition_by("rater", as_dict=True, maintain_order=True).items()
    }


def _by_rater(figures: Analysis, name: str) -> dict[str, pl.DataFrame]:
    """The mean that every rater gave to every item."""
    rows = pl.concat(list(figures.batches(["item", "rater", name])))
    means = panel_means(rows, [name], ["item", "rater"]).drop_nulls(name)
    parts = means.partition_by("rater", as_dict=True, maintain_order=True)
    return {str(who): own.drop("rater") for (who,), own in parts.items()}


def behind_systems(figures: Analysis, criterion: str) -> dict[tuple[str, ...], Behind]:
    """The pairs in which a system stands, and in which two systems meet, those first that the (first) system lost."""
    if figures.votes is None or not figures.places:
        return {}
    votes = figures.votes.frame.filter(pl.col("criterion") == criterion)
    sides = votes.select("pair", pl.col("a", "b").cast(pl.String), "won")
    swapped = sides.select("pair", a="b", b="a", won=1 - pl.col("won"))
    found: dict[tuple[str, ...], Behind] = {}
    for keys in (["a"], ["a", "b"]):
        every = (
            pl.concat([sides, swapped])
            .group_by([*keys, "pair"], maintain_order=True)
            .agg(pl.col("won").mean())
        )
        for systems, own in every.partition_by(keys, as_dict=True, maintain_order=True).items():
            lost = own.sort("won", nulls_last=True, maintain_order=True)["pair"].to_list()
            found[tuple(map(str, systems))] = behind(lost, figures.places)
    return found
