"""Korean particles that fit a name as it is read aloud: 루나가, 챗봇이, GPT-5가, R1이."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

Ending = Literal["vowel", "rieul", "consonant"]

# How a particle is written after a consonant, after a vowel, and when the reading cannot be known.
_PARTICLES = {
    "이/가": ("이", "가", "이(가)"),
    "은/는": ("은", "는", "은(는)"),
    "을/를": ("을", "를", "을(를)"),
    "과/와": ("과", "와", "과(와)"),
    "으로/로": ("으로", "로", "(으)로"),
}
_SPELLINGS = {pair: pair for pair in _PARTICLES} | {
    "가/이": "이/가", "는/은": "은/는", "를/을": "을/를", "와/과": "과/와",
    "로/으로": "으로/로", "(으)로": "으로/로",
}  # fmt: skip

_MARKS = " \t\r\n.,!?~…-_·:;'\"`‘’“”「」『』《》〈〉【】™®©"
_OPENING, _CLOSING = "([{", ")]}"

# 영 일 이 삼 사 오 육 칠 팔 구; a final 0 may also be read 십 백 천 만 억, which end in a consonant too.
_DIGITS: dict[str, Ending] = {
    "0": "consonant", "1": "rieul", "2": "vowel", "3": "consonant", "4": "vowel",
    "5": "vowel", "6": "consonant", "7": "rieul", "8": "rieul", "9": "vowel",
}  # fmt: skip
# 엘 엠 엔 알; the names of all other letters end in a vowel.
_LETTERS: dict[str, Ending] = {"l": "rieul", "m": "consonant", "n": "consonant", "r": "rieul"}

# Ends of words that the rules below would read wrongly or not at all, also in capitals.
_KNOWN: dict[str, Ending] = {
    "bot": "consonant", "pilot": "consonant", "chat": "consonant", "book": "consonant", "deep": "consonant",
    "good": "consonant", "group": "consonant", "grok": "consonant", "bing": "consonant",
    "exaone": "consonant", "hub": "vowel", "blog": "vowel", "seek": "vowel", "naver": "vowel",
    "solar": "vowel",
}  # fmt: skip

# The last letters of an English word and what they end in as it is written in Hangul; the first match holds.
_READING: tuple[tuple[str, Ending], ...] = (
    (r"[aeiouy]e|[aiouyw]", "vowel"),  # Gemini 니, Luna 나, Blue 루
    (r"le|l", "rieul"),  # Apple 플, Mistral 랄
    (r"[mn]e|[mn]|ng", "consonant"),  # Jane 인, Prime 임, Qwen 웬, Bing 빙
    (r"e", "vowel"),  # Claude 드, Lite 트, Voice 스
    (r"[dfhjrsvxz]", "vowel"),  # Bard 드, Solar 라, Opus 스, Flash 시
    (r"ck|[aeiouy]c|[aeiouy]pp", "consonant"),  # Slack 랙, Anthropic 픽, App 앱
    (r"[bcdfgklmnprsx][kpt]", "vowel"),  # Spark 크, Agent 트, Instruct 트
    (r"(?<![aeiouy])[aeiouy][kp]", "consonant"),  # Grok 록, Map 맵: a stop after one short vowel closes it
)  # anything else, such as Sonnet (소넷 or 소네트), cannot be known


def particle(name: str, pair: str) -> str:
    """The one form of a particle that fits a name, or both forms where the reading cannot be known.

    >>> particle("루나", "이/가"), particle("GPT-5", "이/가"), particle("R1", "과/와")
    ('가', '가', '과')
    >>> particle("서울", "으로/로"), particle("Sonnet", "이/가")
    ('로', '이(가)')
    """
    after_consonant, after_vowel, unknown = _PARTICLES[_SPELLINGS[pair]]
    ending = _ending(name)
    if ending is None:
        return unknown
    if ending == "vowel" or (ending == "rieul" and after_vowel == "로"):
        return after_vowel
    return after_consonant


def fill(template: str, names: Mapping[str, str]) -> str:
    """A template with names in place of its [placeholders], each followed by the particle that fits.

    A name is never read as a template itself; a blank name leaves the word of the placeholder.

    >>> fill("[인공지능]과/와 [사용자] 사이의 대화", {"인공지능": "루나", "사용자": "학생"})
    '루나와 학생 사이의 대화'
    """
    if not names:
        return template
    places = "|".join(re.escape(place) for place in names)
    particles = "|".join(re.escape(spelling) for spelling in _SPELLINGS)

    def put(match: re.Match[str]) -> str:
        name = " ".join(names[match[1]].split()) or match[1]
        return name + (particle(name, match[2]) if match[2] else "")

    return re.sub(rf"\[({places})\]({particles})?", put, template)


def _ending(name: str) -> Ending | None:
    """What the name ends in when read aloud; None where that cannot be known."""
    core = _core(unicodedata.normalize("NFKC", name.strip()[-1000:]))
    last = core[-1:]
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
        return "vowel" if final == 0 else "rieul" if final == 8 else "consonant"
    if last in _DIGITS:
        return None if core.replace(",", "").endswith("0" * 12) else _DIGITS[last]  # 조 and beyond
    if last in ("+", "%"):
        return "vowel"  # 플러스, 퍼센트
    if last.isascii() and last.isalpha():
        return _latin(core)
    plain = unicodedata.normalize("NFD", last)[:1].lower()
    return "vowel" if plain in ("a", "e", "i", "o", "u") else None  # Café


def _core(name: str) -> str:
    """The name without final quotes and marks, and without an explanation in brackets: 루나(Luna) is 루나."""
    core = name.rstrip(_MARKS)
    while core.endswith(tuple(_CLOSING)):
        outside = _before_bracket(core).rstrip(_MARKS)
        if not outside:
            return core.strip(_MARKS + _OPENING + _CLOSING)
        core = outside
    return core


def _before_bracket(text: str) -> str:
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += (text[place] in _CLOSING) - (text[place] in _OPENING)
        if depth == 0:
            return text[:place]
    return ""


def _latin(core: str) -> Ending | None:
    part = re.search(r"[A-Z]+$|[A-Z]?[a-z]+$", core)
    text = part[0] if part else core[-1]
    spelled = _LETTERS.get(text[-1].lower(), "vowel")
    if len(text) == 1:
        return spelled
    read = _word(text.lower())
    if not text.isupper() or text.lower() in _KNOWN:
        return read
    # Capitals are spelled out (LLM, GPT), except that longer ones may be a word (NAVER).
    if len(text) <= 3 or not re.search("[AEIOUY]", text) or spelled == read:
        return spelled
    return None


def _word(word: str) -> Ending | None:
    for known, ending in _KNOWN.items():
        if word.endswith(known):
            return ending
    for pattern, ending in _READING:
        if re.search(f"(?:{pattern})$", word):
            return ending
    return None
