"""SRT and WebVTT: who speaks, when, and what is nobody's."""

from __future__ import annotations

SRT = """1
00:00:01,000 --> 00:00:03,500
민서: 오늘 뭐 해?

2
00:00:04,000 --> 00:00:06,000
<i>루나: 별 보러 가자.
참고: 춥대.</i>

3
00:00:06,500 --> 00:00:07,000
- 민서: 좋아
- 루나: 그래
4
00:00:08,000 --> 00:00:09,000
(음악)
"""
VTT = """WEBVTT - 회의

NOTE 이건 지나갑니다

STYLE
::cue { color: red }

cue-1
00:01.000 --> 00:03.000 align:start
<v 민서>오늘 뭐 해?</v>

00:04.000 --> 00:06.000
<v.loud 루나>별 <b>보러</b> 가자 &amp; 자자.
"""


def test_srt_with_names_before_the_text(add):
    heard = add("talk.srt", SRT, "--assistant", "루나")
    assert heard.said == [
        "user 민서: 오늘 뭐 해?",
        "assistant 루나: 별 보러 가자.\n참고: 춥대.",
        "user 민서: 좋아",
        "assistant 루나: 그래",
        "system: (음악)",
    ]
    assert heard.items[0].content["messages"][0]["time"] == "00:00:01,000–00:00:03,500"
    assert any("name no speaker" in note for note in heard.json["notes"])


def test_vtt_with_voices(add):
    heard = add("talk.vtt", VTT, "--assistant", "루나")
    assert heard.said == ["user 민서: 오늘 뭐 해?", "assistant 루나: 별 보러 가자 & 자자."]


def test_words_before_a_colon_that_are_no_speaker_stay_words(add):
    cues = "".join(
        f"00:00:0{n},000 --> 00:00:0{n},500\n{text}\n\n"
        for n, text in enumerate(["루나: 하나", "주의: 둘", "셋", "루나: 넷"])
    )
    assert add("a.srt", cues, "--assistant", "루나").said == [
        "assistant 루나: 하나",
        "system: 주의: 둘",
        "system: 셋",
        "assistant 루나: 넷",
    ]


def test_a_file_that_names_nobody_is_the_ais_if_that_is_said(add):
    text = "1\n00:00:01,000 --> 00:00:02,000\n안녕하세요\n\n2\n00:00:03,000 --> 00:00:04,000\n루나예요\n"
    assert "speakers" in add("a.srt", text).error["found"]
    heard = add("a.srt", text, "--assistant", "루나")
    assert heard.said == ["assistant 루나: 안녕하세요", "assistant 루나: 루나예요"]
    assert any("all 2 are taken" in note for note in heard.json["notes"])
