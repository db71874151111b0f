"""The code rater: agent runs from a file or a study, scored without anybody's help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.items.files import check_exists
from haechi.rubrics.model import Missing, Rubric

if TYPE_CHECKING:
    from haechi.scoring.runs.pipeline import Sink


def score_run_file(
    path: Path,
    rubric: Rubric,
    sink: Sink,
    by: tuple[tuple[str, ...], ...] = (),
    missing: Missing | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """Score the agent runs of a file; JSONL and Parquet on all cores, in memory that does not grow with the file.

    `sink` gets the scored batches in the order of the file; the summary rows are returned.
    """
    from haechi.scoring.runs.columns import Reading
    from haechi.scoring.runs.jsonl import OtherEncodingError, line_parts
    from haechi.scoring.runs.parquet import group_parts
    from haechi.scoring.runs.pipeline import score_runs, workers_here

    check_exists(path)
    reading = Reading(run_names, run_shape, kept(by))
    kind = path.suffix.lower()
    try:
        if kind == ".jsonl":
            return score_runs(line_parts(path, reading), rubric, sink, by, missing, workers)
        if kind == ".parquet":
            parts = group_parts(path, reading, workers or workers_here())
            return score_runs(parts, rubric, sink, by, missing, workers)
    except OtherEncodingError:
        pass  # nothing has reached the sink yet: measuring comes first
    items = _items(path)
    return score_run_items(items, rubric, sink, by, missing, workers)
