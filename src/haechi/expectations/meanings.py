"""What a line of an expectation asks of a payload: that its message mentions something, or how many entries are so.

*That entry* of a sentence is no state: a line about it asks for an entry that meets the conditions of the line
that named it, and its own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cached_property
from typing import Any

from haechi.expectations import values
from haechi.expectations.tool_calls import ToolCallCount, ToolCallOrder
from haechi.frozen import frozen

ValueTest = Callable[[Any], bool]
FieldNames = tuple[str, ...]

OF_PAYLOADS = ("setting", "filterType")
"""Keys that stand in the payload as often as in its entries."""

_TRUTHS = {"true": True, "y": True, "yes": True, "false": False, "n": False, "no": False}


def squeezed(text: str) -> str:
    """Text as mentions compare it: NFC, without spaces and line breaks.

    >>> squeezed("면접 일정\\n 안내")
    '면접일정안내'
    """
    return "".join(unicodedata.normalize("NFC", text).split())


@frozen
class Mention:
    """The message mentions all of the texts, or one of them; negated, it must be there and mention none."""

    texts: tuple[str, ...]
    every: bool = True
    negated: bool = False

    @property
    def name(self) -> str:
        """How reports call it."""
        return (
            ("!" if self.negated else "")
            + "assistantMessage~"
            + ("&" if self.every else "|").join(self.texts)
        )

    def holds(self, payload: dict[str, Any]) -> bool:
        """Whether a payload is so.

        >>> Mention(("면접일정",)).holds({"assistantMessage": "면접 일정을 바꿉니다."})
        True
        """
        message = payload.get("assistantMessage")
        if type(message) is not str or not message.strip():
            return False
        said = squeezed(message)
        mentioned = [squeezed(text) in said for text in self.texts]
        if self.negated:
            return not any(mentioned)
        return all(mentioned) if self.every else any(mentioned)

    def found(self, payload: dict[str, Any]) -> list[Any]:
        """What stands there instead."""
        message = payload.get("assistantMessage")
        return [] if message is None else [message]


@frozen
class Condition:
    """A key of an entry: it equals one of the values (`eq`), contains one, exists, is not empty (`filled`), or has so many
    elements."""

    keys: FieldNames
    op: str = "eq"
    wanted: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """How reports call it."""
        signs = {"eq": "=", "contains": "Contains=", "exists": "", "filled": " not empty", "count": " "}
        shown = (
            [_range(*self.wanted)]
            if self.op == "count"
            else [values.text(one) or values.canonical(one).decode() for one in self.wanted]
        )
        return ".".join(self.keys) + signs[self.op] + "|".join(shown)

    @cached_property
    def test(self) -> ValueTest:
        """A test of an entry, made once for all runs that have the expectation."""
        keys = self.keys
        if self.op == "exists":
            return lambda entry: bool(found_in(entry, keys))
        if self.op == "filled":
            return lambda entry: any(_is_filled(one) for one in whole_at(entry, keys))
        if self.op == "count":
            least, most = self.wanted
            return lambda entry: any(_within(_size(one), least, most) for one in whole_at(entry, keys))
        tests = [_test(keys[-1], self.op, one) for one in self.wanted]
        return lambda entry: any(test(one) for one in found_in(entry, keys) for test in tests)


@frozen
class Entries:
    """So many entries of `dataUIList` meet all conditions; `whole` counts the payload itself as an entry."""

    conditions: tuple[Condition, ...] = ()
    least: int = 1
    most: int | None = None
    whole: bool = False

    @property
    def name(self) -> str:
        """How reports call it: what is asked last, then of which entries."""
        *of, last = [condition.name for condition in self.conditions] or ["dataUIList"]
        plain = (self.least, self.most) == (1, None) and self.conditions
        number = "" if plain else f" {_range(self.least, self.most)}"
        return last + number + (f" [{', '.join(of)}]" if of else "")

    def holds(self, payload: dict[str, Any]) -> bool:
        """Whether a payload is so.

        >>> select = Condition(("formType",), wanted=("SELECT",))
        >>> payload = {"dataUIList": [{"uiValue": {"formType": "SELECT", "multiSelectAllowYn": "Y"}}]}
        >>> Entries((select, Condition(("multiSelectAllowYn",), wanted=("true",)))).holds(payload)
        True
        >>> Entries((select,), least=2).holds(payload)
        False
        """
        tests = [condition.test for condition in self.conditions]
        fitting = sum(all(test(entry) for test in tests) for entry in entries_of(payload, self.whole))
        return _within(fitting, self.least, self.most)

    def found(self, payload: dict[str, Any]) -> list[Any]:
        """What stands there instead: the values of the key that is asked last, in the entries that are meant."""
        if not self.conditions:
            return [len(entries_of(payload))]
        *of, last = self.conditions
        tests = [condition.test for condition in of]
        meant = [entry for entry in entries_of(payload, self.whole) if all(test(entry) for test in tests)]
        return [value for entry in meant for value in found_in(entry, last.keys)]


Meaning = Mention | Entries | ToolCallCount | ToolCallOrder


def entries_of(payload: dict[str, Any], whole: bool = False) -> list[Any]:
    """The entries of `dataUIList`; one that is no list counts as a list of one."""
    listed = payload.get("dataUIList")
    entries = listed if type(listed) is list else [listed] if type(listed) is dict and listed else []
    return [*entries, payload] if whole else entries


def found_in(entry: Any, keys: FieldNames) -> list[Any]:
    """What an entry has at a key: in `uiValue`, else in itself, else under `value`, an object or a list of them.

    >>> found_in({"uiValue": {"value": [{"dataKey": "A"}, {"dataKey": "B"}]}}, ("dataKey",))
    ['A', 'B']
    """
    if type(entry) is not dict:
        return []
    for source in (entry.get("uiValue"), entry):
        found = _reach(source, keys)
        if found:
            return found
    return [] if keys[0] == "value" else found_in(entry, ("value", *keys))


def whole_at(entry: Any, keys: FieldNames) -> list[Any]:
    """What an entry has at a key, lists as they are."""
    *way, last = keys
    nodes = (
        found_in(entry, tuple(way)) if way else [entry.get("uiValue"), entry] if type(entry) is dict else []
    )
    whole = [node[last] for node in nodes if type(node) is dict and node.get(last) is not None]
    if whole or keys[0] == "value":
        return whole[:1] if not way else whole
    return whole_at(entry, ("value", *keys))


def _reach(node: Any, keys: FieldNames) -> list[Any]:
    nodes = [node]
    for key in keys:
        nodes = [
            one.get(key)
            for some in nodes
            for one in (some if type(some) is list else [some])
            if type(one) is dict
        ]
    return [one for one in nodes if one is not None]


def _test(key: str, op: str, wanted: Any) -> ValueTest:
    if op == "contains":
        return contains(wanted)
    truth = _truth(wanted) if key.endswith(("Yn", "YN")) else None
    if truth is None:
        return values.equals(wanted)
    return lambda found: _truth(found) is truth


def _truth(value: Any) -> bool | None:
    """What a key that ends in `Yn` says: true and Y are the same."""
    if type(value) is bool:
        return value
    return _TRUTHS.get(value.strip().lower()) if type(value) is str else None


def contains(wanted: Any) -> ValueTest:
    """Text within text, or an element of a list.

    >>> contains("면접")("1차 면접"), contains(3)(["2", "3"])
    (True, True)
    """
    same, part = values.equals(wanted), values.text(wanted)

    def test(found: Any) -> bool:
        if type(found) is list:
            return any(same(one) for one in found)
        whole = values.text(found)
        return whole is not None and part is not None and part in whole

    return test


def _is_filled(value: Any) -> bool:
    return bool(value.strip()) if type(value) is str else value not in ([], {})


def _size(value: Any) -> int:
    return len(value) if type(value) is list else 1


def _within(number: int, least: int, most: int | None) -> bool:
    return number >= least and (most is None or number <= most)


def _range(least: int, most: int | None) -> str:
    if most is None:
        return f">={least}"
    return f"={most}" if least == most else f"<={most}"
