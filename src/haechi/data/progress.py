"""How long work says that it gets on."""

from __future__ import annotations

from collections.abc import Callable

Advance = Callable[[int], None]
"""Told how many more rows, items or replies are done."""


def no_progress(_: int) -> None:
    """Progress that nobody watches.

    >>> no_progress(40)
    """
