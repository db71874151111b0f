"""Ratings of criteria that items bring: which criterion of the item a table means is looked up in the item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from haechi.data.item import Item
from haechi.data.line_names import own_criteria
from haechi.data.own_criteria import OwnNames, not_asked, own_criteria_of
from haechi.data.rating import Rating
from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.store.connection import Connection
from haechi.store.items import read_items

_BATCH = 500
_NOTHING = OwnNames([])
Placed = tuple[str, Rating | HaechiError]


def named_by_items(connection: Connection, rubric: Rubric, placed: Iterable[Placed]) -> Iterator[Placed]:
    """The same ratings under the names of the criteria that their items have; one that the item has not is an error.

    A criterion may be named by its key, its number or its words. An item that is not there has no criteria yet.
    """
    prefixes = tuple(f"{criterion.key}." for criterion in own_criteria(rubric))
    stream, known = iter(placed), dict[str, OwnNames]()
    while some := list(islice(stream, _BATCH)):
        ids = {one.item for _, one in some if isinstance(one, Rating) and one.criterion.startswith(prefixes)}
        known |= {item.id: _names(item) for item in read_items(connection, list(ids - known.keys()))}
        for place, one in some:
            if isinstance(one, Rating) and one.criterion.startswith(prefixes):
                yield place, _named(one, known.get(one.item, _NOTHING), place)
            else:
                yield place, one


def _names(item: Item) -> OwnNames:
    return OwnNames(own_criteria_of(item.content))


def _named(rating: Rating, names: OwnNames, place: str) -> Rating | HaechiError:
    of, _, given = rating.criterion.partition(".")
    key = names.key(given)
    if key is None:
        return not_asked(f"{place}, criterion", rating.item, given, bool(names)).in_row(place)
    return replace(rating, criterion=f"{of}.{key}")
