"""Trees of messages, messages inside of other objects, messengers, and what belongs to a question."""

from __future__ import annotations

import json

import pytest


def node(text, role, *answers, **more):
    return {"message_id": text, "text": text, "role": role, "replies": list(answers), **more}


TREE = node(
    "빵은?",
    "prompter",
    node("오븐", "assistant", node("몇 도?", "prompter", node("180도", "assistant")), rank=0),
    node("몰라", "assistant", rank=1),
)


def test_the_best_ranked_answer_is_followed_and_the_others_are_counted(add):
    heard = add("trees.jsonl", json.dumps({"message_tree_id": "t1", "prompt": TREE}))
    assert heard.said == ["user: 빵은?", "assistant: 오븐", "user: 몇 도?", "assistant: 180도"]
    assert [item.id for item in heard.items] == ["t1"]
    assert sum(one["n"] for one in heard.json["left_out"]) == 1


def test_messages_that_name_what_they_answer(add):
    def flat(one, parent=None):
        own = {key: value for key, value in one.items() if key != "replies"}
        yield {**own, "parent_id": parent, "message_tree_id": "t1"}
        for answer in one["replies"]:
            yield from flat(answer, one["message_id"])

    lines = [json.dumps(one, ensure_ascii=False) for one in flat(TREE)]
    heard = add("messages.jsonl", "\n".join([*lines[1:], lines[0]]))  # in any order
    assert heard.said == ["user: 빵은?", "assistant: 오븐", "user: 몇 도?", "assistant: 180도"]
    assert sum(one["n"] for one in heard.json["left_out"]) == 1


def test_answers_inside_of_what_they_answer_are_not_lost(add):
    def one(text, by_user, *answers):
        return {
            "messageId": text,
            "sender": "x",
            "text": text,
            "isCreatedByUser": by_user,
            "children": list(answers),
        }

    messages = [one("안녕", True, one("처음 답", False), one("다시 받은 답", False))]
    heard = add("librechat.json", json.dumps({"conversationId": "c", "title": "t", "messages": messages}))
    assert heard.said == ["user: 안녕", "assistant: 다시 받은 답"]
    assert sum(one["n"] for one in heard.json["left_out"]) == 1


@pytest.mark.parametrize("key", ["chat", "data"])
def test_messages_inside_of_another_object(add, key):
    messages = [{"role": "user", "content": "안녕", "timestamp": 1}, {"role": "assistant", "content": "네"}]
    record = {"id": "c1", "title": "t", key: {"messages": messages, "models": ["m"]}}
    heard = add("chats.json", json.dumps([record, {**record, "id": "c2"}]))
    assert [item.id for item in heard.items] == ["c1", "c2"]
    assert heard.said[:2] == ["user: 안녕", "assistant: 네"]


def test_a_channel_of_slack(add):
    messages = [
        {
            "type": "message",
            "text": "안녕",
            "user": "U1",
            "ts": "1793716320.0001",
            "user_profile": {"display_name": "민서"},
        },
        {
            "type": "message",
            "subtype": "bot_message",
            "text": "반가워요",
            "ts": "1793716330.0",
            "username": "루나",
            "bot_id": "B1",
        },
        {
            "type": "message",
            "subtype": "channel_join",
            "text": "U2 joined",
            "user": "U2",
            "ts": "1793716340.0",
        },
    ]
    heard = add("2026-11-03.json", json.dumps(messages), "--assistant", "루나")
    assert heard.said == ["user 민서: 안녕", "assistant 루나: 반가워요", "system: U2 joined"]
    assert heard.items[0].content["messages"][1]["time"] == "2026-11-03T14:32:10Z"


def test_a_chat_of_telegram(add):
    messages = [
        {
            "id": 1,
            "type": "message",
            "date": "2026-11-03T15:00:00",
            "from": "민서",
            "from_id": "user1",
            "text": "안녕",
        },
        {"id": 2, "type": "service", "actor": "민서", "action": "phone_call", "text": ""},
        {
            "id": 3,
            "type": "message",
            "from": "루나",
            "from_id": "user2",
            "text": ["반가", {"type": "bold", "text": "워요"}],
        },
    ]
    heard = add("result.json", json.dumps({"name": "루나", "messages": messages}), "--assistant", "루나")
    assert heard.said == ["user 민서: 안녕", "assistant 루나: 반가워요"]
    assert sum(one["n"] for one in heard.json["left_out"]) == 1


