"""Two sides of a comparison, brought to what their raters have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from haechi.analysis.comparison import Comparison
from haechi.analysis.counts import ComparedGroup, Counted, GroupCounts
from haechi.analysis.panel_change import PanelChange, code_scores, is_nested, panel_change
from haechi.analysis.shared_items import compared_sides, shared_items
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means

_CODE = "\0code"  # what code gives is the same for all raters of an item


@dataclass(frozen=True)
class Side:
    """What one side knows: who rated (None where that was not kept), and a row per item and rater, piece by piece.

    counted: every score over the items with the mean of all their raters, where it is known already.
    """

    raters: Mapping[str, str | None] | None
    rows: Batches
    counted: Counted | None = None


@dataclass(frozen=True)
class Sides:
    """Before and after, over the raters that both have."""

    rubric: Rubric
    names: tuple[str, ...]
    before: Side
    after: Side
    panel: PanelChange

    @classmethod
    def of(cls, rubric: Rubric, names: Sequence[str], before: Side, after: Side) -> Sides:
        """Find out what the two panels have in common."""
        panel = panel_change(before.raters, after.raters or {}, nested=False)
        if panel.how == "none":
            nested = is_nested(before.rows) and is_nested(after.rows)
            panel = panel_change(before.raters, after.raters or {}, nested)
        return cls(rubric, tuple(names), before, after, panel)

    @property
    def refused(self) -> tuple[str, ...]:
        """The scores of which no difference is taken, because no rater gave them on both sides."""
        if self.panel.how != "none":
            return ()
        code = code_scores(self.rubric, self.names)
        return tuple(name for name in self.names if name not in code)

    def compared(self, labels: tuple[str, str], seed: int) -> tuple[Comparison, int]:
        """Both sides compared, in pairs where they share two items or more; and how many they share."""
        groups = [
            ComparedGroup({"study": label}, counted.n, counted.scores)
            for label, counted in zip(labels, self._counts, strict=True)
        ]
        items, shared = compared_sides(self.rubric, self.names, groups, self.shared(self.names))
        return Comparison(items, seed), shared

    def shared(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The items of both sides, before and after, over the raters who rated the item in both."""
        rows = sum(counted.n for counted in self._counts) * max(1, len(self.panel.common))
        return shared_items(self._rows(self.before, names), self._rows(self.after, names), names, rows)

    @cached_property
    def _counts(self) -> tuple[Counted, Counted]:
        return self._counted(self.before), self._counted(self.after)

    def _counted(self, side: Side) -> Counted:
        if side.counted is not None and self.panel.how in ("same", "unknown"):
            return side.counted
        counts = GroupCounts(self.names, [])
        for frame in self._rows(side, self.names):
            counts.add(panel_means(frame, self.names, ["item"]))
        return counts.groups()[()]

    def _rows(self, side: Side, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """A row per item and rater who counts."""
        pieces = side.rows(["item", "rater", *names])
        if self.panel.how == "people":
            yield _by_person(pieces, names)
            return
        for frame in pieces:
            yield self._common(frame, names)

    def _common(self, frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        if self.panel.how == "unknown":
            return panel_means(frame, names, ["item"]).with_columns(rater=pl.lit(""))
        code = code_scores(self.rubric, names)
        if self.panel.how == "same" and len(self.panel.common) == 1:
            code = []
        kept = frame.filter(pl.col("rater").is_in(self.panel.common))
        rated = [name for name in names if name not in code]
        own = panel_means(kept, rated, ["item", "rater"])
        if not code:
            return own
        by_code = panel_means(frame, code, ["item"]).with_columns(rater=pl.lit(_CODE))
        return pl.concat([by_code, own], how="diagonal").select("item", "rater", *names)


def _by_person(pieces: Iterator[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """One row per person, the mean of the items that only this person rated."""
    items = pl.concat(panel_means(frame, names, ["item", "rater"]) for frame in pieces)
    people = items.group_by("rater", maintain_order=True).agg(pl.col(name).mean() for name in names)
    return people.select(pl.col("rater").alias("item"), pl.lit("").alias("rater"), *names)
