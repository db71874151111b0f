"""The report as an Excel workbook: summary, scores, ratings with evidence, agreement, comments."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from haechi.report.exports import agreement_rows, rating_rows, score_rows, summary_rows
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
    sheets = {
        "summary": summary_rows(figures),
        "scores": score_rows(figures),
        "ratings": rating_rows(figures),
        "agreement": agreement_rows(figures),
        "comments": comments(figures),
    }
    with Workbook(path, figures.rubric.title.say()) as book:
        for name, frame in sheets.items():
            book.add(name, [frame.head(MOST_ROWS)], _LONG, _note(frame))


def _note(frame: pl.DataFrame) -> str:
    """What is not on the sheet."""
    if not frame.width:
        return said("해당 없음", "nothing here")
    if frame.height <= MOST_ROWS:
        return ""
    return said(
        f"{frame.height:,}줄 중 {MOST_ROWS:,}줄입니다. 전부는 scores.csv와 ratings.parquet에 있습니다.",
        f"{MOST_ROWS:,} of {frame.height:,} rows; scores.csv and ratings.parquet have all.",
    )
