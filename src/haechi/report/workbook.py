"""The report as an Excel workbook: findings, summary, scores, ratings with evidence, agreement, comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.report.document import Finding, Plot, Report
from haechi.report.exports import agreement_rows, count_ratings
from haechi.report.numbers import NumberKind
from haechi.report.sections.items import comments
from haechi.report.sheet_rows import SheetCells, fill_sheets, text_room
from haechi.report.table import Table
from haechi.report.table_sheet import TableSheet
from haechi.report.words import said
from haechi.text import language

MOST_ROWS = 20_000
"""Rows of a sheet; scores.csv and ratings.parquet have all."""
_SHEETS = {
    "findings": "핵심", "summary": "요약", "scores": "점수", "ratings": "평가", "agreement": "일치도", "comments": "의견",
    "queries": "질의", "criteria": "기준",
}  # fmt: skip
"""Sheets of a workbook in Korean."""
_HEADS = {
    "item": "항목", "rater": "평가자", "kind": "종류", "criterion": "기준", "value": "값", "evidence": "근거", "replicate": "반복",
    "status": "상태", "reason": "이유", "stance": "입장", "rubric": "루브릭", "at": "시각", "comment": "의견", "by": "필드", "group": "집단",
    "score": "점수", "mean": "평균", "ci95_low": "95 % 아래", "ci95_high": "95 % 위", "sd": "SD", "median": "중앙값", "missing": "결측",
    "mean_of_ratings": "평가 단위 평균", "ratings": "평가 수", "distribution": "분포", "panel": "평가자 집단", "coefficient": "계수",
    "why": "이유", "question": "질의", "answer": "답변", "expectation": "기대 결과", "failing": "실패한 체크",
    "failing_found": "실패한 체크 ← 찾은 값", "shown": "화면에 보인 것", "seconds": "초", "system": "시스템", "query": "질의 ID", "round": "회차",
    "category": "카테고리", "label": "의도 라벨", "became": "변화", "runs": "실행", "finding": "결과", "figure": "수치", "advice": "할 일",
    "items": "항목", "rule": "규칙", "tone": "구분", "ratings_missing": "결측 수", "complete": "전원이 평가한 항목", "raters": "평가자 수",
    "decided": "통과 여부가 정해진 실행", "passed": "통과", "failed": "실패", "unanswered": "답변 없음", "mean_seconds": "평균 초", "slowest_seconds": "가장 느린 초", "repeat": "반복",
    "tool_class": "도구 구분", "class_by": "도구 구분 근거", "modal_label": "가장 많은 라벨", "label_by": "라벨 근거", "signature": "데이터 지문",
    "checks_passed": "통과한 체크", "checks_total": "체크 수", "checks_open": "미정인 체크", "failure": "실패 유형", "error": "오류",
    "ratio_a": "라벨 일치율", "ratio_b": "데이터 일치율", "unmeasured": "모든 실행이 규칙에 따라 0인 점수", "why_no_ci95": "구간이 없는 이유",
}  # fmt: skip
"""Heads for people who read the Korean report; files for programs keep their names."""
_PANELS = {"all": "전체", "human_human": "사람", "ai_ai": "AI", "human_ai": "AI와 사람"}
"""Whose agreement a row is about, in Korean."""
_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_LONGEST_CELL = 32_767
_WRAPPED = {"evidence": 60, "comment": 60, "reason": 40, "why": 40, "distribution": 40, "why_no_ci95": 40}
_WRAPPED |= {"finding": 50, "figure": 40, "advice": 30, "items": 20}
_WRAPPED |= {"question": 40, "answer": 60, "expectation": 60, "failing": 40, "failing_found": 60, "shown": 60}
_WIDEST, _MOST_LINES, _PAGE = 40, 8, 320
_SAMPLE = 200
_NUMBER = re.compile(r"-?(\d{1,15}|\d*\.\d{1,15})\Z", re.ASCII)
"""A value that a spreadsheet can count with; longer digits are an id, not a quantity."""
CELLS = SheetCells(_WRAPPED, _LONGEST_CELL, _MOST_LINES, {"value": _NUMBER})
_MADE = datetime(2000, 1, 1)


def write_workbook(figures: Analysis, first: Mapping[str, pl.DataFrame], path: Path, report: Report) -> None:
    """Write the workbook; text stays text, so nothing in it can become a formula.

    first: the first rows of the tables that are files too: summary, scores, ratings and, where there are any, queries.
    The report's own tables of groups are sheets too.
    """
    import xlsxwriter

    # A sheet's first rows, and how many there are in all.
    sheets = {
        "findings": _whole(_findings(report.findings)),
        "summary": _whole(first["summary"]),
        "scores": (first["scores"], figures.n_rated),
        "ratings": (first["ratings"], count_ratings(figures)),
        "agreement": _whole(_panels_named(agreement_rows(figures))),
        "comments": _whole(comments(figures)),
    }
    if first["queries"].height:
        sheets["queries"] = _whole(first["queries"])
    made = BytesIO()
    with xlsxwriter.Workbook(made, _OPTIONS) as book:
        book.set_properties({"title": figures.rubric.title.say(), "created": _MADE})
        looks, heads = Looks(book), _HEADS if language() == "ko" else {}
        for name, (frame, rows) in sheets.items():
            sheet = book.add_worksheet(said(_SHEETS.get(name, name), name))
            begin_sheet(sheet, frame, looks, heads)
            if rows > MOST_ROWS:
                note = said(
                    f"{rows:,}줄 중 {MOST_ROWS:,}줄입니다. 전부는 scores.csv와 ratings.parquet에 있습니다.",
                    f"{MOST_ROWS:,} of {rows:,} rows; scores.csv and ratings.parquet have all.",
                )
                sheet.write_string(MOST_ROWS + 1, 0, note, looks.note)
        for place, tables in enumerate(_group_tables(report), 1):
            name = f"{said('집단', 'groups')} {place}"
            TableSheet(book, book.add_worksheet(name)).write(tables)
    frames = {f"sheet{place}": frame for place, (frame, _) in enumerate(sheets.values(), 1) if frame.height}
    fill_sheets(made, path, frames, CELLS)


def begin_sheet(sheet: Any, frame: pl.DataFrame, looks: Looks, heads: Mapping[str, str]) -> None:
    """The head of a sheet, and one row that shows how the cells of every column look.

    heads: what columns are called for people, where that is not their name.
    """
    if not frame.width:
        sheet.write_string(0, 0, said("해당 없음", "nothing here"), looks.note)
        return
    names, sample = frame.columns, frame.head(_SAMPLE)
    _lay_out(
        sheet, names, [_width(name, sample[name].to_list()) for name in names], frame.height, looks, heads
    )
    for column, (name, dtype) in enumerate(frame.schema.items() if frame.height else ()):
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

    >>> _head("mean:A1", _HEADS), _head("passed@v2", _HEADS), _head("mean:A1", {})
    ('평균:A1', '통과@v2', 'mean:A1')
    """
    known, sign, rest = re.split("([:@])", name, maxsplit=1) if re.search("[:@]", name) else (name, "", "")
    return heads.get(name) or (f"{heads[known]}{sign}{rest}" if known in heads and sign else name)


