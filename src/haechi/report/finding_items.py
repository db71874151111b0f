"""The items behind a finding, those first that show it best: a reader opens them from its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.report.chart_items import ItemsBehind, browser_items, items_behind
from haechi.report.document import Finding
from haechi.report.figure_items import behind_raters, item_means
from haechi.scoring.runs.points import zero_by_rule


def with_items(finding: Finding, items: ItemsBehind) -> Finding:
    """The finding with the items behind it, or what to ask the item browser for where a page cannot hold them.

    >>> with_items(Finding("weakest", "plain", "A1.", "1"), ItemsBehind(("s1", "s2"), 2, "0 1")).items
    ('s1', 's2')
    """
    return replace(finding, items=items.names, browse=items.query or "")


def lowest(figures: Analysis, name: str, highest: bool = False) -> ItemsBehind:
    """The items that scored lowest, or highest."""
    if not figures.places:
        return browser_items(name, sort="-score" if highest else "score")
    means = item_means(figures).drop_nulls(name)
    return _named(figures, means.sort(name, descending=highest, maintain_order=True))


def most_apart(figures: Analysis, name: str, kind: str) -> ItemsBehind:
    """The items on which raters of a kind lie furthest apart; nothing where they never differ."""
    if not figures.places:
        return browser_items(name, sort="-disagreement")
    given = item_means(figures, "rater", "kind").filter(kind=kind).drop_nulls(name)
    spread = given.group_by("item", maintain_order=True).agg(pl.col(name).std())
    return _furthest(figures, spread, name)


def from_people(figures: Analysis, name: str) -> ItemsBehind:
    """The items on which AI judges and people lie furthest apart."""
    if not figures.places:
        return browser_items(name, sort="-disagreement")
    means = item_means(figures, "kind").select("item", "kind", name).drop_nulls(name)
    sides = [means.filter(kind=kind) for kind in ("human", "ai")]
    both = sides[0].join(sides[1], on="item", maintain_order="left")
    apart = both.select("item", (pl.col(name) - pl.col(f"{name}_right")).abs().alias(name))
    return _furthest(figures, apart, name)


def of_rater(figures: Analysis, name: str, rater: str) -> ItemsBehind:
    """The items on which a rater lies furthest from the others."""
    return behind_raters(figures, name).get(rater, ItemsBehind())


def by_rule(figures: Analysis, name: str) -> ItemsBehind:
    """The runs of which a score is 0 by rule."""
    if not figures.places:
        return ItemsBehind()
    ruled = _rows(figures, ["item", name, f"why:{name}"]).filter(zero_by_rule(name))
    return _named(figures, ruled.unique("item", maintain_order=True))


def _rows(figures: Analysis, columns: Sequence[str]) -> pl.DataFrame:
    return pl.concat(list(figures.batches(list(columns))))


def _furthest(figures: Analysis, apart: pl.DataFrame, name: str) -> ItemsBehind:
    differ = apart.filter(pl.col(name) > 0)
    return _named(figures, differ.sort(name, descending=True, maintain_order=True))


def _named(figures: Analysis, ordered: pl.DataFrame) -> ItemsBehind:
    return items_behind(ordered["item"].to_list(), figures.places)
