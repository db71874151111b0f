"""`haechi checks`: what became of every expectation, written out, edited and brought back."""

from __future__ import annotations

import json

import openpyxl
import polars as pl

SENTENCES = '평가 요소 ->:\n1) dataUIList 내 formType 값이 "ACTION"인 항목이 존재하는가\n2) 해당 항목의 actionType 값이 "OPEN"인가\n3) 답변이 친절한가'
PAYLOAD = {
    "assistantMessage": "화면입니다.",
    "dataUIList": [{"uiValue": {"formType": "ACTION", "actionType": "OPEN"}}],
}


def write_runs(tmp_path):
    expectations = [
        SENTENCES,
        SENTENCES,
        '{"formType": "ACTION", "actionType": "NO"}',
        "@check formType=ACTION",
        "",
    ]
    runs = [
        {
            "id": f"r{n}",
            "query_id": f"q{n // 2}",
            "query": "질의",
            "expected_result": expected,
            "raw_json": PAYLOAD,
        }
        for n, expected in enumerate(expectations)
    ]
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(json.dumps(run) + "\n" for run in runs), "utf-8")
    return file


def test_every_line_is_told_before_anything_is_scored(haechi, tmp_path):
    runs = write_runs(tmp_path)
    told = haechi("checks", runs, "--json").json
    assert (told["runs"], told["checks"], told["open"], told["absent"]) == (5, 5, 1, 1)
    first = told["expectations"][0]
    assert (first["queries"], first["runs"], first["checks"], first["open"]) == (["q0"], 2, 2, 1)
    assert [(line["kind"], line["check"]) for line in first["lines"]] == [
        ("heading", None), ("check", "formType=ACTION"), ("check", "actionType=OPEN [formType=ACTION]"), ("open", None),
    ]  # fmt: skip
    shown = haechi("checks", runs, "--lang", "en").out
    assert "open (a person or a judge)" in shown
    assert "3 expectations of 5 runs: 5 checks by code, 1 lines open; 1 runs without any" in shown


def test_checks_are_edited_in_a_workbook_and_come_back(haechi, tmp_path):
    study, book = tmp_path / "study", tmp_path / "checks.xlsx"
    haechi("new", study, "--rubric", "hiring-agent")
    haechi("add", study, write_runs(tmp_path))

    def accuracy():
        return {
            one["item"]: one["scores"]["accuracy"] for one in haechi("score", study, "--json").json["items"]
        }

    before = accuracy()
    assert before == {"r0": 5, "r1": 5, "r2": 3, "r3": 5, "r4": 0}
    haechi("checks", study, "-o", book)
    haechi("add", study, book, "--join")
    assert accuracy() == before, "what is written out means what was read"
    workbook = openpyxl.load_workbook(book)
    sheet = workbook.active
    heads = [cell.value for cell in sheet[1]]
    sheet.cell(
        2, heads.index("accuracyChecks") + 1
    ).value = '1) dataUIList 내 formType 값이 "NO"인 항목이 존재하는가'
    workbook.save(book)
    haechi("add", study, book, "--join", "--replace")
    assert accuracy() == before | {"r0": 0}
    haechi("undo", study)
    assert accuracy() == before
    assert "accuracy_checks" not in haechi("score", study, "--json").json["items"][0]["meta"]


def test_a_file_that_is_not_there_is_named(haechi, tmp_path):
    missing = haechi("checks", tmp_path / "no.csv")
    assert missing.code == 1
    assert "no.csv" in missing.err


def test_a_study_of_something_else_has_no_expectations(haechi, demo):
    refused = haechi("checks", demo / "diary-comment", "--lang", "en")
    assert refused.code == 1
    assert "a study of agent runs" in refused.err


def test_checks_have_a_row_for_every_query_and_come_back_to_all_its_runs(haechi, tmp_path, write):
    runs = [
        {
            "id": f"r{n}",
            "query_id": f"q{n // 2}",
            "query": "질의",
            "expected_result": SENTENCES,
            "raw_json": PAYLOAD,
        }
        for n in range(4)
    ]
    study, table = tmp_path / "study", tmp_path / "checks.csv"
    haechi("new", study, "--rubric", "hiring-agent")
    haechi("add", study, write("runs.jsonl", "\n".join(map(json.dumps, runs))))
    assert haechi("checks", study, "-o", table).code == 0
    written = pl.read_csv(table)
    assert written["Query ID"].to_list() == ["q0", "q1"]
    assert "Item ID" not in written.columns
    edited = (
        pl.when(pl.col("Query ID") == "q1").then(pl.lit("@check formType=NO")).otherwise("accuracyChecks")
    )
    written.with_columns(accuracyChecks=edited).write_csv(table)
    joined = haechi("add", study, table, "--join", "--replace")
    assert joined.code == 0, joined.err
    scored = haechi("score", study, "--json").json["items"]
    assert {one["item"]: one["scores"]["accuracy"] for one in scored} == {"r0": 5, "r1": 5, "r2": 0, "r3": 0}
    strange = haechi("add", study, write("x.csv", "Query ID,accuracyChecks\nq9,1) 답변이 짧은가\n"), "--join")
    assert strange.code == 1
    assert "'q9'" in strange.err
    assert "x.csv:2" in strange.err


def test_a_suite_is_looked_at_before_anybody_is_asked(haechi, write):
    suite = write("suite.csv", "id,query,expected\nq1,공고 닫아줘,1) close_job 도구를 호출하는가\nq2,안녕,\n")
    told = json.loads(haechi("checks", str(suite), "--json").out)
    assert (told["runs"], told["checks"], told["open"], told["absent"]) == (2, 1, 0, 1)
    assert told["expectations"][0]["lines"][0]["check"] == "tool close_job"
