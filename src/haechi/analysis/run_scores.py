"""Scores of agent runs: code measures them; what is judged comes from raters, verdicts also from a column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from haechi.data.duplicates import Hashes, hashes_of, repeated_ids
from haechi.data.names import RUN_FIELDS, name_fields
from haechi.data.sources import Source, name_of
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import Waiting
from haechi.scoring.panel import panel_means
from haechi.scoring.ratings import KEYS
from haechi.scoring.run_sources import score_run_files
from haechi.scoring.runs.measure import KEPT
from haechi.scoring.runs.summary import Summary
from haechi.scoring.score_table import Scored, choose_groupings
from haechi.scoring.verdicts import given_verdicts, reason_in_words, score_judged_runs
from haechi.text import Lang, Text

if TYPE_CHECKING:
    from haechi.study import Study

RUN_META = ("query", "round", "category")
_DETAILS = ("seconds", "tool_class", "ratio_a", "ratio_b", "modal_label", "runs", "label", "signature")
_CHECKS = ("checks_passed", "checks_total", "failing", "failure", "error")
_FIELDS = (*RUN_META, "tool_class", "label")
_MEASURED = ("item", *RUN_META, *_DETAILS, *_CHECKS, "intent_verdict", "check_ratio", "failed")
_ONE_RUN = Text("한 건 이상의 실행", "at least one run")


def score_runs_files(
    paths: Sequence[Source],
    rubric: Rubric,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
    advance: Callable[[int], None],
) -> Scored:
    """Score files of runs; what was scored waits on disk, so that memory does not grow with the files."""
    groupings, kept = run_groupings(rubric, by)
    waiting = Waiting()
    hashes: list[Hashes] = []

    def keep(batch: pl.DataFrame) -> None:
        waiting.write(shown_runs(batch, rubric, kept))
        hashes.append(hashes_of(batch["item"]))
        advance(batch.height)

    try:
        summary = score_run_files(paths, rubric, keep, groupings, missing)
    finally:
        waiting.close()
    name = name_of_all(paths)
    if not waiting.rows:
        raise no_runs(name)
    refuse_unknown_fields(name, kept, summary)
    refuse_twice(name, repeated_ids(hashes, lambda: (frame["item"] for frame in waiting.batches(["item"]))))
    return Scored(
        rubric, waiting.batches, summary, 1, (*RUN_META, *kept), groupings, missing or rubric.missing, exclude
    )


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
    return next((name for name in known if name in (*_FIELDS, "repeat")), field)


def refuse_unknown_fields(name: str, kept: tuple[str, ...], summary: list[dict[str, Any]]) -> None:
    """A field to group by that no run has is a misspelling."""
    for field in kept:
        if all(row["by"].get(field) is None for row in summary):
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


def score_run_study(
    study: Study,
    rubric: Rubric,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
    advance: Callable[[int], None],
) -> Scored:
    """Score the runs of a study, with the verdicts that its raters gave; what was scored waits on disk."""
    others = {name.removeprefix("meta."): name for name in study.meta_fields() if name not in _MEASURED}
    verdicts = given_verdicts(study, rubric, missing)
    unjudged = verdicts["item"].n_unique() < study.count_items()
    raters = verdicts["rater"].n_unique() + unjudged
    groupings = choose_groupings(rubric, by, (*_FIELDS, *others.values()), raters)
    summary = _RatedSummary(rubric, groupings)
    waiting = Waiting()

    def keep(batch: pl.DataFrame) -> None:
        summary.add(batch)
        waiting.write(shown_runs(batch, rubric, tuple(others.values())))
        advance(batch["item"].n_unique())

    try:
        score_judged_runs(study, rubric, keep, verdicts, others, missing)
    finally:
        waiting.close()
    if not waiting.rows:
        todo = Text(f"haechi add {study.folder} 파일", f"haechi add {study.folder} FILE")
        raise HaechiError.of(str(study.folder), Text("실행 없음", "no runs"), _ONE_RUN, todo)
    return Scored(
        rubric=rubric,
        batches=waiting.batches,
        summary=summary.rows(),
        raters=len(summary.raters),
        meta=(*RUN_META, *others.values()),
        groupings=groupings,
        missing=missing or rubric.missing,
        excluded=exclude,
    )


class _RatedSummary:
    """Every run counts once, with the mean of what its raters gave; by rater, every rater's own."""

    def __init__(self, rubric: Rubric, groupings: tuple[tuple[str, ...], ...]) -> None:
        per_rater = tuple(fields for fields in groupings if {"rater", "kind"} & set(fields))
        per_run = tuple(fields for fields in groupings if fields not in per_rater)
        self._names = rubric.score_names
        self._runs, self._raters = Summary(rubric, per_run), Summary(rubric, per_rater)
        self.raters: set[str] = set()

    def add(self, frame: pl.DataFrame) -> None:
        """Count a batch; all rows of a run stand in the same one."""
        others = [name for name in frame.columns if name not in ("item", "rater", *self._names)]
        self._runs.add(panel_means(frame, self._names, ["item"], others))
        self._raters.add(frame)
        self.raters.update(frame["rater"].unique().to_list())

    def rows(self) -> list[dict[str, Any]]:
        """The summary: the whole, the groups of runs, the raters."""
        return [*self._runs.rows(), *self._raters.rows()[1:]]


def shown_runs(
    batch: pl.DataFrame, rubric: Rubric, kept: tuple[str, ...], lang: Lang | None = None
) -> pl.DataFrame:
    """Keys, meta, scores, reasons in words and what stands behind the scores."""
    code = {"rater": pl.lit("code"), "kind": pl.lit("code"), "replicate": pl.lit(1, pl.Int64)}
    keys = [pl.col(name) if name in batch.columns else value.alias(name) for name, value in code.items()]
    carried = set(batch.columns)
    extra = [pl.col(KEPT + field if KEPT + field in carried else field).alias(field) for field in kept]
    why = [reason_in_words(name, lang) for name in rubric.score_names]
    details = [pl.col(name).alias(f"details:{name}") for name in (*_DETAILS, *_CHECKS)]
    return batch.select("item", *keys, *RUN_META, *extra, *rubric.score_names, *why, *details)
