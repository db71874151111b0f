"""Expectations without `@check` once more, plainly: a phrase book instead of a grammar, loops instead of conditions.

It knows the sentences that the tests write, word for word, and nothing else; every other sentence stays open.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

PHRASES = {
    'assistantMessage에 "{x}"과 관련된 내용이 언급되어 있는가': ("mention", "{x}"),
    "assistantMessage에 「{x}」와 관련된 내용이 언급되어 있는지 확인": ("mention", "{x}"),
    "응답 메시지에 '{x}' 관련 안내가 포함되어야 함": ("mention", "{x}"),
    "The assistantMessage mentions “{x}”.": ("mention", "{x}"),
    'assistantMessage에 "{x}"이 언급되지 않는가': ("no mention", "{x}"),
    "The message must not mention '{x}'": ("no mention", "{x}"),
    'dataUIList 내 formType 값이 "{x}"인 항목이 존재하는가': ("entry", "formType", "{x}"),
    "dataUIList에 formType이 『{x}』인 항목이 있는지": ("entry", "formType", "{x}"),
    "dataUIList contains an entry with formType `{x}`": ("entry", "formType", "{x}"),
    'dataUIList 내 actionType 값이 "{x}"인 항목이 존재해야 한다': ("entry", "actionType", "{x}"),
    'dataUIList 내 formType 값이 "{x}"인 항목이 존재하지 않는가': ("no entry", "formType", "{x}"),
    'dataUIList 내 formType 값이 "{x}"인 항목이 2개 이상 존재하는가': ("entries", "formType", "{x}", 2),
    '해당 항목의 actionType 값이 "{x}"인가': ("that", "actionType", "{x}"),
    "해당 항목의 title 값이 ‘{x}’로 설정되어 있는가": ("that", "title", "{x}"),
    'That entry\'s title is "{x}"': ("that", "title", "{x}"),
    '해당 항목의 value 내 nodeId 값이 "{x}"인가': ("inner", "nodeId", "{x}"),
    '해당 항목의 nodeType 값이 "{x}"이다': ("that", "nodeType", "{x}"),
    "해당 항목의 multiSelectAllowYn 값이 true인가": ("yes", "multiSelectAllowYn"),
    "해당 항목의 multiSelectAllowYn 값이 N인가": ("no", "multiSelectAllowYn"),
    "dataUIList의 항목이 2개인가": ("size", 2, 2),
    "dataUIList has at least 1 entries": ("size", 1, 10**9),
}
OPEN = (
    "답변이 친절한가", "actionType 값이 ‘A’가 아닌가", "The tone is friendly", '버튼을 누르면 "저장"되는가', "해당 항목의 색이 알맞은가",
    'assistantMessage에 "면접"이 언급되지 않지 않는가',
)  # fmt: skip
NAMES_ANOTHER = "지원자 항목이 하나라도 보이는가"
"""An open sentence that speaks of an entry: what *that entry* is afterwards, nobody can tell."""


def lines_of(text: str) -> list[tuple[str, Any, Any]]:
    """(text, meaning or None, group): the checks and the open lines of an expectation; headings are left out."""
    given = object_of(text)
    if given is not None:
        return [line for group, one in enumerate(given) for line in object_lines(one, group)]
    found, that = [], None
    for sentence in sentences(text):
        meaning = phrase(sentence)
        if meaning is not None:
            kind, *rest = meaning
            if kind in ("entry", "entries", "no entry"):
                that = None if kind == "no entry" else (rest[0], rest[1])
            elif kind in ("that", "inner", "yes", "no"):
                meaning = None if that is None else (kind, *rest, that)
        elif sentence == NAMES_ANOTHER:
            that = None
        found.append((sentence, meaning, None))
    return found


def phrase(sentence: str) -> tuple[Any, ...] | None:
    for template, meaning in PHRASES.items():
        before, _, after = template.partition("{x}")
        if not after and sentence == template:
            return meaning
        inside = sentence[len(before) : len(sentence) - len(after)]
        if after and sentence == before + inside + after and not set("\"'`“”‘’「」『』") & set(inside):
            if not inside.strip():
                return None if "mention" in meaning[0] else tuple("" if p == "{x}" else p for p in meaning)
            return tuple(inside.strip() if part == "{x}" else part for part in meaning)
    return None


def sentences(text: str) -> list[str]:
    """Numbered sentences, wrapped ones joined; without any number every line is one. What stands before the first number
    is a heading, unless it is a sentence that we know."""
    rows = [row.strip() for row in text.splitlines()]
    number = re.compile(r"(\d+[).]|①|②|③|[-•]|\(\d+\))\s*(?=\S)")
    numbered = [bool(number.match(row)) for row in rows]
    found: list[str] = []
    joins = False
    for row, has_number in zip(rows, numbered, strict=True):
        if has_number:
            found.append(number.sub("", row, count=1))
            joins = True
        elif not row or row.endswith((":", "->")) or row.startswith("#"):
            joins = False
        elif joins:
            found[-1] += " " + row
        elif not any(numbered) or found or phrase(row) is not None:
            found.append(row)
    return found


def object_of(text: str) -> list[dict[str, Any]] | None:
    heading, brace, rest = text.partition("{")
    if heading.strip() and not heading.strip().endswith((":", "->")):
        return None
    try:
        given = json.loads(brace + rest)
    except ValueError:
        return None
    return [given] if isinstance(given, dict) and given else None


def object_lines(given: dict[str, Any], group: int, way: tuple[str, ...] = ()) -> list[tuple[str, Any, Any]]:
    found = []
    for key, value in given.items():
        if isinstance(value, dict) and value:
            found += object_lines(value, group, (*way, key))
        elif (*way, key) == ("assistantMessage",):
            meant = ("mention", value) if isinstance(value, str) and value.strip() else None
            found.append((key, meant, None))
        else:
            found.append((key, None if value is None else ("key", (*way, key), value), group))
    return found


def passing(lines: list[tuple[str, Any, Any]], payload: dict[str, Any], equal: Any) -> list[bool]:
    """For every line that has a meaning, whether it passes."""
    listed = payload.get("dataUIList")
    entries = listed if isinstance(listed, list) else [listed] if isinstance(listed, dict) and listed else []
    best: dict[int, set[int]] = {}
    for group in {group for _, meaning, group in lines if meaning and group is not None}:
        keys = {n: m for n, (_, m, g) in enumerate(lines) if m and g == group}
        free = {
            n
            for n, (_, key, wanted) in keys.items()
            if key[0] in ("setting", "filterType") and any(equal(v, wanted) for v in at_key(payload, key))
        }
        sets = [
            free | {n for n, (_, key, wanted) in keys.items() if fits(entry, key, wanted, equal)}
            for entry in entries
        ]
        best[group] = max(sets, key=len, default=free)
    return [
        number in best[group] if group is not None else passes(meaning, payload, entries, equal)
        for number, (_, meaning, group) in enumerate(lines)
        if meaning
    ]


def passes(meaning: tuple[Any, ...], payload: dict[str, Any], entries: list[Any], equal: Any) -> bool:
    kind, *rest = meaning
    if kind in ("mention", "no mention"):
        message = payload.get("assistantMessage")
        if not isinstance(message, str) or not message.strip():
            return False
        return (squeeze(rest[0]) in squeeze(message)) == (kind == "mention")
    if kind == "size":
        return rest[0] <= len(entries) <= rest[1]
    if kind in ("entry", "no entry", "entries"):
        number = sum(fits(entry, (rest[0],), rest[1], equal) for entry in entries)
        return number == 0 if kind == "no entry" else number >= (rest[2] if kind == "entries" else 1)
    key, that = rest[0], rest[-1]
    those = [entry for entry in entries if fits(entry, (that[0],), that[1], equal)]
    if kind in ("yes", "no"):
        return any(truth(value) == kind for entry in those for value in at_key(entry, (key,)))
    keys = ("value", key) if kind == "inner" else (key,)
    return any(fits(entry, keys, rest[1], equal) for entry in those)


def fits(entry: Any, keys: tuple[str, ...], wanted: Any, equal: Any) -> bool:
    if keys[-1].endswith("Yn") and truth(wanted):
        return any(truth(value) == truth(wanted) for value in at_key(entry, keys))
    return any(equal(value, wanted) for value in at_key(entry, keys))


def at_key(entry: Any, keys: tuple[str, ...]) -> list[Any]:
    if not isinstance(entry, dict):
        return []
    ways = [keys] if keys[0] == "value" else [keys, ("value", *keys)]
    for way in ways:
        for source in (entry.get("uiValue"), entry):
            nodes = [source]
            for step in way:
                flat = [one for node in nodes for one in (node if isinstance(node, list) else [node])]
                nodes = [one[step] for one in flat if isinstance(one, dict) and step in one]
            nodes = [node for node in nodes if node is not None]
            if nodes:
                return nodes
    return []


def truth(value: Any) -> str | None:
    word = str(value).strip().lower() if isinstance(value, str | bool) else ""
    return "yes" if word in ("true", "y", "yes") else "no" if word in ("false", "n", "no") else None


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFC", text))
