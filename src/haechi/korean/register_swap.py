"""A Korean text in the other manner of speech, 존댓말 for 반말 or the other way round, where every ending can be turned by rule."""

from __future__ import annotations

import re

from haechi.korean.register import LAST_WORD, SENTENCE, Manner, ends_in, is_korean, manner_of, register_of
from haechi.regex import regex

_WHOLE = {
    "감사합니다": "고마워",
    "고맙습니다": "고마워",
    "안녕하세요": "안녕",
    "죄송합니다": "미안해",
    "반갑습니다": "반가워",
    "아닙니다": "아니야",
    "아니에요": "아니야",
}
_CLOSED = {
    "같": "아",
    "좋": "아",
    "많": "아",
    "맞": "아",
    "찮": "아",
    "높": "아",
    "작": "아",
    "싶": "어",
    "늦": "어",
}
_OPEN = {"합": "해", "됩": "돼", "봅": "봐", "줍": "줘", "갑": "가", "옵": "와"}
_DROPPED = regex(r"[어아해여워와줘봐돼네군든데까래걸져려쳐켜겨서]요$|[갈-힣]게요$")
_REFUSED = regex(r"(?:세|셔|나|가|고|구|이|에|예)요$")
_ADDED = regex(r"(?:잖아|거든|는데|은데|인데|[해돼봐줘와]|[같좋많맞찮]아|싶어)$")
_I = {"저는": "나는", "제가": "내가", "저도": "나도", "저를": "나를", "저에게": "나에게", "저한테": "나한테"}
_ALONE = r"(?<![가-힣])(?:{})(?![가-힣])"
# Words that mark the reader or the speaker beyond an ending: a text with one of them is not turned.
_BEYOND: dict[Manner, re.Pattern[str]] = {
    "polite": re.compile(
        _ALONE.format("저|제|저희|당신|귀하|고객|네|예|넵")
        + r"|님|으시|셨|[가-힣]시[면고는니길겠]|실 수|드[리려릴]|께서|말씀|여쭤"
    ),
    "plain": re.compile(_ALONE.format("너|네|넌|널|너는|네가|니가|너도|너의|내|난|날|나의|나|응")),
}


def turn_register(text: str) -> str | None:
    """The text in the other manner; None where it has none, or where an ending or a word cannot be turned by rule.

    What it says stays the same. Rules cover endings that have one counterpart, and no honorific verbs; whatever else a text holds, it is left alone.

    >>> turn_register("비가 왔어요. 저는 집에 있었습니다!"), turn_register("오늘은 휴일이야. 나는 잤어.")
    ('비가 왔어. 나는 집에 있었어!', '오늘은 휴일이에요. 저는 잤어요.')
    >>> turn_register("우산은 챙기셨어요?"), turn_register("It rained.")
    (None, None)
    """
    manner = register_of(text).manner
    if manner is None or _BEYOND[manner].search(text):
        return None
    said = _I if manner == "polite" else {plain: polite for polite, plain in _I.items()}
    ending = _plain if manner == "polite" else _polite
    made = []
    for sentence in SENTENCE.finditer(text):
        if not is_korean(sentence[1]):
            made.append(sentence[0])
            continue
        last = LAST_WORD.search(sentence[1])
        new = ending(last[1]) if last is not None and manner_of(*sentence.groups()) == manner else None
        if last is None or new is None:
            return None
        made.append(sentence[1][: last.start(1)] + new + sentence[1][last.end(1) :] + sentence[2])
    words = "|".join(map(re.escape, said))
    head = text[: len(text) - len(text.lstrip(".!?…~\n"))]
    return head + re.sub(_ALONE.format(words), lambda one: said[one[0]], "".join(made))


def _plain(word: str) -> str | None:
    """A polite last word of a sentence in plain speech."""
    if word in _WHOLE:
        return _WHOLE[word]
    if word.endswith("습니다"):
        stem = word[:-3]
        return (
            stem + "어"
            if ends_in(stem, "ㅆ", "ㅄ")
            else stem + _CLOSED[stem[-1]]
            if stem[-1:] in _CLOSED
            else None
        )
    if word.endswith("입니다") and len(word) > 3:
        return word[:-3] + ("이야" if _is_closed(word[-4]) else "야")
    if word.endswith("니다"):
        stem = word[:-2]
        return stem[:-1] + _OPEN[stem[-1]] if stem[-1:] in _OPEN else None
    if word.endswith(("이에요", "이예요")):
        return word[:-3] + "이야"
    if word.endswith(("거예요", "뭐예요")):
        return word[:-2] + "야"
    if word.endswith(("지요", "죠")):
        return word.removesuffix("요").removesuffix("죠") + ("지" if word.endswith("죠") else "")
    return word[:-1] if _DROPPED.search(word) and not _REFUSED.search(word) else None


def _polite(word: str) -> str | None:
    """A plain last word of a sentence in polite speech."""
    if word.endswith(("거야", "뭐야")):
        return word[:-1] + "예요"
    if word.endswith("이야") and len(word) > 2 and _is_closed(word[-3]):
        return word[:-1] + "에요"
    if word.endswith("구나"):
        return word[:-2] + "군요"
    if word.endswith("다"):
        return _formal(word[:-1])
    verb = word.endswith(("어", "지", "네")) and ends_in(word[:-1], "ㅆ", "ㅄ")
    verb |= word.endswith(("게", "까")) and ends_in(word[:-1], "ㄹ")
    return word + "요" if verb or _ADDED.search(word) else None


def _formal(stem: str) -> str | None:
    if ends_in(stem, "ㅆ", "ㅄ") or stem[-1:] in _CLOSED:
        return stem + "습니다"
    if stem.endswith("는") and len(stem) > 1 and _is_closed(stem[-2]):
        return stem[:-1] + "습니다"
    if ends_in(stem, "ㄴ"):
        return stem[:-1] + chr(ord(stem[-1]) + 13) + "니다"
    return stem[:-1] + chr(ord(stem[-1]) + 17) + "니다" if stem.endswith(("이", "하")) else None


def _is_closed(syllable: str) -> bool:
    return (ord(syllable) - ord("가")) % 28 != 0
