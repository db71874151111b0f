"""Lines of expectations in English: whole sentences of a few known forms; any other sentence is not understood."""

from __future__ import annotations

import re
from typing import Literal

from haechi.expectations.meanings import Condition, Mention
from haechi.expectations.sentence_parts import (
    KEY,
    MUST,
    QUOTED,
    EntryConditions,
    LineClaim,
    Sentence,
    condition,
    english,
    first_match,
    is_key,
    keys_of,
    number_range,
)
from haechi.regex import regex

_MUST_NOT = r"(?:(?:should|must|shall|does|do|will) ?(?:not|never)|(?:should|must|does|do)n['’]t|never) "
_VALUE = rf"(?:{QUOTED}|(?<![A-Za-z0-9_./\-])(?-i:true|false|[A-Z0-9_][A-Z0-9_./\-]*)(?![a-z]))"
_ENTRY = r"(?:entry|item|element|object)"
_ENTRIES = r"(?:entry|entries|items?|elements?|objects?)"
_LIST = r"(?:the )?dataUIList"
_IN_LIST = rf"(?: (?:in|of|inside|within) {_LIST})?"
_A = r"(?:an?|at least one|one or more|some)"
_EQUALS = r"(?: ?(?:is|equals|equal to|of|set to|==?|:))?"
_AND = rf"(?: and|,)(?: (?:the|an?|with|whose))? ({KEY})(?: value)?{_EQUALS} ?({_VALUE})"
_MORE = "(?P<more>(?:" + re.sub(r"\((?!\?)", "(?:", _AND) + "){0,9})"
_WITH = rf"(?:with|whose|where|having|that has|which has) (?:(?:the|an?) )?(?P<key>{KEY})(?: value)?{_EQUALS} ?(?P<value>{_VALUE}){_MORE}"
_NUMBER = (
    r"(?P<lead>at least |at most |exactly |only |more than |fewer than |less than |up to |)"
    r"(?P<number>\d+|one|two|three|four|five|six|seven|eight|nine|ten)(?P<end> or more| or fewer| or less|)"
)
_NUMBERS = {
    name: n
    for n, name in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], start=1
    )
}
_MESSAGE = r"(?:the )?(?:assistantMessage|assistant message|message|reply|response|answer)"
_TEXTS = rf"(?P<texts>{QUOTED}(?:(?:,| and|,? or) {QUOTED}){{0,9}})"
_SAYS = r"(?:mentions?|contains?|includes?|says?|states?|refers? to)"
_ABOUT = r"(?: (?:the |any |an? )?(?:content|text|words?|phrase|something|information|string|keyword))?(?: (?:related to|relating to|about|on|regarding|concerning))?"
_THAT = rf"(?:that|the|this|said|the same) {_ENTRY}"
_BE = r"(?: (?:is|equals|should be|must be|is set to|should equal|must equal|should be set to|must be set to)| ?(?:==?|:))"

_MENTIONS = english(
    rf"(?:does )?{_MESSAGE} (?:(?P<no>{_MUST_NOT})|{MUST}){_SAYS}{_ABOUT} (?P<how>either |both )?{_TEXTS}",
    rf"(?P<how>(?!))?{_TEXTS} (?:is|are|should be|must be) (?P<no>not )?(?:mentioned|included|contained|stated) in {_MESSAGE}",
)
_NAMED = english(
    rf"(?:does )?{_LIST} (?:(?P<no>{_MUST_NOT})|{MUST})(?:contains?|has|have|includes?) {_A} {_ENTRY} {_WITH}",
    rf"(?:is there|there (?:is|exists|should be|must be)) (?P<no>no |not )?(?:{_A} )?{_ENTRY}{_IN_LIST} {_WITH}{_IN_LIST}",
    rf"(?:does )?{_A} {_ENTRY}{_IN_LIST} {_WITH} (?P<no>{_MUST_NOT})?{MUST}(?:exists?|is present|be present){_IN_LIST}",
    rf"(?P<no>no) {_ENTRY}{_IN_LIST} {_WITH} (?:exists|is present){_IN_LIST}",
)
_LISTED = regex(
    rf"(?:{_LIST} {MUST}(?:has|have|contains?|includes?)|there (?:are|is|should be|must be)) {_NUMBER} {_ENTRIES}"
    rf"(?P<in>{_IN_LIST})(?: {_WITH})?",
    re.IGNORECASE,
)
_EMPTY = regex(
    rf"{_LIST} (?:is|should be|must be) (?P<no>not )?(?:empty|an empty list|an empty array)", re.IGNORECASE
)
_ASKS_TO = regex(
    r"(?:please )?(?:check|verify|ensure|confirm|assert|make sure)(?: that| whether| if)? ", re.IGNORECASE
)
_KEY_VALUE = english(
    rf"(?:is )?(?P<that>{_THAT}['’]s|its) (?:(?P<inner>value)(?:['’]s)? )?(?P<key>{KEY})(?: value)?{_BE} ?(?P<value>{_VALUE})",
    rf"the (?P<key>{KEY})(?P<inner> in (?:its|the) value)? (?P<that>of {_THAT}){_BE} ?(?P<value>{_VALUE})",
    rf"is the (?P<key>{KEY})(?P<inner> in (?:its|the) value)? (?P<that>of {_THAT}) ?(?P<value>{_VALUE})",
    rf"(?:does )?(?P<that>{_THAT}) {MUST}(?:has|have) (?:an? |the )?(?P<key>{KEY})(?: value)?{_EQUALS} ?(?P<value>{_VALUE})(?P<inner>(?!))?",
    rf"(?P<that>(?!))?(?:the )?(?P<key>{KEY})(?P<inner> in (?:its|the) value)?{_BE} ?(?P<value>{_VALUE})",
)


