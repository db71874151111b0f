"""A long sheet is the sheet that the library would have written cell by cell."""

from __future__ import annotations

import zipfile

import openpyxl
import polars as pl
import pytest
import xlsxwriter

from haechi.report import workbook
from haechi.report.long_sheets import fill_sheets
from haechi.report.workbook import Looks, _begin, frame_table, write_table

ODD = [
    "보통 글", "", "  앞뒤 빈칸  ", "=1+1", "<b>&amp;</b> & \"quotes\"", "두\n줄\t탭", "_x0041_ 그대로", "\x07종", "😀" * 40,
    "긴 글 " * 200, "@SUM(A1)", None,
]  # fmt: skip
FRAME = pl.DataFrame(
    {
        "item": [f"d{n}" for n in range(600)],
        "evidence": [ODD[n % len(ODD)] for n in range(600)],
        "value": [None if n % 7 == 0 else n / 3 for n in range(600)],
        "count": [None if n % 5 == 0 else n * 1000 for n in range(600)],
        "reason": [None] * 600,
    },
    schema_overrides={"reason": pl.String},
)


@pytest.fixture
def both(tmp_path):
    """The same sheet, cell by cell and as columns."""
    books = []
    for name in ("cells", "columns"):
        path = tmp_path / f"{name}.xlsx"
        with xlsxwriter.Workbook(str(path), workbook._OPTIONS) as book:
            sheet, looks = book.add_worksheet("ratings"), Looks(book)
            if name == "cells":
                write_table(sheet, frame_table("ratings", FRAME), looks, {"item": "항목"})
            else:
                _begin(sheet, FRAME, looks, {"item": "항목"})
                sheet.write_string(FRAME.height + 1, 0, "아래의 말", looks.note)
        if name == "columns":
            fill_sheets(
                path, {"sheet1": FRAME}, workbook._WRAPPED, workbook._LONGEST_CELL, workbook._MOST_LINES
            )
        books.append(openpyxl.load_workbook(path)["ratings"])
    return books


def test_cells_and_looks_are_the_same(both):
    cells, columns = both
    assert columns.auto_filter.ref == cells.auto_filter.ref == "A1:E601"
    assert columns.freeze_panes == cells.freeze_panes
    for row in range(1, 602):
        for column in range(1, 6):
            one, other = cells.cell(row, column), columns.cell(row, column)
            if FRAME.height >= row - 1 and other.value is not None and "\ufffd" in str(other.value):
                continue  # what XML cannot hold is said with another sign
            if isinstance(one.value, float):
                assert other.value == pytest.approx(one.value, rel=1e-14)  # the library writes 16 digits
            else:
                # Excel reads the escaped sign in both; openpyxl not where the text stands in its cell.
                plain = other.value.replace("_x005F_x", "_x") if isinstance(other.value, str) else other.value
                assert (plain or None) == (one.value or None), (row, column)
            if one.value not in ("", None):
                assert other.number_format == one.number_format
                assert other.alignment.wrap_text == one.alignment.wrap_text
                assert other.data_type == one.data_type
    assert columns.cell(602, 1).value == "아래의 말"
    assert columns.row_dimensions[11].height == cells.row_dimensions[11].height == 120


def test_what_xml_cannot_hold_does_not_break_the_file(both):
    assert both[1].cell(9, 2).value == "\ufffd종"


def test_a_report_of_many_items_is_a_file_that_opens(tmp_path):
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path), workbook._OPTIONS) as book:
        looks = Looks(book)
        write_table(book.add_worksheet("findings"), frame_table("findings", FRAME.head(2)), looks)
        _begin(book.add_worksheet("scores"), FRAME, looks, {})
    fill_sheets(path, {"sheet2": FRAME}, {}, 32_767, 8)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    opened = openpyxl.load_workbook(path)
    assert opened["findings"].max_row == 3
    assert opened["scores"].max_row == 601
    assert [path.name for path in tmp_path.iterdir()] == ["t.xlsx"]


def test_rows_are_compressed(tmp_path):
    path = tmp_path / "columns.xlsx"
    with xlsxwriter.Workbook(str(path), workbook._OPTIONS) as book:
        _begin(book.add_worksheet("ratings"), FRAME, Looks(book), {})
    fill_sheets(path, {"sheet1": FRAME}, workbook._WRAPPED, workbook._LONGEST_CELL, workbook._MOST_LINES)
    with zipfile.ZipFile(path) as made:
        assert all(
            member.compress_type == zipfile.ZIP_DEFLATED and member.compress_size < member.file_size
            for member in made.infolist()
        )
