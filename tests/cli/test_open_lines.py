"""Lines of expectations that code does not understand: answered by people and judges, they join the checks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

EXPECTED = (
    '1) dataUIList 내 formType 값이 "LINK"인 항목이 존재하는가\n'
    '2) assistantMessage에 "마감"과 관련된 내용이 언급되어 있는가\n'
    "3) 답변이 친절한가"
)
POLITE = "accuracy.답변이 친절한가"


@pytest.fixture
def study(haechi, write, tmp_path: Path) -> Path:
    runs = [
        {
            "item_id": name,
            "query_id": "q1",
            "round": str(n),
            "query": "마감일은?",
            "expected": EXPECTED if name != "bare" else "답변이 친절한가",
            **({"error": "TimeoutError"} if name == "failed" else {}),
            "payload": {
                "assistantMessage": "마감은 3일입니다.",
                "dataUIList": [{"uiValue": {"formType": "LINK"}}],
            },
        }
        for n, name in enumerate(("first", "second", "bare", "failed"), 1)
    ]
    folder = tmp_path / "qa"
    assert haechi("new", folder, "--rubric", "hiring-agent").code == 0
    assert haechi("add", folder, write("runs.jsonl", "\n".join(map(json.dumps, runs)))).code == 0
    return folder


def rows_of(scored) -> dict[str, dict]:
    return {one["item"]: one for one in scored.json["items"] if one["rater"] == "code"}


def test_until_they_are_answered_they_are_open_and_said_to_be(haechi, study: Path) -> None:
    scored = haechi("score", study, "--json")
    first = rows_of(scored)["first"]
    assert first["scores"]["accuracy"] == 5
    assert first["details"]["checks_open"] == 1
    assert rows_of(scored)["bare"]["scores"]["accuracy"] is None
    # Four runs, one of them failed, whose lines nobody needs to read.
    assert scored.json["summary"][0]["checks"] == {"total": 7, "by_code": 4, "by_raters": 0, "open": 3}
    shown = haechi("score", study, "--lang", "ko")
    assert "체크 7개 중 4개는 코드가 확인, 3개는 미정" in shown.out + shown.err


def test_an_answer_decides_its_line_on_its_run(haechi, study: Path, write) -> None:
    table = f"item,criterion,rater,value\nfirst,{POLITE},kim,아니오\nbare,{POLITE},kim,예\nfailed,{POLITE},kim,예\n"
    imported = haechi("import", study, write("answers.csv", table))
    assert imported.code == 0, imported.err
    scored = haechi("score", study, "--json")
    found = rows_of(scored)
    first = found["first"]["details"]
    assert (first["checks_passed"], first["checks_total"], first["checks_open"]) == (2, 3, 0)
    assert (first["checks_decided"], first["checks_decided_by"]) == (1, "kim")
    assert "답변이 친절한가" in first["failing"]
    assert found["first"]["scores"]["accuracy"] == 3  # two of three
    assert found["bare"]["scores"]["accuracy"] == 5
    assert found["second"]["details"]["checks_open"] == 1
    assert found["failed"]["scores"]["accuracy"] == 0  # by rule, whatever somebody reads into it
    assert scored.json["summary"][0]["checks"] == {"total": 7, "by_code": 4, "by_raters": 2, "open": 1}
    shown = haechi("score", study, "--lang", "en")
    assert "4 of 7 checks by code, 2 by raters, 1 open" in shown.out + shown.err


@pytest.mark.parametrize(
    ("given", "accuracy"),
    [
        ("kim,human,1 lee,human,0", None),  # split: it stays open
        ("kim,human,1 gpt,ai,0 gemini,ai,0", 5),  # people come first
        ("gpt,ai,0 gemini,ai,0 o3,ai,1", 0),
    ],
)
def test_who_decides(haechi, study: Path, write, given: str, accuracy: int | None) -> None:
    rows = "\n".join(f"bare,{POLITE},{one}" for one in given.split())
    assert haechi("import", study, write("a.csv", f"item,criterion,rater,kind,value\n{rows}\n")).code == 0
    assert rows_of(haechi("score", study, "--json"))["bare"]["scores"]["accuracy"] == accuracy


def test_an_answer_goes_with_its_sentence_when_the_expectation_is_edited(haechi, study: Path, write) -> None:
    assert (
        haechi("import", study, write("a.csv", f"item,criterion,rater,value\nbare,{POLITE},kim,0\n")).code
        == 0
    )
    edited = write("edit.csv", "Item ID,accuracyChecks\nbare,1) 답변이 짧은가\n")
    assert haechi("add", study, edited, "--join", "--replace").code == 0
    assert rows_of(haechi("score", study, "--json"))["bare"]["scores"]["accuracy"] is None


def test_open_lines_are_written_to_be_answered_and_come_back(haechi, study: Path, tmp_path: Path) -> None:
    import polars as pl

    file = tmp_path / "open.csv"
    assert haechi("checks", study, "--open", "-o", file).code == 0
    asked = pl.read_csv(file)
    assert asked["item"].to_list() == ["first", "second", "bare"]
    assert set(asked["criterion"]) == {POLITE}
    assert set(asked["질의"]) == {"마감일은?"}
    asked.with_columns(value=pl.Series(["O", None, "X"])).write_csv(file)
    imported = haechi("import", study, file, "--rater", "kim", "--json")
    assert imported.code == 0, imported.err
    scores = {
        item: one["scores"]["accuracy"] for item, one in rows_of(haechi("score", study, "--json")).items()
    }
    assert scores == {"first": 5, "second": 5, "bare": 0, "failed": 0}
    left = haechi("checks", study, "--open", "-o", file)
    assert left.code == 0
    assert pl.read_csv(file)["item"].to_list() == ["second"]


def test_a_line_is_answered_by_yes_or_no(haechi, study: Path, write) -> None:
    refused = haechi("import", study, write("a.csv", f"item,criterion,rater,value\nbare,{POLITE},kim,7\n"))
    assert refused.code == 1
    assert "a.csv:2" in refused.err


def test_labels_of_raters_come_before_words_and_decide_consistency(haechi, write, tmp_path: Path) -> None:
    said = ("일정을 변경했습니다.", "일정을 확인했습니다.", "일정을 확인했습니다.")
    runs = [
        {"item_id": f"r{n}", "query_id": "q1", "round": str(n), "payload": {"assistantMessage": text}}
        for n, text in enumerate(said, 1)
    ]
    folder = tmp_path / "qa"
    assert haechi("new", folder, "--rubric", "hiring-agent").code == 0
    assert haechi("add", folder, write("runs.jsonl", "\n".join(map(json.dumps, runs)))).code == 0
    before = haechi("score", folder, "--json").json["summary"][0]
    assert before["labels"] == {"words": 3}
    assert before["halves"]["ratio_a"] == pytest.approx(2 / 3)
    labels = "item,rater,kind,의도라벨\nr1,kim,human,view\nr2,kim,human,VIEW\nr1,gpt,ai,UPDATE\n"
    imported = haechi("import", folder, write("labels.csv", labels))
    assert imported.code == 0, imported.err
    scored = haechi("score", folder, "--json")
    after = scored.json["summary"][0]
    assert after["labels"] == {"given": 2, "words": 1}
    assert after["halves"] == {"ratio_a": 1, "ratio_b": 1, "n": 3, "without_data": 3}
    assert {one["details"]["label"] for one in scored.json["items"]} == {"VIEW"}
    shown = haechi("score", folder, "--lang", "en")
    assert "1 of 3 intent labels are guessed from words" in shown.out + shown.err
    assert haechi("report", folder, "-o", tmp_path / "report", "--lang", "en").code == 0
    assert "33 % guessed from words" in (tmp_path / "report" / "report.md").read_text("utf-8")
    refused = haechi("import", folder, write("bad.csv", "item,rater,intent_label\nr1,lee,FLY\n"))
    assert refused.code == 1
    assert "ERROR, CLARIFY, DELETE" in refused.err


def test_the_report_lists_the_lines_that_wait(haechi, study: Path, write, tmp_path: Path) -> None:
    assert (
        haechi("import", study, write("a.csv", f"item,criterion,rater,value\nbare,{POLITE},kim,1\n")).code
        == 0
    )
    assert haechi("report", study, "-o", tmp_path / "report", "--lang", "en").code == 0
    written = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert "4 of 7 checks by code, 1 by raters, 2 open" in written
    assert "| 답변이 친절한가 | q1 | 2 |" in written