def _group_tables(report: Report) -> list[list[Table]]:
    """The tables of every section that compares groups, those under its plots too."""
    groups = [section.parts for section in report.sections if section.key.startswith("by-")]
    return [
        [part.table if isinstance(part, Plot) else part for part in parts if isinstance(part, Plot | Table)]
        for parts in groups
    ]


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
    return frame.with_columns(pl.col("panel").replace(_PANELS))


def shortened_sheets(figures: Analysis) -> dict[str, int]:
    """The sheets that do not have all rows, and how many rows there are in all."""
    rows = {"scores": figures.n_rated, "ratings": count_ratings(figures)}
    return {name: count for name, count in rows.items() if count > MOST_ROWS}


def _whole(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    return frame.head(MOST_ROWS), frame.height


class FirstRows:
    """The pieces of a table on their way to somebody else, of which as many rows are kept as a sheet has."""

    def __init__(self, pieces: Iterable[pl.DataFrame]) -> None:
        self._pieces = pieces
        self._taken: list[pl.DataFrame] = []

    def __iter__(self) -> Iterator[pl.DataFrame]:
        for piece in self._pieces:
            room = MOST_ROWS - sum(map(len, self._taken))
            if room or not self._taken:
                self._taken.append(piece.head(room))
            yield piece

    @property
    def frame(self) -> pl.DataFrame:
        """The rows that have passed."""
        return pl.concat(self._taken)


def _kind(dtype: pl.DataType) -> NumberKind:
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


def _for_print(sheet: Any, width: int) -> None:
    """Landscape, the head on every page; as wide as a page unless that would be too small to read."""
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.repeat_rows(0)
    sheet.repeat_columns(0)
    if width <= _PAGE:
        sheet.fit_to_pages(1, 0)


def _width(name: str, values: list[str | int | float | None]) -> int:
    """Wide enough for the head and the first values, within reason."""
    if name in _WRAPPED:
        return _WRAPPED[name]
    texts = [value for value in values if isinstance(value, str)]
    return max(9, min(_WIDEST, max(map(text_room, [name + "   ", *texts])) + 2))
