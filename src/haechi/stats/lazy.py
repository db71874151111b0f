"""Figures by name that are computed when first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

Found = TypeVar("Found")


class LazyMapping(Mapping[str, Found]):
    """A mapping whose names are known and whose values are found one by one.

    >>> squares = LazyMapping(["1", "2"], lambda name: print("computing", name) or int(name) ** 2)
    >>> squares["2"], squares["2"], list(squares)
    computing 2
    (4, 4, ['1', '2'])
    """

    def __init__(self, names: Collection[str], find: Callable[[str], Found]) -> None:
        self._names, self._find = dict.fromkeys(names), find
        self._found: dict[str, Found] = {}

    def __getitem__(self, name: str) -> Found:
        if name not in self._found:
            if name not in self._names:
                raise KeyError(name)
            self._found[name] = self._find(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names
