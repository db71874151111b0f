"""What items ask themselves is asked of judges, once, and enters the score of its criterion."""

from __future__ import annotations

import json

import pytest
from provider_settings import MODELS

from haechi.judge.estimates import estimate
from haechi.judge.judges import calls_due, collect, judge_in_batches, judge_live, judges_of
from haechi.study.study import Study

EXPECTED = {
    "a": '1) 답변이 친절한가\n2) dataUIList 내 formType 값이 "LINK"인 항목이 존재하는가',
    "b": "1) 말투가 공손한가\n2) 이유를 설명하는가",
    "c": "@check formType=LINK",
}
PAYLOAD = {"assistantMessage": "항목<{}> 여기 있습니다", "dataUIList": [{"uiValue": {"formType": "LINK"}}]}


@pytest.fixture
def study(tmp_path):
    rows = []
    for query, expected in EXPECTED.items():
        payload = json.dumps(PAYLOAD, ensure_ascii=False).replace("{}", query)
        rows.append({"id": query, "query_id": query, "round": "1", "expected": expected, "payload": payload})
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    made = Study.new(tmp_path / "study", "hiring-agent")
    made.add([str(file)])
    return made


def given(study):
    rows = study.ratings().filter(status="ok")
    return sorted(zip(rows["item"], rows["criterion"].str.split(".").list.first(), strict=True))


ALL = [
    ("a", "accuracy"),
    ("a", "intent"),
    ("b", "accuracy"),
    ("b", "accuracy"),
    ("b", "intent"),
    ("c", "intent"),
]


@pytest.mark.parametrize("model", MODELS)
def test_one_request_asks_for_both_and_none_is_asked_twice(server, study, model):
    (judge,) = judges_of(study, [model])
    assert (calls_due(study, judge), estimate(study, judge).calls) == (3, 3)
    assert judge_live(study, judge).done.answered == 3
    assert given(study) == ALL
    assert server.paid == {
        ("a", "intent,item_questions"): 1,
        ("b", "intent,item_questions"): 1,
        ("c", "intent"): 1,
    }
    assert judge_live(study, judge).done.calls == 0
    assert calls_due(study, judge) == 0
    scored = {row["item"]: row for row in study.scores().frame.to_dicts()}
    assert scored["a"]["accuracy"] is not None
    assert scored["b"]["accuracy"] is not None, "both of its lines were answered by the judge"


def test_a_question_that_comes_later_is_asked_alone(server, study, tmp_path):
    (judge,) = judges_of(study, MODELS[:1])
    judge_live(study, judge)
    later = tmp_path / "later.csv"
    later.write_text("Query ID,accuracyChecks\nb,1) 말투가 공손한가 2\n", "utf-8")
    study.join([str(later)])
    assert calls_due(study, judge) == 1
    judge_live(study, judge)
    assert server.paid["b", "item_questions"] == 1


def test_one_criterion_at_a_time_asks_them_apart(server, study):
    (judge,) = judges_of(study, MODELS[:1], per="criterion")
    assert judge_live(study, judge).done.answered == 5
    assert given(study) == ALL
    assert server.paid["b", "item_questions"] == 1


def test_what_a_reply_leaves_out_is_asked_once_more(server, study):
    server.odd["b"] = "partial"
    (judge,) = judges_of(study, MODELS[:1])
    assert judge_live(study, judge).done.answered == 4
    assert given(study) == ALL
    assert server.paid["b", "item_questions"] == 1


def test_in_a_batch(server, study):
    (judge,) = judges_of(study, MODELS[1:2])
    assert judge_in_batches(study, judge).requests == 3
    assert [news.done.answered for news in collect(study)] == [3]
    assert given(study) == ALL
