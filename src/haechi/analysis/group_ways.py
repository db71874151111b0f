"""How judges were asked about the items of every group, where a study was not judged in one way throughout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from haechi.analysis.comparability import JudgingDifference, Values, Ways, differences, way_of
from haechi.frozen import frozen
from haechi.scoring.batches import Batches
from haechi.store.connection import Connection
from haechi.store.judging_protocols import ProtocolUse, answered_calls, askings

_WAY = "\0way"


@frozen
class ItemWays:
    """Which item was asked about in which way, of the judges that had several: `rows` has item, rater and way."""

    rows: pl.DataFrame
    ways: tuple[Mapping[str, str], ...]

    def differences(self, batches: Batches, by: Sequence[str]) -> tuple[JudgingDifference, ...]:
        """What is not the same in all groups."""
        return differences(self.of_groups(batches, by))

    def of_groups(self, batches: Batches, by: Sequence[str]) -> dict[str, Ways]:
        """How the judges were asked in every group, by its label."""
        seen: dict[tuple[Any, ...], dict[str, set[int]]] = {}
        for frame in batches(["item", "rater", *by]):
            own = frame.drop_nulls(list(by)).join(self.rows, on=["item", "rater"])
            for *key, rater, way in own.select(*by, "rater", _WAY).unique(maintain_order=True).iter_rows():
                seen.setdefault(tuple(key), {}).setdefault(rater, set()).add(way)
        return {" · ".join(map(str, key)): self._ways(own) for key, own in seen.items()}

    def of_items(self, rater: str, items: Sequence[str]) -> list[Mapping[str, Values] | None]:
        """How a judge was asked about each of these items; None where it was not, or in several ways."""
        known: dict[str, set[int]] = {}
        for item, way in self.rows.filter(pl.col("rater") == rater).select("item", _WAY).iter_rows():
            known.setdefault(item, set()).add(way)
        alone = {item: self.ways[min(own)] for item, own in known.items() if len(own) == 1}
        return [
            {what: (value,) for what, value in alone[item].items()} if item in alone else None
            for item in items
        ]

    def _ways(self, own: Mapping[str, set[int]]) -> Ways:
        found: dict[str, dict[str, Values]] = {}
        for rater, numbers in own.items():
            known = [self.ways[number] for number in sorted(numbers)]
            every = dict.fromkeys(what for way in known for what in way)
            found[rater] = {
                what: tuple(sorted({way[what] for way in known if what in way})) for what in every
            }
        return found


def item_ways(connection: Connection, ways: Ways) -> ItemWays | None:
    """The ways of the judges that were asked in several; None where every judge was asked in one."""
    several = [rater for rater, own in ways.items() if any(len(values) > 1 for values in own.values())]
    if not several:
        return None
    rows = answered_calls(connection, "item, rater, asking, version", raters=several)
    asked = askings(connection)
    numbers: dict[tuple[str | None, str | None], int] = {}
    found = [
        (row.item, row.rater, numbers.setdefault((row.asking, row.version), len(numbers))) for row in rows
    ]
    known = tuple(
        way_of(ProtocolUse("", asked.get(asking), version, 0, "", "")) for asking, version in numbers
    )
    schema = {"item": pl.String, "rater": pl.String, _WAY: pl.Int64}
    return ItemWays(pl.DataFrame(found, schema, orient="row"), known)
