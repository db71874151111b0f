"""KakaoTalk in the ways in which computers and phones write it."""

from __future__ import annotations

import pytest

PC = """루나 님과 카카오톡 대화
저장한 날짜 : 2026-11-03 21:04:10

--------------- 2026년 11월 3일 화요일 ---------------
[민서] [오후 3:12] 오늘 회의 몇 시야?
[루나] [오후 3:12] 네 시예요.
장소는 3층이고요.

[A] [B] 아무 말
[민서] [오전 12:05] 사진
민서님이 지호님을 초대했습니다.
--------------- 2026년 11월 4일 수요일 ---------------
지호님이 나갔습니다.
[루나] [15:13] 이모티콘
"""
ANDROID = """루나 님과 카카오톡 대화
저장한 날짜 : 2026년 11월 3일 오후 9:04


2026년 11월 3일 오후 3:12
2026년 11월 3일 오후 3:12, 민서 : 오늘 회의 : 몇 시야?
둘째 줄

[루나] [오후 3:12] 붙여 넣은 말
2026년 11월 3일 오후 3:13, 루나 : 네 시예요.
2026년 11월 3일 오후 3:14, 민서님이 지호님을 초대했습니다.
"""
IOS = """KakaoTalk_20261103.txt
저장한 날짜 : 2026. 11. 3. 오후 9:04


2026년 11월 3일 화요일
2026. 11. 3. 오후 3:12, 민서 : 오늘 회의 몇 시야?
2026. 11. 3. 15:13, 루나 : 네 시예요.
2026. 11. 3. 오후 3:14: 지호님이 들어왔습니다.
"""
ENGLISH = """KakaoTalk Chats with Luna
Date Saved : Nov 3, 2026 at 9:04 PM


Tuesday, November 3, 2026
Nov 3, 2026 at 3:12\u202fPM, Minseo : When is it?
November 3, 2026, 3:13 PM, Luna : At four.
"""
ENGLISH_PC = """Luna KakaoTalk Chats
Date Saved : 2026-11-03 21:04:10

--------------- Tuesday, November 3, 2026 ---------------
[Minseo] [3:12 PM] When is it?
[Luna] [3:13 PM] At four.
"""
CSV = """Date,User,Message
2026-11-03 15:12:00,"민서","오늘 회의
몇 시야?"
2026-11-03 15:13:00,"루나","네, ""네 시""예요."
2026-11-03 15:14:00,"지호","지호님이 나갔습니다."
"""


def test_a_computers_file_with_lines_that_go_on_and_notices(add):
    heard = add("chat.txt", PC, "--assistant", "루나")
    assert heard.said == [
        "user 민서: 오늘 회의 몇 시야?",
        "assistant 루나: 네 시예요.\n장소는 3층이고요.\n\n[A] [B] 아무 말",
        "user 민서: 사진",
        "system: 민서님이 지호님을 초대했습니다.",
        "system: 지호님이 나갔습니다.",
        "assistant 루나: 이모티콘",
    ]
    times = [m.get("time") for m in heard.items[0].content["messages"]]
    assert times == [
        "2026-11-03T15:12",
        "2026-11-03T15:12",
        "2026-11-03T00:05",
        None,
        None,
        "2026-11-04T15:13",
    ]
    assert heard.items[0].meta == {"title": "루나"}
    assert heard.json["formats"] == {"chat.txt": "kakaotalk"}


def test_a_phones_file_keeps_a_pasted_chat_with_its_speaker(add):
    heard = add("chat.txt", ANDROID, "--assistant", "루나")
    assert heard.said == [
        "user 민서: 오늘 회의 : 몇 시야?\n둘째 줄\n\n[루나] [오후 3:12] 붙여 넣은 말",
        "assistant 루나: 네 시예요.",
        "system: 민서님이 지호님을 초대했습니다.",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
def test_an_iphones_file_in_any_encoding_and_either_clock(add, encoding):
    heard = add("Talk.txt", IOS.replace("\n", "\r\n").encode(encoding), "--assistant", "루나")
    assert heard.said == [
        "user 민서: 오늘 회의 몇 시야?",
        "assistant 루나: 네 시예요.",
        "system: 지호님이 들어왔습니다.",
    ]


@pytest.mark.parametrize("text", [ENGLISH, ENGLISH_PC])
def test_english_files(add, text):
    heard = add("chat.txt", text, "--assistant", "luna")
    assert [m["role"] for m in heard.items[0].content["messages"]] == ["user", "assistant"]
    assert [m["content"] for m in heard.items[0].content["messages"]] == ["When is it?", "At four."]
    assert heard.items[0].meta == {"title": "Luna"}


def test_the_csv_of_a_mac(add):
    heard = add("chat.csv", CSV, "--assistant", "루나")
    assert heard.said == [
        "user 민서: 오늘 회의\n몇 시야?",
        'assistant 루나: 네, "네 시"예요.',
        "system: 지호님이 나갔습니다.",
    ]


@pytest.mark.parametrize("options", [(), ("--assistant", "미나")])
def test_who_is_the_ai_is_asked_with_the_speakers(add, options):
    heard = add("chat.txt", PC, *options)
    assert heard.code == 1
    assert heard.error["found"].startswith("2 speakers: 민서 (2), 루나 (2)")
    assert "--assistant" in heard.error["next"]
    assert not heard.items


def test_the_same_file_again_changes_nothing(add, haechi, tmp_path):
    heard = add("chat.txt", PC, "--assistant", "루나")
    again = haechi("add", tmp_path / "study1", tmp_path / "chat.txt", "--assistant", "루나", "--json").json
    assert (again["new"], again["unchanged"]) == (0, 1)
    assert heard.items[0].id.startswith("c-")
