"""The items that a reader should see, found in one pass over all of them."""

from __future__ import annotations

import polars as pl

from haechi.frozen import frozen
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means

MOST = 100


@frozen
class Extremes:
    """Of the main score: items without it, the lowest, those on which raters differ most, and what is lost.

    without: (item); lowest: (item, score), the lowest first; apart: (item, spread), the widest first; of equal ones the
    earlier first, and not more than `MOST` of each. n_lost counts rows of item and rater without the score, `lost` names
    the first items among them.
    """

    without: pl.DataFrame
    lowest: pl.DataFrame
    apart: pl.DataFrame
    n_lost: int
    lost: tuple[str, ...]


def extremes(batches: Batches, main: str) -> Extremes:
    """Look through all items.

    >>> from haechi.scoring.batches import in_memory
    >>> rows = {"item": ["a", "a", "b"], "rater": ["x", "y", "x"], "total": [1.0, 4.0, None]}
    >>> found = extremes(in_memory(pl.DataFrame(rows)), "total")
    >>> found.lowest.rows(), found.apart.rows(), found.n_lost, found.lost
    ([('a', 2.5)], [('a', 3.0), ('b', None)], 1, ('b',))
    """
    without, lowest, apart, lost = (pl.DataFrame() for _ in range(4))
    n_lost, spread = 0, pl.col(main).max() - pl.col(main).min()
    for frame in batches(["item", "rater", main]):
        items = panel_means(frame, [main], ["item"])
        without = _first(without, items.filter(pl.col(main).is_null()).select("item"))
        lowest = _first(lowest, items.drop_nulls(main).select("item", score=main), "score")
        given = panel_means(frame, [main], ["item", "rater"]).group_by("item", maintain_order=True)
        apart = _first(apart, given.agg(spread=spread), "spread", descending=True)
        gone = frame.filter(pl.col(main).is_null()).select("item")
        n_lost += gone.height
        lost = _first(lost, gone.unique(maintain_order=True))
    return Extremes(without, lowest, apart, n_lost, tuple(lost["item"].to_list()))


def _first(
    kept: pl.DataFrame, more: pl.DataFrame, by: str | None = None, descending: bool = False
) -> pl.DataFrame:
    every = pl.concat([kept, more]) if kept.width else more
    if by is not None:
        every = every.sort(by, descending=descending, nulls_last=True, maintain_order=True)
    return every.head(MOST)