def test_files_and_names_in_slack(add):
    about = {"display_name": "민서", "real_name": "김민서"}
    messages = [
        {"type": "message", "text": "1 &lt; 2", "user": "U1", "ts": "1793716320.0", "user_profile": about},
        {"type": "message", "text": "", "user": "U1", "ts": "1793716330.0", "files": [{"name": "a.png"}]},
        {"type": "message", "text": "네", "username": "루나", "bot_id": "B1", "ts": "1793716340.0"},
    ]
    heard = add("2026-11-03.json", json.dumps(messages), "--assistant", "루나")
    assert heard.said == ["user 민서: 1 < 2", "user 민서: [a.png]", "assistant 루나: 네"]


def test_pictures_in_telegram_stay(add):
    messages = [
        {"type": "message", "from": "민서", "from_id": "u1", "photo": "(not included)", "text": "이거"},
        {
            "type": "message",
            "from": "루나",
            "from_id": "u2",
            "media_type": "sticker",
            "sticker_emoji": "😀",
            "text": "",
        },
    ]
    heard = add("result.json", json.dumps({"name": "루나", "messages": messages}), "--assistant", "루나")
    assert heard.said == ["user 민서: [photo]\n이거", "assistant 루나: [sticker 😀]"]
    assert heard.json["left_out"] == []


def test_the_answer_beside_a_logged_request_is_its_last_message(add):
    request = {"model": "m", "messages": [{"role": "user", "content": "안녕"}]}
    response = {"choices": [{"message": {"role": "assistant", "content": "네"}, "finish_reason": "stop"}]}
    heard = add("log.jsonl", json.dumps({"id": "r1", "request": request, "response": response}))
    assert heard.said == ["user: 안녕", "assistant: 네"]


def test_what_is_said_after_a_tool_comes_after_its_result(add):
    content = [
        {"type": "text", "text": "찾아볼게요."},
        {"type": "tool_use", "name": "search", "input": {"q": "비"}},
        {"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "비 옴"}]},
        {"type": "text", "text": "비가 와요."},
    ]
    chat = [
        {"sender": "human", "text": "날씨?"},
        {"sender": "assistant", "content": content, "created_at": "2026-11-03"},
    ]
    heard = add("conversations.json", json.dumps([{"uuid": "c", "chat_messages": chat}]))
    assert heard.said == [
        "user: 날씨?",
        "assistant: 찾아볼게요.",
        "tool search: 비 옴",
        "assistant: 비가 와요.",
    ]
    assert [m.get("time") for m in heard.items[0].content["messages"]] == [
        None,
        "2026-11-03",
        None,
        "2026-11-03",
    ]


def test_the_input_of_an_instruction_belongs_to_it(add):
    records = [
        {"instruction": "번역해 줘", "input": "hello", "output": "안녕"},
        {"instruction": "인사", "input": "", "output": "네"},
    ]
    heard = add("alpaca.json", json.dumps(records))
    assert heard.said == ["user: 번역해 줘\n\nhello", "assistant: 안녕", "user: 인사", "assistant: 네"]


def test_a_question_about_a_text_is_not_lost(haechi, write, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    file = write("qa.csv", "id,context,question,answer\na,2000년에 시작했다.,언제?,2000년\n")
    done = haechi("add", tmp_path / "s", file, "--lang", "en")
    assert (done.code, "question was put below the context" in done.out + done.err) == (0, True)
    from haechi import Study

    (item,) = Study(tmp_path / "s").items()
    assert item.content == {"context": "2000년에 시작했다.\n\n언제?", "response": "2000년"}


def test_utterances_with_speakers(add):
    said = [
        {"id": "1", "speaker_id": "P01", "text": "안녕하세요"},
        {"id": "2", "speaker_id": "P02", "text": "네"},
    ]
    heard = add(
        "talk.json", json.dumps({"info": {"subject": "상거래"}, "utterances": said}), "--assistant", "P02"
    )
    assert heard.said == ["user P01: 안녕하세요", "assistant P02: 네"]
