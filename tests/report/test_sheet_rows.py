"""A sheet whose rows we write is the sheet that the library would have written cell by cell."""

from __future__ import annotations

import zipfile
from io import BytesIO

import openpyxl
import polars as pl
import pytest
import xlsxwriter

from haechi.report import workbook
from haechi.report.sheet_rows import SheetCells, fill_sheets, text_room
from haechi.report.words import said, shortened
from haechi.report.workbook import CELLS, Looks, begin_sheet

ODD = [
    "보통 글", "", "  앞뒤 빈칸  ", "=1+1", "<b>&amp;</b> & \"quotes\"", "두\n줄\t탭", "_x0041_ 그대로", "\x07종", "😀" * 40,
    "긴 글 " * 200, "@SUM(A1)", None,
]  # fmt: skip
FRAME = pl.DataFrame(
    {
        "item": [f"d{n}" for n in range(4_600)],
        "evidence": [ODD[n % len(ODD)] for n in range(4_600)],
        "value": [None if n % 7 == 0 else n / 3 for n in range(4_600)],
        "count": [None if n % 5 == 0 else n * 1000 for n in range(4_600)],
        "reason": [None] * 4_600,
        "complete": [n % 3 == 0 for n in range(4_600)],
        "odd": [(0.0, float("nan"), float("inf"))[n % 3] for n in range(4_600)],
    },
    schema_overrides={"reason": pl.String},
)


def by_the_library(path):
    """Every cell handed to the library."""
    with xlsxwriter.Workbook(str(path), {**workbook._OPTIONS, "nan_inf_to_errors": True}) as book:
        sheet, looks = book.add_worksheet("ratings"), Looks(book)
        begin_sheet(sheet, FRAME, looks, {"item": "항목"})
        for number, row in enumerate(FRAME.iter_rows(), 1):
            lines = -(-text_room(row[1] or "") // 60)
            if lines > 1:
                sheet.set_row(number, 15 * min(lines, 8))
            for column, (value, look) in enumerate(zip(row, looks_of(looks), strict=True)):
                if isinstance(value, str):
                    sheet.write_string(number, column, value, look)
                elif value is not None and abs(value) < float("inf"):
                    sheet.write_number(number, column, value, look)
        sheet.write_string(FRAME.height + 1, 0, "아래의 말", looks.note)


def looks_of(looks):
    return looks.plain, looks.words, looks.number, looks.whole, looks.words, looks.number, looks.number


def by_us(path, frame=FRAME, cells=CELLS):
    made = BytesIO()
    with xlsxwriter.Workbook(made, workbook._OPTIONS) as book:
        sheet, looks = book.add_worksheet("ratings"), Looks(book)
        begin_sheet(sheet, frame, looks, {"item": "항목"})
        sheet.write_string(frame.height + 1, 0, "아래의 말", looks.note)
    fill_sheets(made, path, {"sheet1": frame} if frame.height else {}, cells)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same sheet, by the library and by us."""
    folder = tmp_path_factory.mktemp("sheets")
    by_the_library(folder / "cells.xlsx")
    by_us(folder / "columns.xlsx")
    return [openpyxl.load_workbook(folder / f"{name}.xlsx")["ratings"] for name in ("cells", "columns")]


def test_cells_and_looks_are_the_same(both):
    cells, columns = both
    assert columns.auto_filter.ref == cells.auto_filter.ref == "A1:G4601"
    assert columns.freeze_panes == cells.freeze_panes
    assert columns.dimensions == cells.dimensions
    for row in range(1, 4_602):
        for column in range(1, 8):
            one, other = cells.cell(row, column), columns.cell(row, column)
            if "\ufffd" in str(other.value):
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
        assert columns.row_dimensions[row].height == cells.row_dimensions[row].height
    assert columns.cell(4_602, 1).value == "아래의 말"
    assert columns.row_dimensions[11].height == 120


def test_what_xml_cannot_hold_does_not_break_the_file(both):
    assert both[1].cell(9, 2).value == "\ufffd종"


def test_a_value_that_is_a_number_can_be_counted_with(tmp_path):
    values = ["3", "4.50", "-.5", "PERFECT", "1e5", "1234567890123456", "٣", "3\n", None]
    by_us(tmp_path / "t.xlsx", pl.DataFrame({"item": [f"d{n}" for n in range(9)], "value": values}))
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    found = [sheet.cell(row, 2).value for row in range(2, 11)]
    assert found == [3, 4.5, -0.5, "PERFECT", "1e5", "1234567890123456", "٣", "3\n", None]


def test_a_cell_holds_no_more_than_a_spreadsheet_can_and_says_so(tmp_path):
    cells = SheetCells({}, 60, 8, {})
    by_us(tmp_path / "t.xlsx", pl.DataFrame({"item": ["x" * 60, "x" * 99]}), cells)
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert [sheet.cell(row, 1).value for row in (2, 3)] == ["x" * 60, shortened("x" * 99, 60)]


@pytest.mark.parametrize("frame", [pl.DataFrame(), FRAME.clear(), FRAME.head(1)])
def test_a_sheet_without_rows_or_with_one_opens(tmp_path, frame):
    by_us(tmp_path / "t.xlsx", frame)
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert sheet.cell(1, 1).value == ("항목" if frame.width else said("해당 없음", "nothing here"))
    assert sheet.cell(2, 1).value == ("d0" if frame.height else "아래의 말")


def test_sheets_are_compressed_and_nothing_else_is_left(tmp_path):
    by_us(tmp_path / "t.xlsx")
    with zipfile.ZipFile(tmp_path / "t.xlsx") as made:
        assert made.testzip() is None
        assert all(
            member.compress_type == zipfile.ZIP_DEFLATED and member.compress_size < member.file_size
            for member in made.infolist()
        )
    assert [path.name for path in tmp_path.iterdir()] == ["t.xlsx"]
