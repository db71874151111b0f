"""Where scores come from: a study, a ratings table, or a file of agent runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from haechi.analysis.run_scores import score_run_study, score_runs_files
from haechi.data.sources import files_of
from haechi.errors import HaechiError
from haechi.rubrics import Rubric, find_rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import in_memory
from haechi.scoring.ratings import KEYS, Scores, score_ratings
from haechi.scoring.score_table import Scored, choose_groupings
from haechi.scoring.summary import majorities, summarise
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.study import Study

Advance = Callable[[int], None]


def score_study(
    folder: Path | Study,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
    advance: Advance,
) -> Scored:
    """The scores of a study."""
    from haechi.study import Study

    study = folder if isinstance(folder, Study) else Study(folder)
    rubric = without(study.rubric, exclude)
    if rubric.item == "run":
        return score_run_study(study, rubric, by, exclude, missing, advance)
    scores = study.scores(missing, exclude)
    advance(scores.frame.height)
    place = str(study.folder)
    scored = _scored(place, scores, study.meta(study.meta_fields()), by, exclude, missing)
    return replace(scored, evidence=lambda: study.evidence().as_json())


def score_file(
    path: Path,
    rubric_name: str,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
    advance: Advance,
) -> Scored:
    """The scores of a file; see `score_files`."""
    return score_files([path], rubric_name, by, exclude, missing, advance)


def score_files(
    targets: Sequence[Path | str],
    rubric_name: str,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
    advance: Advance,
) -> Scored:
    """The scores of files, folders and globs: agent runs for a rubric of runs, otherwise one table of ratings."""
    rubric = without(find_rubric(rubric_name), exclude)
    paths = files_of(targets)
    if rubric.item == "run":
        return score_runs_files(paths, rubric, by, exclude, missing, advance)
    if len(paths) > 1 or isinstance(paths[0], str):
        found = Text(f"파일 {len(paths):,}개", f"{len(paths):,} files")
        expected = Text("평가표 파일 하나", "one ratings table")
        todo = Text("haechi import로 스터디에 모으세요", "bring them together in a study with haechi import")
        raise HaechiError.of(str(targets[0]), found, expected, todo)
    from haechi.data.rating_columns import read_ratings

    ratings = read_ratings(paths[0], rubric)
    advance(ratings.height)
    scores = score_ratings(ratings, rubric, missing=missing)
    return _scored(str(paths[0]), scores, None, by, exclude, missing)


def run_rubric(name: str | None, exclude: tuple[str, ...]) -> Rubric:
    """The rubric of agent runs that a cluster scores by; another kind is refused."""
    rubric = without(find_rubric(name), exclude) if name else None
    if rubric is None or rubric.item != "run":
        found = Text(f"{name or '--rubric 없음'}", f"{name or 'no --rubric'}")
        expected = Text("에이전트 실행의 루브릭", "a rubric of agent runs")
        todo = Text(
            "--rubric hiring-agent처럼 쓰거나, --cluster 없이 실행하세요",
            "give one such as --rubric hiring-agent, or run without --cluster",
        )
        raise HaechiError.of("--cluster", found, expected, todo)
    return rubric


def without(rubric: Rubric, exclude: tuple[str, ...]) -> Rubric:
    """The rubric less some criteria; an unknown name is refused."""
    unknown = [name for name in exclude if rubric.criterion(name) is None]
    if unknown:
        names = ", ".join(c.score for c in rubric.criteria)
        expected = Text(f"다음 중 하나: {names}", f"one of {names}")
        raise HaechiError.of(
            "--exclude", ", ".join(unknown), expected, Text("--exclude를 고치세요", "correct --exclude")
        )
    return rubric.without(exclude) if exclude else rubric


def _scored(
    place: str,
    scores: Scores,
    meta: pl.DataFrame | None,
    by: Sequence[str],
    exclude: tuple[str, ...],
    missing: Missing | None,
) -> Scored:
    frame, rubric = scores.frame, scores.rubric
    if frame.is_empty():
        todo = Text("haechi import로 평가를 가져오세요", "bring in ratings with haechi import")
        found, expected = Text("평가 없음", "no ratings"), Text("한 건 이상의 평가", "at least one rating")
        raise HaechiError.of(place, found, expected, todo)
    names = [name for name in rubric.score_names if name in frame.columns]
    fields = tuple(name for name in (meta.columns if meta is not None else ()) if name not in frame.columns)
    if meta is not None:
        frame = frame.join(meta.select("item", *fields), on="item", how="left", maintain_order="left")
    raters = frame["rater"].n_unique()
    groupings = choose_groupings(rubric, by, fields, raters)
    why = scores.reasons.select(pl.col(name).alias(f"why:{name}") for name in names)
    shown = frame.select(*KEYS, *fields, *names).hstack(why)
    return Scored(
        rubric=rubric,
        batches=in_memory(shown),
        summary=summarise(frame, rubric, groupings),
        raters=raters,
        meta=fields,
        groupings=groupings,
        missing=missing or rubric.missing,
        excluded=exclude,
        panel=tuple(majorities(frame, rubric)),
    )
