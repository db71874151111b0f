"""Markup that is safe by construction: what is not markup already is escaped when it is put in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape

# What XML cannot hold, and controls that turn text round on the page.
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]")
MARKED_CODE = re.compile("`([^`]+)`")
"""What an author set in code font, as in Markdown."""
_UNSAFE = re.compile(f"[&<>\"'{CONTROLS.pattern[1:]}")  # most texts have none of it
_VOID = {"meta", "br", "hr", "link"}


class Markup(str):
    """Text that is markup and must not be escaped again."""

    __slots__ = ()


def tag(name: str, /, *content: str | Markup, **attributes: str | float | None) -> Markup:
    """An element; strings in it are escaped. `class_` becomes class, `aria_label` aria-label.

    >>> tag("p", "<b>", tag("i", "x"), class_="note")
    '<p class="note">&lt;b&gt;<i>x</i></p>'
    """
    if name in _VOID:
        return Markup(_opening(name, attributes))
    inside = [one if type(one) is Markup else _escaped(one) for one in content]
    return Markup("".join([_opening(name, attributes), *inside, f"</{name}>"]))


def with_code(text: str) -> Markup:
    """A text whose author set words of it in code font with backticks.

    >>> with_code("`a < b` is a check")
    '<code>a &lt; b</code> is a check'
    """
    pieces = enumerate(MARKED_CODE.split(text))
    return join([tag("code", piece) if place % 2 else safe(piece) for place, piece in pieces])


def element_pieces(name: str, parts: Iterable[Markup], **attributes: str | float | None) -> list[Markup]:
    """An element in pieces: what holds a whole page would copy all of it once more for every element around it.

    >>> element_pieces("main", [tag("p", "x")], id="top")
    ['<main id="top">', '<p>x</p>', '</main>']
    """
    return [Markup(_opening(name, attributes)), *parts, Markup(f"</{name}>")]


def _opening(name: str, attributes: Mapping[str, str | float | None]) -> str:
    said = ""
    for key, value in attributes.items():
        if value is not None:
            said += f' {_attribute(key)}="{_escaped(_plain(value))}"'
    return f"<{name}{said}>"


def safe(text: str | Markup) -> Markup:
    """Escaped, unless it is markup already; control characters become the replacement character.

    >>> safe("a & b\\x00"), safe(Markup("<b>"))
    ('a &amp; b\ufffd', '<b>')
    """
    return Markup(_escaped(text))


def _escaped(text: str) -> str:
    if isinstance(text, Markup) or not _UNSAFE.search(text):
        return text
    return escape(CONTROLS.sub("\ufffd", text))


def join(parts: list[Markup], between: str = "") -> Markup:
    """Several pieces of markup as one."""
    return Markup(between.join(parts))


@cache
def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _plain(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
