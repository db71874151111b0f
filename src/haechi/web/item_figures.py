"""What raters said of items, item by item: scores, how many raters, what is missing, how far they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.frozen import frozen
from haechi.scoring.panel import panel_means
from haechi.store.raters import ADJUDICATOR

COLUMNS = ("score", "people", "judges", "raters", "missing", "disagreement", "apart")
"""The figures of an item."""
_DIGITS = 12
_KINDS = (("score", None), ("people", "human"), ("judges", "ai"))


class Unlike(Exception):
    """Figures of some items that cannot stand beside those of the others."""


@frozen
class ItemFigures:
    """The figures of some items, or of all that were rated.

    rows: the scores, a row per item, rater and replicate. given: who said something to which item. disagreement: of the items
    on which raters differ. has_evidence: whether judges quoted something.
    """

    scores: tuple[str, ...]
    main: str
    rows: pl.DataFrame
    given: pl.DataFrame
    disagreement: pl.DataFrame
    has_evidence: bool

    @classmethod
    def of(cls, analysis: Analysis, like: Sequence[str] | None = None) -> ItemFigures:
        """The figures of an analysis. `like`: the scores that all items have; refuses what cannot stand beside them."""
        given = analysis.ratings
        # What runs come to is measured by code too; of everything else the ratings say all.
        measured = analysis.rubric.item == "run" and analysis.n_items > 0
        table = analysis.scored if measured else analysis.study.rated_scores()
        rows = pl.concat(table.batches(["item", "rater", "kind", *table.names]))
        scores = tuple(like) if like is not None else table.names if table.rows else ()
        if like is not None and (not set(table.names) <= set(scores) or _depends_on_others(analysis)):
            raise Unlike
        rows = rows.with_columns(
            pl.lit(None, pl.Float64).alias(name) for name in scores if name not in table.names
        ).select("item", "rater", "kind", *scores)
        main = analysis.rubric.main_score(scores) if scores else ""
        agreement = analysis.raters_agreement
        disputed = agreement.disputed if agreement is not None else ()
        # The last digits depend on which items stand beside one another: equal is to be equal.
        apart = {
            "item": [one.item for one in disputed],
            "disagreement": [round(one.relative, _DIGITS) for one in disputed],
        }
        quoted = (pl.col("kind") == "ai") & pl.col("evidence").is_not_null()
        return cls(
            scores,
            main,
            rows,
            given.select("item", "rater", "status"),
            pl.DataFrame(apart, schema={"item": pl.String, "disagreement": pl.Float64}),
            not given.filter(quoted).is_empty(),
        )

    @cached_property
    def items(self) -> frozenset[str]:
        """The items of which something was said."""
        return frozenset(self.given["item"].unique())

    @cached_property
    def raters(self) -> list[str]:
        """Who said something."""
        return self.given["rater"].unique().to_list()

    def rows_of(self, item: str) -> pl.DataFrame:
        """The scores of one item."""
        items = self._by_item["item"]
        return self._by_item[items.search_sorted(item, "left") : items.search_sorted(item, "right")]

    @cached_property
    def _by_item(self) -> pl.DataFrame:
        """The scores in the order of the items' ids, in which one is found without reading all."""
        return self.rows.sort("item", maintain_order=True)

    def rated_by(self, rater: str) -> pl.Series:
        """The items to which somebody said something."""
        return self.given.filter(pl.col("rater") == rater)["item"].unique()

    def none(self) -> ItemFigures:
        """The same without any items."""
        nothing = {name: getattr(self, name).clear() for name in ("rows", "given", "disagreement")}
        return replace(self, **nothing, has_evidence=False)

    def followed_by(self, newer: ItemFigures) -> ItemFigures:
        """Both together; what is newer of an item takes the place of what was."""
        before = ~pl.col("item").is_in(newer.items)
        both = {
            name: pl.concat([getattr(self, name).filter(before), getattr(newer, name)])
            for name in ("rows", "given", "disagreement")
        }
        return replace(self, **both, has_evidence=self.has_evidence or newer.has_evidence)

    def of_score(self, name: str) -> pl.DataFrame:
        """The figures of every item: a score's mean over all, over people and over judges, and what the ratings lack or dispute."""
        # What only the owner decided was given by no rater.
        by_rater = pl.col("rater") != ADJUDICATOR
        frame = self.given.group_by("item").agg(
            pl.col("rater").filter(by_rater).n_unique().alias("raters"),
            (by_rater & (pl.col("status") != "ok")).sum().alias("missing"),
        )
        # What only code measured was given by nobody.
        frame = frame.join(self._means(name), "item", "full", coalesce=True)
        return frame.join(self.disagreement, "item", "left").with_columns(
            pl.col("raters", "missing").fill_null(0), (pl.col("judges") - pl.col("people")).alias("apart")
        )

    def _means(self, name: str) -> pl.DataFrame:
        """A score of every item that has one: its mean over all raters, over people and over judges."""
        if not name:
            return pl.DataFrame(schema={"item": pl.String, **{column: pl.Float64 for column, _ in _KINDS}})
        each = panel_means(self.rows, [name], ["item", "rater"], ["kind"])
        return each.group_by("item", maintain_order=True).agg(
            (pl.col(name) if kind is None else pl.col(name).filter(pl.col("kind") == kind))
            .mean()
            .alias(column)
            for column, kind in _KINDS
        )


def _depends_on_others(analysis: Analysis) -> bool:
    """Whether how far raters differ on an item depends on what was said of others: where a scale has no ends of its own."""
    table = analysis.rated
    return table is not None and any(table.rated(name).declared.width is None for name in table.criteria)
