"""Agent runs that people and AI judges rate on any scale, with and without what code measures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

RATED = """\
id: rated
title: 실행
about: 시험용
item: run
speakers: {user: 사용자, assistant: 에이전트}
task: 판정하세요.
criteria:
  - {key: polite, name: 예의, scale: {type: binary}, failed_run: 미충족}
  - {key: clear, name: 명료성, scale: {type: likert, anchors: {1: 나쁨, 2: 보통, 3: 좋음}}}
  - key: parts
    name: 구성
    scale:
      type: checklist
      elements:
        - {key: asks, name: 물음, question: 물었는가?}
        - {key: acts, name: 실행, question: 실행했는가?}
  - {key: memo, name: 메모, scale: {type: text}}
"""
MEASURED = """\
  - key: speed
    name: 속도
    rated_by: code
    scale:
      type: bands
      measure: seconds
      bands: [{range: "[0, 5]", points: 1}, {range: "(5, inf)", points: 0}]
scores:
  - {key: total, name: 총점, by: sum, of: [clear, parts, speed]}
run:
  labels: [{label: ADD, words: [추가]}]
  signature: [formType]
"""
NAMES = ("polite", "clear", "parts.asks", "parts.acts", "memo")


@pytest.fixture
def study(haechi, write, tmp_path: Path):
    def made(rubric: str) -> Path:
        folder = tmp_path / "study"
        assert haechi("rubrics", "check", write("rated.yaml", rubric)).code == 0
        assert haechi("new", folder, "--rubric", tmp_path / "rated.yaml").code == 0
        runs = [
            {
                "item_id": "quick",
                "query_id": "q1",
                "payload": {"assistantMessage": "추가했습니다", "responseTimeSec": 3},
            },
            {
                "item_id": "slow",
                "query_id": "q2",
                "payload": {"assistantMessage": "추가했습니다", "responseTimeSec": 9},
            },
            {"item_id": "failed", "query_id": "q3", "error": "TimeoutError"},
        ]
        file = write("runs.jsonl", "\n".join(map(json.dumps, runs)))
        assert haechi("add", folder, file).code == 0
        given = {
            ("quick", "kim"): ("1", "3", "1", "1", "좋다"),
            ("quick", "lee"): ("0", "2", "1", "0", "괜찮다"),
            ("slow", "kim"): ("1", "1", "0", "0", "느리다"),
            ("failed", "kim"): ("1", "2", "", "", "안 됨"),
        }
        rows = [
            f"{item},{name},{rater},human,{value}"
            for (item, rater), values in given.items()
            for name, value in zip(NAMES, values, strict=True)
            if value
        ]
        table = write("ratings.csv", "\n".join(["item,criterion,rater,kind,value", *rows]))
        assert haechi("import", folder, table, "--as", "ratings").code == 0
        return folder

    return made


def scores_of(scored) -> dict[tuple[str, str], dict[str, float | None]]:
    return {(one["item"], one["rater"]): one["scores"] for one in scored.json["items"]}


def test_what_raters_give_on_any_scale_is_scored(haechi, study) -> None:
    scored = haechi("score", study(RATED), "--json")
    assert scored.code == 0, scored.err
    assert scores_of(scored) == {
        ("quick", "kim"): {"polite": 1, "clear": 3, "parts": 2},
        ("quick", "lee"): {"polite": 0, "clear": 2, "parts": 1},
        ("slow", "kim"): {"polite": 1, "clear": 1, "parts": 0},
        # A failed run is impolite by rule, whatever the rater says; its parts were not answered.
        ("failed", "kim"): {"polite": 0, "clear": 2, "parts": None},
    }
    # Every run counts once: quick (3 + 2) / 2, slow 1, failed 2.
    assert scored.json["summary"][0]["scores"]["clear"]["mean"] == pytest.approx((2.5 + 1 + 2) / 3)


def test_what_code_measures_stands_beside_it(haechi, study) -> None:
    scored = haechi("score", study(RATED + MEASURED), "--json")
    assert scored.code == 0, scored.err
    found = scores_of(scored)
    assert found["quick", "kim"]["total"] == 3 + 2 + 1
    assert found["quick", "lee"]["total"] == 2 + 1 + 1
    assert found["slow", "kim"]["total"] == 1 + 0 + 0
    assert found["failed", "kim"]["total"] is None


def test_agreement_and_report(haechi, study, tmp_path: Path) -> None:
    folder = study(RATED)
    agreed = haechi("agree", folder, "--json").json["criteria"]
    assert {name: one["n_raters"] for name, one in agreed.items()} == dict.fromkeys(
        ("polite", "clear", "parts"), 2
    )
    report = haechi("report", folder, "-o", tmp_path / "report")
    assert report.code == 0, report.err


def test_runs_that_nobody_rated_are_missing_with_a_reason(haechi, write) -> None:
    runs = write(
        "runs.jsonl", json.dumps({"item_id": "r1", "query_id": "q1", "payload": {"assistantMessage": "네"}})
    )
    scored = haechi("score", runs, "--rubric", write("rated.yaml", RATED), "--json")
    assert scored.code == 0, scored.err
    (one,) = scored.json["items"]
    assert one["missing"] == dict.fromkeys(("polite", "clear", "parts"), "there is no verdict")


def test_a_verdict_beside_the_runs_is_that_of_the_first_rated_criterion(haechi, write) -> None:
    run = {"item_id": "r1", "query_id": "q1", "intent_verdict": "충족", "payload": {"assistantMessage": "네"}}
    runs = write("runs.jsonl", json.dumps(run))
    (one,) = haechi("score", runs, "--rubric", write("rated.yaml", RATED), "--json").json["items"]
    assert one["scores"] == {"polite": 1, "clear": None, "parts": None}
