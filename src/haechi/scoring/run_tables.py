"""Scores of agent runs: code measures them; what is judged comes from raters, verdicts also from a column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import polars as pl

from haechi.data.agent_run import VERSION
from haechi.data.duplicates import Hashes, hashes_of, repeated_ids
from haechi.data.fields import CRITERION, EVERYTHING, OF_ROWS, Selection
from haechi.data.item import Item
from haechi.data.names import META_PREFIX, RUN_FIELDS, name_fields
from haechi.data.progress import Advance
from haechi.data.sources import Source, name_of
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import KEPT, WaitingBatches
from haechi.scoring.open_lines import BY, DECIDED, answers, decided_lines, with_decided
from haechi.scoring.rated_runs import given_labels, given_points, labelled_parts, with_raters
from haechi.scoring.ratings import KEYS
from haechi.scoring.run_pipeline import score_runs
from haechi.scoring.run_sources import score_run_files, stored_parts
from haechi.scoring.runs.consistency import REPEATED
from haechi.scoring.runs.points import BESIDE, WITHOUT, totals_of_runs
from haechi.scoring.score_rows import choose_groupings
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.summary import Summary, field_of
from haechi.text import Text

RUN_META = ("query", "round", "category")
_DETAILS = (
    "seconds", "tool_class", "class_by", "ratio_a", "ratio_b", "modal_label", "runs", "label", "label_by", "signature",
)  # fmt: skip
_CHECKS = ("checks_passed", "checks_total", "checks_open", "failing", "failure", "error")
_FIELDS = (*RUN_META, "tool_class", "label")
_MEASURED = (
    "item",
    *RUN_META,
    VERSION,
    *_DETAILS,
    *_CHECKS,
    "intent_verdict",
    "check_ratio",
    "failed",
    "accuracy_checks",
)
_ONE_RUN = Text("한 건 이상의 실행", "at least one run")


def score_runs_files(
    paths: Sequence[Source],
    rubric: Rubric,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
    advance: Advance,
    selection: Selection = EVERYTHING,
    reading: TableReading = AS_FOUND,
) -> ScoreTable:
    """Score files of runs; what was scored waits on disk, so that memory does not grow with the files."""
    groupings, kept = run_groupings(rubric, by)
    chosen = tuple(
        name for name in map(_own_name, selection.of_items.wanted) if name not in (*_FIELDS, *kept)
    )
    kept += chosen
    wanted = _Wanted(selection, (*_FIELDS, *kept))
    waiting, selected = WaitingBatches(), Summary(rubric, groupings)
    hashes: list[Hashes] = []

    def keep(batch: pl.DataFrame) -> None:
        rows = wanted.rows(batch)
        if selection:
            selected.add(rows)
        waiting.write(shown_runs(rows, rubric, kept))
        hashes.append(hashes_of(batch["item"]))
        advance(batch.height)

    every = score_run_files(paths, rubric, keep, groupings, missing, carried=chosen, read_as=reading)
    name = name_of_all(paths)
    if not hashes:
        raise no_runs(name)
    wanted.check(waiting.rows)
    summary = selected if selection else every
    refuse_unknown_fields(name, [field for field in kept if field not in chosen], summary)
    refuse_twice(name, repeated_ids(hashes, lambda: (frame["item"] for frame in waiting.batches(["item"]))))
    table = ScoreTable(
        rubric=rubric,
        batches=waiting.batches,
        names=rubric.score_names,
        rows=waiting.rows,
        raters=1,
        missing=missing or rubric.missing,
        summarise=summary.rows,
        meta=(*RUN_META, *kept),
        groupings=groupings,
        excluded=exclude,
        place=name,
    )
    return table.of_criteria(wanted.selection)


def run_groupings(rubric: Rubric, by: Sequence[str]) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """What runs are grouped by, and which of these fields have to be carried along.

    >>> import haechi
    >>> run_groupings(haechi.rubric("hiring-agent"), ["카테고리", "team"])
    ((('category',), ('team',)), ('team',))
    """
    by = [",".join(_own_name(field.strip()) for field in wish.split(",")) for wish in by]
    wished = [field for wish in by for field in wish.split(",")]
    ours = [field for field in wished if field in (*KEYS, *rubric.score_names)]
    if ours:
        names = ", ".join(_FIELDS)
        expected = Text(f"{names} 또는 다른 열", f"{names} or another column")
        raise HaechiError.of("--by", ", ".join(ours), expected, Text("--by를 고치세요", "correct --by"))
    groupings = choose_groupings(rubric, by, (*_FIELDS, *wished), raters=1)
    kept = tuple(dict.fromkeys(field for fields in groupings for field in fields if field not in _FIELDS))
    return groupings, kept


def name_of_all(paths: Sequence[Source]) -> str:
    """What an error about several files calls them."""
    first = name_of(paths[0])
    return first if len(paths) == 1 else f"{first} + {len(paths) - 1:,}"


def no_runs(name: str) -> HaechiError:
    """There is nothing to score."""
    todo = Text("파일을 확인하세요", "check the file")
    return HaechiError.of(name, Text("실행 없음", "no runs"), _ONE_RUN, todo)


def _own_name(field: str) -> str:
    """The name of a field of runs however it is spelt; any other field as it is."""
    known, _ = name_fields({field: field}, RUN_FIELDS)
    return next((name for name in known if name in (*_FIELDS, VERSION, "repeat")), field)


def refuse_unknown_fields(name: str, kept: Sequence[str], summary: Summary) -> None:
    """A field to group by that no run has is a misspelling."""
    for field in kept:
        if summary.values(field) == {None}:
            expected = Text("실행에 있는 열 이름", "the name of a column that runs have")
            todo = Text("--by를 고치세요", "correct --by")
            raise HaechiError.of(f"{name}, --by", Text(f"{field} 없음", f"no {field}"), expected, todo)


def refuse_twice(name: str, twice: pl.Series) -> None:
    """Refuse ids that are given to several runs."""
    if twice.is_empty():
        return
    named = ", ".join(twice.head(5).to_list())
    found = Text(f"id 중복 {len(twice):,}개: {named}", f"{len(twice):,} ids twice: {named}")
    todo = Text(
        "Item ID 열이나 방/반복 열로 실행을 구별하세요",
        "tell runs apart by a column Item ID or 방/반복 (round/repeat)",
    )
    raise HaechiError.of(name, found, Text("서로 다른 id", "every id once"), todo)


@frozen
class StoredRuns:
    """The agent runs of a study: in its Parquet files, as items, or both; and what its raters said of them.

    place: what an error calls the study; count: how many runs there are; fields: the meta fields that they have;
    known: looks up runs by their ids.
    """

    place: str
    files: Sequence[Path]
    items: Iterable[Item]
    count: int
    fields: Sequence[str]
    ratings: pl.DataFrame
    known: Callable[[Collection[str]], Iterable[Item]]


def score_stored_runs(
    runs: StoredRuns,
    rubric: Rubric,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
    advance: Advance,
    selection: Selection = EVERYTHING,
) -> ScoreTable:
    """Score the runs of a study, a row for every rater who rated a run; what was scored waits on disk."""
    others = {META_PREFIX + name.removeprefix("meta."): name for name in runs.fields if name not in _MEASURED}
    shown = tuple(name for name in runs.fields if name == VERSION or name in others.values())
    given = given_points(runs.ratings, rubric, missing)
    said = answers(runs.ratings, rubric)
    decided = decided_lines(runs.known(set(said["item"])), said, rubric) if said.height else None
    unjudged = given.verdicts["item"].n_unique() < runs.count
    groupings = choose_groupings(rubric, by, (*_FIELDS, *shown), given.rows["rater"].n_unique() + unjudged)
    wanted = _Wanted(selection, (*_FIELDS, *shown))
    summary, raters = Summary(rubric, groupings), set[str]()
    names = {KEPT + column: name for column, name in others.items()}
    waiting = WaitingBatches()

    def keep(batch: pl.DataFrame) -> None:
        batch = batch.rename(names)
        batch = batch if decided is None else with_decided(batch, decided, rubric, missing)
        judged = wanted.rows(with_raters(batch, given, rubric, missing))
        summary.add(judged)
        raters.update(judged["rater"].unique().to_list())
        waiting.write(shown_runs(judged, rubric, shown))
        advance(batch.height)

    parts = labelled_parts(stored_parts(runs.files, runs.items, tuple(others)), given_labels(runs.ratings))
    score_runs(parts, rubric, keep, missing=missing)
    wanted.check(waiting.rows)
    table = ScoreTable(
        rubric=rubric,
        batches=waiting.batches,
        names=rubric.score_names,
        rows=waiting.rows,
        raters=len(raters),
        missing=missing or rubric.missing,
        summarise=summary.rows,
        meta=(*RUN_META, *shown),
        groupings=groupings,
        excluded=exclude,
        place=runs.place,
        beside=given.beside,
        decided=decided is not None and not decided.is_empty(),
    )
    return table.of_criteria(wanted.selection)


class _Wanted:
    """Selects scored runs, batch by batch: what they say stays what it was among all runs."""

    def __init__(self, selection: Selection, fields: Sequence[str]) -> None:
        self.selection = selection.among(list(dict.fromkeys([*fields, "rater", "kind", CRITERION])))
        self._of_rows = self.selection.of_rows
        self._values: dict[str, set[str | None]] = {field: set() for field in self._of_rows.wanted}

    def rows(self, batch: pl.DataFrame) -> pl.DataFrame:
        """The rows of a batch that are wanted."""
        if not self._values:
            return batch
        rated = "rater" in batch.columns
        fields = batch.select(
            pl.lit("code").alias(name) if name in OF_ROWS and not rated else field_of(batch, name).alias(name)
            for name in self._values
        )
        for name, known in self._values.items():
            known.update(fields[name].unique().to_list())
        fits = fields.select(self._of_rows.rows).to_series()
        return batch.filter(fits if len(fits) == batch.height else pl.lit(bool(fits.all())))

    def check(self, rows: int) -> None:
        """Refuse values that no run has, and conditions that no run fits."""
        self._of_rows.check_values(self._values)
        if self._of_rows and not rows:
            raise self._of_rows.nothing()


def shown_runs(batch: pl.DataFrame, rubric: Rubric, kept: tuple[str, ...]) -> pl.DataFrame:
    """Keys, meta, scores, reasons and what stands behind the scores."""
    code = {"rater": pl.lit("code"), "kind": pl.lit("code"), "replicate": pl.lit(1, pl.Int64)}
    keys = [pl.col(name) if name in batch.columns else value.alias(name) for name, value in code.items()]
    carried = set(batch.columns)
    extra = [pl.col(KEPT + field if KEPT + field in carried else field).alias(field) for field in kept]
    why = [f"why:{name}" for name in rubric.score_names]
    behind = (*_DETAILS, *_CHECKS, *(name for name in (DECIDED, BY) if name in carried))
    details = [pl.col(name).alias(f"details:{name}") for name in behind]
    without = [WITHOUT + name for name in totals_of_runs(rubric)]
    beside = pl.selectors.starts_with(BESIDE)
    return batch.select(
        "item", *keys, *RUN_META, *extra, REPEATED, *rubric.score_names, *without, *why, *details, beside
    )
