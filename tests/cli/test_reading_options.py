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
