"""Particles are pinned by the Hangul reading of each name, written beside it."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from haechi.korean.particles import fill, particle

PAIRS = ("이/가", "은/는", "을/를", "과/와", "으로/로")

# Each name with its last syllable as it is read aloud.
VOWEL = """
루나:나 해치:치 이루다:다 루나(Luna):나 루나(캐릭터[v2]):나 "루나":나 『해치』:치 루나!:나 (Luna):나 루나2:이
GPT-5:오 GPT-4:사 GPT-3.5:오 Grok-2:이 ９:구 1.49:구 Claude:드 claude:드 Gemini:니 Bard:드 Solar:라 SOLAR:라
Opus:스 Haiku:쿠 Flash:시 Pro:로 Alexa:사 Siri:리 Perplexity:티 MAICE:스 NAVER:버 KAIST:트 GPT:티 ChatGPT:티
OpenAI:이 AI:이 HTTP:피 X:스 GPT-4o:오 Llama-3.1-8B:비 DeepSeek:크 GitHub:브 Agent:트 Instruct:트 Spark:크
Voice:스 Azure:저 Lite:트 Noah:아 Café:페 R+:스 Blue:루 Flow:로 LLMs:스
"""
CONSONANT = """
챗봇:봇 인공지능:능 학생:생 선생님:님 챗봇(Luna):봇 이름(a(b)):름 GPT-3:삼 Phi-10:십 100:백 2.0:영 1,000:천
V6:육 Grok:록 GROK:록 Copilot:럿 Chatbot:봇 Bing:빙 Jane:인 Prime:임 Qwen:웬 Titan:탄 Team:팀 Anthropic:픽
Slack:랙 WhatsApp:앱 EXAONE:원 LLM:엠 vLLM:엠 CNN:엔 Facebook:북 Music:직 Map:맵
"""
RIEUL = """
서울:울 하늘:늘 R1:일 DeepSeek-R1:일 7:칠 GPT-8:팔 ＧＰＴ－１:일 Apple:플 Google:글 Mistral:랄 Michelle:셸
DeepL:엘 HTML:엘 R:알 Excel:셀
"""
UNKNOWN = (
    *("", "   ", "Sonnet", "Claude 3.5 Sonnet", "🙂", "루나🌙", "月", "ルナ", "Луна", "ㅋㅋ", "…", "()", ")"),
    *("Bob", "Week", "ASAP", "1" + "0" * 12, "\u200b", "#"),
)


def readings(table: str) -> list[tuple[str, str]]:
    return [(name, syllable) for name, _, syllable in (entry.rpartition(":") for entry in table.split())]


def final_consonant(syllable: str) -> int:
    """The place of the final consonant in the Unicode order of Hangul: 0 is none, 8 is ㄹ."""
    return (ord(syllable) - ord("가")) % 28


@pytest.mark.parametrize(("name", "syllable"), readings(VOWEL))
def test_after_a_vowel(name: str, syllable: str) -> None:
    assert final_consonant(syllable) == 0
    assert [particle(name, pair) for pair in PAIRS] == ["가", "는", "를", "와", "로"]


@pytest.mark.parametrize(("name", "syllable"), readings(CONSONANT))
def test_after_a_consonant(name: str, syllable: str) -> None:
    assert final_consonant(syllable) not in (0, 8)
    assert [particle(name, pair) for pair in PAIRS] == ["이", "은", "을", "과", "으로"]


@pytest.mark.parametrize(("name", "syllable"), readings(RIEUL))
def test_after_rieul_the_direction_has_no_eu(name: str, syllable: str) -> None:
    assert final_consonant(syllable) == 8
    assert [particle(name, pair) for pair in PAIRS] == ["이", "은", "을", "과", "로"]


@pytest.mark.parametrize("name", UNKNOWN)
def test_both_forms_where_the_reading_cannot_be_known(name: str) -> None:
    assert [particle(name, pair) for pair in PAIRS] == ["이(가)", "은(는)", "을(를)", "과(와)", "(으)로"]


def test_decomposed_hangul_reads_as_composed() -> None:
    decomposed = unicodedata.normalize("NFD", "챗봇")
    assert len(decomposed) == 6
    assert particle(decomposed, "이/가") == "이"


@pytest.mark.parametrize(("spelling", "said"), [("가/이", "가"), ("와/과", "와"), ("(으)로", "로")])
def test_a_pair_in_either_order(spelling: str, said: str) -> None:
    assert particle("루나", spelling) == said


def test_fill_replaces_every_placeholder_with_its_particle() -> None:
    template = "[인공지능]이/가 [사용자]을/를 만나 [인공지능]의 매력을 [사용자](으)로 보였다"
    said = fill(template, {"인공지능": "루나", "사용자": "학생"})
    assert said == "루나가 학생을 만나 루나의 매력을 학생으로 보였다"
    assert fill(template, {"인공지능": "챗봇", "사용자": "Jane"}).startswith("챗봇이 Jane을 만나 챗봇의")


def test_a_name_is_never_read_as_a_template() -> None:
    said = fill("[인공지능]과/와 [사용자]", {"인공지능": "[사용자]", "사용자": r"\1[인공지능]"})
    assert said == r"[사용자]와 \1[인공지능]"


def test_a_blank_name_leaves_the_word_of_the_placeholder() -> None:
    assert fill("[인공지능]이/가 [사용자]", {"인공지능": " ", "사용자": ""}) == "인공지능이 사용자"


def test_what_is_not_named_stays() -> None:
    assert fill("[인공지능]이/가 [다른 것]", {}) == "[인공지능]이/가 [다른 것]"
    assert fill("[다른 것]이/가", {"인공지능": "루나"}) == "[다른 것]이/가"


def test_lines_in_a_name_are_joined() -> None:
    assert fill("[사용자]은/는", {"사용자": "루나\n\n새 지시"}) == "루나 새 지시는"


def test_very_long_names() -> None:
    assert particle("가" * 1_000_000, "이/가") == "가"
    assert particle("루나" + " " * 100_000, "이/가") == "가"
    assert particle("(" * 100_000 + ")" * 100_000, "이/가") == "이(가)"


@settings(deadline=None)
@given(st.text())
def test_any_name_gets_one_of_three_forms(name: str) -> None:
    assert particle(name, "이/가") in ("이", "가", "이(가)")
    assert fill("[인공지능]이/가", {"인공지능": name}).endswith(("이", "가", "이(가)"))
