"""Scores of agent runs: code measures them; intent comes from an imported column or from raters."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from haechi.errors import HaechiError
from haechi.items.names import RUN_FIELDS, name_fields
from haechi.items.sources import Source, name_of
from haechi.raters.runs import score_run_files, score_run_items
from haechi.report.panel import panel_means
from haechi.report.scored import Scored, choose_groupings
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.ratings import KEYS
from haechi.scoring.runs.measure import KEPT
from haechi.scoring.runs.points import REASONS, score
from haechi.scoring.runs.summary import Summary
from haechi.study import Study
from haechi.text import Lang, Text

RUN_META = ("query", "round", "category")
_DETAILS = ("seconds", "tool_class", "ratio_a", "ratio_b", "modal_label", "runs", "label", "signature")
_CHECKS = ("checks_passed", "checks_total", "failing", "failure", "error")
_FIELDS = (*RUN_META, "tool_class", "label")
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
    import pyarrow.parquet

    groupings, kept = run_groupings(rubric, by)
    target = Path(tempfile.mkdtemp(prefix="haechi-")) / "scored.parquet"

    def batches() -> Iterator[pl.DataFrame]:
        for batch in pyarrow.parquet.ParquetFile(target).iter_batches(batch_size=16_384):
            yield pl.DataFrame(batch)

    # What waits on disk goes when nobody can ask for it any more.
    weakref.finalize(batches, shutil.rmtree, target.parent, ignore_errors=True)
    writer: list[Any] = []
    hashes: list[pl.Series] = []

    def keep(batch: pl.DataFrame) -> None:
        table = shown_runs(batch, rubric, kept).to_arrow()
        if not writer:
            writer.append(pyarrow.parquet.ParquetWriter(target, table.schema))
        writer[0].write_table(table)
        hashes.append(batch["item"].hash())
        advance(batch.height)

    try:
        summary = score_run_files(paths, rubric, keep, groupings, missing)
    finally:
        for open_file in writer:
            open_file.close()
    name = name_of_all(paths)
    if not sum(map(len, hashes)):
        raise no_runs(name)
    refuse_unknown_fields(name, kept, summary)
    _refuse_duplicates(name, pl.concat(hashes), batches)
    return Scored(
        rubric, batches, summary, 1, (*RUN_META, *kept), groupings, missing or rubric.missing, exclude
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


def _refuse_duplicates(name: str, hashes: pl.Series, batches: Callable[[], Iterator[pl.DataFrame]]) -> None:
    """Ids are unique. Eight bytes of each are kept; only where two of those are equal are the ids compared."""
    suspect = hashes.filter(hashes.is_duplicated()).unique()
    if suspect.is_empty():
        return
    ids = pl.concat(
        frame["item"].filter(frame["item"].hash().is_in(suspect.implode())) for frame in batches()
    )
    refuse_twice(name, ids)


def refuse_twice(name: str, ids: pl.Series) -> None:
    """Refuse ids that are given to several runs."""
    twice = ids.filter(ids.is_duplicated()).unique(maintain_order=True)
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
    study: Study, rubric: Rubric, by: Sequence[str], exclude: tuple[str, ...], missing: Missing | None
) -> Scored:
    """Score the runs of a study, with the verdicts that its raters gave."""
    measured: list[pl.DataFrame] = []
    score_run_items(
        (item for item in study.items() if item.kind == "run"), rubric, measured.append, missing=missing
    )
    if not measured:
        todo = Text(f"haechi add {study.folder} 파일", f"haechi add {study.folder} FILE")
        raise HaechiError.of(str(study.folder), Text("실행 없음", "no runs"), _ONE_RUN, todo)
    runs = pl.concat(measured)
    others = [field for field in study.meta_fields() if field not in runs.columns]
    runs = runs.join(study.meta(others), on="item", how="left", maintain_order="left")
    frame = _with_verdicts(runs, study, rubric, missing)
    raters = frame["rater"].n_unique()
    groupings = choose_groupings(rubric, by, (*_FIELDS, *others), raters)
    shown = shown_runs(frame, rubric, tuple(others))
    return Scored(
        rubric=rubric,
        batches=lambda: iter([shown]),
        summary=_summary(frame, rubric, groupings),
        raters=raters,
        meta=(*RUN_META, *others),
        groupings=groupings,
        missing=missing or rubric.missing,
        excluded=exclude,
    )


def _summary(
    frame: pl.DataFrame, rubric: Rubric, groupings: tuple[tuple[str, ...], ...]
) -> list[dict[str, Any]]:
    """Every run counts once, with the mean of what its raters gave; by rater, every rater's own."""
    others = [name for name in frame.columns if name not in ("item", "rater", *rubric.score_names)]
    once = panel_means(frame, rubric.score_names, ["item"], others)
    per_rater = tuple(fields for fields in groupings if {"rater", "kind"} & set(fields))
    per_run = tuple(fields for fields in groupings if fields not in per_rater)
    runs, raters = Summary(rubric, per_run), Summary(rubric, per_rater)
    runs.add(once)
    raters.add(frame)
    return [*runs.rows(), *raters.rows()[1:]]


def _with_verdicts(runs: pl.DataFrame, study: Study, rubric: Rubric, missing: Missing | None) -> pl.DataFrame:
    """A row for every rater who gave a verdict on a run; runs that nobody judged keep the imported verdict."""
    own = runs.with_columns(rater=pl.lit("code"), kind=pl.lit("code"), replicate=pl.lit(1, pl.Int64))
    given = study.ratings().filter((pl.col("criterion") == "intent") & (pl.col("status") == "ok"))
    if given.is_empty():
        return own
    verdicts = given.select("item", "rater", "kind", "replicate", intent_verdict="value")
    judged = runs.drop("intent_verdict").join(verdicts, on="item", how="inner", maintain_order="left")
    scores = [*rubric.score_names, *(f"why:{name}" for name in rubric.score_names)]
    again = score(judged.drop(scores), rubric, missing)
    rest = own.join(verdicts.select("item"), on="item", how="anti")
    return pl.concat([again, rest], how="diagonal")


def shown_runs(
    batch: pl.DataFrame, rubric: Rubric, kept: tuple[str, ...], lang: Lang | None = None
) -> pl.DataFrame:
    """Keys, meta, scores, reasons in words and what stands behind the scores."""
    words = {code: text.say(lang) for code, text in REASONS.items()}
    code = {"rater": pl.lit("code"), "kind": pl.lit("code"), "replicate": pl.lit(1, pl.Int64)}
    keys = [pl.col(name) if name in batch.columns else value.alias(name) for name, value in code.items()]
    carried = set(batch.columns)
    extra = [pl.col(KEPT + field if KEPT + field in carried else field).alias(field) for field in kept]
    why = [pl.col(f"why:{name}").replace(words) for name in rubric.score_names]
    details = [pl.col(name).alias(f"details:{name}") for name in (*_DETAILS, *_CHECKS)]
    return batch.select("item", *keys, *RUN_META, *extra, *rubric.score_names, *why, *details)
