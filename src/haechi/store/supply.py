"""The items that the desk can give out, kept in memory: there may be very many, and everybody asks for more again and again."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from haechi.store.connection import Connection
from haechi.store.items import items_state

_ORDERS = 64  # raters whose order is remembered
# An attention item carries its known answers as `attention` in its meta.
_GIVEN_OUT = (
    """SELECT id, items.meta LIKE '%"attention":%' FROM items_in_force AS items WHERE kind <> 'bare'"""
)


class Stock:
    """The items of one state of a study: those that are judged, and those whose answers are known.

    >>> stock = Stock(["d1", "d2", "d3"], [])
    >>> stock.order(0, "kim") == stock.order(0, "kim") != stock.order(0, "lee")
    True
    """

    def __init__(self, items: Iterable[str], attention: Iterable[str]) -> None:
        self._items, self.attention = tuple(items), tuple(attention)
        self._orders: OrderedDict[tuple[int, str], Sequence[str]] = OrderedDict()
        self._lock = threading.Lock()

    def order(self, seed: int, rater: str) -> Sequence[str]:
        """The items in a rater's own order, always the same."""
        with self._lock:
            if (seed, rater) not in self._orders:
                self._orders[seed, rater] = shuffled(self._items, seed, rater)
                while len(self._orders) > _ORDERS:
                    self._orders.popitem(last=False)
            self._orders.move_to_end((seed, rater))
            return self._orders[seed, rater]


def count_attention(connection: Connection) -> int:
    """How many items have known answers: they go to everybody and are nobody's work."""
    return int(connection.value("""SELECT count(*) FROM items_in_force WHERE meta LIKE '%"attention":%'"""))


class Supply:
    """The stock of a study, read anew only when its items have changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: tuple[object, Stock] | None = None

    def now(self, connection: Connection) -> Stock:
        """The stock as it is now."""
        state = items_state(connection)
        with self._lock:
            if self._known is None or self._known[0] != state:
                found = connection.rows(_GIVEN_OUT)
                self._known = (
                    state,
                    Stock(
                        (item for item, known in found if not known), (item for item, known in found if known)
                    ),
                )
            return self._known[1]


def shuffled(items: Iterable[str], seed: int, rater: str) -> list[str]:
    """Items in an order of the rater's own."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{seed}\0{rater}\0{item}".encode()).digest())
