"""Discord, Twitch and YouTube: many speakers, the AI by name."""

from __future__ import annotations

import json
from typing import Any

import pytest


def _discord(author: str, content: str, **more: Any) -> dict[str, Any]:
    who = {"id": author, "name": author, "nickname": author.title(), "isBot": author == "luna"}
    return {
        "id": "1",
        "type": "Default",
        "timestamp": "2026-11-03T15:12:00+09:00",
        "content": content,
        "author": who,
    } | more


def test_discord_keeps_cards_files_and_notices(add):
    card = {"title": "날씨", "description": "비", "fields": [{"name": "기온", "value": "3도"}]}
    messages = [
        _discord("minseo", "날씨?", attachments=[{"fileName": "a.png"}]),
        _discord("luna", "", embeds=[card], type="Reply"),
        _discord("jiho", "Joined the server.", type="GuildMemberJoin"),
    ]
    whole = {"guild": {"name": "모임"}, "channel": {"name": "잡담"}, "messages": messages, "messageCount": 3}
    heard = add("channel.json", json.dumps(whole), "--assistant", "luna")
    assert heard.said == [
        "user Minseo: 날씨?\n[a.png]",
        "assistant luna: 날씨\n비\n기온: 3도",
        "system: Joined the server.",
    ]
    assert heard.items[0].meta == {"guild": "모임", "channel": "잡담"}
    assert add("channel.json", json.dumps(whole), "--assistant", "LUNA").said == heard.said


def test_two_accounts_of_one_name_are_two_speakers(add):
    messages = [_discord("kim1", "하나"), _discord("kim2", "둘"), _discord("luna", "셋")]
    for message in messages[:2]:
        message["author"]["nickname"] = "김"
    whole = {"guild": {}, "channel": {"name": "c"}, "messages": messages}
    assert add("c.json", json.dumps(whole), "--assistant", "luna").said == [
        "user 김 (kim1): 하나",
        "user 김 (kim2): 둘",
        "assistant luna: 셋",
    ]


def test_discord_asks_who_the_ai_is(add):
    whole = {"guild": {}, "channel": {"name": "c"}, "messages": [_discord("minseo", "안녕")]}
    assert add("c.json", json.dumps(whole)).error["found"] == "1 speakers: Minseo (1)"


@pytest.mark.parametrize("with_body", [True, False])
def test_twitch(add, with_body):
    def comment(who: str, text: str, seconds: float) -> dict[str, Any]:
        said = {"body": text} if with_body else {"fragments": [{"text": text[:1]}, {"text": text[1:]}]}
        return {
            "content_offset_seconds": seconds,
            "commenter": {"_id": who, "name": who, "display_name": who.title()},
            "message": said,
        }

    whole = {
        "FileInfo": {"Version": {"Major": 1}},
        "streamer": {"name": "방송"},
        "video": {"title": "첫 방송"},
        "comments": [comment("minseo", "안녕", 1.5), comment("luna", "반가워요", 3723)],
    }
    heard = add("chat.json", json.dumps(whole), "--assistant", "luna")
    assert heard.said == ["user Minseo: 안녕", "assistant luna: 반가워요"]
    assert [m["time"] for m in heard.items[0].content["messages"]] == ["0:00:01", "1:02:03"]
    assert heard.items[0].meta == {"streamer": "방송", "title": "첫 방송"}


def _live(
    name: str, runs: list[Any], kind: str = "liveChatTextMessageRenderer", **more: Any
) -> dict[str, Any]:
    shown = {
        "message": {"runs": runs},
        "authorName": {"simpleText": name},
        "authorExternalChannelId": name,
        **more,
    }
    action = {"addChatItemAction": {"item": {kind: shown}}}
    return {"replayChatItemAction": {"actions": [action], "videoOffsetTimeMsec": "61000"}}


def test_youtube_as_yt_dlp_writes_it(add):
    emoji = {"emoji": {"emojiId": "x/y", "shortcuts": [":luna-wave:"], "isCustomEmoji": True}}
    paid = {"purchaseAmountText": {"simpleText": "₩5,000"}}
    ticker = {"replayChatItemAction": {"actions": [{"addLiveChatTickerItemAction": {}}]}}
    lines = [
        _live("민서", [{"text": "안녕 "}, emoji]),
        _live("지호", [{"text": "힘내요"}], "liveChatPaidMessageRenderer", **paid),
        ticker,
        _live("루나", [{"text": "고마워요"}]),
    ]
    heard = add("video.live_chat.json", "\n".join(map(json.dumps, lines)), "--assistant", "루나")
    assert heard.said == [
        "user 민서: 안녕 :luna-wave:",
        "user 지호: [₩5,000] 힘내요",
        "assistant 루나: 고마워요",
    ]
    assert heard.items[0].content["messages"][0]["time"] == "0:01:01"
    assert [left["n"] for left in heard.json["left_out"]] == [1]


@pytest.mark.parametrize("lines", [True, False])
def test_chat_downloader(add, lines):
    records = [
        {"message": "안녕", "author": {"name": "민서"}, "time_in_seconds": 5, "message_type": "text_message"},
        {"message": None, "author": {"name": "지호"}, "message_type": "paid_sticker"},
        {"message": "네", "author": {"name": "luna", "display_name": "루나"}, "timestamp": 1793716320000000},
    ]
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    heard = add("chat.json", text, "--assistant", "루나")
    assert heard.said == ["user 민서: 안녕", "assistant 루나: 네"]
    assert [m["time"] for m in heard.items[0].content["messages"]] == ["0:00:05", "2026-11-03T14:32:00Z"]
    assert [left["n"] for left in heard.json["left_out"]] == [1]
