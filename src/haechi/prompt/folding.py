"""Text reduced to what a quote and its source have in common, and the search for one in the other."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from haechi.regex import regex

# Commands that are only layout, hidden signs, and brackets, signs and spaces that people write or leave out.
_LAYOUT = regex(
    r"\\(?:left|right|displaystyle|[dt]?frac|text(?:bf|it|rm)?|math(?:rm|bf|it)|quad|qquad|[,;:! ()\[\]{}])"
    r"(?![A-Za-z])"
    r"|⟨U\+[0-9A-F]{4,6}⟩"  # a hidden sign as judges are shown it
)
_NAMES = {
    "×": "times", "÷": "div", "≠": "neq", "≤": "leq", "≥": "geq", "√": "sqrt", "∞": "infty", "∇": "nabla",
    "∑": "sum", "∫": "int", "∂": "partial", "→": "to", "±": "pm", "∈": "in", "−": "-",
}  # fmt: skip
_SYNONYMS = regex(r"\\(?:le|ge|ne|rightarrow|cdot)(?![A-Za-z])")
_SAME = {"\\le": "leq", "\\ge": "geq", "\\ne": "neq", "\\rightarrow": "to", "\\cdot": ""}
_KEPT = frozenset("+=<>")  # they change what a formula says


def fold(text: str) -> str:
    r"""The text without case, spaces, punctuation and the ways to write a formula.

    >>> fold(r"\(\frac{n(n+1)}{2}\)") == fold("n(n+1)/2")
    True
    >>> fold("α ≤ β") == fold(r"$\alpha \leq \beta$")
    True
    """
    if "\\" in text:
        text = _SYNONYMS.sub(lambda match: _SAME[match[0]], text)
    if "\\" in text or "⟨" in text:
        text = _LAYOUT.sub("", text)
    return "".join(map(_fold_character, unicodedata.normalize("NFKC", text).casefold()))


# What is folded together: a command, letters of Hangul that were written apart, a sign with its marks.
_UNIT = regex(
    rf"{_SYNONYMS.pattern}|{_LAYOUT.pattern}|[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?|.[\u0300-\u036f\u3099\u309a]*",
    re.DOTALL,
)


class Letters(NamedTuple):
    """A text folded so that it is known from where to where each of its letters was written."""

    folded: str
    spans: list[tuple[int, int]]

    @classmethod
    def of(cls, text: str) -> Letters:
        """Fold a text unit by unit."""
        units = [(match.span(), _fold_unit(match[0])) for match in _UNIT.finditer(text)]
        return cls("".join(folded for _, folded in units), [span for span, folded in units for _ in folded])


def places(quote: str, text: Letters, most: int) -> tuple[int, int] | None:
    """Where a quote, folded, was written in a text, exactly or with at most `most` changes.

    >>> text = "먼저 **꼭짓점**을 봅시다"
    >>> start, end = places(fold("꼭짓점을 봅"), Letters.of(text), 0)
    >>> text[start:end]
    '꼭짓점**을 봅'
    """
    folded, spans = text
    if not quote or distance_within(quote, folded, most) is None:
        return None
    size = len(quote) // (most + 1)
    pieces = (
        (0, quote),
        *((start, quote[start : start + size]) for start in range(0, size * (most + 1), max(1, size))),
    )
    # The first piece that stands unchanged tells where the whole begins.
    begin = next((at - start for start, piece in pieces if piece and (at := folded.find(piece)) >= 0), None)
    if begin is None:
        return None
    last = min(begin + len(quote), len(spans)) - 1
    return spans[max(0, begin)][0], spans[last][1]


def _fold_unit(unit: str) -> str:
    return _fold_sign(unit) if len(unit) == 1 else fold(unit)


_fold_sign = cache(fold)  # of single signs there are not many


class _Table(dict[str, str]):
    def __missing__(self, character: str) -> str:
        self[character] = folded = _folded(character)
        return folded


def _folded(character: str) -> str:
    if character in _NAMES:
        return _NAMES[character]
    if character in _KEPT or character.isalnum():
        name = unicodedata.name(character, "")
        greek = name.removeprefix("GREEK SMALL LETTER ")
        return greek.split()[0].lower() if greek != name else character
    return ""


_fold_character = _Table().__getitem__


def distance_within(quote: str, text: str, most: int) -> int | None:
    """The fewest changes that turn the quote into some part of the text, or None when more than `most`.

    Both are folded. At least one of `most` + 1 pieces of the quote stands unchanged in every match, so only
    the surroundings of such pieces are compared.

    >>> distance_within("이차함수의꼭짓점", "먼저이차함수꼭짓점을봅시다", 2)
    1
    """
    if quote in text:
        return 0
    if most <= 0 or len(quote) <= most:
        return None
    around = [text[start:end] for start, end in _windows(quote, text, most)]
    letters = set(quote)  # each that is not there is a change
    found = [_nearest(quote, part) for part in around if len(letters.difference(part)) <= most]
    best = min(found, default=most + 1)
    return best if best <= most else None


def may_stand(quote: str, text: str, most: int) -> bool:
    """Whether a part of the text can be the quote but for `most` changes; where not, no message in the text holds it.

    >>> may_stand("이차함수의꼭짓점", "먼저이차함수꼭짓점을봅시다", 2), may_stand("꼭짓점", "먼저그래프를", 0)
    (True, False)
    """
    if quote in text:
        return True
    return 0 < most < len(quote) and any(piece in text for _, piece in _pieces(quote, most))


def _windows(quote: str, text: str, most: int) -> list[tuple[int, int]]:
    """From where to where the quote can stand, around every piece of it that stands unchanged."""
    starts: list[int] = []
    for place, piece in _pieces(quote, most):
        at = text.find(piece)
        while at >= 0:
            starts.append(max(0, at - place - most))
            at = text.find(piece, at + 1)
    reach = len(quote) + 2 * most
    windows: list[tuple[int, int]] = []
    for start in sorted(starts):
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], start + reach)
        else:
            windows.append((start, start + reach))
    return windows


@lru_cache(maxsize=256)  # a quote is looked for in one message after the other
def _pieces(quote: str, most: int) -> tuple[tuple[int, str], ...]:
    """`most` + 1 parts of a quote, each with its place."""
    size = len(quote) // (most + 1)
    return tuple((start, quote[start : start + size]) for start in range(0, size * (most + 1), size))


def _nearest(quote: str, text: str) -> int:
    """Myers' bit-parallel search: the least edit distance of the quote to any part of the text."""
    size = len(quote)
    masks: dict[str, int] = {}
    for place, character in enumerate(quote):
        masks[character] = masks.get(character, 0) | 1 << place
    full, high = (1 << size) - 1, 1 << (size - 1)
    positive, negative, score, best = full, 0, size, size
    for character in text:
        equal = masks.get(character, 0)
        vertical = equal | negative
        horizontal = (((equal & positive) + positive) ^ positive) | equal
        up = negative | (~(horizontal | positive) & full)
        down = positive & horizontal
        score += bool(up & high) - bool(down & high)
        best = min(best, score)
        up, down = up << 1 & full, down << 1 & full
        positive = down | (~(vertical | up) & full)
        negative = up & vertical
    return best
