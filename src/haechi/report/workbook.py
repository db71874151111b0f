"""The report as an Excel workbook: summary, scores, ratings with evidence, agreement, comments."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from haechi.report.exports import agreement_rows, count_ratings, rating_rows, score_rows, summary_rows
from haechi.report.gathered import StudyFigures
from haechi.report.sections.items import comments
from haechi.report.words import said
from haechi.report.xlsx import Workbook

MOST_ROWS = 20_000
"""Rows of a sheet; scores.csv and ratings.parquet have all."""
_LONG = {"evidence": 60, "comment": 60, "reason": 40, "why": 40, "distribution": 40}
"""Columns of long text, and how wide they are."""


def write_workbook(figures: StudyFigures, path: Path) -> None:
    """Write the workbook; text stays text, so nothing in it can become a formula."""
    # A sheet's first rows, and how many there are in all.
    sheets = {
        "summary": _whole(summary_rows(figures)),
        "scores": (_first(score_rows(figures)), figures.n_rated),
        "ratings": (_first(rating_rows(figures)), count_ratings(figures)),
        "agreement": _whole(agreement_rows(figures)),
        "comments": _whole(comments(figures)),
    }
    with Workbook(path, figures.rubric.title.say()) as book:
        for name, (frame, rows) in sheets.items():
            book.add(name, [frame], _LONG, _note(frame, rows))


def shortened_sheets(figures: StudyFigures) -> dict[str, int]:
    """The sheets that do not have all rows, and how many rows there are in all."""
    rows = {"scores": figures.n_rated, "ratings": count_ratings(figures)}
    return {name: count for name, count in rows.items() if count > MOST_ROWS}


def _whole(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    return frame.head(MOST_ROWS), frame.height


def _first(pieces: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """As many rows as a sheet has; no piece is made that is not needed."""
    taken: list[pl.DataFrame] = []
    for piece in pieces:
        taken.append(piece.head(MOST_ROWS - sum(map(len, taken))))
        if sum(map(len, taken)) >= MOST_ROWS:
            break
    return pl.concat(taken)


def _note(frame: pl.DataFrame, rows: int) -> str:
    """What is not on the sheet."""
    if not frame.width:
        return said("해당 없음", "nothing here")
    if rows <= MOST_ROWS:
        return ""
    return said(
        f"{rows:,}줄 중 {MOST_ROWS:,}줄입니다. 전부는 scores.csv와 ratings.parquet에 있습니다.",
        f"{MOST_ROWS:,} of {rows:,} rows; scores.csv and ratings.parquet have all.",
    )
