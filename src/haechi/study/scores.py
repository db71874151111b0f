"""A study as it is kept, and what its ratings and runs come to: scores, and how the items that people rated were chosen."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, get_args

from haechi.data.arguments import check_word
from haechi.data.fields import Where
from haechi.data.item import Item
from haechi.data.own_criteria import CRITERIA
from haechi.data.progress import Advance, no_progress
from haechi.data.random_part import DrawMethod, NoPart, RandomPart, added_since, desk_part, read_goal
from haechi.errors import HaechiError
from haechi.rubrics.model import Missing
from haechi.store.items import attention_items
from haechi.study.items import StudyItems
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.scoring.run_tables import StoredRuns
    from haechi.scoring.score_table import ScoreTable
    from haechi.store.draws import Draw
    from haechi.study.quotes import QuotedEvidence


class StoredStudy(StudyItems):
    """A study folder to read from: items, ratings and scores."""

    def evidence(self) -> QuotedEvidence:
        """How much of the AI judges' evidence stands in the transcripts, per judge and element."""
        from haechi.study.quotes import quoted_evidence

        return quoted_evidence(self)

    def scores(
        self,
        by: str | Sequence[str] = (),
        missing: Missing | None = None,
        exclude: tuple[str, ...] = (),
        advance: Advance = no_progress,
        where: Where | None = None,
        cluster_by: str | None = None,
    ) -> ScoreTable:
        """The scores by the rubric's arithmetic, the rows and values of `haechi score`; recomputed, never stored.

        by: fields to group the summary by, several with a comma between them; without it the rubric's proposal.
        where: what to select, such as `{"mode": "agent", "rater": ["kim", "lee"]}`; see `selecting`.
        cluster_by: the field whose equal values are one cluster for the intervals; `none` for no clusters.
        Agent runs have one row each, and one per rater where raters gave verdicts.
        """
        if where:
            return self.selecting(where).scores(by, missing, exclude, advance, cluster_by=cluster_by)
        if cluster_by:
            return self.scores(by, missing, exclude, advance).clustered(cluster_by)
        check_word(missing, get_args(Missing), "missing")
        from haechi.scoring.rated_tables import by_system, with_meta, without_criteria

        wished = [by] if isinstance(by, str) else by
        rubric = without_criteria(self.rubric, exclude)
        if rubric.item == "run":
            from haechi.scoring.judge_panel import check_no_panel
            from haechi.scoring.run_tables import score_stored_runs

            check_no_panel(self.panel)

            runs = score_stored_runs(
                self._stored_runs(), rubric, wished, exclude, missing, advance, self.selection
            )
            return dataclasses.replace(runs, part=self.random_part, passes=self._passes())
        rated = self.rated_scores(missing, exclude)
        advance(rated.rows)
        pairs = rubric.item == "pair"
        table = with_meta(rated, self.meta(self.meta_fields()), [] if pairs else wished, self.selection)
        table = by_system(table, wished) if pairs else table
        quoted = self.evidence
        return dataclasses.replace(
            table, quoted=lambda: quoted().as_json(), part=self.random_part, passes=self._passes()
        )

    def _passes(self) -> Mapping[str, float]:
        """From where scores pass, as `study.yaml` says: a score that the rubric has, and a value that some reach and not all."""
        todo = Text("study.yaml의 pass를 고치세요", "correct pass in study.yaml")
        place = f"{self.folder / 'study.yaml'}, pass"
        for name, limit in self.settings.passes.items():
            if name not in self.rubric.score_names:
                names = ", ".join(self.rubric.score_names)
                expected = Text(f"다음 중 하나: {names}", f"one of {names}")
                raise HaechiError.of(place, name, expected, todo)
            low, high = self.rubric.range(name)
            if not low < limit <= high:
                expected = Text(f"{low:g}점 초과 {high:g}점 이하", f"above {low:g}, {high:g} at most")
                raise HaechiError.of(place, f"{name}: {limit:g}", expected, todo)
        return self.settings.passes

    def rated_scores(self, missing: Missing | None = None, exclude: tuple[str, ...] = ()) -> ScoreTable:
        """What the ratings alone come to, without what code measures: what raters can agree on.

        Items that only test attention are no measurements and stay out.
        """
        import polars as pl

        from haechi.scoring.own_criteria import asked_criteria
        from haechi.scoring.rated_tables import rated_table, without_criteria
        from haechi.scoring.ratings import score_ratings

        rubric = without_criteria(self.rubric, exclude)
        given = self.ratings()
        ruled = any(floor.rule for floor in rubric.floors)
        floored, attention, bringing, texts = [], [], list[Item](), 0
        rated = set(given["item"].unique()) if self._only is None else self._only
        for item in self.items(rated):
            if item.kind != "bare":
                texts += 1
                attention += [item.id] if item.tests_attention else []
                floored += [item.id] if ruled and not item.has_assistant_message else []
            bringing += [item] if CRITERIA in item.content else []
        if attention:
            given = given.filter(~pl.col("item").is_in(attention))
        asked = asked_criteria(bringing) if bringing else None
        scores = score_ratings(given, rubric, floored, missing, self.panel, asked)
        table = rated_table(scores, exclude, missing, self.place)
        if not texts:
            table = dataclasses.replace(table, without_texts="table" if self.made_of else "study")
        return table.of_criteria(self.selection)

    def count_measured(self) -> int:
        """How many items measure something: all but those that only test attention."""
        attention = self.attention_items()
        if attention and (self.selection.of_items or self._only is not None):
            attention = attention.intersection(self._selected_items())
        return self.count_items() - len(attention)

    def attention_items(self) -> frozenset[str]:
        """The items that only test attention, whatever is selected; runs in files test nobody's."""
        if self.run_files():
            return frozenset()
        with self.database.read() as connection:
            return attention_items(connection)

    def _stored_runs(self) -> StoredRuns:
        from haechi.scoring.run_tables import StoredRuns

        files = self.run_files()
        return StoredRuns(
            place=self.place,
            files=[file.path for file in files],
            # Items that only test attention are no measurements.
            items=() if files else (item for item in self.items() if not item.tests_attention),
            count=self._count_all(),
            fields=self.meta_fields(),
            ratings=self.all_ratings(),
            known=self._all_items,
        )

    def _selected_items(self) -> list[str]:
        """The ids of the items that fit; of agent runs it is known when they are scored."""
        if self.rubric.item != "run":
            return super()._selected_items()
        batches = self.scores().batches(["item"])
        return list(
            dict.fromkeys(item for frame in batches for item in frame["item"].unique(maintain_order=True))
        )

    def drawn(self) -> Draw | None:
        """The items that were drawn for people to rate; None where none were."""
        from haechi.store.draws import last_draw

        with self.database.read() as connection:
            return last_draw(connection)

    def rated_by_people(self) -> frozenset[str]:
        """The items of which some person gave a value."""
        from haechi.store.draws import rated_by_people

        with self.database.read() as connection:
            return rated_by_people(connection)

    def random_part(self) -> RandomPart | NoPart:
        """How the items that people rated were chosen: drawn, declared, given out by the desk; or that nobody knows."""
        from haechi.stats.item_draws import inclusion_of_draws
        from haechi.store.draws import count_drawable, desk_work, last_draw, said_of

        with self.database.read() as connection:
            draw, there, desk = last_draw(connection), count_drawable(connection), desk_work(connection)
        if draw is None:
            return desk_part(self.rated_by_people(), desk.items, desk.chosen)
        if there > draw.items:
            return added_since(there - draw.items)
        chances = dict.fromkeys(draw.item_ids, len(draw.drawn) / draw.items)
        if draw.how == "until":
            found = inclusion_of_draws([chance for _, chance in draw.drawn], draw.items)
            chances = dict(zip(draw.item_ids, map(float, found), strict=True))
        how: DrawMethod = draw.how  # type: ignore[assignment]
        return RandomPart(how, said_of(draw), chances, read_goal(draw.goal) if draw.goal else None)
