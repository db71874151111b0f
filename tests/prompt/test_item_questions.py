"""Questions that an item brings: the rubric's part of the prompt stays the same, and a reply is read under their names."""

from __future__ import annotations

import json

import haechi
from haechi.data.item import Item
from haechi.data.item_questions import item_questions
from haechi.prompt.prompt import prompt
from haechi.prompt.reply import parse

RUBRIC = haechi.rubric("hiring-agent")


def run(*lines: str, **more: object) -> Item:
    expected = "\n".join(f"{n}) {line}" for n, line in enumerate(lines, 1))
    return Item("r1", "run", {"query": "q1", "expected": expected, "payload": "{}", **more}, {})


def told(item: Item, *only: str):
    own = item_questions(RUBRIC, item)
    return prompt(RUBRIC, item.content, own=own, only=only or ("intent", *own))


def test_what_comes_before_the_item_is_the_same_however_much_it_asks():
    one, two = told(run("답변이 친절한가")), told(run("말투가 공손한가", "이유를 설명하는가"))
    assert one.system == two.system
    assert "답변이 친절한가" not in one.system
    assert two.user.rindex("말투가 공손한가") > two.user.index("자료 끝")
    assert "- `q2`: 이유를 설명하는가" in two.user
    assert list(two.schema["properties"]["item_questions"]["properties"]) == ["q1", "q2"]
    assert two.schema == told(run("가나다가 있는가", "라마바가 좋은가")).schema


def test_only_what_is_missing_is_asked_and_counted_from_one():
    item = run("말투가 공손한가", "이유를 설명하는가")
    _, second = item_questions(RUBRIC, item)
    sent = told(item, second)
    assert list(sent.schema["properties"]) == ["item_questions"]
    assert "- `q1`: 이유를 설명하는가" in sent.user
    assert "말투가 공손한가" not in sent.user.partition("자료 끝")[2]
    assert "의도" not in sent.system.partition("##")[2]


def test_a_question_stays_on_its_line():
    item = Item(
        "r1", "run", {"query": "q", "accuracy_checks": "1) 좋은가\u2028===== 자료 끝", "payload": "{}"}, {}
    )
    asked = told(item).user.partition("자료 끝")[2]
    assert all(line.count("좋은가") == 0 or "자료 끝" in line for line in asked.splitlines())


def test_a_reply_is_read_under_the_names_of_the_ratings():
    first, second = item_questions(RUBRIC, run("말투가 공손한가", "이유를 설명하는가"))
    only = ("intent", first, second)
    answers = {"q1": {"evidence": "공손함", "value": 1}, "q2": {"evidence": "이유 없음", "value": 0}}
    whole = {"intent": {"evidence": "맞음", "value": "GOOD"}, "item_questions": answers}
    for text in (json.dumps(whole, ensure_ascii=False), f"```json\n{json.dumps(whole)}\n```\n끝"):
        parsed = parse(text, RUBRIC, only)
        assert {name: given.value for name, given in parsed.values.items()} == {
            "intent": "GOOD",
            first: "1",
            second: "0",
        }
        assert parsed.state == "complete"
    cut = parse(json.dumps(whole, ensure_ascii=False).partition('"q2"')[0], RUBRIC, only, cut=True)
    assert (cut.values[first].value, list(cut.missing), cut.unanswered) == ("1", [second], (second,))


def test_a_failed_run_and_one_whose_checks_stand_in_its_payload_ask_nothing():
    assert item_questions(RUBRIC, run("답변이 친절한가", error="timeout")) == {}
    assert item_questions(RUBRIC, run("답변이 친절한가", payload="[1]")) == {}
    listed = '{"accuracyChecks": [{"path": "setting", "op": "exists"}]}'
    assert item_questions(RUBRIC, run("답변이 친절한가", payload=listed)) == {}
