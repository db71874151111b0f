"""Chats as WhatsApp exports them."""

from __future__ import annotations

import pytest

ANDROID = """12/03/2026, 09:14 - Messages and calls are end-to-end encrypted.
12/03/2026, 09:15 - 민서: 주문이 안 와요
번호: 7
12/03/2026, 09:16 - 루나: 확인할게요
12/03/2026, 09:17 - 민서: <Media omitted>
"""
IPHONE = """[3/12/26, 9:14:02\u202fAM] 루나: \u200eMessages and calls are end-to-end encrypted.
[3/12/26, 9:15:32\u202fAM] 민서: 주문이 안 와요
번호: 7
[3/12/26, 9:16:00\u202fAM] 루나: 확인할게요
\u200e[3/12/26, 9:17:00\u202fAM] 민서: \u200e<Media omitted>
"""
KOREAN = """2026. 3. 12. 오전 9:14 - Messages and calls are end-to-end encrypted.
2026. 3. 12. 오전 9:15 - 민서: 주문이 안 와요
번호: 7
2026. 3. 12. 오후 9:16 - 루나: 확인할게요
2026. 3. 12. 오후 9:17 - 민서: <Media omitted>
"""


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (ANDROID, "12/03/2026 09:15"),
        (IPHONE.replace("\n", "\r\n"), "3/12/26 9:15:32 AM"),
        (KOREAN, "2026. 3. 12. 오전 9:15"),
    ],
)
def test_a_chat_has_its_speakers_lines_and_notices(add, text, time):
    heard = add("chat.txt", text, "--assistant", "루나")
    assert heard.said == [
        "system: Messages and calls are end-to-end encrypted.",
        "user 민서: 주문이 안 와요\n번호: 7",
        "assistant 루나: 확인할게요",
        "user 민서: <Media omitted>",
    ]
    assert heard.items[0].content["messages"][1]["time"] == time


def test_who_is_the_ai_is_asked_for(add):
    assert add("chat.txt", ANDROID).error["found"] == "2 speakers: 민서 (2), 루나 (1)"
