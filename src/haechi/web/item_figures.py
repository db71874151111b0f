"""What raters said of items, item by item: scores, how many raters, what is missing, how far they differ."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.data.stances import is_measurement
from haechi.frozen import frozen
from haechi.scoring.panel import panel_means
from haechi.scoring.ratings import KEYS

COLUMNS = ("score", "people", "judges", "raters", "missing", "disagreement", "apart")
"""The figures of an item."""
_DIGITS = 12
_MEANS = ("score", "people", "judges", "apart")


class Unlike(Exception):
    """Figures of some items that cannot stand beside those of the others."""


@frozen
class ItemFigures:
    """The figures of some items, or of all that were rated.

    rows: the scores, a row per item, rater and replicate. given: who said something to which item, and whether it measures
    or decides. disagreement: of the items
    on which raters differ. has_evidence: whether judges quoted something. again: whether somebody may have rated an item again.
    """

    scores: tuple[str, ...]
    main: str
    rows: pl.DataFrame
    given: pl.DataFrame
    disagreement: Mapping[str, float]
    has_evidence: bool
    again: bool

    @classmethod
    def of(cls, analysis: Analysis, like: Sequence[str] | None = None) -> ItemFigures:
        """The figures of an analysis. `like`: the scores that all items have; refuses what cannot stand beside them."""
        given = analysis.ratings
        # What runs come to is measured by code too; of everything else the ratings say all.
        measured = analysis.rubric.item == "run" and analysis.n_items > 0
        table = analysis.scored if measured else analysis.study.rated_scores()
        rows = pl.concat(table.batches([*KEYS, *table.names]))
        scores = tuple(like) if like is not None else table.names if table.rows else ()
        if like is not None and (not set(table.names) <= set(scores) or _depends_on_others(analysis)):
            raise Unlike
        if rows.width != len(KEYS) + len(scores):
            absent = (pl.lit(None, pl.Float64).alias(name) for name in scores if name not in table.names)
            rows = rows.with_columns(absent)
        agreement = analysis.raters_agreement
        # The last digits depend on which items stand beside one another: equal is to be equal.
        disputed = agreement.disputed if agreement is not None else ()
        quoted = given["evidence"].count() and "ai" in given.drop_nulls("evidence")["kind"]
        return cls(
            scores,
            analysis.rubric.main_score(scores) if scores else "",
            rows[["item", "rater", "kind", *scores]],
            given.select("item", "rater", "status", measures=is_measurement()),
            {one.item: round(one.relative, _DIGITS) for one in disputed},
            bool(quoted),
            measured or rows["replicate"].n_unique() > 1,
        )

    @cached_property
    def items(self) -> frozenset[str]:
        """The items of which something was said."""
        return frozenset(self.given["item"].unique())

    @property
    def raters(self) -> list[str]:
        """Who rated something; who only decided is no rater."""
        return self.given.filter("measures")["rater"].unique().to_list()

    def rows_of(self, item: str) -> pl.DataFrame:
        """The scores of one item."""
        items = self._by_item["item"]
        first = bisect_left(items, item)  # twenty looks, sooner done than a query is begun
        return self._by_item[first : bisect_right(items, item, first)]

    @cached_property
    def _by_item(self) -> pl.DataFrame:
        """The scores in the order of the items' ids, in which one is found without reading all."""
        return self.rows.sort("item", maintain_order=True)

    def rated_by(self, rater: str) -> pl.Series:
        """The items to which somebody said something."""
        return self.given.filter(pl.col("measures"), rater=rater)["item"].unique()

    @property
    def decided(self) -> pl.Series:
        """The items on which somebody decided."""
        return self.given.filter(~pl.col("measures"))["item"].unique()

    def none(self) -> ItemFigures:
        """The same without any items."""
        return replace(
            self, rows=self.rows.clear(), given=self.given.clear(), disagreement={}, has_evidence=False
        )

    def followed_by(self, *newer: ItemFigures) -> ItemFigures:
        """All together; what is newer of an item takes the place of what was."""
        parts, items = list[ItemFigures](), frozenset[str]()
        for one in reversed((self, *newer)):
            parts.insert(0, one._without(items))
            items |= one.items
        return replace(
            self,
            rows=pl.concat([one.rows for one in parts]),
            given=pl.concat([one.given for one in parts]),
            disagreement={item: apart for one in parts for item, apart in one.disagreement.items()},
            has_evidence=any(one.has_evidence for one in parts),
            again=any(one.again for one in parts),
        )

    def _without(self, items: frozenset[str]) -> ItemFigures:
        if self.items.isdisjoint(items):
            return self
        others = ~pl.col("item").is_in(items)
        return replace(
            self,
            rows=self.rows.filter(others),
            given=self.given.filter(others),
            disagreement={item: apart for item, apart in self.disagreement.items() if item not in items},
        )

    def of_score(self, name: str) -> pl.DataFrame:
        """The figures of every item: a score's mean over all, over people and over judges, and what the ratings lack or dispute.

        What only code measured was given by nobody, and has no number of raters.
        """
        by_rater = pl.col("measures")  # what was only decided was given by no rater
        frame = self.given.group_by("item", maintain_order=True).agg(
            pl.col("rater").filter(by_rater).n_unique().alias("raters"),
            (by_rater & (pl.col("status") != "ok")).sum().alias("missing"),
        )
        apart = [self.disagreement.get(item) for item in frame["item"]]
        frame = frame.hstack([pl.Series("disagreement", apart, dtype=pl.Float64)])
        means = self._means(name)
        if frame["item"].equals(
            means["item"]
        ):  # as they are, unless some were only decided, or only measured
            return frame.hstack(means[list(_MEANS)])
        return frame.join(means, "item", "full", coalesce=True)

    def _means(self, name: str) -> pl.DataFrame:
        """A score of every item that has one: its mean over all raters, over people and over judges, and how far these are apart."""
        if not name:
            return pl.DataFrame(schema={"item": pl.String, **dict.fromkeys(_MEANS, pl.Float64)})
        each = panel_means(self.rows, [name], ["item", "rater"], ["kind"]) if self.again else self.rows
        score, kind = pl.col(name), pl.col("kind")
        people, judges = (score.filter(kind == one).mean() for one in ("human", "ai"))
        means = each.group_by("item", maintain_order=True).agg(
            score=score.mean(), people=people, judges=judges
        )
        return means.hstack([(means["judges"] - means["people"]).alias("apart")])


def _depends_on_others(analysis: Analysis) -> bool:
    """Whether how far raters differ on an item depends on what was said of others: where a scale has no ends of its own."""
    table = analysis.rated
    return table is not None and any(table.rated(name).declared.width is None for name in table.criteria)
