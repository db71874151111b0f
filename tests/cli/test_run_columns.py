"""What is written about agent runs has their texts: question, answer, expectation, and what failing checks found instead."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

RUNS = [
    {
        "item_id": "r1",
        "query_id": "q1",
        "query": "일정을 바꿔줘",
        "expected": '1) dataUIList 내 formType 값이 "LINK"인 항목이 존재하는가\n2) assistantMessage에 "마감"과 관련된 내용이 언급되어 있는가',
        "payload": {
            "assistantMessage": "바꿨습니다.",
            "dataUIList": [
                {"uiDescription": "일정", "uiValue": {"formType": "ACTION", "value": {"dataKey": "A"}}}
            ],
        },
    },
    {
        "item_id": "r2",
        "query_id": "q2",
        "query": "=HYPERLINK(1)",
        "expected": "@check planId=7",
        "payload": {"assistantMessage": "네", "dataUIList": [{"uiValue": {"planId": 7}}]},
    },
]


@pytest.fixture
def runs(write) -> Path:
    return write("runs.jsonl", "\n".join(map(json.dumps, RUNS)))


def test_scores_that_are_written_have_the_texts(haechi, runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    assert haechi("score", runs, "--rubric", "hiring-agent", "-o", out).code == 0
    first, second = pl.read_csv(out).rows(named=True)
    assert (first["question"], first["answer"]) == ("일정을 바꿔줘", "바꿨습니다.")
    assert first["expectation"] == RUNS[0]["expected"]
    name, found = first["failing_found"].splitlines()[0].split(" ← ")
    assert (name, found) == ("formType=LINK", "ACTION")
    assert first["failing_found"].splitlines()[1].endswith(" ← 바꿨습니다.")
    assert first["shown"] == "일정 · ACTION\n  - value.dataKey: A"
    assert second["failing_found"] is None


def test_several_raters_of_a_run_do_not_multiply_its_rows(haechi, runs: Path, tmp_path: Path, write) -> None:
    study, out = tmp_path / "qa", tmp_path / "scores.parquet"
    assert haechi("new", study, "--rubric", "hiring-agent").code == 0
    assert haechi("add", study, runs).code == 0
    rated = write("r.csv", "item,rater,intent\nr1,kim,GOOD\nr1,lee,WEAK\n")
    assert haechi("import", study, rated).code == 0
    assert haechi("score", study, "-o", out).code == 0
    assert pl.read_parquet(out).select("item", "rater").rows() == [
        ("r1", "kim"),
        ("r1", "lee"),
        ("r2", "code"),
    ]


def test_the_report_shows_what_was_found(haechi, runs: Path, tmp_path: Path, write) -> None:
    study = tmp_path / "qa"
    assert haechi("new", study, "--rubric", "hiring-agent").code == 0
    assert haechi("add", study, runs).code == 0
    rated = write("r.csv", "item,rater,kind,intent,accuracy\nr1,gpt,ai,GOOD,4\nr2,gpt,ai,GOOD,5\n")
    assert haechi("import", study, rated).code == 0
    assert haechi("report", study, "-o", tmp_path / "report", "--lang", "ko").code == 0
    rows = {row["item"]: row for row in pl.read_csv(tmp_path / "report" / "scores.csv").rows(named=True)}
    assert rows["r1"]["question"] == "일정을 바꿔줘"
    assert rows["r1"]["gpt:rated_accuracy"] == 4
    book = pl.read_excel(tmp_path / "report" / "scores.xlsx", sheet_name="점수", engine="openpyxl")
    assert {"질의", "답변", "기대 결과", "실패한 체크 ← 찾은 값", "화면에 보인 것"} <= set(book.columns)
    written = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert "formType=LINK ← ACTION" in written
