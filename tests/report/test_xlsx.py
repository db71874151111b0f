"""Workbooks are written without a library; openpyxl reads back what went in."""

from __future__ import annotations

import openpyxl
import polars as pl
import pytest
from openpyxl.utils.escape import unescape

from haechi.errors import HaechiError
from haechi.report import xlsx
from haechi.report.xlsx import Workbook

TEXTS = [
    "=1+1",
    " a  b ",
    "<b>&amp;\"'",
    "줄\n바꿈\t탭",
    "\x00\x1b\r\ufffe",
    "_x0041_",
    "https://a.b",
    "007",
    "😀",
    "",
]


def test_text_comes_back_as_it_was(tmp_path):
    with Workbook(tmp_path / "t.xlsx") as book:
        book.add("scores", [pl.DataFrame({"text": TEXTS, "_x000D_ & <": TEXTS})])
    rows = list(openpyxl.load_workbook(tmp_path / "t.xlsx")["scores"].iter_rows())
    # openpyxl leaves to its users how Excel writes what XML cannot hold.
    assert [unescape(cell.value) for cell in rows[0]] == ["text", "_x000D_ & <"]
    assert [unescape(row[0].value or "") for row in rows[1:]] == TEXTS
    assert {row[0].data_type for row in rows[1:-1]} == {"s"}


def test_numbers_are_exact_and_what_is_no_number_is_empty(tmp_path):
    floats = [0.1 + 0.2, 1e-9, -1.5e300, None, float("nan"), float("inf"), 3.9999999999999996]
    with Workbook(tmp_path / "t.xlsx") as book:
        book.add(
            "scores",
            [pl.DataFrame({"item": list("abcdefg"), "mean": floats, "n": [1, None, -3, 4, 5, 6, 7]})],
        )
    rows = list(openpyxl.load_workbook(tmp_path / "t.xlsx")["scores"].iter_rows(min_row=2))
    assert [row[1].value for row in rows] == [*floats[:3], None, None, None, floats[6]]
    assert [row[2].value for row in rows] == [1, None, -3, 4, 5, 6, 7]
    assert (rows[0][1].number_format, rows[0][2].number_format) == ("0.00", "#,##0")


def test_pieces_stand_below_each_other_under_one_head(tmp_path):
    wide = {f"c{number}": [number] for number in range(60)}
    with Workbook(tmp_path / "t.xlsx", "제목 & <title>") as book:
        book.add("summary", [pl.DataFrame()], note="nothing here")
        book.add("scores", (pl.DataFrame(wide) for _ in range(3)), note="3 of 9 rows")
    read = openpyxl.load_workbook(tmp_path / "t.xlsx")
    assert read.properties.title == "제목 & <title>"
    assert list(read["summary"].values) == [("nothing here",)]
    rows = list(read["scores"].values)
    assert rows[0] == tuple(wide)
    assert rows[1:4] == [tuple(range(60))] * 3
    assert rows[4][0] == "3 of 9 rows"
    sheet = read["scores"]
    assert (sheet.freeze_panes, sheet.auto_filter.ref, sheet.print_title_rows) == ("B2", "A1:BH4", "$1:$1")


def test_rows_are_as_high_as_their_long_text(tmp_path):
    texts = ["short", "근거 " * 30, "x" * 9_999]
    with Workbook(tmp_path / "t.xlsx") as book:
        book.add("ratings", [pl.DataFrame({"item": list("abc"), "evidence": texts})], {"evidence": 60})
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx")["ratings"]
    assert [sheet.row_dimensions[row].height for row in (2, 3, 4)] == [None, 45, 120]
    assert sheet["B2"].alignment.wrap_text
    assert not sheet["A2"].alignment.wrap_text


def test_the_same_tables_make_the_same_bytes(tmp_path):
    for name in ("a.xlsx", "b.xlsx"):
        with Workbook(tmp_path / name) as book:
            book.add("scores", [pl.DataFrame({"item": TEXTS})])
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_a_table_larger_than_a_sheet_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx, "MOST_ROWS", 5)
    with pytest.raises(HaechiError, match="csv"), Workbook(tmp_path / "t.xlsx") as book:
        book.add("scores", [pl.DataFrame({"n": range(4)}), pl.DataFrame({"n": range(2)})])
