"""Whether a Korean text is polite (존댓말) or plain (반말), by how its sentences end, and how sure that is."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from haechi.regex import regex

Manner = Literal["polite", "plain"]

SENTENCE = regex(r"((?:\d\.\d|[^.!?…~\n])+)([.!?…~]*\n*)")
_OTHER_LETTERS = regex("[A-Za-z\u3040-\u30ff\u4e00-\u9fff\u0400-\u04ff]")
LAST_WORD = regex(r"([가-힣]+)[^가-힣A-Za-z0-9]*$")
_SURE = 0.75  # of the Korean sentences must end alike
_FINALS = {"ㄴ": 4, "ㄹ": 8, "ㅂ": 17, "ㅄ": 18, "ㅆ": 20}
_NOUNS = regex(
    r"(?:필|중|주|개|수|소|동|가|강)요$|(?:언|영|국|단|용|중국|한국)어$|(?:까|편|이미|메시|휴)지$|나라$|(?:의|학|기|글|숫|그)자$"
)
_POLITE = regex(r"(?:요|죠|십시오|세여)$")
_SURELY_PLAIN = regex(r"(?:잖아|구나|거든|는데|은데|인데|더라|거야|이야|다)$")
_PLAIN = regex(r"(?:아|어|여|해|야|지|네|군|냐|니|자|라|봐|줘|돼|와|가|래|게|까|걸|대)$")


class Register(NamedTuple):
    """How a text speaks: `manner` None where its sentences do not tell or differ; certainty: the share of its Korean sentences
    that end in the manner that most have."""

    manner: Manner | None
    certainty: float


def register_of(text: str) -> Register:
    """How a text speaks to its reader, by the endings of its sentences; three quarters of them must end alike.

    >>> register_of("비가 왔어요. 우산은 챙기셨어요?").manner, register_of("비가 왔어. 우산은 챙겼어?").manner
    ('polite', 'plain')
    >>> register_of("비가 왔어요. 우산 챙겨. 중요"), register_of("It rained.")
    (Register(manner=None, certainty=0.3333333333333333), Register(manner=None, certainty=0.0))
    """
    found = [manner_of(*one.groups()) for one in SENTENCE.finditer(text) if is_korean(one[1])]
    if not found:
        return Register(None, 0.0)
    polite, plain = found.count("polite"), found.count("plain")
    certainty = max(polite, plain) / len(found)
    manner: Manner | None = ("polite" if polite > plain else "plain") if certainty >= _SURE else None
    return Register(manner, certainty)


def is_mostly_korean(text: str) -> bool | None:
    """Whether most letters of a text are Hangul; None of a text without letters.

    >>> is_mostly_korean("API를 호출했어요"), is_mostly_korean("Call 민수 back"), is_mostly_korean("1, 2")
    (True, False, None)
    """
    hangul, others = len(re.findall("[가-힣]", text)), len(_OTHER_LETTERS.findall(text))
    return 2 * hangul >= others if hangul + others else None  # a syllable is two letters or three


def is_korean(sentence: str) -> bool:
    """Whether a sentence has a Korean word."""
    return re.search("[가-힣]{2}", sentence) is not None


def manner_of(sentence: str, mark: str = "") -> Manner | None:
    """How one sentence speaks, None where its end does not tell; an ending that nouns have too tells only before a mark.

    >>> manner_of("감사합니다"), manner_of("나는 학생이 아니다"), manner_of("한국어"), manner_of("어제 먹었어")
    ('polite', 'plain', None, 'plain')
    """
    last = LAST_WORD.search(sentence)
    if last is None or _NOUNS.search(last[1]):
        return None
    word = last[1]
    if _POLITE.search(word) or (word.endswith(("니다", "니까")) and ends_in(word[:-2], "ㅂ")):
        return "polite"
    verb = word.endswith(("어", "지", "네", "냐")) and ends_in(word[:-1], "ㅆ", "ㅄ")
    verb |= word.endswith(("게", "까", "래", "걸")) and ends_in(word[:-1], "ㄹ")
    many = len(sentence.split()) > 1
    if verb or (_SURELY_PLAIN.search(word) and (many or mark.strip())):
        return "plain"
    return "plain" if mark.strip() and _PLAIN.search(word) else None


def ends_in(word: str, *finals: str) -> bool:
    """Whether the last syllable of a word closes with one of some consonants.

    >>> ends_in("합", "ㅂ"), ends_in("하", "ㅂ"), ends_in("했", "ㅆ", "ㅄ")
    (True, False, True)
    """
    last = word[-1:]
    return "가" <= last <= "힣" and (ord(last) - ord("가")) % 28 in {_FINALS[one] for one in finals}
