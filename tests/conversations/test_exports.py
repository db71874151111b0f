"""ChatML, ShareGPT, ChatGPT and SillyTavern in their variants."""

from __future__ import annotations

import json
import zipfile
from typing import Any

import pytest

HELLO = [{"role": "user", "content": "안녕"}, {"role": "assistant", "content": "반가워요"}]


def _lines(*records: Any) -> str:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n"


def test_chatml_without_ids_gets_the_same_ones_every_time_and_says_what_comes_twice(add):
    other = [{"role": "developer", "content": "짧게"}, *HELLO]
    heard = add("chat.jsonl", _lines({"messages": HELLO}, {"messages": other}, {"messages": HELLO}))
    assert (heard.json["new"], heard.json["made_ids"], heard.json["repeated"]) == (2, 3, 1)
    assert [item.id for item in heard.items] == ["c-8928c32c3925", "c-4f00fc9723b2"]
    assert heard.said[2] == "system: 짧게"


@pytest.mark.parametrize("name", ["chat.json", "chat.jsonl", "chat.txt"])
def test_lines_of_json_under_any_name(add, name):
    assert add(name, _lines({"messages": HELLO}, {"messages": HELLO[:1]})).json["new"] == 2


@pytest.mark.parametrize("content", [HELLO, {"messages": HELLO}, [{"messages": HELLO}]])
def test_json_of_one_conversation(add, content):
    assert add("chat.json", json.dumps(content)).said == ["user: 안녕", "assistant: 반가워요"]


def test_lines_that_are_nothing_but_messages(add):
    heard = add("chat.jsonl", _lines(HELLO, HELLO[:1]))
    assert [len(item.content["messages"]) for item in heard.items] == [2, 1]


def test_more_after_the_end_is_not_passed_over(add):
    text = json.dumps([{"conversations": [{"from": "human", "value": "안녕"}]}]) + " x"
    assert "more after" in add("chat.json", text).error["found"]


def test_calls_and_results_of_tools_stay_with_the_messages(add):
    call = {"id": "t1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "서울"}'}}
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "날씨?"}, {"type": "image_url", "image_url": {}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": "비"},
        {"role": "assistant", "content": "비가 와요.", "name": "luna"},
    ]
    heard = add("chat.jsonl", _lines({"messages": messages}))
    assert heard.said == [
        "user: 날씨?\n[image_url]",
        "assistant: ",
        "tool weather: 비",
        "assistant luna: 비가 와요.",
    ]
    asked = heard.items[0].content["messages"][1]["tool_calls"]
    assert asked == [{"name": "weather", "arguments": '{"city": "서울"}', "id": "t1"}]


def test_anthropics_blocks(add):
    messages = [
        {"role": "user", "content": "날씨?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "음"},
                {"type": "text", "text": "볼게요."},
                {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "서울"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "비"}]},
                {"type": "text", "text": "어때?"},
            ],
        },
    ]
    heard = add("chat.jsonl", _lines({"messages": messages}))
    assert heard.said == ["user: 날씨?", "assistant: 볼게요.", "tool weather: 비", "user: 어때?"]
    (left,) = heard.json["left_out"]
    assert (left["file"], left["n"]) == ("chat.jsonl", 1)


def test_rows_of_named_speakers_need_the_ais_name(add):
    table = "speaker,text,time\n민서,안녕,15:12\n루나,반가워요,15:13\n"
    refused = add("chat.csv", table)
    assert refused.code == 1
    assert "--assistant" in refused.error["next"]
    heard = add("chat.csv", table, "--assistant", "루나")
    assert heard.said == ["user 민서: 안녕", "assistant 루나: 반가워요"]
    assert heard.items[0].content["messages"][1]["time"] == "15:13"


def test_sharegpt_with_tools_and_a_system_prompt_beside(add):
    record = {
        "conversations": [
            {"from": "human", "value": "날씨?"},
            {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "서울"}}'},
            {"from": "observation", "value": "비"},
            {"from": "gpt", "value": "비가 와요."},
        ],
        "system": "친절하게",
        "tools": "[]",
    }
    heard = add("chat.json", json.dumps([record], ensure_ascii=False))
    assert heard.said == [
        "system: 친절하게",
        "user: 날씨?",
        "assistant: ",
        "tool: 비",
        "assistant: 비가 와요.",
    ]
    assert heard.items[0].content["messages"][2]["tool_calls"][0]["name"] == "weather"
    assert heard.json["formats"] == {"chat.json": "sharegpt"}


def test_sharegpts_other_names(add):
    said = [{"from": who, "value": who} for who in ("user", "bing", "system", "tool", "chatgpt", "assistant")]
    heard = add("chat.jsonl", _lines({"id": "x", "conversations": said}))
    assert [m["role"] for m in heard.items[0].content["messages"]] == [
        *("user", "assistant", "system", "tool", "assistant", "assistant")
    ]


