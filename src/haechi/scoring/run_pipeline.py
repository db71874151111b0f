"""Scoring of any number of runs in bounded memory, on all cores.

First pass, in parallel: each part of the runs is measured and the measures are put aside on disk, while the
repeats of every query are counted. Second pass: the measures come back in order and get their points.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from haechi.cluster.runner import Processes, in_order, workers_here
from haechi.rubrics.model import Missing, Rubric
from haechi.scoring import summary as summaries
from haechi.scoring.runs import consistency
from haechi.scoring.runs.labels import LabelRules
from haechi.scoring.runs.parts import RunPart
from haechi.scoring.runs.points import score
from haechi.scoring.runs.task import Task
from haechi.scoring.summary import Summary

Sink = Callable[[pl.DataFrame], None]

FILES_AT_ONCE = 8
"""Tables of points and counts take the same time for many rows as for few."""


def score_runs(
    parts: Iterable[RunPart],
    rubric: Rubric,
    sink: Sink,
    by: tuple[tuple[str, ...], ...] = (),
    missing: Missing | None = None,
    workers: int | None = None,
) -> Summary:
    """Score runs, hand the scored batches to `sink` in the order of the runs, and return their summary.

    Memory grows with the number of distinct queries and groups, not with the number of runs.

    >>> import haechi
    >>> from haechi.scoring.runs.parts import row_parts
    >>> runs = [{"item": f"q1-{n}", "query": "q1", "round": n, "payload": '{"assistantMessage": "추가했습니다"}'}
    ...         for n in "12"]
    >>> scored = []
    >>> summary = score_runs(row_parts(runs), haechi.rubric("hiring-agent"), scored.append, by=(("round",),))
    >>> scored[0]["consistency"].to_list(), [dict(row.by) for row in summary.rows()]
    ([5.0, 5.0], [{}, {'round': '1'}, {'round': '2'}])
    """
    summary = Summary(rubric, by)
    workers = workers or workers_here()
    with tempfile.TemporaryDirectory(prefix="haechi-") as folder:
        counted = _measure_all(parts, LabelRules.of(rubric.run), Path(folder), workers)
        ratios = consistency.ratios(counted)

        def read(files: list[Path]) -> tuple[pl.DataFrame, summaries.Batch]:
            scored = score_measures(files, ratios, rubric, missing)
            return scored, summary.counts(scored)

        # Threads will do: polars lets go of the interpreter while it works on columns.
        with ThreadPoolExecutor(workers) as pool:
            for scored, counts in in_order(pool, read, measures_in(Path(folder)), workers):
                summary.keep(counts)
                sink(scored)
    return summary


def measures_in(folder: Path) -> Iterator[list[Path]]:
    """The files of measures in a folder, in order, as many at once as are worth a batch."""
    files = sorted(folder.iterdir())
    return (files[start : start + FILES_AT_ONCE] for start in range(0, len(files), FILES_AT_ONCE))


def score_measures(
    files: list[Path], ratios: pl.DataFrame, rubric: Rubric, missing: Missing | None
) -> pl.DataFrame:
    """The second pass: measures with their points; the ratios are those of all queries, in their order."""
    measures = pl.concat(map(pl.read_ipc, files))
    return score(consistency.with_ratios(measures, ratios), rubric, missing)


def _measure_all(parts: Iterable[RunPart], rules: LabelRules, folder: Path, workers: int) -> pl.DataFrame:
    """Measure every part into files whose names sort in the order of the runs, and count the repeats."""
    counted = [consistency.NONE]
    tasks = (Task(part, rules, folder / f"{number:08d}") for number, part in enumerate(parts))
    for one in Processes(workers).run(Task.run, tasks):
        counted.append(one)
        if sum(map(len, counted[1:])) > len(counted[0]) + 100_000:
            counted = [consistency.merge(counted)]
    return consistency.merge(counted)
