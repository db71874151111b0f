"""What can be said of an agent run before it is scored: whether it failed, and what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from haechi.data.item import Item
from haechi.expectations.checks import Checks, read
from haechi.expectations.values import text


def has_failed(content: Mapping[str, Any]) -> bool:
    """Whether a run failed as a whole: it has an error, or no payload that is an object.

    >>> has_failed({"payload": '{"assistantMessage": ""}'}), has_failed({"payload": "{"}), has_failed({"error": "timeout"})
    (False, True, True)
    """
    return bool(text(content.get("error"))) or read_payload(content.get("payload")) is None


def checks_of(item: Item) -> Checks | None:
    """The checks of a run: those joined to it, its own, those in its payload, else those of its expectation.

    >>> run = {"query": "q1", "expected": "1) 답변이 친절한가", "payload": "{}"}
    >>> checks_of(Item("r1", "run", run, {})).waiting
    ('답변이 친절한가',)
    """
    content = item.content
    listed = text(item.meta.get("accuracy_checks")) or text(content.get("accuracy_checks"))
    return read(text(content.get("expected")), listed or _in_payload(content.get("payload")))


def read_payload(given: Any) -> dict[str, Any] | None:
    """A payload that is an object, given as one or as text; None for any other.

    >>> read_payload('{"a": 1}'), read_payload({"a": 1}), read_payload("[1]")
    ({'a': 1}, {'a': 1}, None)
    """
    if isinstance(given, str):
        try:
            given = orjson.loads(given)
        except orjson.JSONDecodeError:
            return None
    return given if isinstance(given, dict) else None


def _in_payload(given: Any) -> str | None:
    if isinstance(given, str) and "accuracyChecks" not in given:
        return None
    listed = (read_payload(given) or {}).get("accuracyChecks")
    return listed if listed is None or isinstance(listed, str) else orjson.dumps(listed).decode()
