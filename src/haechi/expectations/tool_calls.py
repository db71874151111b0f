"""What a line of an expectation asks of the tools that an agent called: which, with what, how often, in which order.

Calls stand in a payload as `executionProcesses`, each with `name` and `arguments`; a payload without them called none.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import orjson

from haechi.expectations import paths, values
from haechi.frozen import frozen

LISTED = "executionProcesses"
Argument = tuple[tuple[str, ...], Any]
"""The steps to an argument, and what it has to be."""


@frozen
class ToolCallCount:
    """So many calls of a tool, or of any, have all of the arguments."""

    tool: str | None
    arguments: tuple[Argument, ...] = ()
    least: int = 1
    most: int | None = None

    @property
    def name(self) -> str:
        """How reports call it.

        >>> ToolCallCount("search", ((("region",), "서울"),)).name, ToolCallCount("search", least=0, most=0).name, ToolCallCount(None, least=2).name
        ('tool search(region=서울)', '!tool search', 'tool >=2')
        """
        shown = ", ".join(f"{'.'.join(keys)}={values.text(wanted) or ''}" for keys, wanted in self.arguments)
        called = f"tool {self.tool or ''}".strip() + (f"({shown})" if shown else "")
        if self.most == 0:
            return f"!{called}"
        if self.most is None:
            return called if self.least == 1 else f"{called} >={self.least}"
        return f"{called} ={self.most}" if self.least == self.most else f"{called} <={self.most}"

    @cached_property
    def _tests(self) -> list[tuple[tuple[str, ...], Any]]:
        return [(keys, values.equals(wanted)) for keys, wanted in self.arguments]

    def holds(self, payload: dict[str, Any]) -> bool:
        """Whether a payload is so.

        >>> payload = {"executionProcesses": [{"name": "search", "arguments": {"region": "서울"}}]}
        >>> ToolCallCount("search", ((("region",), "서울"),)).holds(payload), ToolCallCount("close", least=0, most=0).holds(payload)
        (True, True)
        """
        fitting = sum(self._fits(given) for name, given in calls_of(payload) if self.tool in (None, name))
        return fitting >= self.least and (self.most is None or fitting <= self.most)

    def _fits(self, arguments: Any) -> bool:
        return all(any(map(test, paths.walk([arguments], keys))) for keys, test in self._tests)

    def found(self, payload: dict[str, Any]) -> list[Any]:
        """What stands there instead: the arguments that the tool was called with, else the tools that were."""
        calls = calls_of(payload)
        given = [arguments for name, arguments in calls if name == self.tool and arguments is not None]
        return given if self.arguments and given else [name for name, _ in calls]


@frozen
class ToolCallOrder:
    """Each tool is called after the one before it; others may be called in between."""

    tools: tuple[str, ...]

    @property
    def name(self) -> str:
        """How reports call it."""
        return f"tools {' > '.join(self.tools)}"

    def holds(self, payload: dict[str, Any]) -> bool:
        """Whether a payload is so.

        >>> payload = {"executionProcesses": [{"name": name} for name in ("search", "open", "close")]}
        >>> ToolCallOrder(("search", "close")).holds(payload), ToolCallOrder(("close", "search")).holds(payload)
        (True, False)
        """
        called = iter([name for name, _ in calls_of(payload)])
        return all(tool in called for tool in self.tools)

    def found(self, payload: dict[str, Any]) -> list[Any]:
        """The tools in the order in which they were called."""
        return [" > ".join(name for name, _ in calls_of(payload))]


def calls_of(payload: dict[str, Any]) -> list[tuple[str, Any]]:
    """The names and arguments of all calls, in order; arguments that are JSON inside a text are read.

    >>> calls_of({"executionProcesses": [{"name": "a", "arguments": '{"b": 1}'}, "c", 7]})
    [('a', {'b': 1}), ('c', None)]
    """
    listed = payload.get(LISTED)
    return list(_calls(listed)) if type(listed) is list else []


def _calls(listed: list[Any]) -> Iterable[tuple[str, Any]]:
    for call in listed:
        if type(call) is str:
            yield call.strip(), None
        elif type(call) is dict and type(name := call.get("name")) is str:
            yield name.strip(), _read(call.get("arguments"))


def _read(arguments: Any) -> Any:
    try:
        return orjson.loads(arguments) if type(arguments) is str else arguments
    except orjson.JSONDecodeError:
        return arguments
