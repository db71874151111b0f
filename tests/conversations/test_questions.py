"""Tables of questions and answers, in the ways in which turns belong together."""

from __future__ import annotations

import json

import pytest


def test_rows_of_one_id_are_one_conversation_also_in_merged_cells(add):
    heard = add("qa.csv", "대화번호,질문,답변,모드\ns1,안녕,반가워요,a\n,날씨?,비요,a\ns2,끝?,네,b\n")
    assert [(item.id, len(item.content["messages"]), item.meta) for item in heard.items] == [
        ("s1", 4, {"mode": "a"}),
        ("s2", 2, {"mode": "b"}),
    ]
    assert heard.said[:2] == ["user: 안녕", "assistant: 반가워요"]
    assert heard.json["formats"] == {"qa.csv": "questions"}


def test_turns_that_are_counted(add):
    heard = add("qa.csv", "turn,Question,Answer\n1,a,b\n2,c,d\n1,e,f\n")
    assert [len(item.content["messages"]) for item in heard.items] == [4, 2]


@pytest.mark.parametrize("name", ["qa.csv", "qa.jsonl"])
def test_without_anything_that_joins_them_each_row_stands_alone_and_that_is_said(add, name):
    rows = [("a", "b"), ("c", "")]
    text = "Question,Answer\n" + "".join(f"{q},{a}\n" for q, a in rows)
    if name.endswith("jsonl"):
        text = "\n".join(json.dumps({"question": q, "answer": a}) for q, a in rows)
    heard = add(name, text)
    assert heard.said == ["user: a", "assistant: b", "user: c"]
    assert len(heard.items) == 2
    assert any("conversation_id" in note for note in heard.json["notes"])
    assert [left["n"] for left in heard.json["left_out"]] == [1]


def test_rows_of_a_conversation_in_two_places_are_refused(add):
    heard = add("qa.csv", "session_id,question,answer\ns1,a,b\ns2,c,d\ns1,e,f\n")
    assert "two places" in heard.error["found"]


def test_messages_whose_id_merged_cells_left_out_belong_to_the_conversation_above(add):
    text = "대화ID,화자,발화\nA,user,안녕\n,assistant,네\nB,user,왜?\n,assistant,그냥\n"
    heard = add("rows.csv", text)
    assert [(item.id, len(item.content["messages"])) for item in heard.items] == [("A", 2), ("B", 2)]
    assert any("empty id" in note for note in heard.json["notes"])
    assert "id" in add("first.csv", "대화ID,화자,발화\n,user,안녕\n").error["at"]
