"""What people and judges gave as matrices of items and raters: where each row stands is found once, for all scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from haechi.scoring.run_panels import BY_RULE

if TYPE_CHECKING:
    from haechi.stats.ratings import Floats, Integers

KIND = "kind"


class OfKind(NamedTuple):
    """The raters of one kind: which rows are theirs, and the place of each row's item and rater."""

    rows: Integers
    item: Integers
    rater: Integers
    n_raters: int


class Cells(NamedTuple):
    """A row per item and rater; `items` are those of the rows, in their order, `clusters` the cluster of each."""

    rows: pl.DataFrame
    items: tuple[str, ...]
    clusters: Integers | None
    kinds: tuple[OfKind, ...]

    @classmethod
    def of(cls, rows: pl.DataFrame, clusters: Integers | None = None) -> Cells:
        """The places of all rows.

        >>> rows = {"item": ["a", "a", "b"], "rater": ["ann", "gpt", "ann"], "kind": ["human", "ai", "human"], "x": [1.0, 2.0, 3.0]}
        >>> [matrix.tolist() for matrix in Cells.of(pl.DataFrame(rows)).matrices("x")]
        [[[1.0], [3.0]], [[2.0], [nan]], [[], []]]
        """
        import numpy as np

        place: dict[str, int] = {}
        at = np.array([place.setdefault(item, len(place)) for item in rows["item"].to_list()], dtype=np.int64)
        kinds, raters = rows[KIND].to_numpy(), rows["rater"].to_list()
        found = []
        for kind in ("human", "ai", BY_RULE):
            own = np.flatnonzero(kinds == kind)
            column: dict[str, int] = {}
            who = [column.setdefault(raters[row], len(column)) for row in own.tolist()]
            found.append(OfKind(own, at[own], np.array(who, dtype=np.int64), len(column)))
        return cls(rows, tuple(place), clusters, tuple(found))

    def matrices(self, name: str) -> list[Floats]:
        """One score as (items, people), (items, judges) and (items, rule), NaN where missing."""
        import numpy as np

        values, made = self.rows[name].to_numpy(), []
        for own in self.kinds:
            matrix = np.full((len(self.items), own.n_raters), np.nan)
            matrix[own.item, own.rater] = values[own.rows]
            made.append(matrix)
        return made
