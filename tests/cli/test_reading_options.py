"""`--map`, `--sheet`, `--header-row`, `--format`, `--item`, `--keep`: the same wherever a file is taken."""

from __future__ import annotations

import openpyxl
import pytest

FORM = "닉네임,들은 방송,반,합리성,구체성,공감성\n" + "".join(
    f"{who},방송{n},{'가' if n % 2 else '나'},{(n + len(who)) % 2},{n % 2},1\n"
    for who in ("별하", "라온이")
    for n in range(6)
)
COMMANDS = {
    "score": (),
    "agree": (),
    "compare": ("--by", "반"),
    "check": ("--min", "ssa=0"),
    "report": ("-o", "report"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_form_with_one_mapping(haechi, write, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    file = write("form.csv", FORM)
    asked = haechi(command, file, "--rubric", "diary-comment", *COMMANDS[command])
    assert (asked.code, 'item="들은 방송"' in asked.err) == (1, True)
    done = haechi(
        command, file, "--rubric", "diary-comment", *COMMANDS[command], "--map", "item=들은 방송", "--json"
    )
    assert done.code == 0
    assert done.json


@pytest.mark.parametrize("command", COMMANDS)
def test_a_sheet_and_its_header_are_chosen(haechi, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    book.active.append(["id", "rater", "합리성"])
    book.active.append(["wrong", "kim", 9])
    second = book.create_sheet("2차")
    second.append(["a", "b", "c", "d", "e", "f"])
    for line in FORM.splitlines():
        second.append(line.split(","))
    book.save("b.dat")
    options = ("--format", "xlsx", "--sheet", "2차", "--header-row", "2", "--map", "item=들은 방송")
    done = haechi(command, "b.dat", "--rubric", "diary-comment", *COMMANDS[command], *options, "--json")
    assert done.code == 0, done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_study_was_read_when_its_files_came_in(haechi, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    refused = haechi(command, tmp_path / "s", *COMMANDS[command], "--map", "item=a")
    assert (refused.code, "haechi import" in refused.err) == (1, True)


def test_outcomes_are_mapped_too(haechi, write):
    file = write(
        "runs.csv", "과목,학생,결과,반\n" + "".join(f"수학,s{n},{n % 3},{n % 2}\n" for n in range(8))
    )
    found = haechi(
        "compare",
        file,
        "--by",
        "반",
        "--map",
        "item=학생",
        "--map",
        "value=결과",
        "--map",
        "ignore=과목",
        "--json",
    )
    assert found.code == 0, found.err
    assert {group["n"] for group in found.json["criteria"]["overall"]["groups"]} == {4}


RUNS = [
    ["회차별 결과"],
    ["문항", "차수", "기대", "원문"],
    ["q1", "1/1", '1) formType 값이 "LINK"인 항목이 존재하는가', '{"dataUIList": [{"formType": "LINK"}]}'],
    ["q1", "2/1", '1) formType 값이 "LINK"인 항목이 존재하는가', '{"dataUIList": [{"formType": "ROW"}]}'],
]
MAPPED = ("--map", "query_id=문항", "--map", "round=차수", "--map", "expected=기대", "--map", "payload=원문")
RUN_COMMANDS = {
    "score": ("-o", "scores.csv"),
    "compare": ("--by", "round"),
    "check": ("--min", "accuracy=0"),
    "report": ("-o", "report"),
}


@pytest.mark.parametrize("command", RUN_COMMANDS)
def test_a_file_of_runs_is_read_as_somebody_says(haechi, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    book.active.append(["요약"])
    for row in RUNS:
        (book["결과"] if "결과" in book.sheetnames else book.create_sheet("결과")).append(row)
    book.save("runs.xlsx")
    read_as = ("--sheet", "결과", "--header-row", "2", *MAPPED)
    done = haechi(
        command, "runs.xlsx", "--rubric", "hiring-agent", *RUN_COMMANDS[command], *read_as, "--json"
    )
    assert done.code == 0, done.err
    if command == "score":
        assert [item["scores"]["accuracy"] for item in done.json["items"]] == [5, 0]
        assert "formType=LINK ← ROW" in (tmp_path / "scores.csv").read_text("utf-8-sig")
        shown = haechi("checks", "runs.xlsx", *read_as, "--json").json
        assert (shown["runs"], shown["checks"], shown["open"]) == (2, 1, 0)
