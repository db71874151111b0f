"""Calls of tools and their results, from the spellings of providers and tools to one form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def named_tools(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with the names of tools where a result only says which call it answers.

    >>> call = {"role": "assistant", "content": "", "tool_calls": [{"name": "weather", "arguments": "{}", "id": "t1"}]}
    >>> named_tools([call, {"role": "tool", "content": "비", "tool_call_id": "t1"}])[1]["name"]
    'weather'
    """
    called: dict[str, str] = {}
    named = []
    for message in messages:
        if len(message) == 2:
            named.append(message)
            continue
        for call in message.get("tool_calls", ()):
            if "id" in call:
                called[call["id"]] = call["name"]
        name = called.get(message.get("tool_call_id", ""))
        named.append({**message, "name": name} if name and "name" not in message else message)
    return named


def as_text(value: Any) -> str:
    """What a tool was given or gave, as text: JSON unless it is text.

    >>> as_text({"도시": "서울"}), as_text("비"), as_text(None)
    ('{"도시": "서울"}', '비', '')
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def calls_of(more: Mapping[str, Any]) -> list[Any]:
    """The calls of a message, wherever it has them."""
    given = more.get("calls")
    if not given and isinstance(more.get("kwargs"), Mapping):
        given = more["kwargs"].get("tool_calls") or more["kwargs"].get("function_call")
    given = given or more.get("call")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return [{"name": "", "arguments": given}]
    calls = given if isinstance(given, list) else [given] if given else []
    return [one_call(call) for call in calls]


def one_call(call: Any) -> dict[str, str]:
    """A call as its tool and what the tool was given.

    >>> one_call({"function": {"name": "weather", "arguments": {"city": "서울"}}})
    {'name': 'weather', 'arguments': '{"city": "서울"}'}
    """
    if not isinstance(call, Mapping):
        return {"name": "", "arguments": as_text(call)}
    inner = call.get("function", call.get("tool_call.function"))
    inside = inner if isinstance(inner, Mapping) else call
    name = inner if isinstance(inner, str) else inside.get("name", call.get("name", call.get("toolName")))
    keys = ("arguments", "args", "input", "parameters")
    given = next((inside[key] for key in keys if key in inside), None)
    made = {"name": str(name or ""), "arguments": as_text(given)}
    identifier = call.get("id") or call.get("toolCallId") or call.get("call_id")
    return made | ({"id": str(identifier)} if identifier else {})


def call_as_text(text: str, calls: list[Any]) -> tuple[str, list[Any]]:
    """A call that is the text of a message, as ShareGPT's `function_call` has it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text, calls
    given = found if isinstance(found, list) else [found]
    return (
        ("", [*calls, *map(one_call, given)])
        if all(isinstance(one, dict) for one in given)
        else (text, calls)
    )
