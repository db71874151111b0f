"""Parts of a large set of runs: each can be read by itself, in any process, as batches of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Protocol

import polars as pl

from haechi.expectations.values import text
from haechi.frozen import frozen
from haechi.scoring.batches import KEPT
from haechi.scoring.runs.measure import RUN_SCHEMA

ROWS = 8_192
"""Runs to a batch: large enough for columns to pay, small enough for several processes."""


class RunPart(Protocol):
    """Some of the runs: small to send to another process, and read only there."""

    def batches(self) -> Iterator[pl.DataFrame]:
        """The runs in order, in frames of `RUN_SCHEMA` and perhaps columns to group by."""
        ...


@frozen
class RowsPart:
    """Runs that are in memory already."""

    frame: pl.DataFrame

    def batches(self) -> Iterator[pl.DataFrame]:
        """The one batch."""
        yield self.frame


def row_parts(rows: Iterable[Mapping[str, Any]], keep: tuple[str, ...] = ()) -> Iterator[RowsPart]:
    """Parts of a stream of rows that have the keys of `RUN_SCHEMA`, and those of `keep` to group by.

    >>> [len(part.frame) for part in row_parts([{"item": "a", "query": "q1", "payload": "{}"}])]
    [1]
    """
    schema = dict(RUN_SCHEMA) | {KEPT + name: pl.String for name in keep}
    stream = iter(rows)
    while batch := list(islice(stream, ROWS)):
        columns = {name: [row.get(name) for row in batch] for name in RUN_SCHEMA}
        columns |= {KEPT + name: [text(row.get(name)) for row in batch] for name in keep}
        yield RowsPart(pl.DataFrame(columns, schema=schema))
