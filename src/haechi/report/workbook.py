"""The report as an Excel workbook: findings, summary, scores, ratings with evidence, agreement, comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.report.document import Finding
from haechi.report.exports import agreement_rows, count_ratings, rating_rows, score_rows, summary_rows
from haechi.report.long_sheets import fill_sheets
from haechi.report.numbers import Kind
from haechi.report.sections.items import comments
from haechi.report.sheet_words import HEADS, PANELS, SHEETS
from haechi.report.table import Column, Estimate, Plain, Table, plain
from haechi.report.words import said, shortened
from haechi.text import language

MOST_ROWS = 20_000
"""Rows of a sheet; scores.csv and ratings.parquet have all."""
_OPTIONS = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
_LONG = 500  # a sheet with more rows is written as columns
_LONGEST_CELL = 32_767
_WRAPPED = {"evidence": 60, "comment": 60, "reason": 40, "why": 40, "distribution": 40}
_WRAPPED |= {"finding": 50, "figure": 40, "advice": 30, "items": 20}
_WRAPPED |= {"question": 40, "answer": 60, "expectation": 60, "failing": 40, "failing_found": 60, "shown": 60}
_WIDEST, _MOST_LINES, _PAGE = 40, 8, 320
_SAMPLE = 200
_NUMBER = r"^-?(\d{1,15}|\d*\.\d{1,15})$"
"""A value that a spreadsheet can count with; longer digits are an id, not a quantity."""
_MADE = datetime(2000, 1, 1)


def write_workbook(
    figures: Analysis, queries: pl.DataFrame, path: Path, findings: Sequence[Finding] = ()
) -> None:
    """Write the workbook, with a sheet of queries where there are any; text stays text, so nothing in it can become a formula."""
    import xlsxwriter

    # A sheet's first rows, and how many there are in all.
    sheets = {
        "findings": _whole(_findings(findings)),
        "summary": _whole(summary_rows(figures)),
        "scores": (_first(score_rows(figures)), figures.n_rated),
        "ratings": (_first(rating_rows(figures)), count_ratings(figures)),
        "agreement": _whole(_panels_named(agreement_rows(figures))),
        "comments": _whole(comments(figures)),
    }
    if queries.height:
        sheets["queries"] = _whole(queries)
    long: dict[str, pl.DataFrame] = {}
    with xlsxwriter.Workbook(str(path), _OPTIONS) as book:
        book.set_properties({"title": figures.rubric.title.say(), "created": _MADE})
        looks = Looks(book)
        for place, (name, (frame, rows)) in enumerate(sheets.items(), 1):
            sheet = book.add_worksheet(said(SHEETS.get(name, name), name))
            heads = HEADS if language() == "ko" else {}
            if frame.height > _LONG:
                long[f"sheet{place}"] = frame
                _begin(sheet, frame, looks, heads)
            else:
                write_table(sheet, frame_table(name, frame), looks, heads)
            if rows > MOST_ROWS:
                note = said(
                    f"{rows:,}줄 중 {MOST_ROWS:,}줄입니다. 전부는 scores.csv와 ratings.parquet에 있습니다.",
                    f"{MOST_ROWS:,} of {rows:,} rows; scores.csv and ratings.parquet have all.",
                )
                sheet.write_string(MOST_ROWS + 1, 0, note, looks.note)
    fill_sheets(path, long, _WRAPPED, _LONGEST_CELL, _MOST_LINES, {"value": _NUMBER})


def _begin(sheet: Any, frame: pl.DataFrame, looks: Looks, heads: Mapping[str, str]) -> None:
    """The head of a long sheet, and one row that shows how the cells of every column look."""
    names, sample = frame.columns, frame.head(_SAMPLE)
    _lay_out(
        sheet, names, [_width(name, sample[name].to_list()) for name in names], frame.height, looks, heads
    )
    for column, (name, dtype) in enumerate(frame.schema.items()):
        look = {"words": looks.words if name in _WRAPPED else looks.plain, "count": looks.whole}
        sheet.write_blank(1, column, None, look.get(_kind(dtype), looks.number))


def _lay_out(
    sheet: Any, names: Sequence[str], widths: Sequence[int], rows: int, looks: Looks, heads: Mapping[str, str]
) -> None:
    """The head, the width of every column, and how the sheet is filtered and printed."""
    sheet.freeze_panes(1, 1)
    means = [place for place, name in enumerate(names) if name.startswith("mean:")]
    last = (
        means[-1] if means and sum(widths) > _PAGE else len(names) - 1
    )  # what every rater gave is for the screen
    sheet.print_area(0, 0, rows, last)
    _for_print(sheet, sum(widths[: last + 1]))
    for column, (name, width) in enumerate(zip(names, widths, strict=True)):
        sheet.write_string(0, column, _head(name, heads), looks.head)
        sheet.set_column(column, column, width)
    if rows:
        sheet.autofilter(0, 0, rows, len(names) - 1)


def _head(name: str, heads: Mapping[str, str]) -> str:
    """What a column is called; of a mean of a score or a count of one version the known part is said in words.

    >>> _head("mean:A1", HEADS), _head("passed@v2", HEADS), _head("mean:A1", {})
    ('평균:A1', '통과@v2', 'mean:A1')
    """
    known, sign, rest = re.split("([:@])", name, maxsplit=1) if re.search("[:@]", name) else (name, "", "")
    return heads.get(name) or (f"{heads[known]}{sign}{rest}" if known in heads and sign else name)


def _findings(findings: Sequence[Finding]) -> pl.DataFrame:
    """What was found, in the order of the report: sentence, figure, what to do, items."""
    rows = [(one.words, one.figure, one.advice, ", ".join(one.items), one.rule) for one in findings]
    return pl.DataFrame(
        rows, schema=dict.fromkeys(("finding", "figure", "advice", "items", "rule"), pl.String), orient="row"
    )


def _panels_named(frame: pl.DataFrame) -> pl.DataFrame:
    """Whose agreement it is, in the words of the report's language."""
    if frame.is_empty() or language() != "ko":
        return frame
    return frame.with_columns(pl.col("panel").replace(PANELS))


