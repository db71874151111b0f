"""Groups of items, by their meta."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from haechi.data.meta_values import MetaValues
from haechi.store.connection import Connection
from haechi.store.items import joined_meta


def items_of_group(connection: Connection, where: Mapping[str, Sequence[str]]) -> set[str]:
    """The items whose meta has one of the values of every field."""
    return {
        item
        for item, meta in _meta(connection)
        if all(str(meta.get(field)) in values for field, values in where.items())
    }


def fields_of_items(connection: Connection) -> dict[str, tuple[str, ...]]:
    """The fields by which items can be grouped, with their values."""
    values = MetaValues()
    for _, meta in _meta(connection):
        values.add(meta)
    return values.fields


def _meta(connection: Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    rows = connection.rows("SELECT id, meta FROM items_in_force")
    joined = joined_meta(connection, [item for item, _ in rows])
    for item, meta in rows:
        yield item, orjson.loads(meta) | joined.get(item, {})
