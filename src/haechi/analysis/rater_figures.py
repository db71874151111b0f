"""What a study says about its raters: how far they agree, and how the AI judges among them were asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from haechi.analysis.score_figures import StudyScoreFigures
from haechi.stats.figure import Figure, Why
from haechi.stats.ratings import Level
from haechi.store.folder import AUDIT, is_study

if TYPE_CHECKING:  # what a figure is computed by is imported when it is asked for
    from haechi.analysis.agreement import AgreementReport
    from haechi.analysis.audit import Audit
    from haechi.analysis.audit_variants import AuditedVariants
    from haechi.analysis.comparability import Ways
    from haechi.analysis.group_ways import ItemWays
    from haechi.analysis.rating_table import RatingTable
    from haechi.study.quotes import QuotedEvidence


class RaterFigures(StudyScoreFigures):
    """A study's figures about its raters, each computed when it is first asked for."""

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
        return self.study.evidence()

    @cached_property
    def ways(self) -> Ways:
        """How the judges among the raters were asked, as the journal has it."""
        from haechi.analysis.comparability import ways_of
        from haechi.store.judging_protocols import asked_ways

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
    def audit(self) -> Audit | None:
        """What moves the AI judges, from what is stored; None without one."""
        if "ai" not in self.raters.values():
            return None
        from haechi.analysis.audit import audit

        return audit(self.study)

    @cached_property
    def audited_variants(self) -> tuple[AuditedVariants, ...]:
        """What changes of items do to the judges that were asked about them."""
        if not is_study(self.study.folder / AUDIT):
            return ()
        from haechi.analysis.audit_variants import audited_of, audited_variants

        apart = audited_of(self.study)
        return () if apart is None else audited_variants(apart)
