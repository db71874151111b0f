"""All figures of a study, each computed when it is first asked for: what every surface says and every gate checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from haechi.analysis.comparison_options import NOTHING_ASKED, ComparisonOptions
from haechi.analysis.counts import count_groups
from haechi.analysis.rater_figures import RaterFigures
from haechi.data.fields import field_among, is_of_rows, split_fields
from haechi.scoring.ratings import KEYS

if TYPE_CHECKING:  # what a figure is computed by is imported when it is asked for
    from haechi.analysis.changed_queries import ChangedQueries
    from haechi.analysis.comparability import Values
    from haechi.analysis.compared_groups import ComparedItems
    from haechi.analysis.comparison import Comparison
    from haechi.analysis.group_bridges import BridgedGroups
    from haechi.analysis.query_results import QueryResults
    from haechi.analysis.ranking import Ranking
    from haechi.analysis.run_notes import RunNotes
    from haechi.analysis.sides import Side
    from haechi.analysis.trend import AgentTrend
    from haechi.data.votes import VoteTable
    from haechi.stats.linking import ScaleLink


class Analysis(RaterFigures):
    """A study's figures. Nothing is computed before it is asked for, and nothing twice.

    The unit of all means is an item with the mean of its raters. Studies `beside` this one give people the same
    pseudonyms where `anonymous` hides their names. `where` is what to look at, all by default. Items that share the value
    of `cluster_by` are one cluster: the intervals of means, and the tests of groups, are over clusters. `panel` is how AI
    judges count together, as the study says by default.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from haechi.demo import make_studies
    >>> figures = Analysis(next(make_studies(Path(tempfile.mkdtemp()) / "demo")))
    >>> figures.main, round(figures.whole["overall"].mean.value, 2)
    ('overall', 2.98)
    """

    @property
    def side(self) -> Side:
        """This study as one of two that are compared."""
        from haechi.analysis.sides import Side

        who = {cell.rater: cell.kind for cell in self.who_rated}
        ruled = self.scored.unmeasured().get((), frozenset())
        return Side(who, self.batches, self._counted, self.scored.meta, ruled, self.ways, self._bridge)

    def _bridge(self, rater: str, way: Mapping[str, Values], names: Sequence[str]) -> Mapping[str, ScaleLink]:
        from haechi.analysis.anchors import links_to

        return links_to(self.study, rater, way, names)

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The groups of items that the study was asked to be compared by, or proposes itself."""
        from haechi.analysis.compared_groups import compared_groups
        from haechi.analysis.compared_items import with_design
        from haechi.analysis.comparison import Comparison

        scored = self.scored
        # Raters are compared where somebody asks for it; otherwise their habits and agreement tell more.
        groupings = [fields for fields in scored.groupings if self._by or not any(map(is_of_rows, fields))]
        if not groupings:
            return ()
        counted = count_groups(scored.batches, scored.names, groupings)
        return tuple(
            Comparison(
                with_design(
                    compared_groups(scored, scored.batches, by, groups, self._asked),
                    [name for name in scored.meta if name not in (*by, *KEYS)],
                    self.item_ways,
                ),
                self.seed,
                self._bridged,
            )
            for by, groups in zip(groupings, counted, strict=True)
            if any(None not in key for key in groups)
        )

    @property
    def _asked(self) -> ComparisonOptions:
        return replace(NOTHING_ASKED, cluster=self.cluster_by).or_cluster(self.scored.cluster)

    def comparison(self, by: str, asked: ComparisonOptions = NOTHING_ASKED) -> Comparison:
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
        return Comparison(grouped_items(scored, fields, asked, self.item_ways), self.seed, self._bridged)

    def _bridged(self, items: ComparedItems, seed: int) -> BridgedGroups | None:
        """Two groups that a judge was not asked about alike, over the anchors of the study."""
        from haechi.analysis.group_bridges import bridged_groups

        ways = self.item_ways
        return None if ways is None else bridged_groups(items, self.study, ways, seed)

    @cached_property
    def ranking(self) -> Ranking | None:
        """The systems by their strength, where two answers are compared; None elsewhere."""
        if self.rubric.item != "pair":
            return None
        from haechi.analysis.ranking import RankingOptions as Wanted
        from haechi.analysis.ranking import ranking

        votes = self.votes
        return ranking(votes, Wanted(seed=self.seed)) if votes is not None and votes.frame.height else None

    @cached_property
    def votes(self) -> VoteTable | None:
        """The verdicts between systems, where two answers are compared; None elsewhere."""
        if self.rubric.item != "pair":
            return None
        from haechi.analysis.study_votes import study_votes

        return study_votes(self.study)

    @cached_property
    def run_notes(self) -> RunNotes | None:
        """What agent runs say beside their scores."""
        if self.rubric.item != "run":
            return None
        from haechi.analysis.run_notes import COLUMNS, RunNotes

        notes = RunNotes()
        for runs in self._runs(*COLUMNS):
            notes.add(runs)
        return notes

    @cached_property
    def changed_queries(self) -> ChangedQueries | None:
        """Queries of agent runs that did not give the same result in every round."""
        if self.rubric.item != "run":
            return None
        from haechi.analysis.changed_queries import changed_queries, columns

        runs = self._runs(*columns(self.rubric, self.main))
        return changed_queries(runs, self.rubric, self.main, self.n_rated)

    @cached_property
    def _trend_field(self) -> tuple[str, tuple[str, ...]] | None:
        if self.rubric.item != "run":
            return None
        from haechi.analysis.trend import trend_field

        return trend_field(self)

    @cached_property
    def query_results(self) -> QueryResults | None:
        """What became of every query of agent runs, by version or round; None where no checks are scored."""
        if self.rubric.item != "run":
            return None
        from haechi.analysis.trend import results_of

        return self.trend.queries if self.trend is not None else results_of(self, None)

    @cached_property
    def trend(self) -> AgentTrend | None:
        """Agent runs over time: versions, else rounds, in their order; None where there are not two of them."""
        if not self._trend_field:
            return None
        from haechi.analysis.trend import AgentTrend

        return AgentTrend(self, *self._trend_field)
