"""The meta fields by which items can be chosen: those with a few values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MOST_FIELDS, _MOST_VALUES = 12, 40


class MetaValues:
    """Collects the values of meta fields, item by item.

    >>> values = MetaValues()
    >>> [values.add({"id": n, "mode": "ab"[n % 2], "year": 2026}) for n in range(50)][0]
    {'id': '0', 'mode': 'a', 'year': '2026'}
    >>> values.fields
    {'mode': ('a', 'b')}
    """

    def __init__(self) -> None:
        self._values: dict[str, set[str] | None] = {}

    def add(self, meta: Mapping[str, Any]) -> dict[str, str]:
        """Take note of one item's fields; gives those that can be written as a word."""
        own = {name: str(value) for name, value in meta.items() if isinstance(value, str | int | float)}
        for name, value in own.items():
            known = self._values.setdefault(name, set())
            if known is not None:
                known.add(value)
                if len(known) > _MOST_VALUES:
                    self._values[name] = None
        return own

    @property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """The fields with more than one value and not too many, with their values."""
        found = {
            name: tuple(sorted(known)) for name, known in self._values.items() if known and len(known) > 1
        }
        return dict(list(found.items())[:_MOST_FIELDS])
