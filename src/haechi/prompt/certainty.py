"""How likely a judge's values were by the probabilities of its own words: evidence beside a value, never the value."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

from haechi.prompt.plain_reply import value_order
from haechi.prompt.reply import ParsedReply
from haechi.regex import regex
from haechi.rubrics import Rubric

_VALUE = regex(rb'(?<!\\)"value"\s*:\s*"?')
_AROUND = b' \n\t"{}[],:'


class Token(NamedTuple):
    """A piece of an answer as the model wrote it, in bytes, and the logarithm of its probability."""

    written: bytes
    logprob: float


def certainties(
    text: str,
    tokens: Sequence[Token],
    parsed: ParsedReply,
    rubric: Rubric,
    only: Collection[str] | None = None,
) -> dict[str, float]:
    """The probability of every value, where the answer is in the form that was asked for and its tokens are all there.

    A value that is written in several tokens has the product of theirs. Where a token holds more of the answer than
    the value (`1}`), its probability is that of both together.

    >>> import haechi
    >>> from haechi.prompt.reply import parse
    >>> rubric = haechi.rubric("diary-comment")
    >>> said = ['{"sympathy": {"evidence": "위로", "value": ', "1", "}}"]
    >>> tokens = [Token(word.encode(), -0.1 if word == "1" else 0.0) for word in said]
    >>> parsed = parse("".join(said), rubric, ("sympathy",))
    >>> round(certainties("".join(said), tokens, parsed, rubric, ("sympathy",))["sympathy"], 3)
    0.905
    """
    written = b"".join(token.written for token in tokens)
    order = value_order(text, rubric, None if only is None else tuple(only))
    if order is None or written != text.encode("utf-8", "surrogatepass"):
        return {}
    places = [found.end() for found in _VALUE.finditer(written)]
    if len(places) != len(order):
        return {}
    ends = list(accumulate(len(token.written) for token in tokens))
    found = {}
    for name, place in zip(order, places, strict=True):
        value = parsed.values.get(name)
        if value is not None and (chance := _chance(tokens, ends, place, written)) is not None:
            found[name] = chance
    return found


def _chance(tokens: Sequence[Token], ends: list[int], place: int, written: bytes) -> float | None:
    """The probability of the word that begins at a place."""
    word = re.compile(rb'[^\s",}\]]+').match(written, place)
    if word is None:
        return None
    total, inside = 0.0, False
    for token, end in zip(tokens, ends, strict=True):
        begin = end - len(token.written)
        if end > place and begin < word.end() and token.written.strip(_AROUND):
            total, inside = total + token.logprob, True
    return math.exp(min(0.0, total)) if inside and math.isfinite(total) else None
