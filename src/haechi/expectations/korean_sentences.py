"""Lines of expectations in Korean: whole sentences of a few known forms; any other sentence is not understood.

A pattern has to fit the whole sentence. A word that no pattern knows, a condition more, a doubtful negation
("아닌가") leave the line open rather than half understood.
"""

from __future__ import annotations

import re
from typing import Literal

from haechi.expectations.korean_endings import (
    BECOME,
    DO,
    IS,
    NOT_SAID,
    NOT_THERE,
    SAID,
    THERE,
    WHETHER,
)
from haechi.expectations.meanings import Condition, Mention
from haechi.expectations.said import (
    KEY,
    QUOTED,
    Asked,
    Said,
    Sentence,
    condition,
    is_key,
    keys_of,
    number_range,
)

_SURELY = r"(?:(?:정확히|정확하게|올바르게|제대로|반드시|정상적으로|명확히|명확하게|분명히) )?"
_INSIDE = r"(?: ?(?:내부|내|안|중|속))?"
_ENTRY = r"(?:(?:UI ?)?(?:항목|요소|객체|아이템|엔트리|원소|데이터|컴포넌트|것)|UI)"
_LIST = rf"(?:응답의 |응답 내 )?dataUIList(?: ?(?:배열|목록|리스트))?{_INSIDE}(?:에서|에는|에|의)?"
_THAT = rf"(?:해당|그|이|위|위의|상기|동일한|같은) ?{_ENTRY}{_INSIDE}(?:에서|에는|에|의|은|는|이|가)?"
_OF = rf"(?:(?P<that>{_THAT}) |(?P<list>{_LIST}) )?(?:uiValue{_INSIDE}(?:에서|에는|에|의)? )?"
_INNER = rf"(?:(?P<inner>value)(?: ?(?:객체|필드|값))?{_INSIDE}(?:에서|에는|에|의)? )?"
_VALUE = rf"(?:{QUOTED}|(?<![A-Za-z0-9_./\-])[A-Za-z0-9_][A-Za-z0-9_./\-]*)"
_ONE_OF = rf"{_VALUE}(?:(?:, ?| ?또는 | ?혹은 |이나 |나 ){_VALUE}){{0,9}}"
_ITS = r"(?: ?(?:의 )?(?:값|필드 ?값|속성 ?값|필드|속성|키 ?값|키|타입))?"
_HAS = (
    rf"(?P<key>{KEY})(?P<its>{_ITS})(?:이|가|은|는|의 값이)? ?(?:(?:반드시|항상) )?(?:(?P<sign>==?|:) ?)?(?P<values>{_ONE_OF})"
    r"(?P<one> ?중 ?(?:하나|한 가지))?"
)
_BEING = r"(?: ?인|이 되는|(?:을|를) ?(?:가진|갖는|가지는)|(?:으로|로) ?(?:설정된|지정된|된)|(?:과|와) ?(?:같은|일치하는|동일한)|의)?"
_MORE = (
    rf"(?P<more>(?:(?:이고|이며|이면서|,) (?:{KEY}){_ITS}(?:이|가|은|는)? ?(?:(?:==?|:) ?)?{_VALUE}){{0,9}})"
)
_NUMBER = (
    r"(?P<lead>최소|적어도|최대|정확히|총|) ?(?P<number>\d+|하나|한|두|둘|세|셋|네|넷|다섯|여섯|일곱|여덟|아홉|열) ?(?P<unit>개|건|가지)?"
    r"(?P<end> ?이상| ?이하| ?초과| ?미만|만|)"
)
_NUMBERS = {
    "하나": 1, "한": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
    "열": 10,
}  # fmt: skip
_SIZE = r"(?: ?의)?(?P<size> ?(?:개수|갯수|길이|건수|수))?(?:이|가|은|는)?"

