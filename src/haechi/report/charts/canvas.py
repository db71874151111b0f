"""What all charts share: the frame with its words for those who cannot see it, axes, and text that fits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import east_asian_width

from haechi.report.markup import Markup, join, tag

WIDTH = 720.0
SERIES = ("s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8")
"""Classes of colours; the page's style sheet says which."""


@dataclass(frozen=True)
class Axis:
    """From values to places on the page.

    >>> Axis(0, 10, 100, 200)(5)
    150.0
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value; what lies outside is put on the edge."""
        inside = min(max(value, self.low), self.high)
        width = (self.high - self.low) or 1.0
        return self.start + (inside - self.low) / width * (self.end - self.start)


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Round values between the ends.

    >>> ticks(8, 40), ticks(0, 1)
    ([10.0, 20.0, 30.0, 40.0], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    if not high > low:
        return [low]
    rough = (high - low) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def frame(title: str, description: str, height: float, *shapes: Markup) -> Markup:
    """The picture with its title and description.

    >>> frame("T", "D", 10)[:42]
    '<svg viewBox="0 0 720 10" role="img" class'
    """
    return tag(
        "svg",
        tag("title", title),
        tag("desc", description),
        join(list(shapes)),
        viewBox=f"0 0 {WIDTH:.0f} {height:.0f}",
        role="img",
        class_="chart",
    )


def words(x: float, y: float, text: str, anchor: str = "start", class_: str = "label") -> Markup:
    """A text on the picture."""
    return tag("text", text, x=x, y=y, text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """A line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def fitting(text: str, width: float) -> str:
    """A label cut to a width; a Korean letter is twice as wide as a Latin one.

    >>> fitting("특정 상황에서 보인 반응의 일관성", 100)
    '특정 상황에서…'
    """
    room, kept = width / 7.0, ""
    for letter in text:
        room -= 1.8 if east_asian_width(letter) in "WF" else 1.0
        if room < 1:
            return kept.rstrip() + "…"
        kept += letter
    return text


def room_for(names: Iterable[str]) -> float:
    """How far from the left a picture begins, so that its names fit; long ones are cut.

    >>> room_for(["A1"]), room_for(["예상치 못한 반응이 AI의 매력을 높였는지"]), room_for(["x" * 99])
    (110.0, 281.0, 300.0)
    """
    longest = max(
        (sum(1.8 if east_asian_width(c) in "WF" else 1.0 for c in name) for name in names), default=0
    )
    return min(300.0, max(110.0, round(longest * 7.0 + 30.0, 0)))


def bottom_axis(scale: Axis, top: float, bottom: float, name: str = "") -> Markup:
    """Ticks below, with lines through the picture."""
    parts = []
    for value in ticks(scale.low, scale.high):
        x = scale(value)
        parts += [
            line(x, top, x, bottom, "grid"),
            words(x, bottom + 16, f"{value:g}".replace("-", "−"), "middle", "tick"),
        ]
    if name:
        parts.append(words((scale.start + scale.end) / 2, bottom + 34, name, "middle", "axis"))
    return join(parts)


def left_axis(scale: Axis, left: float, right: float, name: str = "", whole: bool = False) -> Markup:
    """Ticks at the left, with lines through the picture; only whole numbers where things are counted."""
    parts = []
    for value in ticks(min(scale.low, scale.high), max(scale.low, scale.high), 5):
        if whole and value != round(value):
            continue
        y = scale(value)
        parts += [
            line(left, y, right, y, "grid"),
            words(left - 8, y + 4, f"{value:g}".replace("-", "−"), "end", "tick"),
        ]
    if name:
        parts.append(words(left, min(scale.start, scale.end) - 10, name, "start", "axis"))
    return join(parts)


def legend(names: list[str], y: float, left: float = 0.0) -> Markup:
    """Which colour is which."""
    parts, x = [], left
    for name, colour in zip(names, SERIES * (len(names) // len(SERIES) + 1), strict=False):
        shown = fitting(name, 150)
        parts += [tag("circle", cx=x + 6, cy=y - 4, r=5.0, class_=f"dot {colour}"), words(x + 16, y, shown)]
        x += 34 + sum(12.5 if east_asian_width(letter) in "WF" else 7.2 for letter in shown)
    return join(parts)
