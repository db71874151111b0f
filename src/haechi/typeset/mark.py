"""A mark in a text, such as a passage that somebody quotes."""

from __future__ import annotations

from typing import NamedTuple


class TextMark(NamedTuple):
    """A span of the text that is to be marked, with a name that the page knows."""

    start: int
    end: int
    name: str
