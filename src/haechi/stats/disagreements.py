"""Where raters differ: the items to talk about first, and the criteria."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Figure, Lang
from haechi.stats.ratings import Floats, Given, Level, as_ratings
from haechi.stats.repeats import most_frequent

_TINY = float(np.finfo(np.float64).tiny)


@frozen
class Disagreement:
    """An item on which raters differ, for the reading list of an adjudication."""

    item: Hashable
    n: int
    spread: float
    lowest: float
    highest: float

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:  # noqa: ARG002 - nothing here is in words
        """For machines."""
        return dict(self.__dict__)


@np.errstate(all="ignore")
def disagreements(
    ratings: Given, items: Sequence[Hashable] | None = None, level: Level = "interval", top: int = 10
) -> tuple[Disagreement, ...]:
    """The items with the largest disagreement, worst first; items on which all agree are not listed.

    Formula: spread = √(Σ (x − x̄)² / (r − 1)) of the item's r ratings; for nominal ratings 1 − r_max/r, the share that
    differ from the most frequent one. Of two or more ratings; items that are alike keep their order.

    ratings: (items, raters), NaN where missing. Reference: our own list; the share is the variation ratio of Freeman
    1965, Elementary Applied Statistics. R: none; order(-apply(x, 1, sd, na.rm = TRUE)), 1 - max(table(r)) / length(r).

    >>> worst = disagreements([[1, 5], [3, 3], [2, 4]], ["a", "b", "c"])
    >>> [(one.item, one.lowest, one.highest) for one in worst]
    [('a', 1.0, 5.0), ('c', 2.0, 4.0)]
    """
    array = as_ratings(ratings)
    names = items if items is not None else range(array.shape[0])
    if len(names) != array.shape[0]:
        raise ValueError(f"{array.shape[0]} items, but {len(names)} names")
    count = (~np.isnan(array)).sum(axis=1)
    at = np.flatnonzero(count >= 2)
    if at.size == 0:
        return ()
    rated = array[at]
    low, high = np.fmin.reduce(rated, axis=1), np.fmax.reduce(rated, axis=1)
    if not (low < high).any():
        return ()
    names_only = level == "nominal"
    spread = 1 - most_frequent(rated) / count[at] if names_only else _spread_per_item(rated)
    order = np.argsort(-spread, kind="stable")
    worst = [i for i in order[:top] if low[i] < high[i]]
    return tuple(
        Disagreement(names[at[i]], int(count[at[i]]), float(spread[i]), float(low[i]), float(high[i]))
        for i in worst
    )


def _spread_per_item(rated: Floats) -> Floats:
    """SD of each row, computed on a scale on which squares neither overflow nor vanish."""
    scale = max(float(np.fmax.reduce(np.abs(rated), axis=None)), _TINY)
    known = ~np.isnan(rated)
    count = known.sum(axis=1, keepdims=True)
    values = np.where(known, rated / scale, 0.0)
    from_mean = np.where(known, values - values.sum(axis=1, keepdims=True) / count, 0.0)
    variance = (from_mean * from_mean).sum(axis=1) / (count[:, 0] - 1)
    spread: Floats = np.nan_to_num(np.sqrt(variance) * scale)
    return spread


def lowest_agreement(figures: Mapping[str, Figure], top: int = 5) -> tuple[tuple[str, Figure], ...]:
    """The criteria with the lowest agreement first; those without a figure are left out.

    No statistic: it sorts figures. R: head(sort(x), 5).

    >>> lowest_agreement({"a": Figure(0.8, 10), "b": Figure(0.2, 10)}, top=1)[0][0]
    'b'
    """
    defined = [(name, found) for name, found in figures.items() if found.value is not None]
    return tuple(sorted(defined, key=lambda pair: pair[1].value or 0.0)[:top])
