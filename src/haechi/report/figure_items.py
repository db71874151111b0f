"""The items behind a study's figures: the lowest first, those on which two raters lie furthest apart, those of a version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.report.chart_items import ItemsBehind, browser_items, items_behind
from haechi.report.once import once
from haechi.scoring.panel import panel_means

_APART = 30
"""Items of a pair of raters that a page leads to: of twenty raters there are 190 pairs."""


def behind_scores(
    figures: Analysis, names: Sequence[str], where: Mapping[str, str] | None = None
) -> dict[str, ItemsBehind]:
    """The items of which every score is the mean, the lowest first; of very many what the item browser is to be asked.

    where: columns of the scores and the value that rows have in them, for a group or a kind of raters.
    """
    where = where or {}
    if not figures.places:
        asked = {field: value for field, value in where.items() if field in figures.scored.meta}
        by_rater = {field: value for field, value in where.items() if field == "rater"}
        return {one: browser_items(one, asked, **by_rater) for one in names}
    own = [pl.col(field).cast(pl.String) == value for field, value in where.items()]
    means = item_means(figures, *where).filter(*own)
    items = means["item"].to_list()
    return {one: items_behind(_ascending(items, means[one].to_list()), figures.places) for one in names}


@once
def item_means(figures: Analysis, *within: str) -> pl.DataFrame:
    """The mean of every score of every item, apart for what its rows have in some columns; for as many as a page lists."""
    keys = list(dict.fromkeys(["item", *within]))
    columns = list(dict.fromkeys([*keys, "rater", *figures.names]))
    return panel_means(pl.concat(list(figures.batches(columns))), figures.names, keys)


def _ascending(items: Sequence[str], values: Sequence[float | None]) -> list[str]:
    """The items that have a value, the lowest first; of equal ones the order stays.

    >>> _ascending(["a", "b", "c", "d"], [2.0, None, 1.0, 2.0])
    ['c', 'a', 'd']
    """
    known = [(value, item) for item, value in zip(items, values, strict=True) if value is not None]
    return [item for _, item in sorted(known, key=itemgetter(0))]


def behind_pairs(
    figures: Analysis, name: str, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], ItemsBehind]:
    """The items that both of two raters scored, those first on which they lie furthest apart."""
    if not figures.places:
        return {pair: browser_items(name, sort="-disagreement") for pair in pairs}
    by_rater = _by_rater(figures, name)
    found = {}
    for one, other in pairs:
        if one in by_rater and other in by_rater:
            theirs = by_rater[other]
            apart = {
                item: abs(value - theirs[item]) for item, value in by_rater[one].items() if item in theirs
            }
            ordered = sorted(apart, key=apart.__getitem__, reverse=True)
            found[one, other] = items_behind(ordered, figures.places, _APART)
    return found


def behind_raters(figures: Analysis, name: str) -> dict[str, ItemsBehind]:
    """The items that every rater scored, those first on which the rater lies furthest from the others."""
    if not figures.places:
        return {rater: browser_items(name, rater=rater) for rater in figures.raters}
    by_rater = _by_rater(figures, name)
    given: dict[str, list[float]] = {}
    for own in by_rater.values():
        for item, value in own.items():
            given.setdefault(item, []).append(value)
    return {rater: items_behind(_furthest(own, given), figures.places) for rater, own in by_rater.items()}


def _furthest(own: Mapping[str, float], given: Mapping[str, Sequence[float]]) -> list[str]:
    """The items of a rater, those first that lie furthest from the mean of the others; what nobody else rated comes last.

    >>> _furthest({"a": 1.0, "b": 5.0, "c": 3.0}, {"a": [1.0, 2.0], "b": [5.0, 1.0], "c": [3.0]})
    ['b', 'a', 'c']
    """

    def apart(item: str) -> float:
        others = len(given[item]) - 1
        return abs(own[item] - (sum(given[item]) - own[item]) / others) if others else -1.0

    return sorted(own, key=apart, reverse=True)


@once
def _by_rater(figures: Analysis, name: str) -> dict[str, dict[str, float]]:
    """The mean that every rater gave to every item."""
    means = item_means(figures, "rater").select("item", "rater", name).drop_nulls(name)
    found: dict[str, dict[str, float]] = {}
    for item, rater, value in means.iter_rows():
        found.setdefault(rater, {})[item] = value
    return found


def behind_systems(figures: Analysis, criterion: str) -> dict[tuple[str, ...], ItemsBehind]:
    """The pairs in which a system stands, and in which two systems meet, those first that the (first) system lost."""
    if figures.votes is None or not figures.places:
        return {}
    votes = figures.votes.frame.filter(pl.col("criterion") == criterion)
    sides = votes.select("pair", pl.col("a", "b").cast(pl.String), "won")
    swapped = sides.select("pair", a="b", b="a", won=1 - pl.col("won"))
    found: dict[tuple[str, ...], ItemsBehind] = {}
    for keys in (["a"], ["a", "b"]):
        every = (
            pl.concat([sides, swapped])
            .group_by([*keys, "pair"], maintain_order=True)
            .agg(pl.col("won").mean())
        )
        for systems, own in every.partition_by(keys, as_dict=True, maintain_order=True).items():
            lost = own.sort("won", nulls_last=True, maintain_order=True)["pair"].to_list()
            found[tuple(map(str, systems))] = items_behind(lost, figures.places)
    return found