def read(sentence: Sentence) -> LineClaim | None:
    """What an English sentence asks; None when it is not understood.

    >>> read(Sentence.of('The message must not mention "합격"'))
    Mention(texts=('합격',), every=True, negated=True)
    >>> print(read(Sentence.of("The tone is friendly")))
    None
    """
    plain = Sentence(_ASKS_TO.sub("", sentence.text, count=1), sentence.quoted)
    for form in (_mention, _numbered, _empty, _named, _key_value):
        said = form(plain)
        if said is not None:
            return said
    return None


def _mention(sentence: Sentence) -> Mention | None:
    match = first_match(_MENTIONS, sentence)
    if match is None:
        return None
    texts, either = sentence.texts(match["texts"]), " or " in match["texts"]
    how = (match["how"] or "").strip().lower()
    if not all(texts) or (match["no"] and len(texts) > 1) or how == ("both" if either else "either"):
        return None
    return Mention(texts, not either, bool(match["no"]))


def _named(sentence: Sentence) -> EntryConditions | None:
    match = first_match(_NAMED, sentence)
    asked = match and _conditions(sentence, match)
    if not match or not asked:
        return None
    least, most = (0, 0) if match["no"] else (1, None)
    return EntryConditions(asked, least, most, "list", names=True)


def _empty(sentence: Sentence) -> EntryConditions | None:
    match = _EMPTY.fullmatch(sentence.text)
    if match is None:
        return None
    return EntryConditions((), 1, None, "list") if match["no"] else EntryConditions((), 0, 0, "list")


def _numbered(sentence: Sentence) -> EntryConditions | None:
    match = _LISTED.fullmatch(sentence.text)
    if match is None or not (match["key"] or match["in"] or "dataUIList" in sentence.text):
        return None
    word = match["number"].lower()
    number = number_range(_NUMBERS.get(word) or int(word[:9]), match["lead"].lower(), match["end"].lower())
    if number is None:
        return None
    if not match["key"]:
        return EntryConditions((), *number, "list")
    asked = _conditions(sentence, match)
    return EntryConditions(asked, *number, "list", names=True) if asked else None


def _key_value(sentence: Sentence) -> EntryConditions | None:
    match = first_match(_KEY_VALUE, sentence)
    if match is None or not (match["that"] or match["inner"] or is_key(match["key"])):
        return None
    of: Literal["that", ""] = "that" if match["that"] else ""
    keys = keys_of(match["key"], bool(match["inner"]))
    asked = condition(keys, "eq", (sentence.value(match["value"]),))
    return EntryConditions((asked,), of=of) if asked else None


def _conditions(sentence: Sentence, match: re.Match[str]) -> tuple[Condition, ...]:
    """The first condition, and those that follow with `and`; none where one is not understood."""
    pairs = [(match["key"], match["value"]), *re.findall(_AND, match["more"], re.IGNORECASE)]
    asked = [condition(keys_of(key), "eq", (sentence.value(value),)) for key, value in pairs]
    return tuple(one for one in asked if one) if all(asked) else ()
