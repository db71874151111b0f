"""Tokens as HTML: our own few elements, every text escaped, and the place in the source on everything that can be quoted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise

import nh3
from markdown_it.token import Token

from haechi.regex import regex
from haechi.typeset.formula import is_display, mathml
from haechi.typeset.mark import TextMark

_LONG = 1000
_PIECE = regex(r"[\s\S]{1,500}\S*\s*")


class Writer:
    """Writes the tokens of one text; `units` are its places as a browser counts them."""

    def __init__(self, marks: Sequence[TextMark], units: Sequence[int]) -> None:
        self._marks, self._units = marks, units

    def page(self, tokens: Iterable[Token]) -> str:
        """All tokens as HTML."""
        return "".join(self._token(token) for token in tokens)

    def _token(self, token: Token) -> str:
        write = _WRITERS.get(token.type)
        if write is not None:
            return write(self, token)
        if token.hidden or not token.tag:
            return ""
        if token.nesting < 0:
            return f"</{token.tag}>"
        return f"<{token.tag}>"

    def text(self, token: Token) -> str:
        """The words of a token."""
        if not token.content:
            return ""
        if "to" in token.meta:
            return self.whole(escape(token.content), token)
        return self.words(token.content, token.meta["at"])

    def words(self, text: str, at: int) -> str:
        """Words that stand in the source as they are shown."""
        return "".join(
            self._marked(
                f'<span data-at="{self._units[start]}">{escape(text[start - at : end - at])}</span>',
                start,
                end,
            )
            for start, end in self._cuts(text, at)
        )

    def _cuts(self, text: str, at: int) -> Iterator[tuple[int, int]]:
        """Where words are cut: at the ends of marks, and long ones into pieces, which a browser lays out sooner."""
        end = at + len(text)
        cuts = (
            {at, end, *(at + piece.end() for piece in _PIECE.finditer(text))}
            if len(text) > _LONG
            else {at, end}
        )
        cuts |= {place for mark in self._marks for place in mark[:2] if at < place < end}
        return pairwise(sorted(cuts))

    def whole(self, shown: str, token: Token, tag: str = "span", kind: str = "") -> str:
        """What is shown otherwise than it is written: it can be quoted only as a whole."""
        at, to = token.meta["at"], token.meta["to"]
        named = f' class="{kind}"' if kind else ""
        shown = f'<{tag}{named} data-at="{self._units[at]}" data-to="{self._units[to]}">{shown}</{tag}>'
        return self._marked(shown, at, to)

    def _marked(self, shown: str, start: int, end: int) -> str:
        names = dict.fromkeys(mark.name for mark in self._marks if mark.start < end and start < mark.end)
        return f'<mark data-marks="{escape(" ".join(names))}">{shown}</mark>' if names else shown

    def formula(self, token: Token) -> str:
        """A formula, or its source where it could not be converted."""
        display = is_display(token.markup)
        kind = "formula display" if display else "formula"
        made = mathml(token.content, display)
        if made is None:
            closing = {"\\(": "\\)", "\\[": "\\]"}.get(token.markup, token.markup)
            source = escape(f"{token.markup}{token.content}{closing}")
            return self.whole(source, token, "code", f"{kind} as-source")
        return self.whole(made, token, kind=kind)

    def fence(self, token: Token) -> str:
        """A code block, line by line."""
        language = escape(token.info.strip().split(" ")[0])
        named = f'<span class="language">{language}</span>' if language else ""
        lines = (self.words(line, at) if line else "" for at, line in token.meta["lines"])
        return f"{named}<pre><code>" + "\n".join(lines) + "</code></pre>"

    def link(self, token: Token) -> str:
        """A link is shown and goes nowhere: nobody who rates follows a transcript to a stranger's page."""
        return f'<span class="link" title="{escape(str(token.attrGet("href")))}">'

    def cell(self, token: Token) -> str:
        """A cell of a table; its alignment is a class, not a style."""
        side = str(token.attrGet("style") or "").removeprefix("text-align:")
        return f'<{token.tag} class="{side}">' if side in ("right", "center") else f"<{token.tag}>"

    def heading(self, token: Token) -> str:
        """Larger words; the page's own headings are the page's."""
        return f'<p class="heading {token.tag}">' if token.nesting > 0 else "</p>"

    def numbered(self, token: Token) -> str:
        """A list that begins with its own number."""
        start = token.attrGet("start")
        return f'<ol start="{start}">' if isinstance(start, int) else "<ol>"


_WRITERS: dict[str, Callable[[Writer, Token], str]] = {
    "inline": lambda writer, token: writer.page(token.children or ()),
    "text": Writer.text,
    "text_special": Writer.text,
    "softbreak": lambda _writer, _token: "<br>",
    "hardbreak": lambda _writer, _token: "<br>",
    "code_inline": lambda writer, token: f"<code>{writer.text(token)}</code>",
    "formula": Writer.formula,
    "formula_block": Writer.formula,
    "fence": Writer.fence,
    "link_open": Writer.link,
    "link_close": lambda _writer, _token: "</span>",
    "th_open": Writer.cell,
    "td_open": Writer.cell,
    "heading_open": Writer.heading,
    "heading_close": Writer.heading,
    "ordered_list_open": Writer.numbered,
}

_MATHML = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "ms", "mfrac", "msqrt", "mroot", "mstyle", "mpadded", "menclose"),
    *("msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none"),
    *("mtable", "mtr", "mtd", "merror"),
}  # fmt: skip
_TAGS = _MATHML | {
    *("p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "span", "mark"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}  # fmt: skip
_CLASSES = {
    "span": {"formula", "display", "link", "language"},
    "code": {"formula", "display", "as-source"},
    "p": {"plain", "heading", "h1", "h2", "h3", "h4", "h5", "h6"},
    "th": {"right", "center"},
    "td": {"right", "center"},
}
_LAYOUT = {
    "mathvariant",
    "displaystyle",
    "scriptlevel",
    "stretchy",
    "fence",
    "form",
    "accent",
    "movablelimits",
}
_LAYOUT |= {
    "columnalign",
    "columnlines",
    "rowlines",
    "notation",
    "linethickness",
    "minsize",
    "maxsize",
    "width",
}
_ATTRIBUTES = {
    **dict.fromkeys(_MATHML, _LAYOUT),
    "math": {"display", "alttext"},
    "span": {"data-at", "data-to", "title"},
    "code": {"data-at", "data-to"},
    "mark": {"data-marks"},
    "ol": {"start"},
}
# Sizes and spaces of a formula stay small: nothing may be laid over its neighbours or pushed out of sight.
_SIZE = regex(r"(?:[0-3](?:\.\d{1,4})?em|[012]?\d(?:\.\d+)?(?:px|pt|mu)|0|1\.\d{1,4}em|thin|thick|medium)")


def _attribute(_tag: str, name: str, value: str) -> str | None:
    if name in ("width", "minsize", "maxsize", "linethickness"):
        return value if _SIZE.fullmatch(value) else None
    return value


_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    allowed_classes=_CLASSES,
    attribute_filter=_attribute,
    url_schemes=set(),
    link_rel=None,
    strip_comments=True,
)


def filter_html(page: str) -> str:
    """HTML with nothing in it but what is listed here."""
    return _CLEANER.clean(page)
