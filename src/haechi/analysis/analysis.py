"""All figures of a study, each computed when it is first asked for: what every surface says and every gate checks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from haechi.analysis.asked import NOTHING_ASKED, Asked
from haechi.analysis.counts import Counted, count_groups
from haechi.analysis.proposed_fields import proposed_fields
from haechi.analysis.reported_study import ReportedStudy
from haechi.analysis.response_times import (
    SECONDS,
    describe_time,
    quantiles_of_classes,
    response_times,
    times_over_clusters,
)
from haechi.data.fields import Where, field_among, is_of_rows, split_fields
from haechi.rubrics.model import Missing
from haechi.scoring.batches import Batches
from haechi.scoring.human_scale import HumanScores
from haechi.scoring.judge_panel import Panel
from haechi.scoring.ratings import KEYS
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.sources import without
from haechi.scoring.tally import Counts
from haechi.scoring.unmeasured import nothing_measured
from haechi.stats.bootstrap import SEED
from haechi.stats.figure import Figure, Why
from haechi.stats.groups import Group, describe_one
from haechi.stats.lazy import Lazy
from haechi.stats.ratings import Level
from haechi.stats.sample import Sample
from haechi.stored_study import StoredStudy

if TYPE_CHECKING:  # what a figure is computed by is imported when it is asked for
    from haechi.analysis.agreement import AgreementReport
    from haechi.analysis.audit import Audit
    from haechi.analysis.audit_variants import AuditedVariants
    from haechi.analysis.changed_queries import ChangedQueries
    from haechi.analysis.comparability import Values, Ways
    from haechi.analysis.comparison import Comparison
    from haechi.analysis.extremes import Extremes
    from haechi.analysis.group_ways import ItemWays
    from haechi.analysis.query_results import QueryResults
    from haechi.analysis.quotes import QuotedEvidence
    from haechi.analysis.range_shares import Weakest
    from haechi.analysis.ranking import Ranking
    from haechi.analysis.rating_table import RatingTable
    from haechi.analysis.run_notes import RunNotes
    from haechi.analysis.sides import Side
    from haechi.analysis.trend import Trend
    from haechi.stats.linking import Link


class WhoRated(NamedTuple):
    """Who rated, and for the how many-th time."""

    rater: str
    kind: str
    replicate: int


class Analysis:
    """A study's figures. Nothing is computed before it is asked for, and nothing twice.

    The unit of all means is an item with the mean of its raters. Studies `beside` this one give people the same
    pseudonyms where `anonymous` hides their names. `where` is what to look at, all by default. Items that share the value
    of `cluster_by` are one cluster: the intervals of means, and the tests of groups, are over clusters. `panel` is how AI
    judges count together, as the study says by default.

    >>> import tempfile
    >>> from haechi.demo import make_studies
    >>> figures = Analysis(next(make_studies(Path(tempfile.mkdtemp()) / "demo")))
    >>> figures.main, round(figures.whole["overall"].mean.value, 2)
    ('overall', 2.98)
    """

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
        self.rubric = without(self.study.rubric, exclude)
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

    @property
    def main(self) -> str:
        """The score that stands for the whole: the one made of most criteria, the first of several."""
        return self.rubric.main_score(self.names)

    @cached_property
    def n_items(self) -> int:
        """How many items the study has, rated or not."""
        return self.study.count_items()

    @cached_property
    def _counted(self) -> Counted:
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
        return Lazy(self.names, lambda name: self._described(name, self._counted, name, self.scored))

    def _described(self, label: str, counted: Counted, name: str, table: ScoreTable, *kind: str) -> Group:
        """A score of what was counted in a table in figures; `kind` is that of the raters, where it is of only one."""
        group = describe_one(label, counted.scores[name], counted.n, self.rubric.range(name))
        by = ("kind",) if kind else ()
        if name in table.unmeasured(by).get(kind, ()):
            return group.without_interval(nothing_measured())
        if (field := table.cluster) is None:
            return group
        ends = table.over_clusters(by).get(kind, {})
        return group.over_clusters(field, ends.get(name))

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
    def by_rater(self) -> Mapping[str, Counted]:
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

    @property
    def side(self) -> Side:
        """This study as one of two that are compared."""
        from haechi.analysis.sides import Side

        who = {cell.rater: cell.kind for cell in self.who_rated}
        ruled = self.scored.unmeasured().get((), frozenset())
        return Side(who, self.batches, self._counted, self.scored.meta, ruled, self.ways, self._bridge)

    def _bridge(self, rater: str, way: Mapping[str, Values], names: Sequence[str]) -> Mapping[str, Link]:
        from haechi.analysis.anchors import links_to

        return links_to(self.study, rater, way, names)

    @cached_property
    def ways(self) -> Ways:
        """How the judges among the raters were asked, as the journal has it."""
        from haechi.analysis.comparability import ways_of
        from haechi.store.askings import asked_ways

        judges = {cell.rater for cell in self.who_rated if cell.kind == "ai"}
        if not judges:
            return {}
        with self.study.database.read() as connection:
            return ways_of(way for way in asked_ways(connection) if way.rater in judges)

    @cached_property
    def item_ways(self) -> ItemWays | None:
        """How the judges were asked about every item; None where every judge was asked in one way throughout."""
        from haechi.analysis.group_ways import item_ways

        with self.study.database.read() as connection:
            return item_ways(connection, self.ways)

    @cached_property
    def _times(self) -> Mapping[str, Counted]:
        return response_times(self.batches, self.rubric)

    @property
    def times(self) -> Mapping[str, Sample]:
        """Response times of agent runs: of all under "", of a tool class under the name of its latency score."""
        return {name: one.scores[SECONDS] for name, one in self._times.items()}

    @cached_property
    def seconds(self) -> Mapping[str, Group]:
        """The same in figures, their intervals over clusters where runs come in such."""
        field = self.scored.cluster
        return Lazy(
            self._times,
            lambda name: describe_time(
                name or "seconds", self._times[name], field, self._times_over_clusters.get(name)
            ),
        )

    @cached_property
    def _times_over_clusters(self) -> Mapping[str, Figure]:
        return times_over_clusters(self.batches, self.rubric, self.scored.cluster)

    @cached_property
    def time_quantiles(self) -> Mapping[str, Mapping[str, Figure]]:
        """How long runs take that are slower than half, nine tenths and nineteen twentieths: p50, p90 and p95."""

        return quantiles_of_classes(self.batches, self.rubric, self.scored.cluster, self.times)

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The groups of items that the study was asked to be compared by, or proposes itself."""
        from haechi.analysis.compared_items import compared_groups, designed, human_of
        from haechi.analysis.comparison import Comparison

        scored = self.scored
        # Raters are compared where somebody asks for it; otherwise their habits and agreement tell more.
        groupings = [fields for fields in scored.groupings if self._by or not any(map(is_of_rows, fields))]
        if not groupings:
            return ()
        counted = count_groups(scored.batches, scored.names, groupings)
        return tuple(
            Comparison(
                replace(
                    designed(
                        compared_groups(
                            self.rubric, scored.names, scored.batches, by, groups, self._asked, scored.judges
                        ),
                        [name for name in scored.meta if name not in (*by, *KEYS)],
                        self.item_ways,
                    ),
                    human=human_of(scored, by),
                ),
                self.seed,
            )
            for by, groups in zip(groupings, counted, strict=True)
            if any(None not in key for key in groups)
        )

    @property
    def _asked(self) -> Asked:
        return replace(NOTHING_ASKED, cluster=self.cluster_by).or_cluster(self.scored.cluster)

    def comparison(self, by: str, asked: Asked = NOTHING_ASKED) -> Comparison:
        """The groups of one field, or of several crossed (`mode,level`), compared as `haechi compare` does."""
        from haechi.analysis.compared_items import grouped_items
        from haechi.analysis.comparison import Comparison

        if asked.cluster is None:
            asked = replace(asked, cluster=self._asked.cluster, found=self._asked.found)
        fields = tuple(field_among(field, self.scored.fields, "--by") for field in split_fields(by))
        known = fields in self.scored.groupings or not fields
        if known and asked == self._asked:
            for one in self.comparisons:
                if one.items.by == fields:
                    return one
        scored = self.scored if known else self._scored_by([",".join(fields)])
        return Comparison(grouped_items(scored, fields, asked, self.item_ways), self.seed)

    @cached_property
    def ranking(self) -> Ranking | None:
        """The systems by their strength, where two answers are compared; None elsewhere."""
        from haechi.analysis.ranking import Asked as Wanted
        from haechi.analysis.ranking import ranking
        from haechi.analysis.study_votes import study_votes

        if self.rubric.item != "pair":
            return None
        votes = study_votes(self.study)
        return ranking(votes, Wanted(seed=self.seed)) if votes.frame.height else None

    @cached_property
    def audit(self) -> Audit | None:
        """What moves the AI judges, from what is stored; None without one."""
        from haechi.analysis.audit import audit

        return audit(self.study) if "ai" in self.raters.values() else None

    @cached_property
    def audited_variants(self) -> tuple[AuditedVariants, ...]:
        """What changes of items do to the judges that were asked about them."""
        from haechi.analysis.audit_variants import audited_of, audited_variants

        apart = audited_of(self.study)
        return () if apart is None else audited_variants(apart)

    @property
    def ratings(self) -> pl.DataFrame:
        """The ratings in force."""
        return self.study.ratings()

    @cached_property
    def rated(self) -> RatingTable | None:
        """What raters can agree on, item by rater; None without ratings."""
        from haechi.analysis.rating_sources import score_table

        if self.ratings.is_empty():
            return None
        rated = self.study.rated_scores(self._missing, self._exclude)
        return score_table(rated, self.rubric, measured=lambda: self.batches)

    @cached_property
    def raters_agreement(self) -> AgreementReport | None:
        """How far the raters agree, be it that there is only one; None without ratings."""
        from haechi.analysis.agreement import agreement_report

        if self.rated is None:
            return None
        report = agreement_report(
            self.rated, seed=self.seed, costs=self._judge_costs, human=lambda: self.human
        )
        own = self.study.rated_scores(self._missing, self._exclude).own
        return replace(report, notes=(*report.notes, *self._about_judges), own=own)

    @property
    def agreement(self) -> AgreementReport | None:
        """How far the raters agree; None where there are not two of them, nor one who rated twice."""
        several = self.rated is not None and (len(self.rated.kinds) > 1 or self.rated.has_replicates)
        return self.raters_agreement if several else None

    def agree(
        self, elements: bool = False, level: Level | None = None, epsilon: float = 0.2
    ) -> AgreementReport:
        """All that `haechi agree` says: people and judges side by side, on request down to single elements."""
        from haechi.analysis.agreement import agreement_report
        from haechi.analysis.rating_sources import study_ratings

        table = study_ratings(self.study, elements, level)
        report = agreement_report(
            table,
            panels=True,
            seed=self.seed,
            epsilon=epsilon,
            costs=self._judge_costs,
            human=lambda: self.human,
        )
        own = self.study.rated_scores().own
        return replace(report, notes=(*report.notes, *self._about_judges), own=own)

    @property
    def _about_judges(self) -> list[Why]:
        """That AI judges count as one rater, where they do."""
        judges = self.study.rated_scores(self._missing, self._exclude).judges
        return [Why(judges.about.ko, judges.about.say("en"))] if judges is not None else []

    def _judge_costs(self) -> Mapping[str, float]:
        """What every judge cost so far; of one with calls of unknown price nothing."""
        from haechi.analysis.judge_records import judge_costs

        return judge_costs(self.study)

    @cached_property
    def self_agreement(self) -> Mapping[str, Figure]:
        """Of every rater who saw items again: how often, over all that was rated, a judgement was the first one."""
        from haechi.analysis.habits import self_agreement

        return self_agreement(self.study.rated_scores(self._missing, self._exclude).elements)

    @cached_property
    def quotes(self) -> QuotedEvidence:
        """How much of the judges' evidence stands in the items."""
        from haechi.analysis.quotes import check_quotes

        return check_quotes(self.study, self.ratings)

    @cached_property
    def extremes(self) -> Extremes:
        """The items that a reader should see."""
        from haechi.analysis.extremes import extremes

        return extremes(self.batches, self.main)

    @cached_property
    def run_notes(self) -> RunNotes | None:
        """What agent runs say beside their scores."""
        from haechi.analysis.run_notes import COLUMNS, RunNotes

        if self.rubric.item != "run":
            return None
        notes = RunNotes()
        for runs in self._runs(*COLUMNS):
            notes.add(runs)
        return notes

    @cached_property
    def changed_queries(self) -> ChangedQueries | None:
        """Queries of agent runs that did not give the same result in every round."""
        from haechi.analysis.changed_queries import changed_queries, columns

        if self.rubric.item != "run":
            return None
        runs = self._runs(*columns(self.rubric, self.main, self.scored.meta))
        return changed_queries(runs, self.rubric, self.main, self.n_rated)

    @cached_property
    def _trend_field(self) -> tuple[str, tuple[str, ...]] | None:
        from haechi.analysis.trend import trend_field

        return trend_field(self) if self.rubric.item == "run" else None

    @cached_property
    def query_results(self) -> QueryResults | None:
        """What became of every query of agent runs, by version or round; None where no checks are scored."""
        from haechi.analysis.trend import results_of

        return results_of(self, self._trend_field[0] if self._trend_field else None)

    @cached_property
    def trend(self) -> Trend | None:
        """Agent runs over time: versions, else rounds, in their order; None where there are not two of them."""
        from haechi.analysis.trend import Trend

        return Trend(self, *self._trend_field) if self._trend_field else None

    @property
    def human(self) -> HumanScores:
        """What people would have given, where they rated a part and AI judges more."""
        return self.scored.human

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

            table = replace(table, batches=with_failed_runs(table.batches, kinds))
        (groups,) = count_groups(table.batches, self.names, [("kind",)])
        return {
            kind: self._described(kind, counted, self.main, table, kind)
            for (kind,), counted in groups.items()
        }

    @cached_property
    def weakest(self) -> Weakest | None:
        """The criteria that lie lowest in their ranges, those left out that most items lack."""
        from haechi.analysis.range_shares import weakest

        known = [name for name in self.names if self.rubric.criterion(name) is not None]
        half = [
            name
            for name in known
            if self.samples[name].n * 2 >= self.n_items or self.rubric.criterion(name).only is not None  # type: ignore[union-attr]
        ]
        return weakest(self.batches, self.rubric, half)

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
