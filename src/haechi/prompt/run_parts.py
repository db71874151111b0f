"""An agent run in parts that a person can read: what is expected in words, what was shown as cards, tools with their times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from haechi.data.agent_run import expected_lines
from haechi.data.item import Item
from haechi.expectations.check import WrittenCheck
from haechi.korean.particles import particle
from haechi.prompt.material import payload_of
from haechi.regex import regex
from haechi.text import Lang, Text, cut

_MOST = 200  # cards, rows of a card, tools: what is beyond stays in the recorded run
_LONGEST = 500
_DEEPEST = 3
_UI = regex(r"^dataUIList\[\*\]\.(?:uiValue\.)?")
_TITLES = ("title", "name", "label", "buttonText", "text")
_TAGS = ("formType", "actionType", "uiType")
_TOOL_NAMES = ("name", "tool", "toolName", "title", "type", "agent", "step")
_SECONDS = {"ms": 1e-3, "durationMs": 1e-3, "latency_ms": 1e-3, "latencyMs": 1e-3, "elapsedMs": 1e-3}
_SECONDS |= {"seconds": 1.0, "sec": 1.0, "durationSec": 1.0, "responseTimeSec": 1.0, "elapsedSec": 1.0}
_ENTRY, _TOOL = Text("화면 항목 {n}", "UI entry {n}"), Text("도구 {n}", "tool {n}")
_PLACES = {
    "assistantMessage": Text("답변 메시지", "the answer"),
    "": Text("화면 항목의 {key}", "{key} of a UI entry"),
}
_OPS = {
    "eq": Text("{place} 값: {value}", "{place} is {value}"),
    "contains": Text("{place}에 {value}{이} 들어 있음", "{place} contains {value}"),
    "in": Text("{place} 값이 다음 중 하나: {value}", "{place} is one of {value}"),
    "regex": Text("{place} 값이 다음 꼴: {value}", "{place} matches {value}"),
    "exists": Text("{place} 값이 있음", "{place} exists"),
}


class Card(NamedTuple):
    """One entry that the agent put on the screen: what it is called, of which kind, and its fields."""

    title: str
    tags: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]

    def say(self) -> str:
        """The entry as a list.

        >>> print(Card("일정", ("ACTION",), (("value.dataKey", "A"),)).say())
        - 일정 · ACTION
          - value.dataKey: A
        """
        fields = "".join(f"\n  - {name}: {value}" for name, value in self.rows)
        return f"- {' · '.join([self.title, *self.tags])}{fields}"


class Tool(NamedTuple):
    """A step that the agent took, and how many seconds it needed where that is recorded."""

    name: str
    seconds: float | None


class RunParts(NamedTuple):
    """The parts of a run beside its question and its answer; `seconds` is the time of the whole."""

    expected: tuple[str, ...]
    cards: tuple[Card, ...]
    tools: tuple[Tool, ...]
    seconds: float | None


def run_parts(item: Item, lang: Lang) -> RunParts:
    """The parts of a run.

    >>> payload = {"dataUIList": [{"uiValue": {"formType": "LINK", "buttonText": "지원자"}}], "responseTimeSec": 3.1}
    >>> payload["executionProcesses"] = [{"name": "search", "ms": 1200}]
    >>> parts = run_parts(Item("r1", "run", {"expected": "@check formType=LINK", "payload": payload}, {}), "ko")
    >>> parts.expected, parts.cards[0].title, parts.cards[0].tags
    (("화면 항목의 formType 값: 'LINK'",), '지원자', ('LINK',))
    >>> parts.tools, parts.seconds
    ((Tool(name='search', seconds=1.2),), 3.1)
    """
    payload = payload_of(item.content)
    found: Mapping[str, Any] = payload if isinstance(payload, dict) else {}
    expected = [_said(line.written, lang) if line.written else line.text for line in expected_lines(item)]
    entries = _entries(found.get("dataUIList"))
    cards = [_card(entry, _ENTRY.say(lang).format(n=n)) for n, entry in enumerate(entries[:_MOST], 1)]
    cards += [
        Card(name, (), tuple(_rows(found[name]))) for name in ("setting", "filterType") if found.get(name)
    ]
    steps = [*_entries(found.get("executionProcesses")), *_entries(found.get("worker"))]
    tools = [_tool(step, _TOOL.say(lang).format(n=n)) for n, step in enumerate(steps[:_MOST], 1)]
    return RunParts(tuple(expected), tuple(cards), tuple(tools), _seconds(found))


def _said(written: WrittenCheck, lang: Lang) -> str:
    key, op, value = _UI.sub("", written.key), written.op, written.value
    place = _PLACES.get(key, _PLACES[""]).say(lang).format(key=key)
    listed = value if op == "in" and isinstance(value, list) else [value]
    words = ", ".join(f"'{_short(one)}'" for one in listed)
    return _OPS[op].say(lang).format(place=place, value=words, 이=particle(words, "이/가"))


def _entries(given: Any) -> list[Any]:
    """A list as it is, one entry in its place as a list of one."""
    if isinstance(given, list):
        return given
    return [given] if isinstance(given, dict | str) and given else []


def _card(entry: Any, fallback: str) -> Card:
    inner = entry.get("uiValue") if isinstance(entry, dict) else None
    value = inner if isinstance(inner, dict) else entry
    if not isinstance(value, dict):
        return Card(fallback, (), (("", _short(value)),))
    about = entry if isinstance(entry, dict) else {}
    titles = [about.get("uiDescription"), *(value.get(name) for name in _TITLES)]
    title = next((one for one in titles if isinstance(one, str) and one.strip()), fallback)
    tags = dict.fromkeys(
        one for source in (value, about) for name in _TAGS if isinstance(one := source.get(name), str)
    )
    shown = {"formType", "actionType", *(name for name in _TITLES if value.get(name) == title)}
    rows = _rows({name: one for name, one in value.items() if name not in shown})
    return Card(title[:_LONGEST], tuple(tags), tuple(rows)[:_MOST])


def _rows(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """The fields of a value with their names, those of inner objects behind a dot."""
    if isinstance(value, dict) and value and depth < _DEEPEST:
        for key, one in value.items():
            yield from _rows(one, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value) and depth < _DEEPEST:
        for n, one in enumerate(value[:_MOST], 1):
            fields = (
                ", ".join(f"{key} {_short(inner)}" for key, inner in one.items())
                if isinstance(one, dict)
                else _short(one)
            )
            yield f"{name} {n}".strip(), fields[:_LONGEST]
    elif isinstance(value, list):
        yield name, ", ".join(map(_short, value))[:_LONGEST] or "–"
    else:
        yield name, _short(value)


def _tool(step: Any, fallback: str) -> Tool:
    if not isinstance(step, dict):
        return Tool(_short(step), None)
    names = (step.get(key) for key in _TOOL_NAMES)
    name = next((one for one in names if isinstance(one, str) and one.strip()), fallback)
    return Tool(name[:_LONGEST], _seconds(step))


def _seconds(found: Mapping[str, Any]) -> float | None:
    for name, unit in _SECONDS.items():
        value = found.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf"):
            return round(value * unit, 4)
    return None


def _short(value: Any) -> str:
    if value is None:
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(text, _LONGEST)
