"""Expectations as teams write them, line by line: `@check`, a JSON object, or sentences under number signs.

Every line becomes a check, or stays open, or is a heading. Nothing is guessed: a sentence that is not understood
whole is left to a person or a judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

import orjson

from haechi.expectations.check import WrittenCheck
from haechi.expectations.meanings import OF_PAYLOADS, Condition, Entries, Meaning, Mention
from haechi.expectations.objects import object_in, pairs_in
from haechi.expectations.rows import is_heading, numbered_rows
from haechi.expectations.sentence_parts import QUOTED, EntryConditions, LineClaim, Sentence, keys_of
from haechi.expectations.tool_calls import ToolCallCount, ToolCallOrder
from haechi.frozen import frozen
from haechi.regex import regex

LONGEST_LINE = 500
_KOREAN, _IN_BRACKETS = regex(r"[가-힣]"), regex(r"\([^()]*\)")
_FENCE = regex(r"\s*```\w*\s*")
_BRACKETS = regex(r"\[[^\[\]]*\]|【[^【】]*】")
_NAMES_OR_QUOTES = regex(rf"[A-Za-z_]|{QUOTED}")
_ABOUT_TOOLS = regex(
    r"도구|툴|함수|호출|\b(?:tools?|functions?|call|invoke|argument|parameter)", re.IGNORECASE
)
_THAT = regex(r"해당|\b(?:that|its)\b")
_NAMES_ENTRY = regex(r"항목|요소|객체|아이템|컴포넌트|\b(?:entry|entries|items?|elements?)\b", re.IGNORECASE)


@frozen
class ExpectationLine:
    """A line of an expectation, as written, and what became of it; `intent` is left to whoever judges the message.

    The lines of one JSON object have the same `group`: they are asked of one and the same entry. `written` is there
    where a line is no sentence: what it asks has to be put into words.
    """

    text: str
    kind: Literal["check", "open", "heading", "intent"]
    meaning: Meaning | None = None
    group: int | None = None
    written: WrittenCheck | None = None

    @property
    def name(self) -> str | None:
        """How reports call its check; None for a line that is none."""
        if self.kind != "check":
            return None
        return self.meaning.name if self.meaning is not None else self.text


def read_lines(expected: str) -> list[ExpectationLine]:
    """What became of an expectation that has no `@check`.

    >>> text = '''평가 요소 ->:
    ... 1) dataUIList 내 formType 값이 "SELECT"인 항목이 존재하는가
    ... 2) 해당 항목의 multiSelectAllowYn 값이 true인가
    ... 3) 답변이 친절한가'''
    >>> [(line.kind, line.meaning.name if line.meaning else None) for line in read_lines(text)][1:]
    [('check', 'formType=SELECT'), ('check', 'multiSelectAllowYn=true [formType=SELECT]'), ('open', None)]
    >>> [line.meaning.name for line in read_lines('{"formType": "ACTION", "value": {"dataKey": "A"}}')]
    ['formType=ACTION', 'value.dataKey=A']
    """
    before, objects = _objects(expected)
    if objects:
        headings = [ExpectationLine(line.strip(), "heading") for line in before.splitlines() if line.strip()]
        return [*headings, *(line for group, one in enumerate(objects) for line in _of_object(one, group))]
    return _read_sentences(expected)


def _objects(expected: str) -> tuple[str, list[dict[str, Any]]]:
    """The objects that an expectation is, and the heading before them."""
    text = "\n".join(line for line in expected.splitlines() if not _FENCE.fullmatch(line))
    start = min((place for sign in '{["“' if (place := text.find(sign)) >= 0), default=-1)
    if start < 0 or not all(map(is_heading, text[:start].splitlines())):
        return "", []
    given = object_in(text[start:])
    listed = given if isinstance(given, list) else [given] if given is not None else []
    return text[:start], [entry for one in listed for entry in _entries(one)]


def _entries(given: dict[str, Any]) -> list[dict[str, Any]]:
    """An object that spells a payload, as objects that each spell an entry."""
    listed = given.get("dataUIList")
    entries = listed if isinstance(listed, list) else [listed] if isinstance(listed, dict) else None
    if entries is None or not all(isinstance(one, dict) for one in entries):
        return [given]
    rest = {key: value for key, value in given.items() if key != "dataUIList"}
    return [*([rest] if rest else []), *entries]


def _of_object(given: dict[str, Any], group: int) -> Iterator[ExpectationLine]:
    for keys, wanted in _leaves(given, ()):
        key = ".".join(keys)
        text = orjson.dumps({key: wanted}).decode()
        if keys == ("assistantMessage",) and isinstance(wanted, str) and wanted.strip():
            yield ExpectationLine(
                text, "check", Mention((wanted,)), written=WrittenCheck(key, "contains", wanted)
            )
        elif wanted is None or keys == ("assistantMessage",):
            yield ExpectationLine(text, "open")  # that a key is null: absent, or anything?
        else:
            meaning = Entries((Condition(keys, "eq", (wanted,)),), whole=keys[0] in OF_PAYLOADS)
            yield ExpectationLine(text, "check", meaning, group, WrittenCheck(key, "eq", wanted))


def _leaves(given: dict[str, Any], way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in given.items():
        keys = way if key == "uiValue" and not way else (*way, *(keys_of(key) or (key,)))
        if isinstance(value, dict) and value and len(keys) < 20:
            yield from _leaves(value, keys)
        elif keys:
            yield keys, value


def _read_sentences(expected: str) -> list[ExpectationLine]:
    that: Entries | None = None
    known = True  # whether it is known what "that entry" is
    lines: list[ExpectationLine] = []
    for text, sign in numbered_rows(expected):
        given = object_in(text) or pairs_in(text)
        if isinstance(given, dict):
            own = list(_of_object(given, len(lines)))
            lines += own
            that, known = _named_by(own), True
            continue
        sentence, said = _said(text)
        if sign is None and said is None:
            lines.append(ExpectationLine(text, "heading"))
            continue
        meaning = (
            said
            if isinstance(said, Mention | ToolCallCount | ToolCallOrder | None)
            else _meant(said, that, known)
        )
        if isinstance(said, EntryConditions) and isinstance(meaning, Entries) and _names(said):
            named = meaning.conditions[: len(meaning.conditions) - said.own]
            that, known = Entries(named, whole=meaning.whole), meaning.most != 0
        elif meaning is None and _NAMES_ENTRY.search(sentence.text) and not _THAT.search(sentence.text):
            known = False  # an entry was named that we do not know
        lines.append(ExpectationLine(text, "check" if meaning else "open", meaning))
    return lines


def _said(text: str) -> tuple[Sentence, LineClaim | None]:
    """A line as a sentence, and what it says; nobody writes a check of more than 500 characters."""
    if len(text) > LONGEST_LINE:
        return Sentence("", ()), None
    sentence = Sentence.of(text[1:-1] if _BRACKETS.fullmatch(text) else text)
    about_tools = _ABOUT_TOOLS.search(sentence.text)
    if about_tools is None and _NAMES_OR_QUOTES.search(sentence.text) is None:
        return sentence, None  # what is asked is always a key or quoted words
    # Their patterns take longer to compile than all the rest of a small command, and most studies have no such sentences.
    from haechi.expectations import korean_sentences

    said = korean_sentences.read(sentence)
    if said is None and not _KOREAN.search(_IN_BRACKETS.sub("", sentence.text)):
        from haechi.expectations import english_sentences

        said = english_sentences.read(sentence)
    if said is None and about_tools:
        from haechi.expectations import tool_sentences

        said = tool_sentences.read(sentence)
    return sentence, said


def _named_by(own: list[ExpectationLine]) -> Entries | None:
    """The entry that an object spells, as later lines call it: by its form, else by all it says."""
    asked = [line.meaning.conditions[0] for line in own if isinstance(line.meaning, Entries)]
    of_form = [one for one in asked if one.keys == ("formType",)]
    return Entries(tuple(of_form or asked)) if asked else None


def _names(said: EntryConditions) -> bool:
    """Whether the entries of a sentence are *that entry* from then on: a form is what an entry is called by."""
    of_form = (
        len(said.conditions) == 1
        and said.conditions[0].keys == ("formType",)
        and said.conditions[0].op == "eq"
    )
    return bool(said.conditions) and (said.names or said.of == "list" or (said.of == "" and of_form))


def _meant(said: LineClaim, that: Entries | None, known: bool) -> Meaning | None:
    """What a sentence means after those before it; None where it is about an entry that nobody named."""
    if not isinstance(said, EntryConditions):
        return said
    of_payload = said.of != "that" and len(said.conditions) == 1 and said.conditions[0].keys[0] in OF_PAYLOADS
    says_nothing = said.of == "" and not of_payload and not _names(said)
    of_that = said.of == "that" or (says_nothing and (that is not None or not known))
    if of_that and (that is None or not known):
        return None
    former = that.conditions if of_that and that is not None else ()
    return Entries((*former, *said.conditions), said.least, said.most, of_payload)
