"""The report as an Excel workbook: summary, scores, ratings with evidence, agreement, comments."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.report.exports import agreement_rows, rating_rows, score_rows, summary_rows
from haechi.report.gathered import StudyFigures
from haechi.report.sections.items import comments
from haechi.report.words import said

if TYPE_CHECKING:
    import polars as pl

MOST_RATINGS = 20_000
"""Rows of ratings in the workbook; ratings.parquet has all."""
_TEXT_STAYS_TEXT = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
_LONGEST_CELL = 32_767
_WIDE = {"evidence": 60, "comment": 60, "reason": 40, "why": 40, "distribution": 34}
_MADE = datetime(2000, 1, 1)


def write_workbook(figures: StudyFigures, path: Path) -> None:
    """Write the workbook; text stays text, so nothing in it can become a formula."""
    import xlsxwriter

    ratings = rating_rows(figures)
    sheets = {
        "summary": summary_rows(figures),
        "scores": score_rows(figures),
        "ratings": ratings.head(MOST_RATINGS),
        "agreement": agreement_rows(figures),
        "comments": comments(figures),
    }
    with xlsxwriter.Workbook(str(path), _TEXT_STAYS_TEXT) as book:
        book.set_properties({"title": figures.rubric.title.say(), "created": _MADE})
        looks = _Looks(book)
        for name, frame in sheets.items():
            _sheet(book.add_worksheet(name), frame, looks)
        if ratings.height > MOST_RATINGS:
            note = said(
                f"평가 {ratings.height:,}건 중 {MOST_RATINGS:,}건입니다. 전부는 ratings.parquet에 있습니다.",
                f"{MOST_RATINGS:,} of {ratings.height:,} ratings; ratings.parquet has all.",
            )
            book.get_worksheet_by_name("ratings").write_string(MOST_RATINGS + 1, 0, note, looks.note)


class _Looks:
    def __init__(self, book: Any) -> None:
        self.head = book.add_format(
            {"bold": True, "bottom": 1, "bg_color": "#E8EEF7", "text_wrap": True, "valign": "top"}
        )
        self.number = book.add_format({"num_format": "0.00"})
        self.whole = book.add_format({"num_format": "#,##0"})
        self.words = book.add_format({"text_wrap": True, "valign": "top"})
        self.note = book.add_format({"italic": True})


def _sheet(sheet: Any, frame: pl.DataFrame, looks: _Looks) -> None:
    if not frame.width:
        sheet.write_string(0, 0, said("해당 없음", "nothing here"), looks.note)
        return
    sheet.freeze_panes(1, 1)
    for column, name in enumerate(frame.columns):
        sheet.write_string(0, column, name, looks.head)
        sheet.set_column(column, column, _WIDE.get(name) or max(9, min(26, len(name) + 3)))
    if frame.height:
        sheet.autofilter(0, 0, frame.height, frame.width - 1)
    long = {column for column, name in enumerate(frame.columns) if name in _WIDE}
    for number, row in enumerate(frame.iter_rows(), 1):
        for column, value in enumerate(row):
            _write(sheet, number, column, value, looks, column in long)


def _write(sheet: Any, row: int, column: int, value: Any, looks: _Looks, wrap: bool) -> None:
    if value is None:
        return
    if isinstance(value, str):
        sheet.write_string(row, column, value[:_LONGEST_CELL], looks.words if wrap else None)
    elif isinstance(value, int):
        sheet.write_number(row, column, value, looks.whole)
    else:
        sheet.write_number(row, column, value, looks.number)
