"""Paths into a payload: `dataUIList[*].uiValue.formType`, `setting.rows[0]`."""

from __future__ import annotations

from typing import Any

from haechi.regex import regex

Steps = tuple[str | int, ...]
EVERY = -1
"""The step `[*]`; list positions are never negative."""

_STEP = regex(r"(?:^|\.)([^.\[\]]+)|\[(\*|[0-9]{1,9})\]")


def parse(path: str) -> Steps | None:
    """The steps of a path, or None when it is no path. A leading `$` may stand for the payload.

    >>> parse("dataUIList[*].uiValue.formType")
    ('dataUIList', -1, 'uiValue', 'formType')
    >>> parse("a..b"), parse("a[x]"), parse("")
    (None, None, None)
    """
    path = path.strip()
    if path.startswith("$"):
        path = path[1:].removeprefix(".")
    steps: list[str | int] = []
    end = 0
    for step in _STEP.finditer(path):
        if step.start() != end:
            return None
        end = step.end()
        key, place = step.groups()
        steps.append(key.strip() if key is not None else EVERY if place == "*" else int(place))
    return tuple(steps) if steps and end == len(path) else None


def walk(nodes: list[Any], steps: Steps) -> list[Any]:
    """What stands at the end of the steps from each node: nothing, one value, or every element of a `[*]`.

    >>> walk([{"a": [{"b": 1}, {"b": None}, {"c": 2}, {"b": 3}]}], ("a", EVERY, "b"))
    [1, 3]
    """
    for step in steps:
        if isinstance(step, str):
            nodes = [node.get(step) for node in nodes if type(node) is dict]
        elif step == EVERY:
            nodes = [child for node in nodes if type(node) is list for child in node]
        else:
            nodes = [node[step] for node in nodes if type(node) is list and step < len(node)]
    return [node for node in nodes if node is not None]
