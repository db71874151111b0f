"""Records to items: the kinds, their Korean and English names, and what each lacks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from haechi.data.files import Row
from haechi.data.item import Item
from haechi.data.names import ITEM_FIELDS, RATING_FIELDS, RUN_FIELDS, fold_name
from haechi.data.shapes import items_of
from haechi.errors import HaechiError


def _shape(kind: str, *records: dict) -> list[Item | HaechiError]:
    return [
        item for _, item in items_of([Row(f"f:{n}", record) for n, record in enumerate(records, 1)], kind)
    ]


def _one(kind: str, record: dict) -> Item:
    (item,) = _shape(kind, record)
    assert isinstance(item, Item), item
    return item


def test_a_dialogue_from_json_and_from_a_column_of_json_text():
    messages = [{"role": "user", "content": "안녕"}, {"role": "assistant", "content": "반가워요"}]
    plain = _one("dialogue", {"id": "s1", "messages": messages, "meta": {"mode": "agent"}})
    column = _one("dialogue", {"세션 ID": "s1", "대화": json.dumps(messages), "모드": "agent"})
    assert plain == column
    assert plain.meta == {"mode": "agent"}


def test_one_row_per_message_becomes_one_dialogue():
    first, second = _shape(
        "dialogue",
        {"session_id": "s1", "역할": "학생", "내용": "도와줘요", "수준": "Q1", "turn": 0},
        {"session_id": "s1", "역할": "MAICE", "내용": "어디가 어려워요?", "수준": "Q1", "turn": 1},
        {"session_id": "s2", "역할": "학생", "내용": "다른 질문", "수준": "Q2", "turn": 0},
    )
    assert [m["role"] for m in first.content["messages"]] == ["user", "assistant"]
    assert first.meta == {"level": "Q1"}
    assert second.id == "s2"


def test_parts_of_a_providers_message_are_joined():
    item = _one(
        "dialogue",
        {
            "id": 1,
            "messages": [{"role": "human", "content": [{"type": "text", "text": "가"}, {"text": "나"}]}],
        },
    )
    assert item.content["messages"] == [{"role": "user", "content": "가\n나"}]


def test_a_reply_keeps_other_columns_as_meta():
    item = _one("reply", {"id": "d1", "일기": "비", "코멘트": "우산", "system": "A", "blank": ""})
    assert item.content == {"context": "비", "response": "우산"}
    assert item.meta == {"system": "A"}


@pytest.mark.parametrize(
    "names",
    [
        {"query": "Query ID", "round": "방/반복", "text": "질의", "expected": "기대결과", "raw": "Raw JSON"},
        {
            "query": "query_id",
            "round": "round/repeat",
            "text": "query",
            "expected": "expected_result",
            "raw": "raw_json",
        },
        {
            "query": "queryId",
            "round": "room/repeat",
            "text": "queryText",
            "expected": "expectedResult",
            "raw": "rawJson",
        },
    ],
)
def test_a_run_under_korean_snake_and_camel_names(names):
    item = _one(
        "run",
        {
            names["query"]: "q1",
            names["round"]: "2/1",
            names["text"]: "추가해줘",
            names["expected"]: "",
            names["raw"]: "{}",
        },
    )
    assert item.id == "q1#2/1"
    assert item.content["payload"] == "{}"
    assert item.content["query_text"] == "추가해줘"
    assert (item.meta["round"], item.meta["repeat"]) == ("2", "1")


def test_a_run_may_carry_its_payload_as_an_object_or_beside_it():
    inside = _one("run", {"query_id": "q1", "payload": {"assistantMessage": "네"}})
    beside = _one("run", {"query_id": "q1", "assistantMessage": "네"})
    assert inside.content["payload"] == beside.content["payload"] == '{"assistantMessage": "네"}'


@pytest.mark.parametrize(
    ("kind", "record", "at"),
    [
        ("reply", {"id": "d1", "일기": "비"}, "f:1"),
        ("reply", {"id": "", "일기": "비", "코멘트": "우산"}, "f:1, id"),
        ("reply", {"id": "x" * 301, "일기": "비", "코멘트": "우산"}, "f:1, id"),
        ("reply", {"id": "a\nb", "일기": "비", "코멘트": "우산"}, "f:1, id"),
        ("dialogue", {"id": "s", "messages": "[{"}, "f:1, messages"),
        ("dialogue", {"id": "s", "messages": {"role": "user"}}, "f:1, messages"),
        ("dialogue", {"id": "s", "messages": [{"role": "user"}]}, "f:1, messages[0]"),
        ("dialogue", {"id": "s", "messages": [{"role": "alien", "content": "x"}]}, "f:1, messages[0], role"),
        (
            "dialogue",
            {"id": "s", "messages": [{"role": "user", "content": {"a": 1}}]},
            "f:1, messages[0], content",
        ),
        ("dialogue", {"id": "s", "messages": [{"role": "user", "content": "\ud800"}]}, "f:1"),
        ("dialogue", {"id": "s", "messages": [], "meta": [1]}, None),
        ("run", {"질의": "추가"}, "f:1, query_id"),
        ("run", {"Query ID": "q1", "방/반복": "a b"}, "f:1, 방/반복"),
        ("run", {"Query ID": "q1", "Raw JSON": "", "latency_ms": "fast"}, "f:1, latency_ms"),
        ("run", {"Query ID": "q1", "Raw JSON": "", "latency_ms": "-3"}, "f:1, latency_ms"),
    ],
)
def test_what_is_wrong_is_named_by_place(kind, record, at):
    (error,) = _shape(kind, record)
    assert isinstance(error, HaechiError)
    if at:
        assert error.problems[0].at == at


def test_the_digest_ignores_the_order_of_keys_and_sees_every_change():
    one = Item("a", "reply", {"context": "x", "response": "y"}, {"m": 1, "n": 2})
    same = Item("a", "reply", {"response": "y", "context": "x"}, {"n": 2, "m": 1})
    other = Item("a", "reply", {"response": "y", "context": "x"}, {"n": 2, "m": 2})
    assert one.digest == same.digest != other.digest


def test_rows_of_a_message_table_are_gathered_by_their_conversation():
    rows = [
        {"id": n, "session_id": session, "sender": sender, "content": "…", "timestamp": n}
        for n, (session, sender) in enumerate([("S1", "USER"), ("S1", "AI"), ("S2", "USER")])
    ]
    assert [(item.id, len(item.content["messages"])) for item in _shape("dialogue", *rows)] == [
        ("S1", 2),
        ("S2", 1),
    ]
    with pytest.raises(HaechiError, match="rows of conversation S1 in two places"):
        _shape("dialogue", *rows, {**rows[0], "id": 9})


def test_a_run_without_anything_to_read_is_refused():
    (error,) = _shape("run", {"Query ID": "q1", "방/반복": "1/1", "응답": "네", "RawJson원문": "{}"})
    assert isinstance(error, HaechiError)
    assert error.problems[0].at == "f:1, raw_json"


def test_payload_columns_in_any_spelling_and_as_json_text():
    item = _one(
        "run",
        {
            "query_id": "q1",
            "assistant_message": "네",
            "data_ui_list": '[{"uiValue": {"formType": "A"}}]',
            "worker": "solo",
        },
    )
    payload = json.loads(item.content["payload"])
    assert payload == {
        "assistantMessage": "네",
        "dataUIList": [{"uiValue": {"formType": "A"}}],
        "worker": "solo",
    }
    assert "data_ui_list" not in item.meta


def test_nested_meta_of_a_run_can_be_grouped_by():
    assert _one("run", {"query_id": "q1", "payload": {}, "meta": {"team": "x"}}).meta == {
        "query": "q1",
        "team": "x",
    }


def test_every_column_name_on_the_page_about_data_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    titles = ("Agent runs", "Conversations and comments", "Ratings")
    runs, items, ratings = (
        next(one for one in page.split("\n## ") if one.startswith(title)) for title in titles
    )
    for section, fields in ((runs, RUN_FIELDS), (items, ITEM_FIELDS), (ratings, RATING_FIELDS)):
        read = {spelling for spellings in fields.values() for spelling in spellings}
        rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
        named = {name.strip(" `") for row in rows for cell in row[1:3] for name in re.split("[,;]", cell)}
        assert len(named) > 10
        assert {fold_name(name) for name in named} <= read
