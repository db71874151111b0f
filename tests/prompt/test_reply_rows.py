"""Replies of a batch as ratings: one file per provider, with the damage that occurs in practice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from haechi.judge.providers.lines import BatchReply
from haechi.judge.providers.results import read_results
from haechi.prompt.ratings import ReplyOutcome, best_of, ratings_of, tally
from haechi.rubrics import find_rubric
from haechi.text import Text

QAC = find_rubric("maice-qac")


def checklist(value: int = 1, evidence: str = "메시지[1]에서 확인함", **extra: Any) -> str:
    tree: dict[str, Any] = {}
    for rateable in QAC.rateables.values():
        assert rateable.criterion is not None
        assert rateable.element is not None
        item = tree.setdefault(rateable.criterion.key, {})
        item[rateable.element.key] = {"value": value, "evidence": evidence}
    return json.dumps({**tree, **extra}, ensure_ascii=False, indent=2)


def reply(text: str | None, item: str = "s1", **fields: Any) -> BatchReply:
    return BatchReply(custom_id=item, text=text, **{"model": "judge-1", "finish": "stop", **fields})


def outcome(text: str | None, item: str = "s1", **fields: Any) -> ReplyOutcome:
    return ratings_of(reply(text, item, **fields), QAC)


def test_a_file_with_all_kinds_of_damage_is_counted() -> None:
    whole = checklist()
    latex = checklist(evidence="X").replace(
        '"X"', "\"메시지[1]의 '\\alpha + \\beta = \\text{const}'를 설명\""
    )
    outcomes = [
        outcome(f"```json\n{whole}\n```", "fenced"),
        outcome(f"{whole}\n\n### 총평\n- 좋다 {{참고}}", "commentary"),
        outcome(whole[: whole.rindex('"evidence"')], "cut behind the last value", finish="max_tokens"),
        outcome(whole[: whole.rindex("1,")] + "1", "cut at the last value", finish="max_tokens"),
        outcome(latex, "latex"),
        outcome(checklist(summary="우수"), "extra key"),
        outcome("", "empty", finish="length"),
        outcome(None, "expired", error=Text("만료", "expired")),
        outcome(whole[: len(whole) // 2], "half", finish="MAX_TOKENS"),
    ]
    assert tally(outcomes) == {
        "replies": 9,
        "complete": 5,
        "partial": 2,
        "failed": 2,
        "repaired": 4,
        "rejudge": ["cut at the last value", "empty", "expired", "half"],
    }


def test_rows_are_ready_for_the_store() -> None:
    rows = outcome(checklist(value=0)).rows
    assert len(rows) == 32
    assert rows[0] == {
        "item": "s1",
        "criterion": "A1_math_expertise.concept_accuracy",
        "rater": "judge-1",
        "kind": "ai",
        "replicate": 1,
        "stance": None,
        "value": "0",
        "evidence": "메시지[1]에서 확인함",
        "status": "ok",
        "reason": None,
    }


def test_a_failure_is_data_and_never_a_zero() -> None:
    failed = outcome(None, error=Text("제공자 오류", "provider error"))
    assert {(row["status"], row["value"], row["reason"]) for row in failed.rows} == {
        ("error", None, "제공자 오류\x1fprovider error")
    }
    empty = outcome("", finish="length")
    assert {(row["status"], row["value"], row["reason"]) for row in empty.rows} == {
        ("missing", None, "응답이 중간에 잘림\x1fthe reply was cut off")
    }


def test_repaired_rows_are_flagged() -> None:
    half = outcome(checklist()[:800], finish="length")
    flagged = {row["reason"] for row in half.rows if row["status"] == "ok"}
    assert flagged == {"깨진 응답을 고쳐 읽음\x1fread from a repaired reply"}


def test_the_rater_is_the_model_unless_named() -> None:
    assert ratings_of(reply(checklist()), QAC).rater == "judge-1"
    assert ratings_of(reply(checklist()), QAC, rater="haiku").rater == "haiku"
    assert {row["rater"] for row in ratings_of(reply(checklist(), model=None), QAC).rows} == {"unknown"}


def test_a_judge_has_its_own_stance() -> None:
    ubica = find_rubric("ubica")
    assert {row["stance"] for row in ratings_of(reply("{}"), ubica).rows} == {"judge"}


def test_asked_again_gives_rows_for_what_was_asked() -> None:
    only = ("C2_learning_support.understanding_check",)
    again = ratings_of(reply(checklist()), QAC, only=only, replicate=2)
    assert [(row["criterion"], row["replicate"]) for row in again.rows] == [(only[0], 2)]


def test_of_two_lines_for_one_request_the_fuller_counts_whole() -> None:
    half, whole, other = outcome(checklist(1)[:800]), outcome(checklist(0)), outcome(checklist(1))
    assert best_of([half, whole, other]) == [whole]


@pytest.mark.parametrize("order", [1, -1])
def test_lines_of_a_file_become_ratings_in_any_order(order: int) -> None:
    lines = [
        json.dumps({"custom_id": "s2", "result": {"type": "expired"}}),
        json.dumps(
            {
                "custom_id": "s1",
                "result": {
                    "type": "succeeded",
                    "message": {"model": "claude-x", "content": [{"type": "text", "text": checklist()}]},
                },
            }
        ),
    ][::order]
    outcomes = [
        ratings_of(r, QAC, rater="haiku")
        for r in read_results(lines, "anthropic")
        if isinstance(r, BatchReply)
    ]
    assert {o.item: o.parsed.state for o in outcomes} == {"s1": "complete", "s2": "failed"}
