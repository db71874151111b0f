"""Two sides of a comparison, brought to what their raters have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import polars as pl

from haechi.analysis.bridges import Bridge, Links, links_between, on_new_scale, with_error_of_link
from haechi.analysis.comparability import Ways, comparability
from haechi.analysis.counts import GroupCounts, ItemCounts
from haechi.analysis.group_pairs import SIDE, cluster_totals
from haechi.analysis.panel_change import NO_PAIR, PanelChange, code_scores, is_nested, panel_change
from haechi.analysis.score_change import (
    ScoreChange,
    SideScores,
    common_raters,
    holm_changes,
    measured_change,
    paired_change,
    refused_change,
    same_shares,
    unpaired_change,
)
from haechi.analysis.shared_items import WHOSE, PairedScores, both_sides, paired_scores, shared_items
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.stats.clusters import Clustered
from haechi.stats.groups import describe_one
from haechi.stats.population import clustered_mean
from haechi.stats.reasons import NEED_NUMBERS
from haechi.stats.two_samples import Moments
from haechi.text import Text

_CODE = "\0code"  # what code gives is the same for all raters of an item


@frozen
class Side:
    """What one side knows: who rated (None where that was not kept), and a row per item and rater, piece by piece.

    counted: every score over the items with the mean of all their raters, where it is known already; meta: the fields of
    items that the rows can give; ruled: the scores that are 0 by rule on all its runs, where that is known;
    ways: how its judges were asked, as far as it is known.
    """

    raters: Mapping[str, str | None] | None
    rows: Batches
    counted: ItemCounts | None = None
    meta: tuple[str, ...] = ()
    ruled: frozenset[str] = frozenset()
    ways: Ways = field(default_factory=dict)
    bridge: Bridge | None = None
    """Gives the links of a judge to another way of asking, where anchors were judged in both."""


@frozen
class Sides:
    """Before and after, over the raters that both have; `cluster`: the field whose values make clusters of items."""

    rubric: Rubric
    names: tuple[str, ...]
    before: Side
    after: Side
    panel: PanelChange
    cluster: str | None = None
    links: Links = field(default_factory=dict)

    @classmethod
    def of(
        cls, rubric: Rubric, names: Sequence[str], before: Side, after: Side, cluster: str | None = None
    ) -> Sides:
        """Find out what the two panels have in common."""
        both = [rater for rater in before.raters or {} if rater in (after.raters or {})]
        asked = comparability(before.ways, after.ways, raters=both)
        links = links_between(before.bridge, asked.apart, after.ways, names, rubric.main_score(names))
        if links:
            asked = comparability(before.ways, after.ways, list(links), both)
            before = replace(before, rows=on_new_scale(before.rows, links, names), counted=None)
        panel = panel_change(before.raters, after.raters or {}, False, asked)
        if panel.how == "none":
            panel = panel_change(before.raters, after.raters or {}, is_nested(before.rows, after.rows), asked)
        return cls(rubric, tuple(names), before, after, panel, cluster, links)

    def changes(self, seed: int) -> tuple[ScoreChange, ...]:
        """How every score changed: in pairs where the same raters gave it to two items or more on both sides."""
        changes = [
            measured_change(
                with_error_of_link(self._change(name, seed), self.links, len(self.panel.common)),
                name in self.before.ruled,
                name in self.after.ruled,
            )
            for name in self.names
        ]
        return holm_changes(changes, self.rubric.main_score(self.names))

    def _change(self, name: str, seed: int) -> ScoreChange:
        if not self.rubric.has_mean(name):
            return refused_change(name, Text(*NEED_NUMBERS))
        if self.panel.how == "none" and name not in code_scores(self.rubric, self.names):
            return refused_change(name, self.panel.why)
        pairs = self.paired.differences[name]
        if pairs.n > 1:
            sides = self.paired.before[name], self.paired.after[name]
            found = paired_change(name, *sides, pairs, seed, self.rubric.range(name))
            if self.cluster is not None:
                found = self._over_clusters(found, self._paired_clusters[name])
            return replace(found, scored=self._scored(name))
        if pairs.n < self._items_of_both[name]:  # they are the same items, and others rated them
            return refused_change(name, NO_PAIR)
        return replace(self._unpaired(name), pairs=pairs.n)

    def _scored(self, name: str) -> int:
        """How many items have a score on both sides at most; 0 where it was not counted."""
        sides = (side.counted for side in (self.before, self.after))
        return min(0 if one is None else one.scores[name].n for one in sides)

    def _unpaired(self, name: str) -> ScoreChange:
        first, second = (
            SideScores(
                Moments.of(whole.scores[name]),
                {who: Moments.of(one.scores[name]) for who, one in by_rater.items() if one.scores[name].n},
            )
            for whole, by_rater in zip(self._counts, self._by_rater, strict=True)
        )
        whole = same_shares(first, second)
        found = unpaired_change(name, first, second, whole)
        if not whole:
            return self._within_raters(found, common_raters(first, second))
        bounds = self.rubric.range(name)
        before, after = (describe_one(name, one.scores[name], one.n, bounds).mean for one in self._counts)
        found = replace(found, before=before, after=after)
        return found if self.cluster is None else self._over_clusters(found, self._item_clusters[name])

    def _over_clusters(self, found: ScoreChange, own: Clustered) -> ScoreChange:
        """The change with the error of clusters, which have a column before and one after."""
        sizes = own.n if found.test == "paired t" else own.n.sum(axis=1)
        if int(sizes.max(initial=0)) < 2:
            return found  # every item, or pair of items, is a cluster
        bounds = self.rubric.range(found.name)
        before, after = (
            replace(one, ci95=of.ci95, why_no_ci=of.why_no_ci, details=dict(of.details))
            for one, total, n in zip((found.before, found.after), own.total.T, own.n.T, strict=True)
            for of in [clustered_mean(total, n, bounds)]
        )
        return replace(found, before=before, after=after).over_clusters(own, (-1.0, 1.0))

    @cached_property
    def _paired_clusters(self) -> Mapping[str, Clustered]:
        """Before and after of the items that the same raters rated on both sides, by cluster."""
        return cluster_totals(
            both_sides(self.shared(self.names, whose=True), self.names), WHOSE, self.names, 2
        )

    @cached_property
    def _item_clusters(self) -> Mapping[str, Clustered]:
        """The items of each side with the mean of their raters, by cluster."""

        def pieces() -> Iterator[pl.DataFrame]:
            for number, side in enumerate((self.before, self.after)):
                for frame in self._rows(side, self.names, whose=True):
                    items = panel_means(frame, self.names, ["item"], [WHOSE])
                    yield items.select("item", WHOSE, pl.lit(number, pl.Int32).alias(SIDE), *self.names)

        return cluster_totals(pieces(), WHOSE, self.names, 2)

    def _within_raters(self, found: ScoreChange, raters: Sequence[str]) -> ScoreChange:
        """The change as every rater saw it, with the error of clusters: the mean over raters of their own change."""
        if self.cluster is None or not raters:
            return found
        place = {(rater, side): 2 * at + side for at, rater in enumerate(raters) for side in (0, 1)}

        def pieces() -> Iterator[pl.DataFrame]:
            for number, side in enumerate((self.before, self.after)):
                own = {rater: place[rater, number] for rater in raters}
                for frame in self._rows(side, [found.name], whose=True):
                    rows = frame.filter(pl.col("rater").is_in(list(raters)))
                    at = pl.col("rater").replace_strict(own, return_dtype=pl.Int32).alias(SIDE)
                    yield rows.select("item", WHOSE, at, found.name)

        clusters = cluster_totals(pieces(), WHOSE, [found.name], 2 * len(raters))[found.name]
        return found.over_clusters(clusters, [-1 / len(raters), 1 / len(raters)] * len(raters))

    def shared(self, names: Sequence[str], whose: bool = False) -> Iterator[pl.DataFrame]:
        """The items of both sides, before and after, over the raters who rated the item in both.

        whose: with the cluster that they are of (`WHOSE`).
        """
        rows = sum(counted.n for counted in self._counts) * max(1, len(self.panel.common))
        before, after = (self._rows(side, names, whose) for side in (self.before, self.after))
        return shared_items(before, after, names, rows)

    @cached_property
    def paired(self) -> PairedScores:
        """Every score of the items that the same raters rated on both sides."""
        return paired_scores(self.shared(self.names), self.names)

    @cached_property
    def _items_of_both(self) -> Mapping[str, int]:
        """How many items have a score on both sides, whoever gave it; people with items of their own share none."""
        found = self.paired
        if self.panel.how not in ("people", "unknown"):
            rows = sum(counted.n for counted in self._counts)
            before, after = (
                (_whoever(frame, self.names) for frame in side.rows(["item", "rater", *self.names]))
                for side in (self.before, self.after)
            )
            found = paired_scores(shared_items(before, after, self.names, rows), self.names)
        return {name: sample.n for name, sample in found.differences.items()}

    @cached_property
    def _counts(self) -> tuple[ItemCounts, ItemCounts]:
        return self._counted(self.before), self._counted(self.after)

    def _counted(self, side: Side) -> ItemCounts:
        if side.counted is not None and self.panel.how in ("same", "unknown"):
            return side.counted
        counts = GroupCounts(self.names, [])
        for frame in self._rows(side, self.names):
            counts.add(panel_means(frame, self.names, ["item"]))
        return counts.groups()[()]

    @cached_property
    def _by_rater(self) -> tuple[Mapping[str, ItemCounts], Mapping[str, ItemCounts]]:
        return self._counted_by_rater(self.before), self._counted_by_rater(self.after)

    def _counted_by_rater(self, side: Side) -> Mapping[str, ItemCounts]:
        counts = GroupCounts(self.names, ["rater"])
        for frame in self._rows(side, self.names):
            counts.add(frame)
        return {rater: counted for (rater,), counted in counts.groups().items()}

    def _rows(self, side: Side, names: Sequence[str], whose: bool = False) -> Iterator[pl.DataFrame]:
        """A row per item and rater who counts; `whose`: with the cluster that the item is of, if the side says it."""
        pieces, meta = side.rows(["item", "rater", *names]), []
        if whose:
            own = [self.cluster] if self.cluster in side.meta else []
            cluster = pl.col(*own).cast(pl.String) if own else pl.lit(None, pl.String)
            frames = side.rows(list(dict.fromkeys(["item", "rater", *own, *names])))
            pieces, meta = (frame.with_columns(cluster.alias(WHOSE)) for frame in frames), [WHOSE]
        if self.panel.how == "people":
            yield _by_person(pieces, names, meta)
            return
        for frame in pieces:
            yield self._common(frame, names, meta)

    def _common(self, frame: pl.DataFrame, names: Sequence[str], meta: Sequence[str]) -> pl.DataFrame:
        if self.panel.how == "unknown":
            return _whoever(frame, names, meta)
        code = code_scores(self.rubric, names)
        if self.panel.how == "same" and len(self.panel.common) == 1:
            code = []
        kept = frame.filter(pl.col("rater").is_in(self.panel.common))
        rated = [name for name in names if name not in code]
        own = panel_means(kept, rated, ["item", "rater"], meta)
        if not code:
            return own
        by_code = panel_means(frame, code, ["item"], meta).with_columns(rater=pl.lit(_CODE))
        return pl.concat([by_code, own], how="diagonal").select("item", "rater", *meta, *names)


def _whoever(frame: pl.DataFrame, names: Sequence[str], meta: Sequence[str] = ()) -> pl.DataFrame:
    """A row per item, the mean of all its raters."""
    return panel_means(frame, names, ["item"], meta).with_columns(rater=pl.lit(""))


def _by_person(pieces: Iterator[pl.DataFrame], names: Sequence[str], meta: Sequence[str]) -> pl.DataFrame:
    """One row per person, the mean of the items that only this person rated."""
    items = pl.concat(panel_means(frame, names, ["item", "rater"], meta) for frame in pieces)
    means, first = [pl.col(name).mean() for name in names], [pl.col(name).first() for name in meta]
    people = items.group_by("rater", maintain_order=True).agg(*means, *first)
    return people.select(pl.col("rater").alias("item"), pl.lit("").alias("rater"), *meta, *names)