_MESSAGE = (
    r"(?:(?:AI|에이전트|챗봇|어시스턴트)의? )?"
    r"(?:assistantMessage|[Aa]ssistant [Mm]essage|어시스턴트 메시지|응답 메시지|답변 메시지|안내 메시지|응답 문구|메시지|메세지|답변|응답)"
    r"(?:\((?:assistantMessage|(?:AI|에이전트|챗봇|어시스턴트)? ?(?:응답|답변|안내|메시지|메세지)(?: ?(?:메시지|메세지|문구|내용|텍스트))?)\))?"
    rf"(?: ?(?:내용|본문|값|텍스트|문구|필드 ?값|필드))?{_INSIDE}(?:에서|에는|에도|에|가|이|은|는|으로|로| ?:)?"
)
_TEXTS = rf"(?P<texts>{QUOTED}(?:(?:, ?| ?및 |과 |와 |이나 |나 | ?또는 | ?혹은 ){QUOTED}){{0,9}})"
_ABOUT = (
    r"(?P<one> ?중 ?(?:하나|한 가지|하나 이상))?(?:과|와|이|가|을|를|에|은|는|도|의|라는|이라는|라고|이라고)?"
    r"(?: ?(?:관련(?:된|한|하여|해|해서|하는)?|대한|대해|대하여|관한))?"
    r"(?: ?(?:내용|문구|문장|안내|텍스트|단어|표현|키워드|메시지|설명|정보|언급|문자열|안내 문구|안내 내용|안내 메시지))?(?:이|가|을|를|도|은|는)?"
    r"(?P<all> ?모두)?"
)


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_MENTIONS = (
    _whole(rf"{_MESSAGE} ?{_TEXTS}{_ABOUT} ?{_SURELY}(?:(?P<yes>{SAID})|(?P<no>{NOT_SAID})){WHETHER}"),
    _whole(rf"{_TEXTS}{_ABOUT} {_MESSAGE} ?{_SURELY}(?:(?P<yes>{SAID})|(?P<no>{NOT_SAID})){WHETHER}"),
)
_NAMED = _whole(
    rf"{_OF}{_HAS}{_MORE}{_BEING} ?(?:{_ENTRY}(?:이|가|은|는|을|를)?|(?:이|가))(?: (?P<later>{_LIST}))? ?{_SURELY}"
    rf"(?:(?P<yes>{THERE})|(?P<no>{NOT_THERE})){WHETHER}"
)
_NAMED_INSIDE = _whole(
    rf"{_OF}(?P<inner>value)(?: ?(?:객체|필드|값|배열|목록|리스트))?{_INSIDE}(?:에서|에는|에|의)? {_HAS}{_BEING} ?(?:{_ENTRY}|값)(?:이|가) {_SURELY}{THERE}{WHETHER}"
)
_OF_NAMED = _whole(
    rf"(?P<that>(?!))?(?:(?P<list>{_LIST}) )?{_HAS}{_MORE}{_BEING} ?{_ENTRY}{_INSIDE}(?:에서|에는|에|의|은|는|이|가)? (?P<asked>.+)"
)
_NAMED_NUMBER = _whole(
    rf"{_OF}{_HAS}{_MORE}{_BEING} ?{_ENTRY}{_SIZE}(?: {_LIST})? {_NUMBER}(?: ?{_SURELY}(?P<there>{THERE})|{IS}){WHETHER}"
)
_KEY_VALUE = _whole(rf"{_OF}{_INNER}{_HAS}(?P<is> ?{IS})?{WHETHER}")
_KEY_CONTAINS = _whole(
    rf"{_OF}{_INNER}(?P<key>{KEY})(?P<its>{_ITS}){_INSIDE}(?:에|에는|이|가|은|는) (?P<values>{_VALUE})(?:이|가|을|를|라는|이라는)?"
    rf"(?: ?(?:문구|문자열|텍스트|값|내용)(?:이|가|을|를)?)? ?{_SURELY}포함(?: ?{DO}| ?{BECOME})?{WHETHER}"
)
_KEY_EXISTS = _whole(rf"{_OF}{_INNER}(?P<key>{KEY})(?P<its>{_ITS})(?:이|가|은|는) {_SURELY}{THERE}{WHETHER}")
_KEY_FILLED = _whole(
    rf"{_OF}{_INNER}(?P<key>{KEY})(?P<its>{_ITS})(?:이|가|은|는) 비어 ?있지 ?않(?:은가요?|은지|다|음|아야 ?(?:함|한다|합니다)){WHETHER}"
)
_KEY_NUMBER = _whole(
    rf"{_OF}{_INNER}(?P<key>{KEY})(?P<its>(?: ?(?:목록|배열|리스트|항목|요소))?){_SIZE} {_NUMBER}(?: ?{_SURELY}(?P<there>{THERE})|{IS}){WHETHER}"
)
_LIST_NUMBER = _whole(
    rf"dataUIList(?: ?(?:배열|목록|리스트))?{_INSIDE}(?:에서|에는|에|의)?(?: ?{_ENTRY})?{_SIZE} {_NUMBER}(?: ?{_SURELY}(?P<there>{THERE})|{IS}){WHETHER}"
)
_LIST_SO_MANY = _whole(
    rf"dataUIList(?: ?(?:배열|목록|리스트))?{_INSIDE}(?:에서|에는|에) {_NUMBER}의? {_ENTRY}(?:이|가) {_SURELY}(?P<there>{THERE}){WHETHER}"
)
_LIST_THERE = _whole(
    rf"dataUIList(?: ?(?:배열|목록|리스트))?(?:에 {_ENTRY}(?:이|가)|이|가|은|는) {_SURELY}(?:(?P<yes>{THERE})|(?P<no>{NOT_THERE})){WHETHER}"
)
_LIST_EMPTY = _whole(
    r"dataUIList(?: ?(?:배열|목록|리스트))?(?:이|가|은|는) (?:(?P<yes>비어 ?있(?:는가요?|는지|다|음|어야 ?(?:함|한다|합니다))|빈 (?:배열|목록|리스트)(?:인가|인지|이다|임))"
    rf"|(?P<no>비어 ?있지 ?않(?:은가요?|은지|다|음|아야 ?(?:함|한다|합니다)))){WHETHER}"
)


