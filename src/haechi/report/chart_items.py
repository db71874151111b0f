"""The items behind what a chart draws, and the picture that knows them: a page lists them, and a click leads there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from haechi.report.markup import Markup, tag

_NAMED = 5
_LISTED = 200


class ItemsBehind(NamedTuple):
    """The items behind a mark: the first names, how many there are, and the first places in the list of the page.

    query: what to ask the item browser for, where the items are too many for a page.
    """

    names: tuple[str, ...] = ()
    n: int = 0
    places: str | None = None
    query: str | None = None

    def say(self) -> str:
        """The names for whoever points at the mark.

        >>> ItemsBehind(("s1", "s2"), 7).say(), ItemsBehind().say()
        (' — s1, s2 … (+5)', '')
        """
        return f" — {', '.join(self.names)}{self.more()}" if self.names else ""

    def more(self) -> str:
        """How many there are beside those that are named."""
        more = self.n - len(self.names)
        return f" … (+{more:,})" if more > 0 else ""


NOTHING_BEHIND = ItemsBehind()


def items_behind(items: Sequence[str], places: Mapping[str, int], most: int = _LISTED) -> ItemsBehind:
    """The items behind a mark, those to look at first in front; without places in the page's list they are only named.

    >>> items_behind(["s1", "s3"], {"s1": 0, "s2": 1, "s3": 2})
    ItemsBehind(names=('s1', 's3'), n=2, places='0 2', query=None)
    """
    known = " ".join(str(places[item]) for item in items[:most] if item in places)
    return ItemsBehind(tuple(items[:_NAMED]), len(items), known or None)


def browser_items(score: str, meta: Mapping[str, str] | None = None, **more: float | str) -> ItemsBehind:
    """Items that only the item browser can list: by a score, the lowest first, and by meta fields.

    >>> browser_items("A1", {"mode": "agent"}, low=2, high=2.5).query
    'score=A1&sort=score&low=2&high=2.5&meta.mode=agent'
    """
    ends = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in more.items()}
    asked = {"score": score, "sort": "score", **ends}
    asked |= {f"meta.{name}": value for name, value in (meta or {}).items()}
    return ItemsBehind(query=urlencode(asked))


class ChartMark(Markup):
    """What is drawn of one value, in words, and the items behind it."""

    __slots__ = ("items", "told")
    told: str
    items: ItemsBehind


def mark(told: str, *shapes: Markup, items: ItemsBehind = NOTHING_BEHIND) -> ChartMark:
    """What is drawn of one value: it says the value when one points at it, and leads to its items when one clicks.

    >>> mark("A1: 3", items=ItemsBehind(("s1",), 1, "0"))
    '<g class="mark" data-items="0"><title>A1: 3 — s1</title></g>'
    """
    listed = items.places.count(" ") + 1 if items.places else 0
    drawn = ChartMark(
        tag(
            "g",
            tag("title", told + items.say()),
            *shapes,
            class_="mark",
            data_items=items.places,
            data_n=items.n if items.n > listed > 0 else None,
            data_query=items.query,
        )
    )
    drawn.told, drawn.items = told, items
    return drawn


class ChartPicture(Markup):
    """A drawn chart, and what of it leads to items, in the order in which it was drawn."""

    __slots__ = ("leads",)
    leads: tuple[ChartMark, ...]


def picture(drawn: Markup, shapes: Sequence[Markup]) -> ChartPicture:
    """A chart with the marks among its shapes.

    >>> [one.told for one in picture(Markup("<svg></svg>"), [mark("A1: 3", items=ItemsBehind(("s1",), 1))]).leads]
    ['A1: 3']
    """
    made = ChartPicture(drawn)
    made.leads = tuple(one for one in shapes if isinstance(one, ChartMark) and one.items != NOTHING_BEHIND)
    return made
