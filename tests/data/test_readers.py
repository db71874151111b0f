"""Files from strangers: every format gives the same rows, every damage an error with its place."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest

from haechi.data.files import BAD, LONGEST_RECORD
from haechi.data.readers import read_rows
from haechi.errors import HaechiError

ROWS = [
    {"id": "a", "일기": "비가 왔다", "코멘트": "아쉬웠겠어요"},
    {"id": "b", "일기": "상을 탔다", "코멘트": "축하해요"},
]


def _csv(rows: list[dict[str, str]]) -> str:
    return "\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]) + "\n"


def _xlsx(path: Path) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(list(ROWS[0]))
    for row in ROWS:
        book.active.append(list(row.values()))
    book.save(path)
    return path


def _parquet(path: Path) -> Path:
    import polars as pl

    pl.DataFrame(ROWS).write_parquet(path)
    return path


def test_all_formats_and_encodings_give_the_same_rows(tmp_path, write):
    text = _csv(ROWS)
    files = [
        write("utf8.csv", text),
        write("bom.csv", "\ufeff" + text),
        write("cp949.csv", text.encode("cp949")),
        write("windows.csv", text.replace("\n", "\r\n")),
        write("tabs.tsv", text.replace(",", "\t")),
        write("tabs.txt", text.replace(",", "\t")),
        write("text.xls", text.replace(",", "\t")),
        write("unicode.csv", text.replace(",", "\t").encode("utf-16")),
        write("a.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS) + "\n\n"),
        write("cp949.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS).encode("cp949")),
        write("a.json", json.dumps(ROWS, ensure_ascii=False, indent=2)),
        write("wrapped.json", json.dumps({"count": 2, "sessions": ROWS})),
        _xlsx(tmp_path / "a.xlsx"),
        _parquet(tmp_path / "a.parquet"),
    ]
    for file in files:
        assert [row.data for row in read_rows(file)] == ROWS, file.name


def test_a_json_array_larger_than_one_read_is_decoded_piece_by_piece(write):
    rows = [{"id": str(i), "text": "가" * 50_000} for i in range(60)]  # 3 million characters
    file = write("big.json", json.dumps(rows, ensure_ascii=False))
    assert [row.data["id"] for row in read_rows(file)] == [str(i) for i in range(60)]


def test_places_are_physical_lines(write):
    file = write("a.csv", 'id,context,response\na,"두\n줄",x\nb,y,z\n')
    assert [row.place for row in read_rows(file)] == ["a.csv:3", "a.csv:4"]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("empty.csv", "", "an empty file"),
        ("header.csv", "id,context\n", "no records"),
        ("blank.jsonl", "\n\n", "no records"),
        ("binary.csv", b"PK\x03\x04\x00\x00\x01", "binary"),
        ("latin.csv", b"id,context\na,\xff\xfe\xfa\n", "byte"),
        ("twice.csv", "id,id\n1,2\n", "column twice"),
        ("notes.doc", "id\n1\n", "extension .doc"),
        ("notes.txt", "id\n1\n", "no table with tabs"),
        ("broken.xlsx", "not a workbook", "no workbook"),
        ("broken.xlsx", b"PK\x03\x04 not really", "damaged"),
        ("broken.xls", b"\xd0\xcf\x11\xe0 not really", "damaged"),
        ("page.xls", "<html><table><tr><td>id</td></tr></table></html>", "web page"),
        ("broken.parquet", "PAR1 not really", "arquet"),
        ("open.csv", 'id,context\n1,"never closed\n', "a quote that is not closed"),
        ("cut.json", '[{"id": "a"}, {"id": ', "the file ends in the middle"),
        ("number.json", "12", "'1'"),
    ],
)
def test_a_broken_file_is_named_with_what_was_found(write, name, content, found):
    file = write(name, content)
    with pytest.raises(HaechiError) as caught:
        list(read_rows(file))
    problem = caught.value.problems[0].as_json("en")
    assert name in problem["at"]
    assert found in problem["found"]
    assert problem["expected"]
    assert problem["next"]


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(HaechiError, match="found"):
            list(read_rows(path))


@pytest.mark.parametrize(
    "line", ["[1, 2]", '"text"', "nonsense", '{"id": NaN}', '{"id": Infinity}', "{" * 100_000]
)
def test_a_bad_line_stands_in_the_stream_as_an_error_and_reading_goes_on(write, line):
    file = write("a.jsonl", f'{line}\n{{"id": "after"}}\n')
    rows = list(read_rows(file))
    assert "a.jsonl:1" in rows[0].data[BAD].problems[0].at
    assert rows[1].data == {"id": "after"}


def test_a_wrong_number_of_fields_is_an_error_in_its_place(write):
    rows = list(read_rows(write("a.csv", "id,context\na,b,c\nd,e\n")))
    assert rows[0].data[BAD].problems[0].as_json("en")["expected"] == "2, as in the header"
    assert rows[1].data == {"id": "d", "context": "e"}


@pytest.mark.parametrize("name", ["long.jsonl", "long.csv", "long.json"])
def test_a_200_megabyte_line_is_refused_without_being_held_in_memory(tmp_path, name):
    path = tmp_path / name
    opening = {"long.jsonl": '{"id": "', "long.csv": 'id,context\na,"', "long.json": '[{"id": "'}[name]
    with path.open("w") as file:
        file.write(opening)
        for _ in range(200):
            file.write("x" * 1024 * 1024)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(HaechiError) as caught:
        list(read_rows(path))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert name in caught.value.problems[0].at
    assert grown * 1024 < 8 * LONGEST_RECORD


def test_spreadsheets_leave_empty_columns_and_use_other_separators(write):
    assert next(read_rows(write("a.csv", "id,context,,\na,b,,\n"))).data == {"id": "a", "context": "b"}
    assert next(read_rows(write("b.csv", 'id;context\na;"b;c"\n'))).data == {"id": "a", "context": "b;c"}


def test_a_single_session_and_a_number_of_thousands_of_digits(write):
    one = write(
        "one.json", json.dumps({"session_id": "s", "conversation": [{"role": "user", "content": "x"}]})
    )
    assert next(read_rows(one)).data["session_id"] == "s"
    long = write("long.jsonl", '{"id": ' + "9" * 5000 + "}\n")
    assert BAD in next(read_rows(long)).data


def test_a_wrapped_list_too_large_for_one_record_is_streamed(write, monkeypatch):
    monkeypatch.setattr("haechi.data.json_files.LONGEST_RECORD", 1_000_000)
    rows = [{"id": str(n), "text": "가" * 30_000} for n in range(50)]
    file = write(
        "wrapped.json", json.dumps({"count": 50, "made": {"by": "x"}, "sessions": rows}, ensure_ascii=False)
    )
    assert [row.data["id"] for row in read_rows(file)] == [str(n) for n in range(50)]