def read(sentence: Sentence) -> Said | None:
    """What a Korean sentence asks; None when it is not understood.

    >>> read(Sentence.of('assistantMessage에 "면접 일정"과 관련된 내용이 언급되어 있는가'))
    Mention(texts=('면접 일정',), every=True, negated=False)
    >>> print(read(Sentence.of("답변이 친절한가")))
    None
    """
    for form in (
        _mention,
        _list_size,
        _named,
        _named_inside,
        _numbered,
        _key_number,
        _key_contains,
        _key_exists,
        _key_filled,
        _key_value,
        _of_named,
    ):
        said = form(sentence)
        if said is not None:
            return said
    return None


def _mention(sentence: Sentence) -> Mention | None:
    for pattern in _MENTIONS:
        match = pattern.fullmatch(sentence.text)
        if match:
            texts = sentence.texts(match["texts"])
            either = bool(re.search(r"또는|혹은|나 ", match["texts"])) or bool(match["one"])
            if not all(texts) or (either and match["all"]):
                return None
            if match["no"] and len(texts) > 1:
                return None  # "A와 B가 언급되지 않는가": neither, or not both?
            return Mention(texts, not either, bool(match["no"]))
    return None


def _named(sentence: Sentence) -> Asked | None:
    match = _NAMED.fullmatch(sentence.text)
    conditions = match and _conditions(sentence, match)
    if not match or not conditions:
        return None
    least, most = (0, 0) if match["no"] else (1, None)
    return Asked(conditions, least, most, _of(match) or "list", names=True)


def _named_inside(sentence: Sentence) -> Asked | None:
    """An entry below `value` that has a value: the same as the key below `value`."""
    match = _NAMED_INSIDE.fullmatch(sentence.text)
    if not match or ("," in match["values"] and not match["one"]):
        return None
    return _asked(match, condition(_keys(match), "eq", _values(sentence, match["values"])))


def _of_named(sentence: Sentence) -> Asked | None:
    """A key of an entry that the sentence itself names: formType이 "ACTION"인 항목의 actionType 값이 "OPEN"인가."""
    match = _OF_NAMED.fullmatch(sentence.text)
    named = match and _conditions(sentence, match)
    if not match or not named:
        return None
    rest = Sentence(f"해당 항목의 {match['asked']}", sentence.quoted)
    forms = (_key_number, _key_contains, _key_exists, _key_filled, _key_value)
    asked = next((said for form in forms if (said := form(rest)) is not None), None)
    if asked is None:
        return None
    return Asked((*named, *asked.conditions), of="list", names=True, own=len(asked.conditions))


def _numbered(sentence: Sentence) -> Asked | None:
    match = _NAMED_NUMBER.fullmatch(sentence.text)
    conditions = match and _conditions(sentence, match)
    number = match and _number(match)
    if not match or not conditions or not number:
        return None
    return Asked(conditions, *number, _of(match) or "list", names=True)


