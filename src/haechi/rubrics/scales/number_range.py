"""A band: a stretch of a measured number, and the points it is worth."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, NamedTuple

from haechi.rubrics.fault import Fault, shorten
from haechi.rubrics.fields import Frozen
from haechi.rubrics.values import Number, Words, number, plain
from haechi.text import Text


class NumberRange(NamedTuple):
    """A stretch of numbers such as (5, 8].

    >>> NumberRange.read("(5, 8]")
    NumberRange(low=5.0, low_in=False, high=8.0, high_in=True)
    """

    low: float
    low_in: bool
    high: float
    high_in: bool

    @classmethod
    def read(cls, text: str) -> NumberRange:
        match = re.fullmatch(r"\s*([\[(])\s*(\S+?)\s*,\s*(\S+?)\s*([\])])\s*", text)
        ends = (
            [math.inf if e == "inf" else -math.inf if e == "-inf" else number(e) for e in match.groups()[1:3]]
            if match
            else []
        )
        if not match or ends[0] is None or ends[1] is None:
            example = "(5, 8], [0, 5), (20, inf)"
            raise Fault(shorten(text), Text(f"구간(예: {example})", f"a range such as {example}"))
        interval = cls(ends[0], match[1] == "[", ends[1], match[4] == "]")
        low, low_in, high, high_in = interval
        if low > high or (low == high and not (low_in and high_in)):
            raise Fault(shorten(text), Text("수가 들어 있는 구간", "a range that holds a number"))
        return interval

    def say(self) -> str:
        """The stretch as it is written."""
        opening, closing = "[" if self.low_in else "(", "]" if self.high_in else ")"
        return f"{opening}{plain(self.low)}, {plain(self.high)}{closing}"

    def in_words(self) -> Text:
        """What a number within the stretch is, for somebody who does not read brackets.

        >>> NumberRange.read("[0, inf)").in_words()
        Text(ko='0 이상의 수', en='a number, 0 or more')
        >>> NumberRange.read("(0, 5]").in_words()
        Text(ko='0 초과 5 이하의 수', en='a number above 0, 5 or less')
        """
        low, high = plain(self.low), plain(self.high)
        ko, en = [], []
        if math.isfinite(self.low):
            ko.append(f"{low} {'이상' if self.low_in else '초과'}")
            en.append(f", {low} or more" if self.low_in else f" above {low}")
        if math.isfinite(self.high):
            ko.append(f"{high} {'이하' if self.high_in else '미만'}")
            en.append(f", {high} or less" if self.high_in else f" below {high}")
        return Text(f"{' '.join(ko)}의 수" if ko else "수", f"a number{''.join(en)}")

    def meets(self, following: NumberRange) -> bool:
        """Whether `following` goes on exactly where this stretch ends."""
        return self.high == following.low and self.high_in != following.low_in


def _interval(value: Any) -> NumberRange:
    return value if isinstance(value, NumberRange) else NumberRange.read(str(value))


class Band(Frozen):
    """A stretch of a measured number and the points it is worth."""

    range: Annotated[NumberRange, _interval]
    points: Number
    text: Words | None = None
