"""Parts of a report in HTML: tables, charts with the items behind them, items with their texts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

from haechi.report.chart_items import ChartPicture, ItemsBehind
from haechi.report.document import Passage, Plot, SectionPart
from haechi.report.markup import CONTROLS, Markup, join, tag
from haechi.report.table import AuthoredText, Cell, Column, Estimate, ItemLink, Table, VerdictMark, in_two
from haechi.report.words import said
from haechi.typeset import TextMark as Quoted
from haechi.typeset import typeset

_LONG, _LONG_NAME = 40, 24


def anchor(item: str) -> str:
    """The address of an item on the page; ids from strangers may hold anything.

    >>> anchor("s1") == anchor("s1") != anchor("s 1")
    True
    """
    return "item-" + sha256(item.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def item_link(item: str, shown: frozenset[str]) -> Markup:
    """An item's id, as a link where the page shows the item."""
    short = "item" if len(item) <= _LONG else None
    if item in shown:
        return tag("a", item, href=f"#{anchor(item)}", class_=short)
    return tag("span", item, class_=short)


def html_parts(parts: Iterable[SectionPart]) -> Markup:
    """Parts of a report for another page; items in them lead nowhere.

    >>> html_parts(["3 < 4"])
    '<p>3 &lt; 4</p>'
    """
    return join([html_part(part, frozenset()) for part in parts])


def html_part(part: SectionPart, shown: frozenset[str]) -> Markup:
    """A part of a report; `shown` are the items to which links can lead."""
    if isinstance(part, Table):
        return html_table(part, shown)
    if isinstance(part, Plot):
        return _plot(part, shown)
    if isinstance(part, Passage):
        return _passage(part)
    return tag("p", part) if part else Markup("")


def _plot(plot: Plot, shown: frozenset[str]) -> Markup:
    picture = tag("figure", tag("figcaption", plot.title), *picture_pair(plot.svg, plot.narrow), tabindex="0")
    own = html_table(plot.table, shown)
    if plot.folded:
        own = tag("details", tag("summary", said("수치로 보기", "As a table")), own, class_="figures")
    return join([picture, _leads(plot.svg, shown), own])


def _leads(drawn: Markup, shown: frozenset[str]) -> Markup:
    """What a chart draws with the items behind it, for whoever runs no script or cannot point at it."""
    if not isinstance(drawn, ChartPicture) or not drawn.leads:
        return Markup("")
    listed = [tag("li", one.told, *_lead(one.items, shown)) for one in drawn.leads]
    title = said("그림의 점과 막대에 든 항목", "The items behind every point and bar")
    return tag("details", tag("summary", title), tag("ul", *listed), class_="leads")


def _lead(items: ItemsBehind, shown: frozenset[str]) -> list[str | Markup]:
    """The way to items: to the first of them on the page, or the address in the item browser."""
    if items.query:
        return [" — ", tag("code", f"/owner/browse?{items.query}")]
    return [" — ", join([item_link(item, shown) for item in items.names], ", "), items.more()]


def picture_pair(wide: Markup, narrow: Markup | None) -> list[Markup]:
    """A picture as it is shown on a page, and as on a phone; the style sheet shows one of them."""
    if narrow is None:
        return [tag("div", wide, class_="any-width")]
    return [tag("div", wide, class_="on-page"), tag("div", narrow, class_="on-phone")]


def html_table(table: Table, shown: frozenset[str]) -> Markup:
    """A table that scrolls by itself where it is wider than the page."""
    own = table.on_page()
    head = tag("tr", *(tag("th", c.title, scope="col", class_=_classes(c.is_words)) for c in own.columns))
    rows = [
        tag("tr", *[_cell(cell, own.columns[place], place == 0, shown) for place, cell in enumerate(row)])
        for row in own.rows
    ]
    caption = [tag("caption", table.title)] if table.title else []
    note = tag("p", table.note, class_="note") if table.note else Markup("")
    return join(
        [
            tag(
                "div",
                tag("table", *caption, tag("thead", head), tag("tbody", *rows)),
                class_="wide",
                tabindex="0",
            ),
            note,
        ]
    )


def _classes(is_words: bool, long: str = "", tone: str = "") -> str | None:
    """The classes of a cell: figures stand on the right, and what a figure means has a colour."""
    return " ".join(filter(None, ("" if is_words else "n", long, tone))) or None


def _cell(cell: Cell, column: Column, is_name: bool, shown: frozenset[str]) -> Markup:
    if type(cell) is str:  # as most cells are
        # Long texts hardly come twice, and would stay in a server's memory.
        say = _said if len(cell) <= _LONG else _said.__wrapped__
        return say(cell, column.is_words, is_name)
    if isinstance(cell, ItemLink):
        return tag("td", item_link(cell.item, shown))
    if isinstance(cell, AuthoredText):
        return tag("td", _prose(cell), class_=_classes(column.is_words, "long" if len(cell) > _LONG else ""))
    point, ends = in_two(cell, column.kind, column.digits)
    tone = cell.tone if isinstance(cell, Estimate | VerdictMark) else "plain"
    why = cell.why if isinstance(cell, Estimate) else ""
    return _said(point, column.is_words, is_name, ends, "" if tone == "plain" else tone, why or None)


@lru_cache(maxsize=2048, typed=True)  # raters, criteria and values come in a table again and again
def _said(
    point: str, is_words: bool, is_name: bool, ends: str = "", tone: str = "", why: str | None = None
) -> Markup:
    """A cell in words, with the interval of a figure in smaller letters."""
    long = "long" if is_words and len(point) > (_LONG_NAME if is_name else _LONG) else ""
    inside = (point, " ", tag("span", ends.strip(), class_="ends")) if ends else (point,)
    classes = _classes(is_words, long, tone)
    if is_name and point:  # a head without words says nothing to whoever hears the page
        return tag("th", *inside, class_=classes, title=why, scope="row")
    return tag("td", *inside, class_=classes, title=why)


def _passage(passage: Passage) -> Markup:
    lines = [
        tag("div", tag("dt", who), tag("dd", _prose(text, passage.quotes.get(place, ()))))
        for place, (who, text) in enumerate(passage.lines)
    ]
    rated = []
    if passage.ratings is not None:
        count = len(passage.ratings.rows)
        words = said(f"평가 {count:,}건", f"{count:,} ratings")
        rated = [
            tag("details", tag("summary", words), html_table(passage.ratings, frozenset()), class_="rated")
        ]
    summary = tag("summary", tag("b", passage.item), " — ", passage.heading)
    return tag(
        "details",
        summary,
        tag("dl", *lines, class_="talk"),
        *rated,
        id=anchor(passage.item),
        class_="passage",
    )


def _prose(text: str, quotes: Iterable[tuple[int, int]] = ()) -> Markup:
    """A text as its author saw it, with what raters quote of it marked."""
    marks = tuple(Quoted(start, end, "q") for start, end in quotes)
    return tag("div", Markup(typeset(CONTROLS.sub("\ufffd", text), marks)), class_="typeset", dir="auto")


def as_html(things: Iterable[Table | str]) -> str:
    """Tables and sentences for a notebook; whatever names hold is text.

    >>> as_html(["a < b"])
    '<p>a &lt; b</p>'
    """
    return join([html_table(one, frozenset()) if isinstance(one, Table) else tag("p", one) for one in things])
