"""Lines of expectations about calls of tools, in Korean and English: whole sentences of a few known forms."""

from __future__ import annotations

import re

from haechi.expectations.korean_patterns import BECOME, DO, IS, NEGATED, NUMBERS, WHETHER
from haechi.expectations.sentence_parts import (
    KEY,
    MUST,
    NOT_KEYS,
    QUOTED,
    Sentence,
    english,
    first_match,
    is_key,
    number_range,
)
from haechi.expectations.tool_calls import ToolCallCount, ToolCallOrder
from haechi.regex import regex

Call = ToolCallCount | ToolCallOrder

_WORD = r"[A-Za-z_][A-Za-z0-9_.\-]*"
_NAME = rf"(?:{QUOTED}|{_WORD})"
_VALUE = rf"(?:{QUOTED}|(?<![A-Za-z0-9_./\-])[A-Za-z0-9_\-][A-Za-z0-9_./\-]*)"

# Korean
_KIND = r"(?:도구|툴|함수|[Tt]ool|API)"


def _tool(group: str) -> str:
    return rf"(?:(?P<{group}_of>{_KIND}) ?)?(?P<{group}>{_NAME})(?: ?(?P<{group}_kind>{_KIND}))?"


_WHO = r"(?:(?:에이전트|AI|챗봇|어시스턴트)(?:가|는|이|은) )?"
_SURELY = r"(?: ?(?:반드시|실제로|정확히|올바르게|정상적으로))?"
_CALL = r"(?P<verb>호출|사용|실행|이용)"
_CALLED = rf"{_CALL}(?: ?(?:{DO}|{BECOME}|(?P<no>(?:하|되){NEGATED})))?{WHETHER}"
_PARAMETER = r"(?:인자|인수|파라미터|매개변수|argument|parameter)"
_ARGUMENT = rf"(?:{KEY}) ?(?:(?:==?|:) ?|(?:이|가|은|는|을|를) ?){_VALUE}"
_ARGUMENTS = (
    rf" (?P<arguments>{_ARGUMENT}(?:(?:,| 및|과|와|이고) ?{_ARGUMENT}){{0,9}})(?: ?{_PARAMETER})?"
    r"(?:으로|로|과 함께|와 함께|(?:을|를) (?:넣어|전달하여|전달해|담아))"
)
_TIMES = (
    r" ?(?P<lead>최소|적어도|최대|정확히|총|) ?(?P<number>\d+|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열) ?(?:번|회|차례)"
    r"(?P<end> ?이상| ?이하| ?초과| ?미만|만|)(?:은|는)?"
)
_AFTER = r"(?:(?:을|를)? ?호출(?:한|하고|하고 ?난)? ?(?:뒤|후|다음|나서)?(?:에)?| ?(?:다음|뒤|후)(?:에)?|보다 (?:나중에|뒤에|늦게))"
_THEN = rf"(?:(?:을|를|이|가)? ?){_SURELY} ?{_CALLED}"
_KOREAN_CALLED = (
    re.compile(
        rf"{_WHO}{_tool('a')}(?:을|를|이|가|은|는)?{_SURELY}(?:{_ARGUMENTS})?(?:{_TIMES})? ?{_CALLED}"
    ),
    re.compile(
        rf"{_WHO}(?:{_ARGUMENTS[1:]} )?{_tool('a')}(?:을|를|이|가|은|는)?{_SURELY}(?:{_TIMES})? ?{_CALLED}"
    ),
)
_KOREAN_NONE = regex(
    rf"{_WHO}(?:어떤 |아무런? |다른 |)(?P<any>{_KIND})(?:도|을|를|이|가|은|는)?(?:{_TIMES})? ?{_CALLED}"
)
_KOREAN_ARGUMENT = regex(
    rf"{_tool('a')}(?P<call> ?호출)?(?:의|에서|에|시| 시)? ?(?P<of>{_PARAMETER} )?(?P<key>{KEY}) ?(?P<its>{_PARAMETER}(?: ?값)?|값)?(?:이|가|은|는)? ?"
    rf"(?:(?:==?|:) ?)?(?P<value>{_VALUE}) ?{IS}{WHETHER}"
)
_KOREAN_ORDER = (
    re.compile(rf"{_WHO}{_tool('a')}{_AFTER} {_tool('b')}{_THEN}"),
    re.compile(rf"{_WHO}{_tool('a')}(?:을|를|이|가|은|는)? {_tool('b')}보다 (?:먼저|앞서) ?{_CALLED}"),
    re.compile(rf"{_WHO}{_tool('b')}보다 {_tool('a')}(?:을|를|이|가)? (?:먼저|앞서) ?{_CALLED}"),
)
_LIST = rf"(?P<list>{_NAME}(?:(?: ?, ?| ?→ ?| ?-> ?| ?> ?){_NAME}){{1,9}})"
_KOREAN_LIST = regex(
    rf"{_WHO}(?:{_KIND}(?:를|을|가|이|는|은)? )?{_LIST}(?: ?{_KIND})?(?:을|를|이|가)? ?(?:의 )?순(?:서)?(?:대로|으로|로)? ?{_CALLED}"
)