def _node(key: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    message = {"id": key, "author": {"role": role}, "content": content, "create_time": 1793716320.5, **more}
    return {"id": key, "parent": parent, "children": [], "message": message}


def _tree() -> dict[str, Any]:
    mapping = {
        "root": {"id": "root", "parent": None, "children": ["s"], "message": None},
        "s": _node("s", "root", "system", ""),
        "q": _node("q", "s", "user", "안녕"),
        "old": _node("old", "q", "assistant", "아니"),
        "a": _node("a", "q", "assistant", 'search("날씨")', recipient="browser"),
        "t": _node("t", "a", "tool", "맑음"),
        "b": _node("b", "t", "assistant", "맑아요"),
    }
    return {"title": "인사", "conversation_id": "g1", "mapping": mapping, "current_node": "b"}


def test_of_chatgpts_tree_the_branch_that_was_shown(add):
    heard = add("conversations.json", json.dumps([_tree()], ensure_ascii=False))
    assert heard.said == ["user: 안녕", "assistant: ", "tool: 맑음", "assistant: 맑아요"]
    assert (heard.items[0].id, heard.items[0].meta) == ("g1", {"title": "인사"})
    assert heard.items[0].content["messages"][1]["tool_calls"][0]["name"] == "browser"
    assert heard.items[0].content["messages"][0]["time"] == "2026-11-03T14:32:00.500Z"
    (left,) = heard.json["left_out"]
    assert (left["n"], "other branches" in left["reason"]) == (1, True)


def test_a_tree_that_bites_its_tail_or_has_no_end_is_refused(add):
    circle, lost = _tree(), _tree()
    circle["mapping"]["q"]["parent"] = "b"
    lost["current_node"] = "gone"
    assert "circle" in add("conversations.json", json.dumps([circle])).error["found"]
    assert "current_node" in add("conversations.json", json.dumps([lost])).error["expected"]


HEADER = {
    "user_name": "민서",
    "character_name": "루나",
    "create_date": "2026-11-03@15h12m",
    "chat_metadata": {},
}


def test_sillytavern_takes_the_answer_that_was_shown(add):
    said = [
        {"name": "루나", "is_user": False, "mes": "왔어?", "send_date": "November 3, 2026 3:12pm"},
        {"name": "민서", "is_user": True, "is_system": True, "mes": "응", "send_date": 1793716320000},
        {"name": "루나", "is_user": False, "is_system": True, "mes": "숨긴 말", "extra": {}},
        {"name": "System", "is_user": False, "mes": "밤이 되었다.", "extra": {"type": "narrator"}},
        {"name": "루나", "is_user": False, "mes": "쉬자.", "swipes": ["가자.", "쉬자."], "swipe_id": 1},
    ]
    heard = add("chat.jsonl", _lines(HEADER, *said))
    assert heard.said == [
        "assistant 루나: 왔어?",
        "user 민서: 응",
        "assistant 루나: 숨긴 말",
        "system System: 밤이 되었다.",
        "assistant 루나: 쉬자.",
    ]
    assert heard.items[0].meta["character_name"] == "루나"
    assert heard.items[0].content["messages"][1]["time"] == "2026-11-03T14:32:00Z"


def test_a_damaged_line_is_named_and_with_skip_bad_the_rest_goes_in(add):
    text = (
        _lines(HEADER, {"name": "루나", "is_user": False, "mes": "하나"})
        + '{"name": "루\n'
        + _lines({"name": "민서", "is_user": True, "mes": "둘"})
    )
    assert add("chat.jsonl", text).error["at"] == "chat.jsonl:3"
    heard = add("chat.jsonl", text, "--skip-bad")
    assert heard.said == ["assistant 루나: 하나", "user 민서: 둘"]
    assert [problem["at"] for problem in heard.json["skipped"]] == ["chat.jsonl:3"]


def test_an_unknown_format_is_answered_with_the_known_ones(add):
    heard = add("chat.jsonl", _lines({"messages": HELLO}), "--format", "signal")
    assert "kakaotalk" in heard.error["expected"]


def test_what_an_earlier_version_left_out_is_filled_in(haechi, tmp_path):
    """Names, times and tools were not kept: the same file again brings them, without --replace."""
    folder, file = tmp_path / "study", tmp_path / "chat.jsonl"
    answer = {"role": "assistant", "content": "비가 와요"}
    plain = [{"role": "user", "content": "날씨?"}, {"role": "system", "content": "비"}, answer]
    full = [
        {"role": "user", "content": "날씨?", "name": "민서"},
        {"role": "tool", "content": "비", "name": "weather"},
        answer,
    ]
    haechi("new", folder, "--rubric", "ubica")
    file.write_text(_lines({"id": "a", "messages": plain}), "utf-8")
    assert haechi("add", folder, file, "--json").json["new"] == 1
    file.write_text(_lines({"id": "a", "messages": full}), "utf-8")
    assert haechi("add", folder, file, "--json").json["filled"] == 1
    assert haechi("add", folder, file, "--json").json["unchanged"] == 1
    file.write_text(_lines({"id": "a", "messages": plain[:1]}), "utf-8")
    assert haechi("add", folder, file, "--json").code == 1


def test_chatgpts_archive_is_to_be_unpacked(add, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("conversations.json", "[]")
    assert "unpack" in add("export.zip", (tmp_path / "x.zip").read_bytes()).error["next"]


def test_gemini_calls_messages_contents(add):
    record = {
        "contents": [
            {"role": "user", "parts": [{"text": "안녕"}]},
            {"role": "model", "parts": [{"text": "네"}]},
        ]
    }
    assert add("chat.jsonl", _lines(record)).said == ["user: 안녕", "assistant: 네"]
