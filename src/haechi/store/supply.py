"""The items that the desk can give out, kept in memory: there may be very many, and everybody asks for more again and again."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence

from haechi.store.connection import Connection
from haechi.store.items import attention_items, items_state

_ORDERS = 64  # raters whose order is remembered
_GIVEN_OUT = "SELECT id FROM items_in_force WHERE kind <> 'bare'"


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
                found, known = connection.values(_GIVEN_OUT), attention_items(connection)
                judged, testing = ([one for one in found if (one in known) is of] for of in (False, True))
                self._known = state, Stock(judged, testing)
            return self._known[1]


def shuffled(items: Iterable[str], seed: int, rater: str) -> list[str]:
    """Items in an order of the rater's own."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{seed}\0{rater}\0{item}".encode()).digest())