def _list_size(sentence: Sentence) -> Asked | None:
    match = _LIST_NUMBER.fullmatch(sentence.text) or _LIST_SO_MANY.fullmatch(sentence.text)
    if match:
        number = _number(match)
        return Asked((), *number, "list") if number else None
    match = _LIST_THERE.fullmatch(sentence.text)
    if match:
        return Asked((), 1, None, "list") if match["yes"] else Asked((), 0, 0, "list")
    match = _LIST_EMPTY.fullmatch(sentence.text)
    if match:
        return Asked((), 0, 0, "list") if match["yes"] else Asked((), 1, None, "list")
    return None


def _key_value(sentence: Sentence) -> Asked | None:
    match = _KEY_VALUE.fullmatch(sentence.text)
    if not match:
        return None
    several = "," in match["values"] and not match["one"]
    if several or not (match["is"] or match["sign"] or sentence.texts(match["values"])):
        return None
    return _asked(match, condition(_keys(match), "eq", _values(sentence, match["values"])))


def _key_contains(sentence: Sentence) -> Asked | None:
    match = _KEY_CONTAINS.fullmatch(sentence.text)
    if not match:
        return None
    return _asked(match, condition(_keys(match), "contains", _values(sentence, match["values"])))


def _key_exists(sentence: Sentence) -> Asked | None:
    match = _KEY_EXISTS.fullmatch(sentence.text)
    return _asked(match, condition(_keys(match), "exists")) if match else None


def _key_filled(sentence: Sentence) -> Asked | None:
    match = _KEY_FILLED.fullmatch(sentence.text)
    return _asked(match, condition(_keys(match), "filled")) if match else None


def _key_number(sentence: Sentence) -> Asked | None:
    match = _KEY_NUMBER.fullmatch(sentence.text)
    number = match and _number(match)
    if not match or not number:
        return None
    return _asked(match, condition(_keys(match), "count", number))


def _asked(match: re.Match[str], asked: Condition | None) -> Asked | None:
    return Asked((asked,), of=_of(match)) if asked else None


def _keys(match: re.Match[str]) -> tuple[str, ...] | None:
    """The key of a sentence; a word that neither looks like a key nor is called one is none."""
    called = match["that"] or match["list"] or match["inner"] or match["its"].strip()
    return keys_of(match["key"], bool(match["inner"])) if called or is_key(match["key"]) else None


def _of(match: re.Match[str]) -> Literal["that", "list", ""]:
    of_list = match["list"] or match["key"].startswith("dataUIList")
    return "that" if match["that"] else "list" if of_list else ""


def _conditions(sentence: Sentence, match: re.Match[str]) -> tuple[Condition, ...] | None:
    """The first condition, and those that follow with 이고."""
    if "," in match["values"] and not match["one"]:
        return None
    if not (match["that"] or match["list"] or match["its"].strip() or is_key(match["key"])):
        return None
    said_so = match["its"].strip() or match["sign"] or sentence.texts(match["values"])
    if not said_so and not is_key(match["key"]):
        return None  # two words side by side are a key and its value only where the first can be nothing else
    pairs = [(match["key"], match["values"])]
    more = re.finditer(
        rf"(?:이고|이며|이면서|,) ({KEY}){_ITS}(?:이|가|은|는)? ?(?:(?:==?|:) ?)?({_VALUE})", match["more"]
    )
    pairs += [(one[1], one[2]) for one in more]
    found = [condition(keys_of(key), "eq", _values(sentence, written)) for key, written in pairs]
    known = tuple(one for one in found if one)
    return known if len(known) == len(found) else None


def _values(sentence: Sentence, written: str) -> tuple[str, ...]:
    return tuple(sentence.value(one) for one in re.findall(_VALUE, written))


def _number(match: re.Match[str]) -> tuple[int, int | None] | None:
    word, sized = match["number"], match.groupdict().get("size")
    if not (match["unit"] or sized or match["end"].strip() or word in ("하나", "둘", "셋", "넷")):
        return None
    number = _NUMBERS.get(word) or (int(word) if len(word) < 10 and word.isdecimal() else None)
    if number is None:
        return None
    if number == 1 and match["there"] and not (match["lead"] or match["end"]):
        return None  # "한 개 존재": one, or at least one?
    return number_range(number, match["lead"], match["end"])
