"""All figures of a study, computed once: what the report says and what a gate checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import polars as pl

from haechi.analysis import changed_queries, run_notes
from haechi.analysis.agreement import AgreementReport, agreement_report
from haechi.analysis.changed_queries import ChangedQueries
from haechi.analysis.changed_queries import changed_queries as find_changed
from haechi.analysis.compared_items import compared_groups, paired_groups
from haechi.analysis.comparison import Comparison, compare
from haechi.analysis.counts import Counted, Counts, GroupCounts, count_groups
from haechi.analysis.extremes import Notable, notable
from haechi.analysis.panel_change import is_nested
from haechi.analysis.quotes import QuotedEvidence, check_quotes
from haechi.analysis.rating_sources import score_table
from haechi.analysis.rating_table import RatingTable
from haechi.analysis.reported_study import ReportedStudy
from haechi.analysis.run_notes import RunNotes
from haechi.analysis.sides import Side
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import Batches
from haechi.scoring.ratings import KEYS
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.sources import without
from haechi.stats import SEED, Group
from haechi.stats.groups import describe_one
from haechi.stats.sample import Sample, aligned
from haechi.study import Study

_MOST_GROUPS = 8


class Cell(NamedTuple):
    """Who rated, and for the how many-th time."""

    rater: str
    kind: str
    replicate: int


@dataclass(frozen=True)
class StudyFigures:
    """A study's figures.

    batches: a row per item, rater and replicate, piece by piece; n_rows, n_rated: how many such rows, and how many items
    they are about; cells: whose rows, in order. The unit of all means is an item with the mean of its raters:
    samples has every score over the items, whole the same in figures. seconds: response times of agent runs, of all
    runs under "" and of a tool class under the name of its latency score; times are their samples.
    """

    study: Study
    rubric: Rubric
    scored: ScoreTable
    n_rows: int
    n_rated: int
    cells: tuple[Cell, ...]
    samples: Mapping[str, Sample]
    whole: Mapping[str, Group]
    times: Mapping[str, Sample]
    seconds: Mapping[str, Group]
    ratings: pl.DataFrame
    rated: RatingTable | None
    agreement: AgreementReport | None
    comparisons: tuple[Comparison, ...]
    quoted: QuotedEvidence
    n_items: int
    anonymous: bool
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The scores."""
        return self.scored.names

    @property
    def main(self) -> str:
        """The score that stands for the whole: the one made of most criteria, the first of several."""
        return main_score(self.rubric, self.names)

    @property
    def raters(self) -> dict[str, str]:
        """The kind of every rater, code left out."""
        return {cell.rater: cell.kind for cell in self.cells if cell.kind != "code"}

    @cached_property
    def by_rater(self) -> Mapping[str, Counted]:
        """Every rater's own scores over the items that they rated."""
        raters = {cell.rater for cell in self.cells}
        if len(raters) == 1:
            return dict.fromkeys(raters, Counted(self.n_rated, dict(self.samples)))
        (groups,) = count_groups(self.batches, self.names, [("rater",)])
        return {rater: counted for (rater,), counted in groups.items()}

    @cached_property
    def one_item_each(self) -> bool:
        """Whether every rater rated one item, which nobody else rated, as participants do."""
        return len(self.raters) == self.n_rated > 1 and is_nested(self.batches)

    @property
    def side(self) -> Side:
        """This study as one of two that are compared."""
        raters = {cell.rater: cell.kind for cell in self.cells}
        return Side(raters, self.batches, Counted(self.n_rated, dict(self.samples)))

    @property
    def batches(self) -> Batches:
        """The rows, piece by piece; all rows of an item stand in one piece."""
        return self.scored.batches

    @cached_property
    def notable(self) -> Notable:
        """The items that a reader should see."""
        return notable(self.batches, self.main)

    @cached_property
    def run_notes(self) -> RunNotes | None:
        """What agent runs say beside their scores."""
        if self.rubric.item != "run":
            return None
        notes = RunNotes()
        for runs in self._runs(*run_notes.COLUMNS):
            notes.add(runs)
        return notes

    @cached_property
    def changed_queries(self) -> ChangedQueries | None:
        """Queries of agent runs that did not give the same result in every round."""
        if self.rubric.item != "run":
            return None
        return find_changed(self._runs(*changed_queries.COLUMNS, self.main), self.main, self.n_rated)

    def rows_of(self, items: Collection[str], columns: Sequence[str]) -> pl.DataFrame:
        """The rows of some items."""
        wanted = pl.Series(list(items), dtype=pl.String).implode()
        own = (frame.filter(pl.col("item").is_in(wanted)) for frame in self.batches(["item", *columns]))
        return pl.concat(own)

    def _runs(self, *columns: str) -> Iterator[pl.DataFrame]:
        """Agent runs, one row each, piece by piece: what code says of a run is the same for all its raters."""
        for frame in self.batches(["item", *columns]):
            yield frame.unique("item", keep="first", maintain_order=True)


