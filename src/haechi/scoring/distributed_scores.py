"""Scores of agent runs by a cluster: the same as on one machine, in a folder of Parquet files."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from haechi.cluster.engine import Engine
from haechi.cluster.failures import ClusterError
from haechi.cluster.hashing import stable_hashes
from haechi.data.duplicates import come_twice
from haechi.data.parquet import pieces
from haechi.data.progress import Advance, no_progress
from haechi.data.result_folder import ResultFolder
from haechi.data.sources import Source, absolute, stamps_of
from haechi.data.writing import write_tables
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import Batches, no_items
from haechi.scoring.run_pipeline import measures_in, score_measures
from haechi.scoring.run_sources import in_any_encoding, movable_parts
from haechi.scoring.run_tables import (
    RUN_META,
    name_of_all,
    no_runs,
    refuse_twice,
    refuse_unknown_fields,
    run_groupings,
    shown_runs,
)
from haechi.scoring.runs.labels import LabelRules
from haechi.scoring.runs.partitions import (
    MOST_PARTITIONS,
    Partition,
    buckets_for,
    compare_repeats,
    ids_among,
    measure_partition,
    partitions_of,
)
from haechi.scoring.score_rows import table_of
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.summary import Summary
from haechi.scoring.summary_row import SummaryRow
from haechi.text import Lang, language

Groupings = tuple[tuple[str, ...], ...]


@frozen
class Job:
    """What every task has to know: how to score, and where scores go (tables as `-o`, items as `--json` shows)."""

    rubric: Rubric
    missing: Missing
    groupings: Groupings
    kept: tuple[str, ...]
    language: Lang
    tables: Path | None = None
    items: Path | None = None


def score_runs_on_cluster(
    engine: Engine,
    paths: Sequence[Source],
    rubric: Rubric,
    by: Sequence[str] = (),
    exclude: tuple[str, ...] = (),
    missing: Missing | None = None,
    output: Path | None = None,
    items: bool = False,
    advance: Advance = no_progress,
    most_partitions: int = MOST_PARTITIONS,
) -> ScoreTable:
    """Score files of runs by a cluster, into the folder `output`: one Parquet file per partition and a summary.

    The files, in the order of their names, hold the runs in the order of the input, as a single file would.
    With `items` the result can give the single items too; otherwise only their summary, whose intervals take runs as
    independent.
    """
    paths = absolute(paths)  # workers stand in other folders
    groupings, kept = run_groupings(rubric, by)
    job = Job(rubric, missing or rubric.missing, groupings, kept, language())
    folder = ResultFolder(output, _note(paths, job, exclude, most_partitions))
    summary = folder.finished()
    if summary is not None and items:  # the items are shown again, the tables stay as they are
        folder, summary = ResultFolder(None, {}, beside=output), None
    if summary is None:
        folder.open()
        tables = folder.results if folder.target else None
        job = replace(job, tables=tables, items=folder.items if items else None)
        with _kept_or_closed(folder):
            engine.check_folder(folder.work)
            engine.check_inputs(paths)
            found = in_any_encoding(
                lambda slowly: _score(engine, paths, job, folder, advance, most_partitions, slowly)
            )
            summary = _about(job, exclude) | {"summary": [row.as_json() for row in found]}
            folder.finish(summary)
    batches = _items_in(folder) if items else no_items
    if not items:
        folder.close()
    rows = [SummaryRow.read(row) for row in summary["summary"]]
    return ScoreTable(
        rubric=rubric,
        batches=batches,
        names=rubric.score_names,
        rows=rows[0].n,
        raters=1,
        missing=job.missing,
        summarise=lambda: rows,
        meta=(*RUN_META, *kept),
        groupings=groupings,
        excluded=exclude,
        place=name_of_all(paths),
        cluster_by=None if items else "none",  # clusters are counted over the items
    )


@contextmanager
def _kept_or_closed(folder: ResultFolder) -> Iterator[None]:
    """A job that was stopped can go on; where the input was wrong, everything is new after its correction."""
    try:
        yield
    except BaseException as error:
        wrong_input = isinstance(error, HaechiError) and not isinstance(error, ClusterError)
        if folder.target is None or wrong_input:
            folder.close()
        raise


def _about(job: Job, exclude: tuple[str, ...]) -> dict[str, Any]:
    about = {"rubric": job.rubric.id, "version": job.rubric.version}
    return about | {"missing_policy": job.missing, "excluded": list(exclude)}


def _note(
    paths: Sequence[Source], job: Job, exclude: tuple[str, ...], most_partitions: int
) -> dict[str, Any]:
    """All that the results depend on."""
    stamps = zip(paths, stamps_of(paths), strict=True)
    files = [{"path": str(path), "bytes": size, "changed": at} for path, (size, at) in stamps]
    settings = {"by": job.groupings, "language": job.language, "partitions": most_partitions}
    return {"haechi": version("haechi"), **_about(job, exclude), **settings, "files": files}


def _items_in(folder: ResultFolder) -> Batches:
    def batches(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        for file in sorted(folder.items.iterdir()):
            yield from (frame.select(columns or pl.all()) for frame in pieces(file, 16_384))

    weakref.finalize(batches, folder.close)
    return batches


def _score(
    engine: Engine,
    paths: Sequence[Source],
    job: Job,
    folder: ResultFolder,
    advance: Advance,
    most_partitions: int,
    slowly: Collection[Source],
) -> list[SummaryRow]:
    """Measure all partitions, bring the repeats of every query together, score; the summary comes back."""
    parts = [part for path in paths for part in movable_parts(path, job.kept, path in slowly)]
    # Which files are read slowly decides how the input is divided, and so what a partition's number means.
    plan = f"{stable_hashes([repr(sorted(map(str, slowly)))])[0]:016x}"
    (folder.measures / plan).mkdir(exist_ok=True)
    partitions = partitions_of(parts, folder.measures / plan, most_partitions)
    if not partitions:
        raise no_runs(name_of_all(paths))
    rules = LabelRules.of(job.rubric.run)
    buckets = buckets_for(len(parts))
    pieces = engine.map(partial(measure_partition, rules=rules, buckets=buckets), partitions)
    engine.wait(pieces)
    compared = engine.map(compare_repeats, engine.transpose(pieces, buckets))
    *ratios, suspects = engine.transpose(compared, len(partitions) + 1)
    _refuse_duplicates(engine, paths, partitions, np.concatenate(engine.gather(suspects)))
    shared = engine.put(job)
    summary = Summary(job.rubric, job.groupings)
    for _, counted in engine.results(
        engine.map(score_partition, partitions, ratios, [shared] * len(partitions))
    ):
        summary.merge(counted)
        advance(counted.n)
    if not summary.n:
        raise no_runs(name_of_all(paths))
    refuse_unknown_fields(name_of_all(paths), job.kept, summary)
    return summary.rows()


def _refuse_duplicates(
    engine: Engine, paths: Sequence[Source], partitions: Sequence[Partition], suspect: Any
) -> None:
    """Ids are unique; those whose hashes are equal are compared themselves."""
    if suspect.size:
        found = engine.gather(engine.map(partial(ids_among, suspect=suspect), partitions))
        ids = pl.Series("item", [item for some in found for item in some], pl.String)
        refuse_twice(name_of_all(paths), come_twice(ids))


def score_partition(partition: Partition, ratios: Sequence[pl.DataFrame], job: Job) -> Summary:
    """Points for the runs of a partition, written to its files; what was counted goes back."""
    summary = Summary(job.rubric, job.groupings)
    name = f"part-{partition.number:06d}.parquet"
    if any(partition.measures.iterdir()):
        shown = _shown(partition, pl.concat(ratios).sort("query"), job, summary)
        if job.items:
            write_tables(shown, job.items / name)
            shown = pieces(job.items / name, 16_384)
        if job.tables:
            told = (table_of(frame, job.rubric.score_names, job.language) for frame in shown)
            write_tables(told, job.tables / name)
        deque(shown, maxlen=0)  # where nothing is written, all is counted nevertheless
    return summary


def _shown(partition: Partition, ratios: pl.DataFrame, job: Job, summary: Summary) -> Iterator[pl.DataFrame]:
    for files in measures_in(partition.measures):
        scored = score_measures(files, ratios, job.rubric, job.missing)
        summary.add(scored)
        yield shown_runs(scored, job.rubric, job.kept)
