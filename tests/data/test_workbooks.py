"""Workbooks as people have them: titles, merged cells, hidden sheets, formulas that nobody computed."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
import xlwt

from haechi.data.files import Unstored
from haechi.data.item_files import items_in
from haechi.data.readers import read_rows, read_tables
from haechi.data.reading_notes import ReadingNotes
from haechi.data.tables import TableLine, TableReading
from haechi.data.workbooks import _guarded
from haechi.errors import HaechiError

Sheets = dict[str, list[list[Any]]]


def xlsx(path: Path, sheets: Sheets, merged: tuple[str, ...] = (), hidden: tuple[str, ...] = ()) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if title in hidden else "visible"
    for span in merged:
        book.worksheets[0].merge_cells(span)
    book.save(path)
    return path


def rows_of(path: Path, **how: Any) -> list[dict[str, Any]]:
    return [row.data for row in read_rows(path, TableReading(**how))]


def test_a_title_blank_rows_and_columns_left_empty_are_no_part_of_the_table(tmp_path):
    path = xlsx(
        tmp_path / "a.xlsx",
        {"평가": [["2학기 코멘트 평가"], [], ["번호", "합리성", None], ["d1", 1, None], [], ["d2", 0]]},
    )
    assert rows_of(path) == [{"번호": "d1", "합리성": 1}, {"번호": "d2", "합리성": 0}]
    (table,) = read_tables(path)
    assert table.said[0].ko == "a.xlsx:평가: 머리글은 3행입니다. 그 위: 2학기 코멘트 평가"
    assert [row.place for row in table] == ["a.xlsx:평가!4", "a.xlsx:평가!6"]


def test_the_header_row_can_be_named(tmp_path, write):
    path = write("a.csv", "번호,합리성\n실제,머리글\nd1,1\n")
    assert rows_of(path, header_row=2) == [{"실제": "d1", "머리글": "1"}]
    with pytest.raises(HaechiError, match="--header-row"):
        rows_of(path, header_row=9)


def test_two_header_rows_are_joined_and_a_merged_id_stands_in_all_its_rows(tmp_path):
    path = xlsx(
        tmp_path / "two.xlsx",
        {
            "s": [
                ["항목", "합리성", None, "구체성", None],
                [None, "민수", "영희", "민수", "영희"],
                ["d1", 1, 0, 1, 1],
                [None, 0, 0, 0, 1],
            ]
        },
        merged=("A1:A2", "B1:C1", "D1:E1", "A3:A4"),
    )
    assert rows_of(path) == [
        {"항목": "d1", "합리성 / 민수": 1, "합리성 / 영희": 0, "구체성 / 민수": 1, "구체성 / 영희": 1},
        {"항목": "d1", "합리성 / 민수": 0, "합리성 / 영희": 0, "구체성 / 민수": 0, "구체성 / 영희": 1},
    ]


def test_qualtrics_has_codes_questions_and_its_own_ids(write):
    text = (
        "StartDate,Q1,Q2\n"
        "Start Date,이름이 무엇입니까?,자연스러웠나요?\n"
        '"{""ImportId"":""startDate""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
        "2026-11-02 10:00:00,별하,4\n"
    )
    wanted = {
        "StartDate / Start Date": "2026-11-02 10:00:00",
        "Q1 / 이름이 무엇입니까?": "별하",
        "Q2 / 자연스러웠나요?": "4",
    }
    assert rows_of(write("q.csv", text)) == [wanted]
    two = "\n".join(text.splitlines()[:2] + text.splitlines()[3:])
    assert rows_of(write("q2.csv", two)) == [wanted]


def test_a_line_above_the_table_with_a_known_name_is_no_header(write):
    path = write("a.csv", "평가자,김민수,,\n번호,합리성,구체성,공감성\nd1,1,0,1\n")
    assert rows_of(path) == [{"번호": "d1", "합리성": "1", "구체성": "0", "공감성": "1"}]


def test_sheets_with_the_same_columns_are_read_together_and_hidden_ones_are_said(tmp_path):
    sheet = [["번호", "합리성"], ["d1", 1]]
    path = xlsx(
        tmp_path / "a.xlsx",
        {"민수": sheet, "영희": sheet, "안내": [["이 파일은 평가표입니다"]], "옛것": sheet},
        hidden=("옛것",),
    )
    tables = read_tables(path)
    assert [table.sheet for table in tables] == ["민수", "영희"]
    assert "hidden sheets were not read: 옛것" in tables[1].about_file[0].en
    assert len(rows_of(path)) == 2
    for wished in ("영희", "2"):
        assert [table.sheet for table in read_tables(path, TableReading(sheet=wished))] == ["영희"]
    assert [table.sheet for table in read_tables(path, TableReading(sheet="옛것"))] == ["옛것"]
    with pytest.raises(HaechiError, match="민수, 영희, 안내, 옛것"):
        read_tables(path, TableReading(sheet="철수"))


def test_a_formula_without_a_stored_result_is_no_empty_cell(tmp_path):
    path = xlsx(tmp_path / "a.xlsx", {"s": [["번호", "합리성", "평균"], ["d1", "=1+0", 1], ["d2", 0, "=B3"]]})
    assert rows_of(path) == [
        {"번호": "d1", "합리성": Unstored("B2"), "평균": 1},
        {"번호": "d2", "합리성": 0, "평균": Unstored("C3")},
    ]


def test_a_stored_result_counts_and_the_zero_of_a_program_that_computes_nothing_does_not(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "b.xlsx") as book:
        sheet = book.add_worksheet("s")
        sheet.write_row(0, 0, ["번호", "a", "b", "c"])
        sheet.write(1, 0, "d1")
        sheet.write_formula(1, 1, "=1+1", None, 2)
        sheet.write_formula(1, 2, "=1+1")
        sheet.write_formula(1, 3, '=""', None, "nothing")
    with zipfile.ZipFile(tmp_path / "b.xlsx") as parts, zipfile.ZipFile(tmp_path / "c.xlsx", "w") as saved:
        for name in parts.namelist():  # an empty text as Excel stores it
            saved.writestr(name, parts.read(name).replace(b"<v>nothing</v>", b"<v></v>"))
    assert rows_of(tmp_path / "c.xlsx") == [{"번호": "d1", "a": 2, "b": Unstored("C2"), "c": None}]


def test_an_old_workbook_says_the_same_as_a_new_one(tmp_path):
    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("민수")
    for row, cells in enumerate([["번호", "합리성", "맞음"], ["d1", 1, True], [None, 0, False]]):
        for column, cell in enumerate(cells):
            if cell is not None:
                sheet.write(row, column, cell)
    sheet.merge(1, 2, 0, 0)
    book.add_sheet("숨김").visibility = 1
    book.save(str(tmp_path / "a.xls"))
    wanted = [{"번호": "d1", "합리성": 1.0, "맞음": True}, {"번호": "d1", "합리성": 0.0, "맞음": False}]
    assert rows_of(tmp_path / "a.xls") == wanted
    renamed = (tmp_path / "a.xls").rename(tmp_path / "b.csv")  # what it is, not how it is called
    assert rows_of(renamed) == wanted


def test_two_cells_at_the_ends_of_a_sheet_are_two_rows(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["B1"], book.active["A2"] = "번호", "합리성", "d1"
    book.active["XFD9000"] = "x"
    book.save(tmp_path / "far.xlsx")
    first = next(read_rows(tmp_path / "far.xlsx"))
    assert first.data == {"번호": "d1", "합리성": None}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html><table><tr><td>1, 2</td></tr></table></html>", "a web page"),
        (b"\x89PNG\r\n\x1a\n,;\t", "a picture (PNG)"),
        (b"%PDF-1.7,", "a PDF file"),
        (b"\xff\x00\x01,;\t" + bytes(range(256)), "a damaged file"),
        ("이름만 있는 글".encode(), "a text that is no workbook"),
    ],
)
def test_what_is_only_called_a_workbook_is_refused_with_what_it_is(tmp_path, content, said):
    (tmp_path / "a.xlsx").write_bytes(content)
    with pytest.raises(HaechiError) as refused:
        rows_of(tmp_path / "a.xlsx")
    (problem,) = refused.value.problems
    assert said in problem.say("en")
    assert "Excel workbook" in problem.say("en")


def test_a_zip_without_a_workbook_and_a_table_that_are_called_workbooks(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as parts:
        parts.writestr("a.txt", "x")
    with pytest.raises(HaechiError) as refused:
        rows_of(tmp_path / "a.xlsx")
    assert "a ZIP file that holds no Excel workbook" in refused.value.problems[0].say("en")
    (tmp_path / "b.xlsx").write_bytes("번호,합리성\nd1,1\n".encode("cp949"))
    assert rows_of(tmp_path / "b.xlsx") == [{"번호": "d1", "합리성": "1"}]


def _parts(path: Path, **parts: str) -> None:
    with zipfile.ZipFile(path, "w") as held:
        for name, text in parts.items():
            held.writestr(f"xl/{name}.xml", text)


def _cut(path: Path) -> None:
    path.write_bytes(xlsx(path, {"결과": [["item", "value"], ["d1", 1]]}).read_bytes()[:-200])


def _changed(path: Path) -> None:
    """One byte of a sheet is another one."""
    held = bytearray(xlsx(path, {"결과": [["item", "value"], ["d1", 1]]}).read_bytes())
    held[held.index(b"xl/worksheets/sheet1.xml") + 60] ^= 0xFF
    path.write_bytes(held)


def _protected(path: Path) -> None:
    """As Excel protects a file by a password: an old container whose one stream is no workbook."""
    xlwt.CompoundDoc.XlsDoc().save(str(path), bytes(8192))
    path.write_bytes(
        path.read_bytes().replace("Workbook".encode("utf-16-le"), "Encrypte".encode("utf-16-le"))
    )


@pytest.mark.parametrize(
    ("broken", "by"),
    [
        (_cut, "BadZipFile"),
        (_changed, ""),
        (lambda path: path.write_bytes(b"PK\x03\x04" + bytes(100)), "BadZipFile"),
        (lambda path: _parts(path, workbook=""), "KeyError"),
        (_protected, "XLRDError"),
    ],
)
def test_a_workbook_that_no_library_can_read_is_refused_with_what_to_do(tmp_path, broken, by):
    broken(tmp_path / "a.xlsx")
    with pytest.raises(HaechiError) as refused:
        rows_of(tmp_path / "a.xlsx")
    (problem,) = refused.value.problems
    assert "a.xlsx: found a file that is damaged or has a password" in problem.say("en")
    assert by in repr(refused.value.__cause__), "for whoever mends the reader"
    assert "if it has a password, save it without" in problem.say("en")


def test_a_workbook_that_may_not_be_read_is_not_called_a_damaged_one(tmp_path_factory):
    path = xlsx(tmp_path_factory.mktemp("shut") / "a.xlsx", {"결과": [["item", "value"], ["d1", 1]]})
    path.chmod(0o000)
    child = os.fork()
    if child == 0:
        code = 9
        try:
            if os.getuid() == 0:
                os.setuid(65534)  # root may read everything
            rows_of(path)
        except PermissionError:
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_what_the_machine_refuses_meanwhile_is_no_fault_of_the_workbook(tmp_path):
    def lines() -> Iterator[TableLine]:
        yield TableLine(1, ["item"])
        with (tmp_path / "gone").open() as file:
            yield TableLine(2, [file.read()])

    with pytest.raises(FileNotFoundError):
        list(_guarded(tmp_path / "a.xlsx", lines()))


def test_a_workbook_that_unpacks_to_far_more_than_it_is_is_refused_at_once(tmp_path):
    whole = xlsx(tmp_path / "good.xlsx", {"결과": [["item", "value"], ["d1", 1]]})
    bomb = tmp_path / "bomb.xlsx"
    with (
        zipfile.ZipFile(whole) as good,
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bad,
    ):
        for name in good.namelist():
            bad.writestr(name, good.read(name))
        bad.writestr("xl/media/blank", bytes(260 << 20))
    with pytest.raises(HaechiError, match=r"grows 2\d\d times") as refused:
        rows_of(bomb)
    assert refused.value.problems[0].at == "bomb.xlsx"
    assert rows_of(whole) == [{"item": "d1", "value": 1}]


def test_a_workbook_with_macros_is_read_and_its_macros_are_not_looked_at(tmp_path):
    project = tmp_path / "vbaProject.bin"
    project.write_bytes(b"no project at all: whoever opened this would fail")
    path = tmp_path / "평가.xlsm"
    with xlsxwriter.Workbook(path) as book:
        book.add_vba_project(str(project))
        sheet = book.add_worksheet("평가")
        for number, row in enumerate([["번호", "합리성"], ["d1", 1], ["d2", 0]]):
            sheet.write_row(number, 0, row)
    assert rows_of(path) == [{"번호": "d1", "합리성": 1}, {"번호": "d2", "합리성": 0}]
    with pytest.raises(HaechiError, match=r"\.xlsm"):
        rows_of(path.rename(tmp_path / "평가.xlsb"))


def test_groups_above_the_columns_of_conversations_are_no_part_of_their_names(tmp_path):
    rows = [
        ["루나 대화 모음"],
        [],
        ["대화 번호", "대화", None, "정보", None],
        [None, "질문", "답변", "방송", "레벨"],
        ["L-01", "왜 늦었어?", "길이 막혔어", "1부", "초급"],
        [None, "노래 불러 줘", "좋아!", None, None],
        ["L-02", "힘들어", "무슨 일이야?", "2부", "중급"],
    ]
    merged = ("A1:E1", "A3:A4", "B3:C3", "D3:E3", "A5:A6")
    path = xlsx(tmp_path / "대화.xlsx", {"대화": rows}, merged)
    one, _, other = rows_of(path)
    assert one == {
        "대화 번호": "L-01",
        "질문": "왜 늦었어?",
        "답변": "길이 막혔어",
        "방송": "1부",
        "레벨": "초급",
    }
    assert other["대화 번호"] == "L-02"
    items = [item for _, item in items_in(path, "dialogue", ReadingNotes())]
    assert [(item.id, len(item.content["messages"]), item.meta) for item in items] == [
        ("L-01", 4, {"방송": "1부", "레벨": "초급"}),
        ("L-02", 2, {"방송": "2부", "레벨": "중급"}),
    ]
    # ratings need the group: it may name the criterion
    assert [table.columns[1] for table in read_tables(path)] == ["대화 / 질문"]