def gather(
    folder: Path,
    by: Sequence[str] = (),
    exclude: tuple[str, ...] = (),
    missing: Missing | None = None,
    anonymous: bool = False,
    seed: int = SEED,
    beside: Sequence[Path] = (),
) -> StudyFigures:
    """Compute everything that a report about a study says; in those beside it people have the same pseudonyms."""
    study = ReportedStudy(folder, anonymous, beside)
    rubric = without(study.rubric, exclude)
    fields = list(by) or _fields(study, rubric)
    scored = study.scores(fields, missing, exclude).checked()
    names = scored.names
    groupings = [fields for fields in scored.groupings if not {"rater", "kind"} & set(fields)]
    counted, *grouped = count_groups(scored.batches, names, [(), *groupings])
    whole = counted[()]
    cells, n_rows = cells_of(scored.batches)
    times = _times(scored, rubric)
    ratings = study.ratings()
    rated = score_table(study.rated_scores(missing, exclude), rubric) if ratings.height else None
    worth_comparing = rated is not None and (len(rated.kinds) > 1 or rated.has_replicates)
    compared = [
        paired_groups(compared_groups(rubric, names, scored.batches, by, groups), _others(scored, by), None)
        for by, groups in zip(groupings, grouped, strict=True)
        if any(None not in key for key in groups)
    ]
    return StudyFigures(
        study=study,
        rubric=rubric,
        scored=scored,
        n_rows=n_rows,
        n_rated=whole.n,
        cells=cells,
        samples=whole.scores,
        whole={name: describe_one(name, whole.scores[name], whole.n, seed) for name in names},
        times={name: one.scores["details:seconds"] for name, one in times.items()},
        seconds={
            name: describe_one(name or "seconds", one.scores["details:seconds"], one.n, seed)
            for name, one in times.items()
        },
        ratings=ratings,
        rated=rated,
        agreement=agreement_report(rated, seed=seed) if rated is not None and worth_comparing else None,
        comparisons=tuple(compare(items, seed) for items in compared),
        quoted=check_quotes(study, ratings),
        n_items=study.count_items(),
        anonymous=anonymous,
        seed=seed,
    )


def main_score(rubric: Rubric, names: Sequence[str]) -> str:
    """The score made of most criteria.

    >>> import haechi
    >>> [main_score(rubric, rubric.score_names) for rubric in map(haechi.rubric, ("ubica", "maice-qac"))]
    ['overall', 'total']
    """
    parts = {derived.key: derived.parts for derived in rubric.scores}

    def criteria(name: str) -> set[str]:
        return set().union(*map(criteria, parts[name])) if name in parts else {name}

    return max(names, key=lambda name: len(criteria(name)))


def _fields(study: Study, rubric: Rubric) -> list[str]:
    """What to group by when nobody says: the rubric's proposal, else fields that split the items in a few groups.

    Two fields that split the items in the same way are one; only the first is taken.
    """
    known = study.meta_fields()
    proposed = [field for field in rubric.summary_by if field in known or rubric.item == "run"]
    if proposed:
        return proposed
    few = _few_groups(study, known)
    if not few:
        return []
    counts = Counts(few)
    for piece in study.meta_pieces(few):
        counts.add(piece)
    together = counts.total()
    shapes = {_shape(together[field].to_list()): field for field in reversed(few)}
    return [field for field in few if field in shapes.values()]


def _few_groups(study: Study, fields: Sequence[str]) -> list[str]:
    """The fields that make two groups or a few more, none of a single item."""
    counts: dict[str, Counter[str]] = {field: Counter() for field in fields}
    for piece in study.meta_pieces(fields):
        for field, counted in counts.items():
            if len(counted) <= _MOST_GROUPS:
                counted.update(dict(piece[field].drop_nulls().value_counts().iter_rows()))
    return [
        field
        for field, counted in counts.items()
        if 2 <= len(counted) <= _MOST_GROUPS and min(counted.values()) >= 2
    ]


def _shape(values: Sequence[str | None]) -> tuple[int, ...]:
    """Values numbered by first appearance, so that fields which split the items alike are equal."""
    order: dict[str | None, int] = {}
    return tuple(order.setdefault(value, len(order)) for value in values)


def _others(scored: ScoreTable, by: tuple[str, ...]) -> list[str]:
    return [name for name in scored.meta if name not in (*by, *KEYS)]


def cells_of(batches: Batches) -> tuple[tuple[Cell, ...], int]:
    """Whose rows there are, in the order of their first appearance, and how many."""
    counts = Counts(Cell._fields)
    for frame in batches(Cell._fields):
        counts.add(frame)
    total = counts.total()
    return tuple(Cell(*row[:3]) for row in total.iter_rows()), int(total[:, 3].sum())


def _times(scored: ScoreTable, rubric: Rubric) -> dict[str, Counted]:
    """Response times: of all runs under "", of a tool class under its latency score."""
    seconds, of_class = "details:seconds", "details:tool_class"
    if seconds not in next(scored.batches()).columns:
        return {}
    by_class = GroupCounts([seconds], [of_class])
    for frame in scored.batches(["item", seconds, of_class]):
        by_class.add(frame.unique("item", keep="first", maintain_order=True))
    classes = by_class.groups()
    values, counts = aligned([one.scores[seconds] for one in classes.values()])
    every = Counted(sum(one.n for one in classes.values()), {seconds: Sample(values, counts.sum(axis=0))})
    none = Counted(0, {seconds: Sample.of([])})
    return {"": every} | {c.score: classes.get((c.only,), none) for c in rubric.criteria if c.only}
