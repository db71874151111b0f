"""Files of every format, and what happens to files: bytes lost, changed, doubled, cut off; lines lost, doubled, swapped."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

SPEAKERS = ("민서", "루나")


def marks(count: int = 12) -> list[tuple[str, str]]:
    """Who says what: every text names its speaker, so that a text with another speaker is noticed."""
    return [(SPEAKERS[n % 2], f"«{SPEAKERS[n % 2]}{n:03}»") for n in range(count)]


def _chat(said: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"role": "user" if who == "민서" else "assistant", "content": text} for who, text in said]


def _lines(records: list[Any]) -> str:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n"


def chatml(said):
    return _lines([{"messages": _chat(said[n : n + 2])} for n in range(0, len(said), 2)])


def sharegpt(said):
    names = {"민서": "human", "루나": "gpt"}
    return json.dumps(
        [{"conversations": [{"from": names[who], "value": text} for who, text in said]}], ensure_ascii=False
    )


def chatgpt(said):
    mapping = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    last = "root"
    for number, message in enumerate(_chat(said)):
        content = {"content_type": "text", "parts": [message["content"]]}
        mapping[f"n{number}"] = {
            **{"id": f"n{number}", "parent": last, "children": []},
            "message": {"author": {"role": message["role"]}, "content": content},
        }
        last = f"n{number}"
    return json.dumps(
        [{"title": "t", "mapping": mapping, "current_node": last, "id": "x"}], ensure_ascii=False
    )


def sillytavern(said):
    header = {"user_name": "민서", "character_name": "루나"}
    return _lines([header, *({"name": who, "is_user": who == "민서", "mes": text} for who, text in said)])


def kakao_pc(said):
    head = "루나 님과 카카오톡 대화\n저장한 날짜 : 2026-11-03 21:04:10\n\n--------------- 2026년 11월 3일 화요일 ---------------\n"
    return head + "".join(f"[{who}] [오후 3:{n:02}] {text}\n" for n, (who, text) in enumerate(said))


def kakao_phone(said):
    head = "루나 님과 카카오톡 대화\n저장한 날짜 : 2026년 11월 3일 오후 9:04\n\n2026년 11월 3일 오후 3:00\n"
    return head + "".join(
        f"2026년 11월 3일 오후 3:{n:02}, {who} : {text}\n" for n, (who, text) in enumerate(said)
    )


def kakao_csv(said):
    return "Date,User,Message\n" + "".join(
        f'2026-11-03 15:{n:02}:00,"{who}","{text}"\n' for n, (who, text) in enumerate(said)
    )


def discord(said):
    messages = [
        {"type": "Default", "content": text, "author": {"id": who, "name": who}} for who, text in said
    ]
    return json.dumps({"guild": {}, "channel": {"name": "c"}, "messages": messages}, ensure_ascii=False)


def twitch(said):
    comments = [
        {"commenter": {"display_name": who}, "message": {"body": text}, "content_offset_seconds": 1}
        for who, text in said
    ]
    return json.dumps({"video": {}, "comments": comments}, ensure_ascii=False)


def youtube(said):
    def action(who: str, text: str) -> dict[str, Any]:
        shown = {"message": {"runs": [{"text": text}]}, "authorName": {"simpleText": who}}
        return {
            "replayChatItemAction": {
                "actions": [{"addChatItemAction": {"item": {"liveChatTextMessageRenderer": shown}}}]
            }
        }

    return _lines([action(who, text) for who, text in said])


def srt(said):
    return "".join(
        f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},500\n{who}: {text}\n\n" for n, (who, text) in enumerate(said)
    )


def vtt(said):
    return "WEBVTT\n\n" + "".join(
        f"00:{n:02}.000 --> 00:{n:02}.500\n<v {who}>{text}</v>\n\n" for n, (who, text) in enumerate(said)
    )


def questions(said):
    return "대화번호,질문,답변\n" + "".join(
        f"s1,{said[n][1]},{said[n + 1][1]}\n" for n in range(0, len(said), 2)
    )


def langfuse(said):
    chat = _chat(said)
    rows = [
        {"id": f"t{n}", "userId": "u", "input": {"messages": [chat[n]]}, "output": chat[n + 1]}
        for n in range(0, len(chat), 2)
    ]
    return _lines(rows)


def langsmith(said):
    chat = _chat(said)
    return _lines(
        [
            {
                "id": f"r{n}",
                "run_type": "llm",
                "inputs": {"messages": [chat[n]]},
                "outputs": {"choices": [{"message": chat[n + 1]}]},
            }
            for n in range(0, len(chat), 2)
        ]
    )


def phoenix(said):
    chat = _chat(said)
    return _lines(
        [
            {
                "context": {"trace_id": f"t{n}", "span_id": f"s{n}"},
                "span_kind": "LLM",
                "attributes": {
                    "llm.input_messages.0.message.role": "user",
                    "llm.input_messages.0.message.content": chat[n]["content"],
                    "llm.output_messages.0.message.role": "assistant",
                    "llm.output_messages.0.message.content": chat[n + 1]["content"],
                },
            }
            for n in range(0, len(chat), 2)
        ]
    )


def otlp(said):
    chat = _chat(said)

    def span(n: int) -> dict[str, Any]:
        def value(message: dict[str, Any]) -> dict[str, str]:
            parts = [{"type": "text", "content": message["content"]}]
            return {
                "stringValue": json.dumps([{"role": message["role"], "parts": parts}], ensure_ascii=False)
            }

        attributes = [
            {"key": "gen_ai.input.messages", "value": value(chat[n])},
            {"key": "gen_ai.output.messages", "value": value(chat[n + 1])},
        ]
        return {"traceId": f"t{n}", "spanId": f"s{n}", "name": "chat", "attributes": attributes}

    return _lines(
        [{"resourceSpans": [{"scopeSpans": [{"spans": [span(n)]}]}]} for n in range(0, len(chat), 2)]
    )


def inspect_json(said):
    samples = [
        {"id": f"q{n}", "epoch": 1, "messages": _chat(said[n : n + 2])} for n in range(0, len(said), 2)
    ]
    return json.dumps({"eval": {"task": "t"}, "plan": {}, "samples": samples}, ensure_ascii=False)


def inspect_eval(said):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"task": "t"}}))
        for n in range(0, len(said), 2):
            sample = {"id": f"q{n}", "epoch": 1, "messages": _chat(said[n : n + 2])}
            archive.writestr(f"samples/q{n}_epoch_1.json", json.dumps(sample))
    return out.getvalue()


def promptfoo(said):
    results = [
        {
            "id": f"r{n}",
            "vars": {},
            "success": True,
            "prompt": {"raw": said[n][1]},
            "response": {"output": said[n + 1][1]},
        }
        for n in range(0, len(said), 2)
    ]
    return json.dumps({"results": {"version": 3, "results": results}}, ensure_ascii=False)


def deepeval(said):
    cases = [
        {"name": f"c{n}", "metricsData": [], "input": said[n][1], "actualOutput": said[n + 1][1]}
        for n in range(0, len(said), 2)
    ]
    return json.dumps({"testCases": cases}, ensure_ascii=False)


def slack(said):
    messages = [
        {"type": "message", "text": text, "user": who, "ts": f"{1793716320 + n}.0001"}
        for n, (who, text) in enumerate(said)
    ]
    return json.dumps(messages, ensure_ascii=False)


def whatsapp(said):
    return "".join(f"12/03/2026, 09:{n % 60:02} - {who}: {text}\n" for n, (who, text) in enumerate(said))


def telegram(said):
    messages = [{"type": "message", "from": who, "from_id": who, "text": text} for who, text in said]
    return json.dumps({"name": "루나", "messages": messages}, ensure_ascii=False)


def message_trees(said):
    node = None
    for who, text in reversed(said):
        below = [node] if node else []
        node = {"messageId": text, "text": text, "isCreatedByUser": who == "민서", "children": below}
    return json.dumps({"conversationId": "c", "messages": [node]}, ensure_ascii=False)


def parted_trees(said):
    records = [
        {"message_id": str(n), "parent_id": str(n - 1) if n else None, **message, "text": message["content"]}
        for n, message in enumerate(_chat(said))
    ]
    return _lines([{k: v for k, v in record.items() if k != "content"} for record in records])


def nested_messages(said):
    return json.dumps([{"id": "c", "chat": {"messages": _chat(said)}}], ensure_ascii=False)


FORMATS: dict[str, tuple[str, Callable[[Any], str | bytes], str | None]] = {
    "chatml": ("a.jsonl", chatml, None),
    "sharegpt": ("a.json", sharegpt, "sharegpt"),
    "chatgpt": ("a.json", chatgpt, "chatgpt"),
    "sillytavern": ("a.jsonl", sillytavern, "sillytavern"),
    "kakao-pc": ("a.txt", kakao_pc, "kakaotalk"),
    "kakao-phone": ("a.txt", kakao_phone, "kakaotalk"),
    "kakao-csv": ("a.csv", kakao_csv, "kakaotalk-csv"),
    "discord": ("a.json", discord, "discord"),
    "twitch": ("a.json", twitch, "twitch"),
    "youtube": ("a.json", youtube, "youtube"),
    "srt": ("a.srt", srt, "subtitles"),
    "vtt": ("a.vtt", vtt, "subtitles"),
    "questions": ("a.csv", questions, "questions"),
    "langfuse": ("a.jsonl", langfuse, "langfuse"),
    "langsmith": ("a.jsonl", langsmith, "langsmith"),
    "phoenix": ("a.jsonl", phoenix, "phoenix"),
    "otlp": ("a.json", otlp, "otlp"),
    "inspect-json": ("a.json", inspect_json, "inspect"),
    "inspect-eval": ("a.eval", inspect_eval, "inspect"),
    "promptfoo": ("a.json", promptfoo, "promptfoo"),
    "deepeval": ("a.json", deepeval, "deepeval"),
    "slack": ("a.json", slack, "slack"),
    "whatsapp": ("a.txt", whatsapp, "whatsapp"),
    "telegram": ("a.json", telegram, "telegram"),
    "message-trees": ("a.json", message_trees, "message-trees"),
    "parted-trees": ("a.jsonl", parted_trees, "parted-trees"),
    "nested-messages": ("a.json", nested_messages, "nested-messages"),
}
"""A name for the file, who writes it, and the format as which it is read."""


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The content with one to three kinds of damage."""
    for _ in range(chance.randint(1, 3)):
        content = chance.choice(_DAMAGES)(content, chance)
    return content


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _without(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + content[at + chance.randint(1, 30) :]


def _changed(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + bytes([chance.choice(b'\x00"{}[]:,\\\n\t \xed\xff<>0')]) + content[at + 1 :]


def _inserted(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    more = chance.choice(
        [
            b"\x00",
            b"\n",
            b'"',
            b"{",
            b"[" * 2000,
            "\u202e".encode(),
            b"\xef\xbb\xbf",
            b"null",
            b"NaN",
            b"1e999",
            b"\r",
        ]
    )
    return content[:at] + more + content[at:]


def _line_lost(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join(
        line for n, line in enumerate(lines) if n != (chance.randrange(len(lines)) if lines else 0)
    )


def _line_doubled(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    at = chance.randrange(len(lines))
    return b"".join([*lines[:at], lines[at], *lines[at:]])


_DAMAGES = (_cut, _without, _changed, _inserted, _line_lost, _line_doubled)
