"""The workbook as a person opens it: numbers to count with, heads in the report's language, pages that can be printed."""

from __future__ import annotations

import re

import pytest
from openpyxl import load_workbook
from xlsxwriter import Workbook

from haechi.analysis.analysis import Analysis
from haechi.report.folder import write_report
from haechi.report.table import Estimate, table
from haechi.report.table_sheet import TableSheet
from haechi.text import choose_language


@pytest.fixture(scope="module")
def book(demo, tmp_path_factory):
    choose_language("ko")
    out = tmp_path_factory.mktemp("book") / "out"
    write_report(Analysis(demo / "maice-qac"), out)
    choose_language(None)
    return load_workbook(out / "scores.xlsx")


@pytest.fixture(scope="module")
def runs(demo, tmp_path_factory):
    choose_language("ko")
    out = tmp_path_factory.mktemp("book") / "out"
    write_report(Analysis(demo / "hiring-agent"), out)
    choose_language(None)
    return load_workbook(out / "scores.xlsx")


def column(sheet, head):
    (place,) = [cell.column for cell in sheet[1] if cell.value == head]
    return [row[0].value for row in sheet.iter_rows(min_row=2, min_col=place, max_col=place)]


@pytest.mark.parametrize(
    "name", ["book", "runs"]
)  # the one has a long sheet of ratings, the other a short one
def test_values_are_numbers(name, request):
    values = column(request.getfixturevalue(name)["평가"], "값")
    assert {type(value) for value in values} <= {int, float, type(None)}
    assert any(values)


def test_findings_come_first_and_heads_are_korean(book, runs):
    assert book.sheetnames[0] == "핵심"
    for sheet in (*book, *runs):
        heads = [str(cell.value) for cell in sheet[1]]
        strange = [one for one in heads if re.fullmatch(r"[a-z_]+([:@].*)?", one)]
        own = {"mode", "level", "unit", "n"} | {one for one in strange if one.startswith("code:")}
        assert set(strange) <= own, sheet.title


def test_groups_of_raters_are_named_in_korean(book):
    assert set(column(book["일치도"], "평가자 집단")) == {"전체", "사람", "AI", "AI와 사람"}


def test_every_sheet_has_what_is_printed_and_a_head_on_every_page(book):
    for sheet in (sheet for sheet in book if not sheet.title.startswith("집단")):
        assert sheet.print_area, sheet.title
        assert sheet.print_title_rows == "$1:$1"
        assert sheet.freeze_panes == "B2"
    last = book["점수"].print_area.rpartition("$")[0].rpartition("$")[2]
    assert book["점수"][f"{last}1"].value == "평균:total"


def test_groups_are_sheets_with_the_tables_of_the_report(book, demo):
    assert [sheet.title for sheet in book][-2:] == ["집단 1", "집단 2"]
    rows = [[cell.value for cell in row] for row in book["집단 1"].iter_rows()]
    (title,) = [place for place, row in enumerate(rows) if row[0] == "agent − freepass"]
    heads, (total,) = rows[title + 1], [row for row in rows[title:] if row[0] == "총점"]
    shown = dict(zip(heads, total, strict=True))
    told = next(one for one in Analysis(demo / "maice-qac").comparisons if one.items.by == ("mode",))
    difference = told.criteria["total"].two.difference
    low, high = difference.ci95
    assert shown["차이 [95 % 구간]"] == pytest.approx(difference.value, rel=1e-12)
    assert (shown["차이: 95 % 아래"], shown["차이: 95 % 위"]) == pytest.approx((low, high), rel=1e-12)


def test_a_group_called_like_a_formula_stays_text(tmp_path):
    book = Workbook(tmp_path / "t.xlsx", {"strings_to_formulas": False})
    gap = Estimate(None, why="one item")
    hostile = table(
        '=HYPERLINK("x")', ["group", "mean"], [["=1+1", Estimate(3.0, 2.0, 4.0)], ["b", gap]], "note"
    )
    TableSheet(book, book.add_worksheet()).write([hostile, hostile])
    book.close()
    rows = [[cell.value for cell in row] for row in load_workbook(tmp_path / "t.xlsx").active.iter_rows()]
    assert rows[2] == ["=1+1", 3, 2, 4, None]
    assert rows[3] == ["b", None, None, None, "one item"]
    assert [row[0] for row in rows].count("note") == 2
    cells = [cell for row in load_workbook(tmp_path / "t.xlsx").active.iter_rows() for cell in row]
    assert all(cell.data_type != "f" for cell in cells)
