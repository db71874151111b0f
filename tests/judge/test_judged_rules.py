"""What a rule of the rubric decides is asked of nobody, and no judge is paid for it."""

from __future__ import annotations

import json

import pytest
from provider_settings import MODELS

from haechi.judge.estimates import estimate
from haechi.judge.judges import calls_due, judge_in_batches, judge_live, judges_of
from haechi.store import due_items
from haechi.store.items import item_of
from haechi.study.study import Study
from haechi.web.rules import RubricRules

ANSWERED = json.dumps({"assistantMessage": "항목<b> 여기 있습니다"}, ensure_ascii=False)


@pytest.fixture
def runs(tmp_path):
    study = Study.new(tmp_path / "runs", "hiring-agent")
    study.add(table("a", error="timeout") | {"payload": [None]})
    study.add(table("b", payload=ANSWERED))
    return study


def table(name, **more):
    row = {"id": name, "query_id": name, "round": "1", "query": f"항목<{name}>", **more}
    return {key: [value] for key, value in row.items()}


def rated(study):
    return sorted(study.ratings().select("item", "criterion").rows())


def test_a_failed_run_is_asked_of_nobody(server, runs, haechi):
    """The desk called it decided, and a judge was paid for it all the same."""
    with runs.database.read() as connection:
        assert RubricRules(runs.rubric).decided(connection) == {"a"}
    told = haechi("judge", runs.folder, "--model", MODELS[0], "--dry-run", "--json").json
    assert [one["calls"] for one in told["judges"]] == [1]
    for per in ("rubric", "criterion"):
        (judge,) = judges_of(runs, [MODELS[0]], per)
        assert (calls_due(runs, judge, 2), estimate(runs, judge, 2).calls) == (2, 2)
        assert judge_live(runs, judge, 2).done.answered == 2
        assert calls_due(runs, judge, 2) == 0
    assert {item for item, _ in rated(runs)} == {"b"}
    scores = {row["item"]: row["scores"]["intent"] for row in runs.scores().items()}
    assert scores["a"] == 0, "the rule decides it"


def test_a_run_that_takes_the_place_of_a_failed_one_is_asked(server, runs):
    """And one that fails in the place of one that was asked is asked no more, nor forgotten."""
    (judge,) = judges_of(runs, [MODELS[0]])
    judge_live(runs, judge)
    runs.add(table("a", payload=ANSWERED), replace=True)
    assert calls_due(runs, judge) == 1
    judge_live(runs, judge)
    assert rated(runs) == [("a", "intent"), ("b", "intent")]
    runs.add(table("c", payload=ANSWERED))
    assert calls_due(runs, judge) == 1
    runs.add(table("c", error="timeout") | {"payload": [None]}, replace=True)
    assert calls_due(runs, judge) == 0
    runs.undo()
    assert calls_due(runs, judge) == 1


def test_a_limit_counts_what_is_asked(server, runs):
    """The next runs were looked for among as many as are wanted, of which all may have failed."""
    for number in range(12):
        runs.add(table(f"x{number}", error="timeout") | {"payload": [None]})
    runs.add(table("z", payload=ANSWERED))
    (judge,) = judges_of(runs, [MODELS[0]], "criterion")
    assert judge_live(runs, judge, limit=2).done.answered == 2
    assert [item for item, _ in rated(runs)] == ["b", "z"]


def test_every_run_is_read_once_to_count_and_to_estimate(runs, monkeypatch):
    """A piece of which rules decided some was read again with the next one: counting took three times as long as before."""
    read = []

    def reading(row, joined):
        read.append(row.id)
        return item_of(row, joined)

    for number in range(40):
        runs.add(table(f"x{number:02}", **({"payload": ANSWERED} if number % 3 else {"error": "timeout"})))
    (judge,) = judges_of(runs, [MODELS[0]])
    monkeypatch.setattr(due_items, "_CHUNK", 5)
    monkeypatch.setattr(due_items, "item_of", reading)
    for count in (calls_due, lambda study, judge: estimate(study, judge).calls):
        assert count(runs, judge) == 27
        assert read == ["a", "b", *(f"x{number:02}" for number in range(40))]
        read.clear()
    assert estimate(runs, judge, limit=3).calls == 3


def dialogues(tmp_path):
    study = Study.new(tmp_path / "talks", "maice-qac")
    asked = {"role": "user", "content": "항목<s> 미분이 뭐예요?"}
    lines = [
        {"id": "silent", "messages": [asked]},
        {"id": "spoken", "messages": [asked, {"role": "assistant", "content": "변화율입니다."}]},
    ]
    file = tmp_path / "talks.jsonl"
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    study.add([file])
    return study


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("per", "calls"), [("rubric", 2), ("criterion", 13)])
def test_a_session_without_an_answer_is_not_asked_about_the_answers(server, tmp_path, model, per, calls):
    study = dialogues(tmp_path)
    (judge,) = judges_of(study, [model], per)
    assert (calls_due(study, judge), estimate(study, judge).calls) == (calls, calls)
    assert judge_live(study, judge).done.answered == calls
    assert calls_due(study, judge) == 0
    given = {item: {name for one, name in rated(study) if one == item} for item in ("silent", "spoken")}
    assert len(given["spoken"]) == 32
    assert {name[0] for name in given["silent"]} == {"A", "C"}
    scores = {row["item"]: row["scores"] for row in study.scores().items()}
    assert scores["silent"]["B"] == 3
    assert scores["silent"]["total"] is not None


def test_a_batch_has_no_request_about_what_a_rule_decides(server, runs):
    (judge,) = judges_of(runs, [MODELS[0]])
    assert judge_in_batches(runs, judge).requests == 1
