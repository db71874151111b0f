"""What all charts share: the frame with its words for those who cannot see it, axes, and text that fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from unicodedata import east_asian_width

from haechi.frozen import frozen
from haechi.report.chart_items import ChartPicture, picture
from haechi.report.document import Plot
from haechi.report.markup import Markup, join, tag
from haechi.report.table import Table

STYLE = Path(__file__).parents[1] / "chart.css"
"""The style sheet of the charts; its colours are those of the page."""
WIDTH, NARROW = 860.0, 360.0
"""How wide a picture is drawn: for a page or paper, and for a phone, where names stand above what they name."""
SERIES = ("s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8")
"""Classes of colours; the page's style sheet says which."""
LINE = 15.0
"""From one line of a name to the next."""
_MOST_LINES = 5


def shape(x: float, y: float, series: int, size: float = 5.0) -> Markup:
    """The point of a series; each has its own form beside its colour, for those to whom colours look alike.

    >>> shape(1, 2, 0)[:7], shape(1, 2, 1)[:5], shape(1, 2, 2)[:8]
    ('<circle', '<rect', '<polygon')
    """
    class_ = f"dot {SERIES[series % len(SERIES)]}"
    form = series % 4
    if form == 0:
        return tag("circle", cx=x, cy=y, r=size, class_=class_)
    if form == 1:
        side = size * 1.8
        return tag("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, class_=class_)
    away = size * 1.3
    ends = (
        [(x, y - away), (x + away, y), (x, y + away), (x - away, y)]
        if form == 2
        else [(x, y - away), (x + away, y + size), (x - away, y + size)]
    )
    return tag("polygon", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in ends), class_=class_)


@frozen
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


def plot(
    title: str, alt: str, draw: Callable[..., Markup], shown: Table, values: Table, folded: bool = True
) -> Plot:
    """A plot, drawn for a page and for a phone; `draw` takes the width, `shown` is the table beside it on the page."""
    return Plot(title, draw(width=WIDTH), alt, shown, folded, draw(width=NARROW), values)


def frame(title: str, description: str, height: float, *shapes: Markup, width: float = WIDTH) -> ChartPicture:
    """The picture with its title and description.

    >>> frame("T", "D", 10)[:42]
    '<svg viewBox="0 0 860 10" role="img" class'
    """
    drawn = tag(
        "svg",
        tag("title", title),
        tag("desc", description),
        join(list(shapes)),
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
        class_="chart",
    )
    return picture(drawn, shapes)


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
        room -= _long(letter)
        if room < 1:
            return kept.rstrip() + "…"
        kept += letter
    return text


def wrap_name(text: str, width: float) -> list[str]:
    """A name in as many lines of a width as it takes, broken between words where it can be; what is longer than a name ends in "…".

    >>> wrap_name("특정 상황에서 보인 반응의 일관성", 110), wrap_name("x" * 30, 110)
    (['특정 상황에서', '보인 반응의', '일관성'], ['xxxxxxxxxxxxxxx', 'xxxxxxxxxxxxxxx'])
    """
    lines, room = [""], width / 7.0
    for word in text.split():
        joined = f"{lines[-1]} {word}".strip()
        if _long(joined) <= room:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if _long(lines[-1] + letter) > room:
                lines.append("")
            lines[-1] += letter
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], fitting(" ".join(lines[_MOST_LINES - 1 :]), width)]
    return lines


def _long(text: str) -> float:
    """How many Latin letters take as much room; a Korean one is almost twice as wide."""
    return sum(1.8 if east_asian_width(letter) in "WF" else 1.0 for letter in text)


def name_lines(
    x: float, y: float, lines: Sequence[str], anchor: str = "start", class_: str = "label"
) -> Markup:
    """The lines of a name below each other, the first of them at y."""
    return join([words(x, y + LINE * place, one, anchor, class_) for place, one in enumerate(lines)])


def name_beside(x: float, middle: float, lines: Sequence[str]) -> Markup:
    """The lines of a name at the left of what it names, around its middle."""
    return name_lines(x, middle + 4 - LINE / 2 * (len(lines) - 1), lines, "end")


def room_for(names: Iterable[str]) -> float:
    """How far from the left a picture begins, so that its names fit; long ones have several lines.

    >>> room_for(["A1"]), room_for(["예상치 못한 반응이 AI의 매력을 높였는지"]), room_for(["x" * 99])
    (110.0, 281.0, 330.0)
    """
    longest = max(map(_long, names), default=0)
    return min(330.0, max(110.0, round(longest * 7.0 + 30.0, 0)))


def bottom_axis(scale: Axis, top: float, bottom: float, called: str = "") -> Markup:
    """Ticks below, with lines through the picture."""
    parts = []
    for value in ticks(scale.low, scale.high, 6 if scale.end - scale.start > 400 else 4):
        x = scale(value)
        parts += [
            line(x, top, x, bottom, "grid"),
            words(x, bottom + 16, f"{value:g}".replace("-", "−"), "middle", "tick"),
        ]
    for place, one in enumerate(_axis_lines(scale, called)):
        parts.append(words((scale.start + scale.end) / 2, bottom + 34 + LINE * place, one, "middle", "axis"))
    return join(parts)


def room_below(scale: Axis, called: str) -> float:
    """How much room the ticks and the name of an axis take below the picture."""
    return 27.0 + LINE * len(_axis_lines(scale, called))


def _axis_lines(scale: Axis, called: str) -> list[str]:
    """The name of an axis below a picture, in the lines that it takes."""
    return wrap_name(called, scale.end - scale.start) if called else []


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


def legend(names: Sequence[str], y: float, left: float = 0.0, right: float = WIDTH) -> tuple[Markup, float]:
    """Which colour and form is which, in as many lines as it takes, and where the last of them stands."""
    parts, x = list[Markup](), left
    for place, name_ in enumerate(names):
        lines = wrap_name(name_, right - left - 24)
        needed = 34 + max(map(text_width, lines))
        if x > left and x + needed > right + 14:
            x, y = left, y + 18
        parts += [shape(x + 6, y - 4, place), name_lines(x + 16, y, lines)]
        x, y = x + needed, y + LINE * (len(lines) - 1)
    return join(parts), y


def text_width(text: str, size: float = 12.5) -> float:
    """About how wide a text is drawn.

    >>> text_width("가") > text_width("a")
    True
    """
    return size * sum(1.0 if east_asian_width(letter) in "WF" else 0.58 for letter in text)
