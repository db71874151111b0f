"""Exports in which the words of a conversation stand in more than one place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from haechi.data.item import Item
from haechi.data.item_files import items_in
from haechi.data.reading_notes import ReadingNotes


def said(
    folder: Path, name: str, value: Any, notes: ReadingNotes | None = None
) -> list[list[tuple[str, str]]]:
    file = folder / name
    file.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), "utf-8")
    items = [item for _, item in items_in(file, "dialogue", notes or ReadingNotes())]
    assert all(isinstance(item, Item) for item in items), items
    return [
        [(one["role"], one["content"]) for one in item.content["messages"]]
        for item in items
        if isinstance(item, Item)
    ]


def test_results_of_tools_within_an_answer_stand_before_what_follows_them(tmp_path: Path) -> None:
    answer = [
        {"type": "tool_use", "name": "web_search", "input": {"query": "비"}},
        {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "비 소식"}]},
        {"type": "text", "text": "비가 옵니다."},
    ]
    note = {"file_name": "note.txt", "extracted_content": "우산을 샀다"}
    chat = [
        {"sender": "human", "text": "요약", "attachments": [note], "files": [{"file_name": "note.txt"}]},
        {"sender": "assistant", "content": answer},
    ]
    record = {"uuid": "c1", "name": "날씨", "chat_messages": chat}
    assert said(tmp_path, "conversations.json", [record]) == [
        [
            ("user", "요약\n[note.txt]\n우산을 샀다"),
            ("assistant", ""),
            ("tool", "비 소식"),
            ("assistant", "비가 옵니다."),
        ]
    ]


def test_the_instruction_beside_a_request_is_its_first_message(tmp_path: Path) -> None:
    request = {
        "systemInstruction": {"parts": [{"text": "짧게 답한다"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "안녕"}]},
            {"role": "model", "parts": [{"text": "네"}]},
        ],
    }
    assert said(tmp_path, "g.json", request) == [
        [("system", "짧게 답한다"), ("user", "안녕"), ("assistant", "네")]
    ]


def test_what_belongs_to_a_question_is_part_of_it(tmp_path: Path) -> None:
    rows = [
        {"instruction": "요약해", "input": "긴 글", "output": "짧은 글"},
        {"instruction": "더", "input": "", "output": "네", "history": [["안녕", "반가워요"]]},
    ]
    assert said(tmp_path, "alpaca.json", rows) == [
        [("user", "요약해\n\n긴 글"), ("assistant", "짧은 글")],
        [("user", "안녕"), ("assistant", "반가워요"), ("user", "더"), ("assistant", "네")],
    ]
    turns = [{"content": "안녕", "type": "human"}, {"content": "네", "type": "ai"}]
    one = json.dumps({"user_input": "날씨?", "response": "맑음"}, ensure_ascii=False)
    many = json.dumps({"user_input": turns, "reference": "x"}, ensure_ascii=False)
    assert said(tmp_path, "ragas.jsonl", f"{one}\n{many}\n")[1] == [("user", "안녕"), ("assistant", "네")]


def test_an_answer_that_never_came_is_no_message(tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "input": "1+1?", "target": "2", "messages": []}
    sample |= {"output": {"model": "m", "choices": []}, "error": {"message": "timeout"}, "scores": {}}
    log = {"version": 2, "status": "error", "eval": {"task": "t", "model": "m"}, "samples": [sample]}
    assert said(tmp_path, "log.json", log) == [[("user", "1+1?")]]


def test_a_system_that_answers_users_is_the_ai(tmp_path: Path) -> None:
    notes = ReadingNotes()
    table = "dialogue_id,speaker,utterance\nd1,USER,기차표\nd1,SYSTEM,언제요?\n"
    assert said(tmp_path, "turns.csv", table, notes) == [[("user", "기차표"), ("assistant", "언제요?")]]
    assert any("read as the AI" in note.en for note in notes.notes)
    asked = [{"role": "system", "content": "짧게"}, {"role": "user", "content": "안녕"}]
    assert said(tmp_path, "open.json", [{"messages": asked}]) == [[("system", "짧게"), ("user", "안녕")]]