# English
_E_KIND = r"(?:tool|function|API)"


def _named(group: str) -> str:
    return rf"(?:the )?(?:(?P<{group}_of>{_E_KIND}) )?(?P<{group}>{_NAME})(?: (?P<{group}_kind>{_E_KIND}))?"


_E_WHO = r"(?:(?:the )?(?:agent|assistant|model|bot) )?"
_NOT = r"(?P<no>(?:(?:should|must|shall|does|do|did|will) ?(?:not|never)|(?:should|must|does|do|did)n['’]t|never) )"
_CALLS = r"(?P<verb>calls?|called|invokes?|invoked|uses?|used)"
_BE_CALLED = (
    r"(?:is|was|are|were|should be|must be|has been|gets) (?P<no>not |never )?(?P<verb>called|invoked|used)"
)
_E_ARGUMENT = rf"(?:{KEY})(?: ?(?:==?|:) ?| (?:is |of |set to )?){_VALUE}"
_E_ARGUMENTS = rf"(?: with (?:the )?(?:arguments? |parameters? )?(?P<arguments>{_E_ARGUMENT}(?:(?:,|,? and) {_E_ARGUMENT}){{0,9}}))?"
_E_TIMES = r"(?: (?P<lead>at least |at most |exactly |only |more than |fewer than |up to |)(?:(?P<times>once|twice)|(?P<number>\d+|two|three|four|five) times))?"
_E_LIST = rf"(?P<list>{_NAME}(?:(?:,? and then |,? then |,? and |, ?| ?-> ?| ?→ ?| ?> ?){_NAME}){{1,9}})"
_ENGLISH_CALLED = english(
    rf"(?:does |did )?{_E_WHO}(?:{_NOT}|{MUST}){_CALLS} {_named('a')}{_E_ARGUMENTS}{_E_TIMES}",
    rf"{_named('a')} {_BE_CALLED}{_E_ARGUMENTS}{_E_TIMES}",
    rf"(?:is|was) {_named('a')} (?P<no>not )?(?P<verb>called|invoked|used){_E_ARGUMENTS}{_E_TIMES}",
)
_ENGLISH_NONE = (
    re.compile(
        rf"(?P<none>no) {_E_KIND}s? (?:is|are|was|were|should be|must be) (?:called|used|invoked)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:does )?{_E_WHO}{_NOT}(?:call|use|invoke) any {_E_KIND}s?", re.IGNORECASE),
)
_BE = r"(?: (?:is|was|equals|should be|must be|is set to)| ?(?:==?|:))"
_ENGLISH_ARGUMENT = english(
    rf"(?:is )?the (?P<key>{KEY}) (?:argument|parameter) (?:of|for|in|passed to) (?:the )?(?:calls? (?:to|of) )?{_named('a')}{_BE} ?(?P<value>{_VALUE})",
    rf"{_named('a')}['’]s (?P<key>{KEY}) (?:argument|parameter){_BE} ?(?P<value>{_VALUE})",
)
_ENGLISH_ORDER = (
    (re.compile(rf"{_named('a')} (?:is |was |must be |should be )?called before {_named('b')}", re.IGNORECASE), "ab"),
    (re.compile(rf"{_named('a')} (?:is |was |must be |should be )?called after {_named('b')}", re.IGNORECASE), "ba"),
    (re.compile(rf"(?:does )?{_E_WHO}{MUST}{_CALLS} {_named('a')} before (?:calling )?{_named('b')}", re.IGNORECASE), "ab"),
    (re.compile(rf"(?:does )?{_E_WHO}{MUST}{_CALLS} {_named('a')} after (?:calling )?{_named('b')}", re.IGNORECASE), "ba"),
    (re.compile(rf"(?:does )?{_E_WHO}{MUST}{_CALLS} {_named('a')},?(?: and)? then (?:calls? )?{_named('b')}", re.IGNORECASE), "ab"),
)  # fmt: skip
_ENGLISH_LIST = english(
    rf"(?:the )?(?:{_E_KIND}s )?(?:are|were|should be|must be) called in (?:the |this |that )?order:? {_E_LIST}",
    rf"(?:does )?{_E_WHO}{MUST}{_CALLS} {_E_LIST} in (?:this|that) order",
)
_ENGLISH_NUMBERS = {"once": 1, "twice": 2, "two": 2, "three": 3, "four": 4, "five": 5}
_NOT_TOOLS = {
    *NOT_KEYS,
    "dataUIList",
    "uiValue",
    "value",
    "formType",
    "the",
    "a",
    "an",
    "it",
    "tool",
    "tools",
}


