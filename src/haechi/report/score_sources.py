"""Where scores come from: a study, a ratings table, or a file of agent runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from haechi.errors import HaechiError
from haechi.report.scored import Scored, choose_groupings, order_columns
from haechi.rubrics import Rubric, find_rubric
from haechi.rubrics.model import Missing
from haechi.text import Text

if TYPE_CHECKING:
    pass

Advance = Callable[[int], None]


def score_study(
    folder: Path, by: Sequence[str], exclude: tuple[str, ...], missing: Missing | None, advance: Advance
) -> Scored:
    """The scores of a study."""
    from haechi.study import Study

    study = Study(folder)
    rubric = _without(study.rubric, exclude)
    known = study.meta_fields()
    scores = study.scores(missing, exclude)
    advance(scores.frame.height)
    return _scored(scores.frame, scores.reasons, study.meta(known), rubric, by, exclude, missing)


def score_file(
    path: Path,
    rubric_name: str,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
    advance: Advance,
) -> Scored:
    """The scores of a file: agent runs for a rubric of runs, otherwise a table of ratings."""
    from haechi.raters.tables import read_ratings
    from haechi.scoring.ratings import score_ratings

    rubric = _without(find_rubric(rubric_name), exclude)
    ratings = read_ratings(path, rubric)
    advance(ratings.height)
    scores = score_ratings(ratings, rubric, missing=missing)
    return _scored(scores.frame, scores.reasons, None, rubric, by, exclude, missing)


def _without(rubric: Rubric, exclude: tuple[str, ...]) -> Rubric:
    unknown = [name for name in exclude if rubric.criterion(name) is None]
    if unknown:
        names = ", ".join(c.score for c in rubric.criteria)
        expected = Text(f"다음 중 하나: {names}", f"one of {names}")
        raise HaechiError.of(
            "--exclude", ", ".join(unknown), expected, Text("--exclude를 고치세요", "correct --exclude")
        )
    return rubric.without(exclude) if exclude else rubric


def _scored(
    frame: pl.DataFrame,
    reasons: pl.DataFrame,
    meta: pl.DataFrame | None,
    rubric: Rubric,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
) -> Scored:
    fields = tuple(
        name
        for name in (meta.columns if meta is not None else ())
        if name != "item" and name not in frame.columns
    )
    if meta is not None:
        frame = frame.join(meta.select("item", *fields), on="item", how="left", maintain_order="left")
    groupings = choose_groupings(rubric, by, fields, frame["rater"].n_unique())
    ordered = order_columns(frame, fields, rubric)
    return Scored(rubric, ordered, reasons, fields, groupings, missing or rubric.missing, exclude)
