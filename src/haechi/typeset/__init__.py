"""Text as its author saw it: Markdown and mathematics to HTML that holds nothing of a transcript but words."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from haechi.regex import regex
from haechi.typeset.mark import TextMark

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["STYLE", "TextMark", "typeset"]

STYLE = Path(__file__).with_name("typeset.css")
"""The style sheet of what `typeset` gives, inside an element of the class `typeset`."""
_LONGEST = 100_000
_MOST_TOKENS = 50_000
# What no page can hold becomes another sign of the same length, so that no place moves.
_ODD = regex("[\0\ud800-\udfff]")


@lru_cache(maxsize=512)
def typeset(text: str, marks: tuple[TextMark, ...] = ()) -> str:
    """A text as HTML; what can be quoted bears its place in the source (`data-at`, in UTF-16 units as browsers count).

    A text that is too long, or of which Markdown would leave out words, is given as it is written.

    >>> typeset("**값**은 $x$").replace("><", ">  <").split("  ")[2]
    '<span data-at="2">값</span>'
    >>> typeset("<b>", (TextMark(0, 1, "q1"),))
    '<p><mark data-marks="q1"><span data-at="0">&lt;</span></mark><span data-at="1">b&gt;</span></p>'
    """
    # Both bring libraries that only a page needs.
    from haechi.typeset.page import Writer, filter_html
    from haechi.typeset.source import is_whole, parse_tokens

    text = _ODD.sub("\ufffd", text).replace("\r\n", " \n").replace("\r", "\n")
    writer = Writer(marks, _units(text))
    tokens = parse_tokens(text) if len(text) <= _LONGEST else None
    if tokens is not None and _count(tokens) <= _MOST_TOKENS and is_whole(tokens, text):
        return filter_html(writer.page(tokens))
    return filter_html(f'<p class="plain">{writer.words(text, 0)}</p>')


def _count(tokens: list[Token]) -> int:
    return sum(1 + len(token.children or ()) for token in tokens)


def _units(text: str) -> list[int] | range:
    """The place of every character as a browser counts: a sign beyond the first plane is two."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return range(len(text) + 1)
    return [0, *accumulate(1 + (sign > "\uffff") for sign in text)]
