"""Formulas: where they begin and end in a text, and how they become MathML."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from xml.etree.ElementTree import Element, tostring

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from haechi.regex import regex

_SIGNS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}
# A closing sign after an even number of backslashes: `\$` is a dollar, `\\\)` a new line and then the end.
_CLOSING = {opening: re.compile(r"(?<!\\)(?:\\\\)*" + re.escape(end)) for opening, end in _SIGNS.items()}
_DISPLAY = ("$$", "\\[")
_LONGEST, _DEEPEST = 5_000, 60
_MOST_LINES = 100
# `$5이고 …$` and `5$에서 …$` are money, unless a sign of mathematics stands between; so is `$5,`.
_SIGN = regex(r"[\\^_=+<>/*×÷≤≥]")
_KOREAN = regex("[\u3131-\u318e가-힣]")
_MONEY = regex(r"\d[\d.,]*[~,.\-–—…]")
_MACROS = regex(r"\\(?:(?:re)?newcommand|def|let)(?![a-zA-Z])")
_PERCENT = regex(r"(?<!\\)%")
_LEFT_OVER = regex(r"\\[a-zA-Z]|^&$")
# Layouts under the names that the converter knows; it numbers equations that nobody numbered.
_LAYOUTS = regex(r"\\(begin|end)\s*\{(?:(aligned|align|eqnarray\*?)|gathered|gather\*?)\}")
_ABOVE = ("lim", "max", "min", "sup", "inf")  # on a line of its own their condition stands below them
_EQUATION = regex(r"\\(?:begin|end)\s*\{equation\*?\}")


def add_rules(parser: MarkdownIt) -> None:
    r"""Teach a parser `$…$`, `$$…$$`, `\(…\)` and `\[…\]`."""
    parser.inline.ruler.before("escape", "formula", _inline)
    parser.block.ruler.before("fence", "formula_block", _block, {"alt": ["paragraph", "blockquote", "list"]})


def is_display(opening: str) -> bool:
    """Whether a formula stands on lines of its own."""
    return opening in _DISPLAY


def _inline(state: StateInline, silent: bool) -> bool:
    opening = next((sign for sign in _SIGNS if state.src.startswith(sign, state.pos)), None)
    if opening is None:
        return False
    start = state.pos + len(opening)
    end = _end(state, opening, start)
    if end is None or not _is_formula(opening, state.src, start, end):
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content, token.markup = state.src[start:end], opening
        token.meta["to"] = end + len(opening)
    state.pos = end + len(opening)
    return True


def _end(state: StateInline, opening: str, start: int) -> int | None:
    unclosed: set[tuple[str, str]] = state.env.setdefault("unclosed", set())
    if (opening, state.src) in unclosed:  # else a thousand signs would each look for an end that is not there
        return None
    found = _CLOSING[opening].search(state.src, start)
    if found is None:
        unclosed.add((opening, state.src))
        return None
    return found.end() - len(opening) if found.end() <= state.posMax else None


def _is_formula(opening: str, text: str, start: int, end: int) -> bool:
    """Whether what stands between the signs is mathematics: a single dollar may also be a price."""
    said = text[start:end]
    if not said.strip():
        return False
    if opening != "$":
        return True
    spaces = said[0].isspace(), said[-1].isspace()
    if any(spaces) and not (all(spaces) and _SIGN.search(said)):
        return False
    if text[end + 1 : end + 2].isdigit() or _MONEY.fullmatch(said):
        return False
    price = said[0].isdigit() or text[start - 2 : start - 1].isdigit()
    return bool(_SIGN.search(said)) or not (price and _KOREAN.search(said))


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    at = state.bMarks[first] + state.tShift[first]
    opening = next((sign for sign in _DISPLAY if state.src.startswith(sign, at)), None)
    if opening is None:
        return False
    start = at + len(opening)
    pieces = []
    for line in range(first, min(last, first + _MOST_LINES)):
        begin, stop = (start if line == first else state.bMarks[line]), state.eMarks[line]
        if line > first and (state.isEmpty(line) or state.sCount[line] < state.blkIndent):
            return False
        found = _CLOSING[opening].search(state.src, begin, stop)
        pieces.append(state.src[begin : found.end() - len(opening) if found else stop])
        if found is None:
            continue
        if state.src[found.end() : stop].strip() or not "".join(pieces).strip():
            return False
        if not silent:
            token = state.push("formula_block", "math", 0)
            token.content, token.markup, token.map = "\n".join(pieces), opening, [first, line + 1]
            token.meta.update(at=at, to=found.end())
        state.line = line + 1
        return True
    return False


@lru_cache(maxsize=4096)
def mathml(latex: str, display: bool) -> str | None:
    r"""A formula as MathML with all its texts escaped; None where something of it could not be converted.

    >>> mathml(r"\frac{1}{2}", False)
    '<math display="inline" alttext="\\frac{1}{2}"><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mrow></math>'
    >>> mathml(r"\unknown{x}", False), mathml("x^{", False)
    (None, None)
    """
    if (
        len(latex) > _LONGEST
        or latex.count("{") > _LONGEST // 4
        or _MACROS.search(latex)
        or _depth(latex) > _DEEPEST
    ):
        return None
    known = _EQUATION.sub(
        "", _LAYOUTS.sub(lambda match: f"\\{match[1]}{{{'align*' if match[2] else 'matrix'}}}", latex)
    )
    known = _PERCENT.sub(r"\\%", known)
    element = _converted(known, display)
    if element is not None and element.find(".//mspace[@linebreak]") is not None:
        element = _converted(rf"\begin{{matrix}}{known}\end{{matrix}}", display)
    if element is None:
        return None
    for part in element.iter():
        part.text = html.unescape(part.text) if part.text else part.text
        if part.text and _LEFT_OVER.search(part.text):
            return None
        if display and part.tag == "msub" and part[0].text in _ABOVE:
            part.tag = "munder"
    del element.attrib["xmlns"]
    element.set("alttext", latex.strip())
    return tostring(element, encoding="unicode")


def _converted(latex: str, display: bool) -> Element | None:
    from latex2mathml.converter import Converter

    try:
        return Converter(display="block" if display else "inline").convert_to_element(latex)
    except Exception:  # noqa: BLE001 - the converter raises whatever a damaged formula makes it stumble over
        return None


def _depth(latex: str) -> int:
    depth = deepest = 0
    for sign in latex:
        depth += (sign == "{") - (sign == "}")
        deepest = max(deepest, depth)
    return deepest