def read(sentence: Sentence) -> Call | None:
    """What a sentence asks of calls of tools; None when it is not understood, or about something else.

    >>> read(Sentence.of('search_jobs 도구를 region="서울" 인자로 호출하는가'))
    ToolCallCount(tool='search_jobs', arguments=((('region',), '서울'),), least=1, most=None)
    >>> read(Sentence.of("close_job is called after search_jobs"))
    ToolCallOrder(tools=('search_jobs', 'close_job'))
    >>> print(read(Sentence.of("친절하게 응대하는가")))
    None
    """
    for form in (_in_order, _none, _argument, _called):
        said = form(sentence)
        if said is not None:
            return said
    return None


def _called(sentence: Sentence) -> Call | None:
    match = first_match((*_KOREAN_CALLED, *_ENGLISH_CALLED), sentence)
    tool = match and _tool_of(sentence, match, "a")
    number = match and _number(match)
    if not match or not tool or not number:
        return None
    arguments = _arguments(sentence, match["arguments"])
    if arguments is None or (match["no"] and number != (1, None)):
        return None  # "not called twice": never, or not so often?
    return ToolCallCount(tool, arguments, 0, 0) if match["no"] else ToolCallCount(tool, arguments, *number)


def _none(sentence: Sentence) -> Call | None:
    if first_match(_ENGLISH_NONE, sentence):
        return ToolCallCount(None, (), 0, 0)
    match = _KOREAN_NONE.fullmatch(sentence.text)
    number = match and _number(match)
    if not match or not number or (match["no"] and number != (1, None)):
        return None
    return ToolCallCount(None, (), 0, 0) if match["no"] else ToolCallCount(None, (), *number)


def _argument(sentence: Sentence) -> Call | None:
    match = first_match((_KOREAN_ARGUMENT, *_ENGLISH_ARGUMENT), sentence)
    tool = match and _tool_of(sentence, match, "a")
    if not match or not tool:
        return None
    korean = match.groupdict()
    if "its" in korean:  # that it is about a call has to be said, and that it is an argument
        says_call = korean["call"] or korean["a_kind"] or korean["a_of"]
        if not says_call or not (korean["its"] or korean["of"]):
            return None
    keys = tuple(match["key"].split("."))
    return ToolCallCount(tool, ((keys, sentence.value(match["value"])),))


def _in_order(sentence: Sentence) -> Call | None:
    listed = first_match((_KOREAN_LIST, *_ENGLISH_LIST), sentence)
    if listed and not listed.groupdict().get("no"):
        tools = [
            sentence.value(one) for one in re.findall(_NAME, listed["list"]) if one not in ("and", "then")
        ]
        return ToolCallOrder(tuple(tools)) if all(map(_is_name, tools)) else None
    for pattern, order in (*((one, "ab") for one in _KOREAN_ORDER), *_ENGLISH_ORDER):
        match = pattern.fullmatch(sentence.text)
        if match and not match.groupdict().get("no"):
            tools = [_tool_of(sentence, match, group) or "" for group in order]
            return ToolCallOrder(tuple(tools)) if all(tools) else None
    return None


def _tool_of(sentence: Sentence, match: re.Match[str], group: str) -> str | None:
    """The name of a tool: in quotes, called a tool, or spelt as no word is; a tool that is *used* must be called one."""
    name, verb = sentence.value(match[group]), (match.groupdict().get("verb") or "").lower()
    called = match[f"{group}_of"] or match[f"{group}_kind"]
    only_used = verb in ("사용", "실행", "이용") or verb.startswith("use")
    if not _is_name(name) or (only_used and not called):
        return None
    return name if called or match[group] != name or is_key(name) or "-" in name else None


def _is_name(name: str) -> bool:
    return bool(name) and name not in _NOT_TOOLS and len(name.split()) == 1


def _number(match: re.Match[str]) -> tuple[int, int | None] | None:
    """How often; None where it is not clear. Once, without more, is at least once in nobody's mind alone."""
    said = match.groupdict()
    word = said.get("number") or said.get("times")
    if not word:
        return 1, None
    number = (
        NUMBERS.get(word)
        or _ENGLISH_NUMBERS.get(word.lower())
        or (int(word) if len(word) < 6 and word.isdecimal() else 0)
    )
    lead, end = (said.get("lead") or "").lower(), said.get("end") or ""
    if not number or (number == 1 and not lead.strip() and not end.strip()):
        return None
    return number_range(number, lead, end)


def _arguments(sentence: Sentence, written: str | None) -> tuple[tuple[tuple[str, ...], str], ...] | None:
    pair = rf"({KEY})(?: ?(?:==?|:) ?|(?:이|가|은|는|을|를) ?| (?:is |of |set to )?)({_VALUE})"
    found = re.findall(pair, re.sub(r",? and |, ?| 및 ", ",", written or ""))
    return tuple((tuple(key.split(".")), sentence.value(value)) for key, value in found)
