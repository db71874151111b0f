"""What the scores of a study come to: counts, means with their intervals, times, and who gave them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from haechi.analysis.counts import ItemCounts, count_groups, describe_score
from haechi.analysis.proposed_fields import proposed_fields
from haechi.analysis.reported_study import ReportedStudy
from haechi.analysis.response_times import (
    SECONDS,
    described_times,
    quantiles_of_classes,
    response_times,
)
from haechi.data.fields import Where
from haechi.data.random_part import RandomPart
from haechi.rubrics.model import Missing
from haechi.scoring.batches import Batches
from haechi.scoring.human_scale import HumanScores
from haechi.scoring.judge_panel import Panel
from haechi.scoring.rated_tables import without_criteria
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.tally import Counts
from haechi.stats.bootstrap import SEED
from haechi.stats.figure import Figure
from haechi.stats.groups import Group
from haechi.stats.lazy import LazyMapping
from haechi.stats.sample import Sample
from haechi.study.scores import StoredStudy

if TYPE_CHECKING:  # what a figure is computed by is imported when it is asked for
    from haechi.analysis.extremes import Extremes
    from haechi.analysis.range_shares import Weakest


MOST_LISTED = 2_000
"""Items that a page lists; more are for the item browser."""


class WhoRated(NamedTuple):
    """Who rated, and for the how many-th time."""

    rater: str
    kind: str
    replicate: int


class StudyScoreFigures:
    """A study's scores in figures, each computed when it is first asked for; `Analysis` says what it is made of."""

    def __init__(
        self,
        study: StoredStudy | str | Path,
        by: Sequence[str] = (),
        exclude: tuple[str, ...] = (),
        missing: Missing | None = None,
        anonymous: bool = False,
        seed: int = SEED,
        beside: Sequence[Path] = (),
        where: Where | None = None,
        cluster_by: str | None = None,
        panel: Panel | None = None,
    ) -> None:
        if where or panel:
            opened = study if isinstance(study, StoredStudy) else StoredStudy(study)
            study = opened.paneled(panel).selecting(where or {})
        self.study = ReportedStudy(study, anonymous, beside)
        self.rubric = without_criteria(self.study.rubric, exclude)
        self.anonymous, self.seed = anonymous, seed
        self._by, self._exclude, self._missing = tuple(by), exclude, missing
        self.cluster_by = cluster_by

    @cached_property
    def scored(self) -> ScoreTable:
        """The scores: a row per item, rater and replicate."""
        return self._scored_by(self._by or proposed_fields(self.study, self.rubric))

    def _scored_by(self, by: Sequence[str]) -> ScoreTable:
        scored = self.study.scores(by, self._missing, self._exclude).checked()
        return scored.clustered(self.cluster_by) if self.cluster_by else scored

    @property
    def batches(self) -> Batches:
        """The rows, piece by piece; all rows of an item stand in one piece."""
        return self.scored.batches

    @property
    def names(self) -> tuple[str, ...]:
        """The scores."""
        return self.scored.names

    @cached_property
    def main(self) -> str:
        """The score that stands for the whole: the one made of most criteria, the first of several."""
        return self.rubric.main_score(self.names)

    @cached_property
    def n_items(self) -> int:
        """How many items the study has to measure, rated or not; those that only test attention are none."""
        return self.study.count_measured()

    @cached_property
    def _counted(self) -> ItemCounts:
        (counted,) = count_groups(self.batches, self.names, [()])
        return counted[()]

    @property
    def n_rated(self) -> int:
        """How many items the rows are about."""
        return self._counted.n

    @property
    def samples(self) -> Mapping[str, Sample]:
        """Every score over the items."""
        return self._counted.scores

    @cached_property
    def whole(self) -> Mapping[str, Group]:
        """Every score over the items in figures: its mean with the interval, deviation and median."""
        return LazyMapping(self.names, lambda name: self._described(name, self._counted, name, self.scored))

    def _described(self, label: str, counted: ItemCounts, name: str, table: ScoreTable, *kind: str) -> Group:
        """A score of what was counted in a table in figures; `kind` is that of the raters, where it is of only one."""
        by = ("kind",) if kind else ()
        over, ruled = table.over_clusters(by).get(kind, {}), table.unmeasured(by).get(kind, ())
        sample, size = counted.scores[name], counted.n
        return describe_score(
            self.rubric, name, label, sample, size, table.cluster, over.get(name), name in ruled
        )

    @cached_property
    def _whose(self) -> tuple[tuple[WhoRated, ...], int]:
        return who_rated(self.batches)

    @property
    def who_rated(self) -> tuple[WhoRated, ...]:
        """Whose rows there are, in the order of their first appearance."""
        return self._whose[0]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self._whose[1]

    @property
    def raters(self) -> dict[str, str]:
        """The kind of every rater, code left out."""
        return {cell.rater: cell.kind for cell in self.who_rated if cell.kind != "code"}

    @cached_property
    def by_rater(self) -> Mapping[str, ItemCounts]:
        """Every rater's own scores over the items that they rated."""
        raters = {cell.rater for cell in self.who_rated}
        if len(raters) == 1:
            return dict.fromkeys(raters, self._counted)
        (groups,) = count_groups(self.batches, self.names, [("rater",)])
        return {rater: counted for (rater,), counted in groups.items()}

    @cached_property
    def one_item_each(self) -> bool:
        """Whether every rater rated one item, which nobody else rated, as participants do."""
        from haechi.analysis.panel_change import is_nested

        return len(self.raters) == self.n_rated > 1 and is_nested(self.batches)

    @property
    def rated_items(self) -> list[str]:
        """The ids of the items that the rows are about."""
        return [
            item for frame in self.batches(["item"]) for item in frame["item"].unique(maintain_order=True)
        ]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of every item among them; of none where a page cannot list them all."""
        few = self.n_rated <= MOST_LISTED
        return {item: place for place, item in enumerate(self.rated_items)} if few else {}

    @cached_property
    def of_kind(self) -> Mapping[str, Group]:
        """The main score as people, AI judges and code gave it, each on their own, over the items that they rated.

        Of agent runs that people and judges both rated each of them has the failed ones too.
        """
        table, kinds = (
            self.scored,
            [k for k in ("human", "ai") if any(who.kind == k for who in self.who_rated)],
        )
        if self.rubric.item == "run" and len(kinds) > 1:
            from haechi.analysis.run_notes import with_failed_runs

            part = self.human.part
            drawn = part.chances if isinstance(part, RandomPart) and part.how == "drawn" else None
            table = replace(table, batches=with_failed_runs(table.batches, kinds, drawn))
        (groups,) = count_groups(table.batches, self.names, [("kind",)])
        return {
            kind: self._described(kind, counted, self.main, table, kind)
            for (kind,), counted in groups.items()
        }

    @property
    def human(self) -> HumanScores:
        """What people would have given, where they rated a part and AI judges more."""
        return self.scored.human

    @cached_property
    def panels(self) -> Mapping[str, Group]:
        """The main score as people and as AI judges gave it; as code did, where nobody else has."""
        known = {kind: self.of_kind[kind] for kind in ("human", "ai", "code") if kind in self.of_kind}
        known = {kind: group for kind, group in known.items() if group.mean.value is not None}
        rated = {kind: group for kind, group in known.items() if kind != "code"}
        if self.rubric.item == "run" and len(rated) == 1:
            # Runs that failed are 0 by rule, and nobody is asked about them: without them the score would flatter.
            return dict.fromkeys(rated, self.whole[self.main])
        return rated or known

    @cached_property
    def weakest(self) -> Weakest | None:
        """The criteria that lie lowest in their ranges, those left out that most items lack.

        A criterion on which two answers are compared is not weak where both win equally often.
        """
        if self.rubric.item == "pair":
            return None
        from haechi.analysis.range_shares import weakest
        from haechi.analysis.zero_by_rule import zero_by_rule

        zeros = zero_by_rule(self.scored)
        known = [
            name
            for name in self.names
            if self.rubric.criterion(name) is not None
            and self.rubric.has_mean(name)
            and not (name in zeros and zeros[name].is_most)
        ]
        half = [
            name
            for name in known
            if self.samples[name].n * 2 >= self.n_items or self.rubric.criterion(name).only is not None  # type: ignore[union-attr]
        ]
        return weakest(self.batches, self.rubric, half, self.scored.cluster)

    @cached_property
    def extremes(self) -> Extremes:
        """The items that a reader should see."""
        from haechi.analysis.extremes import extremes

        return extremes(self.batches, self.main)

    @cached_property
    def _times(self) -> Mapping[str, ItemCounts]:
        return response_times(self.batches, self.rubric)

    @property
    def times(self) -> Mapping[str, Sample]:
        """Response times of agent runs: of all under "", of a tool class under the name of its latency score."""
        return {name: one.scores[SECONDS] for name, one in self._times.items()}

    @cached_property
    def seconds(self) -> Mapping[str, Group]:
        """The same in figures, their intervals over clusters where runs come in such."""
        return described_times(self.scored, self._times)

    @cached_property
    def time_quantiles(self) -> Mapping[str, Mapping[str, Figure]]:
        """How long runs take that are slower than half, nine tenths and nineteen twentieths: p50, p90 and p95."""

        return quantiles_of_classes(self.batches, self.rubric, self.scored.cluster, self.times)

    def rows_of(self, items: Collection[str], columns: Sequence[str]) -> pl.DataFrame:
        """The rows of some items."""
        wanted = pl.Series(list(items), dtype=pl.String).implode()
        own = (frame.filter(pl.col("item").is_in(wanted)) for frame in self.batches(["item", *columns]))
        return pl.concat(own)

    def _runs(self, *columns: str) -> Iterator[pl.DataFrame]:
        """Agent runs, one row each, piece by piece: what code says of a run is the same for all its raters."""
        for frame in self.batches(["item", *columns]):
            yield frame.unique("item", keep="first", maintain_order=True)


def who_rated(batches: Batches) -> tuple[tuple[WhoRated, ...], int]:
    """Whose rows there are, in the order of their first appearance, and how many."""
    counts = Counts(WhoRated._fields)
    for frame in batches(WhoRated._fields):
        counts.add(frame)
    total = counts.total()
    return tuple(WhoRated(*row[:3]) for row in total.iter_rows()), int(total[:, 3].sum())