def shortened_sheets(figures: Analysis) -> dict[str, int]:
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


def frame_table(title: str, frame: pl.DataFrame) -> Table:
    """The rows of a frame as a table."""
    columns = [Column(name, _kind(dtype)) for name, dtype in frame.schema.items()]
    rows = frame.rows()
    if frame.schema.get("value") == pl.String:  # of ratings, among which there may be words
        at = frame.columns.index("value")
        rows = [(*row[:at], _number(row[at]), *row[at + 1 :]) for row in rows]
    return Table(title, tuple(columns), tuple(rows))


def _number(value: str | None) -> str | int | float | None:
    """A value as a number where it is one.

    >>> _number("3"), _number("4.50"), _number("PERFECT"), _number("1e5")
    (3, 4.5, 'PERFECT', '1e5')
    """
    if value is None or not re.match(_NUMBER, value):
        return value
    found = float(value)
    return int(found) if found.is_integer() else found


def _kind(dtype: pl.DataType) -> Kind:
    return "words" if dtype == pl.String else "count" if dtype.is_integer() else "score"


class Looks:
    """How the cells of a workbook look."""

    def __init__(self, book: Any) -> None:
        self.head = book.add_format(
            {"bold": True, "bottom": 1, "bg_color": "#E8EEF7", "text_wrap": True, "valign": "top"}
        )
        self.number = book.add_format({"num_format": "0.00", "valign": "top"})
        self.whole = book.add_format({"num_format": "#,##0", "valign": "top"})
        self.plain = book.add_format({"valign": "top"})
        self.words = book.add_format({"text_wrap": True, "valign": "top", "indent": 1})
        self.note = book.add_format({"italic": True})


def write_table(sheet: Any, table: Table, looks: Looks, heads: Mapping[str, str] | None = None) -> None:
    """A table as a sheet: numbers as numbers, the ends of intervals and the reasons for gaps in columns of their own.

    heads: what columns are called for people, where that is not their name.
    """
    names, rows = _flat(table.on_page())
    if not names:
        sheet.write_string(0, 0, said("해당 없음", "nothing here"), looks.note)
        return
    widths = [_width(name, [row[place] for row in rows[:_SAMPLE]]) for place, name in enumerate(names)]
    _lay_out(sheet, names, widths, len(rows), looks, heads or {})
    long = {column: _WRAPPED[name] for column, name in enumerate(names) if name in _WRAPPED}
    for number, row in enumerate(rows, 1):
        # Not every program makes a row as high as its wrapped text.
        lines = max((-(-_room(str(row[column] or "")) // wide) for column, wide in long.items()), default=1)
        if lines > 1:
            sheet.set_row(number, 15 * min(lines, _MOST_LINES))
        for column, value in enumerate(row):
            _write(sheet, number, column, value, looks, column in long)
    if table.note:
        sheet.write_string(len(rows) + 1, 0, table.note, looks.note)


def _flat(table: Table) -> tuple[list[str], list[list[Plain]]]:
    """Figures with intervals and reasons spread over columns, where there are such."""
    names: list[str] = []
    columns: list[list[Plain]] = []
    for place, column in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        names.append(column.title)
        columns.append([plain(cell) for cell in cells])
        if not any(isinstance(cell, Estimate) for cell in cells):
            continue
        figures = [cell if isinstance(cell, Estimate) else None for cell in cells]
        for key, words in (("low", "95 % low"), ("high", "95 % high"), ("why", "why")):
            own = [_part(figure, key) for figure in figures]
            if any(value is not None for value in own):
                names.append(f"{column.title} {words}")
                columns.append(own)
    return names, [list(row) for row in zip(*columns, strict=True)]


def _part(figure: Estimate | None, key: str) -> Plain:
    found: Plain = getattr(figure, key) if figure else None
    return None if found == "" else found


def _for_print(sheet: Any, width: int) -> None:
    """Landscape, the head on every page; as wide as a page unless that would be too small to read."""
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.repeat_rows(0)
    sheet.repeat_columns(0)
    if width <= _PAGE:
        sheet.fit_to_pages(1, 0)


def _width(name: str, values: list[Plain]) -> int:
    """Wide enough for the head and the first values, within reason."""
    if name in _WRAPPED:
        return _WRAPPED[name]
    texts = [value for value in values if isinstance(value, str)]
    return max(9, min(_WIDEST, max(map(_room, [name + "   ", *texts])) + 2))


def _room(text: str) -> int:
    """How much room a text takes; a Korean letter takes twice that of a Latin one."""
    return len(text) + (0 if text.isascii() else sum(map(_is_wide, text)))


@cache
def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"


def _write(sheet: Any, row: int, column: int, value: Plain, looks: Looks, wrap: bool) -> None:
    if value is None:
        return
    if isinstance(value, str):
        sheet.write_string(row, column, shortened(value, _LONGEST_CELL), looks.words if wrap else looks.plain)
    elif isinstance(value, int):
        sheet.write_number(row, column, value, looks.whole)
    else:
        sheet.write_number(row, column, value, looks.number)
