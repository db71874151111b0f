"""Two raters next to each other: every figure that a pair of columns gives."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from haechi.frozen import frozen
from haechi.stats.bland_altman import LimitsOfAgreement, limits_of
from haechi.stats.cohen import kappa_from
from haechi.stats.correlation import (
    kendall,
    kendall_of,
    pearson_of,
    ranks_of,
    spearman_of,
    spearman_of_ranks,
)
from haechi.stats.figure import Figure, Lang, Why, undefined
from haechi.stats.ratings import Floats, Integers, Level
from haechi.stats.reasons import (
    AS_CATEGORIES,
    EQUAL_STEPS,
    NEED_NUMBERS,
    NEED_ORDER,
    NOTHING,
    too_many_categories,
)
from haechi.stats.weights import MOST_CATEGORIES

_TOLD = ("value", "why", "ci95", "why_no_ci", "weights")
NAMES = ("pearson", "spearman", "kendall", "cohen_kappa", "weighted_kappa", "linear_kappa", "mean_difference")


@frozen
class RaterPair:
    """Two raters on the items both rated; the mean difference is a − b, the weights of κ quadratic."""

    a: Hashable
    b: Hashable
    n: int
    pearson: Figure
    spearman: Figure
    kendall: Figure
    cohen_kappa: Figure
    weighted_kappa: Figure
    linear_kappa: Figure
    mean_difference: Figure
    limits: LimitsOfAgreement

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines, in short: of many raters there are thousands of pairs.

        The count stands once, as does the reason why intervals are missing; notes are those of the level.
        """
        figures = {name: _in_short(getattr(self, name), lang) for name in NAMES}
        limits = {name: _in_short(getattr(self.limits, name), lang) for name in ("lower", "upper")}
        said: dict[str, Any] = {"a": self.a, "b": self.b, "n": self.n}
        reasons = {one["why_no_ci"] for one in (*figures.values(), *limits.values()) if "why_no_ci" in one}
        if len(reasons) == 1:
            for one in (*figures.values(), *limits.values()):
                one.pop("why_no_ci", None)
            said["why_no_ci"] = reasons.pop()
        return said | figures | {"limits_of_agreement": limits, "sd_of_differences": self.limits.sd}


def _in_short(found: Figure, lang: Lang) -> dict[str, Any]:
    return {name: told for name, told in found.as_json(lang).items() if name in _TOLD}


def rater_pair(
    names: tuple[Hashable, Hashable],
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    values: Floats,
    level: Level,
    count: Integers | None = None,
) -> RaterPair:
    """Everything about two raters, from their encoded columns.

    first, second: (items,) positions in `values`, q where missing; values: (q,) ascending scale points; count:
    (items,) how many items each position stands for, if not one.
    """
    q = values.size
    if q > MOST_CATEGORIES:
        if count is not None:
            first, second = np.repeat(first, count), np.repeat(second, count)
        figures, limits = _from_series(first, second, values)
    else:
        figures, limits = _from_table(first, second, values, count)
    n = limits.bias.n
    figures["mean_difference"] = limits.bias
    figures = {name: if_permitted(NEEDS.get(name), found, level) for name, found in figures.items()}
    if level == "nominal":
        none = undefined(NEED_NUMBERS, n)
        limits = LimitsOfAgreement(none, none, none, None)
    return RaterPair(*names, n, **{name: figures[name] for name in NAMES}, limits=limits)


def _from_table(
    first: NDArray[np.integer], second: NDArray[np.integer], values: Floats, times: Integers | None
) -> tuple[dict[str, Figure], LimitsOfAgreement]:
    """From the table of how often the two gave each combination: a million items are a few cells."""
    q = values.size
    joint = first.astype(np.int32) * np.int32(q + 1) + second
    table = np.bincount(joint, times, minlength=(q + 1) ** 2).reshape(q + 1, q + 1)[:q, :q].astype(np.int64)
    i, j = np.nonzero(table)
    x, y, count = values[i], values[j], table[i, j].astype(np.float64)
    if count.size:
        counts = table.astype(np.float64)
        kappas = [kappa_from(counts, values, kind) for kind in ("identity", "quadratic", "linear")]
        ranks = ranks_of(table.sum(axis=1))[i], ranks_of(table.sum(axis=0))[j]
        # Of a single pair of values Pearson's r says why there is none.
        pearson = pearson_of(x, y, count)
        spearman = pearson if counts.sum() < 2 else spearman_of_ranks(*ranks, count)
        figures = [pearson, spearman, kendall_of(table), *kappas]
    else:
        figures = [undefined(NOTHING, 0)] * 6
    return dict(zip(NAMES, figures, strict=False)), limits_of(x, y, count)


def _from_series(
    first: NDArray[np.integer], second: NDArray[np.integer], values: Floats
) -> tuple[dict[str, Figure], LimitsOfAgreement]:
    """From the values themselves, where they are continuous and a table would be larger than the data."""
    shared = (first < values.size) & (second < values.size)
    x, y = values[first[shared]], values[second[shared]]
    many = undefined(too_many_categories(values.size, MOST_CATEGORIES), x.size)
    figures = [pearson_of(x, y), spearman_of(x, y), kendall(x, y), many, many, many]
    return dict(zip(NAMES, figures, strict=False)), limits_of(x, y)


Need = Literal["numbers", "order", "categories"]
"""What ratings must be for a figure: numbers that can be subtracted, an order, or few values that recur."""
NEEDS: dict[str, Need] = {
    "pearson": "numbers",
    "mean_difference": "numbers",
    "spearman": "order",
    "kendall": "order",
    "weighted_kappa": "order",
    "linear_kappa": "order",
    "cohen_kappa": "categories",
}


def if_permitted(need: Need | None, found: Figure, level: Level) -> Figure:
    """The figure if its level of measurement permits it, with a note where it assumes something.

    Nominal values are names: nothing with order or distance. Ordinal values: what needs distances is given,
    as research does with rating scales, and says that it assumes equal steps.

    >>> if_permitted("numbers", Figure(0.5, 10), "nominal").why.en
    'not permitted for nominal ratings: the values are names, not amounts'
    """
    if level == "nominal" and need in ("numbers", "order"):
        return undefined(NEED_NUMBERS if need == "numbers" else NEED_ORDER, found.n)
    note: Why | None = None
    if level == "ordinal" and need == "numbers":
        note = EQUAL_STEPS
    if level in ("interval", "ratio") and need == "categories":
        note = AS_CATEGORIES
    if note is None or found.value is None or found.note is not None:
        return found
    return replace(found, note=note)
