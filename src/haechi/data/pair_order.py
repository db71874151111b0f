"""Two answers side by side: in which order a rater sees them, and what a verdict means that was given in the other order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

from haechi.data.item import Item
from haechi.rubrics import Rubric

PairOrder = Literal["ab", "ba"]
A, B = "response_a", "response_b"


def shown_order(item: str, rater: str, replicate: int = 1) -> PairOrder:
    """Which answer stands first: drawn anew for every item and rater, and turned with every further time it is asked.

    >>> {shown_order("d1", "kim"), shown_order("d1", "kim", 2)} == {"ab", "ba"}
    True
    """
    drawn = hashlib.sha256(f"{item}\0{rater}".encode()).digest()[0] % 2
    return "ab" if (drawn + replicate) % 2 else "ba"


def form_orders(items: Iterable[str], rater: str = "") -> dict[str, PairOrder]:
    """Which answer stands first on a form: drawn for every rater, and as often the one as the other.

    >>> sorted(form_orders(["d1", "d2", "d3", "d4"], "kim").values())
    ['ab', 'ab', 'ba', 'ba']
    """
    drawn = sorted(items, key=lambda item: hashlib.sha256(f"{item}\0{rater}\0form".encode()).digest())
    return {item: "ba" if place % 2 else "ab" for place, item in enumerate(drawn)}


def as_shown(item: Item, order: PairOrder) -> Item:
    """The item with the answer first that is shown first; what is no pair stays as it is.

    >>> pair = Item("d1", "pair", {"context": "비", "response_a": "네", "response_b": "아뇨"}, {})
    >>> as_shown(pair, "ba").content["response_a"]
    '아뇨'
    """
    if item.kind != "pair" or order == "ab":
        return item
    return replace(item, content={**item.content, A: item.content[B], B: item.content[A]})


def as_meant(rubric: Rubric, criterion: str, value: str | None, order: PairOrder) -> str | None:
    """A value given in some order, of the item's own a and b; and back again.

    >>> import haechi
    >>> as_meant(haechi.rubric("diary-duel"), "overall", "a", "ba")
    'b'
    """
    asked = rubric.known_names.get(criterion)
    if value is None or order == "ab" or asked is None:
        return value
    return asked.scale.turned(value)


def rows_as_meant(
    rubric: Rubric, rows: tuple[dict[str, Any], ...], order: PairOrder
) -> tuple[dict[str, Any], ...]:
    """Rows of ratings that a judge gave in some order."""
    if order == "ab":
        return rows
    return tuple({**row, "value": as_meant(rubric, row["criterion"], row["value"], order)} for row in rows)


def systems_of(meta: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The systems that gave the two answers, where they are known."""
    a, b = meta.get("system_a"), meta.get("system_b")
    return (None if a is None else str(a)), (None if b is None else str(b))
