"""Connections that stay open as long as a small command runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_closing: list[Callable[[], None]] | None = None


@contextmanager
def kept_connections() -> Iterator[None]:
    """What is opened in here stays open until the end: to open a file again takes longer than a small question to it."""
    global _closing
    before, _closing = _closing, []
    try:
        yield
    finally:
        kept, _closing = _closing, before
        for close in kept:
            close()


def is_kept(close: Callable[[], None]) -> bool:
    """Whether a connection may stay open; `close` is called at the end."""
    if _closing is None:
        return False
    if close not in _closing:
        _closing.append(close)
    return True
