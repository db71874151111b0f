"""Lines of expectations in Korean: whole sentences of a few known forms; any other sentence is not understood.

A pattern has to fit the whole sentence. A word that no pattern knows, a condition more, a doubtful negation
("아닌가") leave the line open rather than half understood.
"""

from __future__ import annotations

import re
from typing import Literal

from haechi.expectations.korean_patterns import (
    ITS,
    KEY_CONTAINS,
    KEY_EXISTS,
    KEY_FILLED,
    KEY_NUMBER,
    KEY_VALUE,
    LIST_EMPTY,
    LIST_NUMBER,
    LIST_SO_MANY,
    LIST_THERE,
    MENTIONS,
    NAMED,
    NAMED_INSIDE,
    NAMED_NUMBER,
    NUMBERS,
    OF_NAMED,
    VALUE,
)
from haechi.expectations.meanings import Condition, Mention
from haechi.expectations.sentence_parts import (
    KEY,
    EntryConditions,
    LineClaim,
    Sentence,
    condition,
    is_key,
    keys_of,
    number_range,
)


def read(sentence: Sentence) -> LineClaim | None:
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
    for pattern in MENTIONS:
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


def _named(sentence: Sentence) -> EntryConditions | None:
    match = NAMED.fullmatch(sentence.text)
    conditions = match and _conditions(sentence, match)
    if not match or not conditions:
        return None
    least, most = (0, 0) if match["no"] else (1, None)
    return EntryConditions(conditions, least, most, _of(match) or "list", names=True)


def _named_inside(sentence: Sentence) -> EntryConditions | None:
    """An entry below `value` that has a value: the same as the key below `value`."""
    match = NAMED_INSIDE.fullmatch(sentence.text)
    if not match or ("," in match["values"] and not match["one"]):
        return None
    return _asked(match, condition(_keys(match), "eq", _values(sentence, match["values"])))


def _of_named(sentence: Sentence) -> EntryConditions | None:
    """A key of an entry that the sentence itself names: formType이 "ACTION"인 항목의 actionType 값이 "OPEN"인가."""
    match = OF_NAMED.fullmatch(sentence.text)
    named = match and _conditions(sentence, match)
    if not match or not named:
        return None
    rest = Sentence(f"해당 항목의 {match['asked']}", sentence.quoted)
    forms = (_key_number, _key_contains, _key_exists, _key_filled, _key_value)
    asked = next((said for form in forms if (said := form(rest)) is not None), None)
    if asked is None:
        return None
    return EntryConditions((*named, *asked.conditions), of="list", names=True, own=len(asked.conditions))


def _numbered(sentence: Sentence) -> EntryConditions | None:
    match = NAMED_NUMBER.fullmatch(sentence.text)
    conditions = match and _conditions(sentence, match)
    number = match and _number(match)
    if not match or not conditions or not number:
        return None
    return EntryConditions(conditions, *number, _of(match) or "list", names=True)


def _list_size(sentence: Sentence) -> EntryConditions | None:
    match = LIST_NUMBER.fullmatch(sentence.text) or LIST_SO_MANY.fullmatch(sentence.text)
    if match:
        number = _number(match)
        return EntryConditions((), *number, "list") if number else None
    match = LIST_THERE.fullmatch(sentence.text)
    if match:
        return EntryConditions((), 1, None, "list") if match["yes"] else EntryConditions((), 0, 0, "list")
    match = LIST_EMPTY.fullmatch(sentence.text)
    if match:
        return EntryConditions((), 0, 0, "list") if match["yes"] else EntryConditions((), 1, None, "list")
    return None


def _key_value(sentence: Sentence) -> EntryConditions | None:
    match = KEY_VALUE.fullmatch(sentence.text)
    if not match:
        return None
    several = "," in match["values"] and not match["one"]
    if several or not (match["is"] or match["sign"] or sentence.texts(match["values"])):
        return None
    return _asked(match, condition(_keys(match), "eq", _values(sentence, match["values"])))


def _key_contains(sentence: Sentence) -> EntryConditions | None:
    match = KEY_CONTAINS.fullmatch(sentence.text)
    if not match:
        return None
    return _asked(match, condition(_keys(match), "contains", _values(sentence, match["values"])))


def _key_exists(sentence: Sentence) -> EntryConditions | None:
    match = KEY_EXISTS.fullmatch(sentence.text)
    return _asked(match, condition(_keys(match), "exists")) if match else None


def _key_filled(sentence: Sentence) -> EntryConditions | None:
    match = KEY_FILLED.fullmatch(sentence.text)
    return _asked(match, condition(_keys(match), "filled")) if match else None


def _key_number(sentence: Sentence) -> EntryConditions | None:
    match = KEY_NUMBER.fullmatch(sentence.text)
    number = match and _number(match)
    if not match or not number:
        return None
    return _asked(match, condition(_keys(match), "count", number))


def _asked(match: re.Match[str], asked: Condition | None) -> EntryConditions | None:
    return EntryConditions((asked,), of=_of(match)) if asked else None


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
        rf"(?:이고|이며|이면서|,) ({KEY}){ITS}(?:이|가|은|는)? ?(?:(?:==?|:) ?)?({VALUE})", match["more"]
    )
    pairs += [(one[1], one[2]) for one in more]
    found = [condition(keys_of(key), "eq", _values(sentence, written)) for key, written in pairs]
    known = tuple(one for one in found if one)
    return known if len(known) == len(found) else None


def _values(sentence: Sentence, written: str) -> tuple[str, ...]:
    return tuple(sentence.value(one) for one in re.findall(VALUE, written))


def _number(match: re.Match[str]) -> tuple[int, int | None] | None:
    word, sized = match["number"], match.groupdict().get("size")
    if not (match["unit"] or sized or match["end"].strip() or word in ("하나", "둘", "셋", "넷")):
        return None
    number = NUMBERS.get(word) or (int(word) if len(word) < 10 and word.isdecimal() else None)
    if number is None:
        return None
    if number == 1 and match["there"] and not (match["lead"] or match["end"]):
        return None  # "한 개 존재": one, or at least one?
    return number_range(number, match["lead"], match["end"])
