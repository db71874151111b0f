"""Pairs of very many raters, all of one rater at once: the values of every pair, without what is heavy per pair."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from haechi.stats.bland_altman import LimitsOfAgreement
from haechi.stats.figure import Figure, Lang, Why, undefined
from haechi.stats.pairs import NEEDS, RaterPair, if_permitted, rater_pair
from haechi.stats.ratings import Floats, Integers, Level
from haechi.stats.weights import MOST_CATEGORIES, Weights, weight_matrix

MOST_RATERS = 30
"""Pairs of more raters are given in short: there are thousands, and nobody reads an interval of each."""
LEFT_OUT = ("ci95", "weights", "linear_kappa", "limits_of_agreement", "sd_of_differences")
MANY_RATERS = Why(
    f"평가자가 {MOST_RATERS}명보다 많아 쌍마다 구하지 않았습니다",
    f"not computed pair by pair for more than {MOST_RATERS} raters",
)
_COMPUTED = ("pearson", "spearman", "kendall", "cohen_kappa", "weighted_kappa", "mean_difference")


def many_pairs(
    names: Sequence[Hashable],
    codes: NDArray[np.integer],
    values: Floats,
    level: Level,
    count: Integers | None = None,
) -> tuple[RaterPair, ...]:
    """Every pair of raters, in the order of `itertools.combinations`; the values are those of `rater_pair`.

    codes: (items, raters) positions in `values`, q where missing; values: (q,) ascending scale points; count: (items,)
    how many items each row stands for, if not one.

    >>> pairs = many_pairs("abc", np.array([[0, 0, 1], [1, 1, 0], [2, 1, 2], [0, 0, 1]]), np.array([1.0, 2.0, 3.0]), "interval")
    >>> [(one.a, one.b, round(one.pearson.value, 4), one.pearson.ci95) for one in pairs]
    [('a', 'b', 0.9045, None), ('a', 'c', 0.4264, None), ('b', 'c', 0.0, None)]
    """
    return tuple(
        pair for first in range(len(names)) for pair in _of_rater(first, names, codes, values, level, count)
    )


def in_short(pair: RaterPair, lang: Lang = "en") -> dict[str, Any]:
    """One of very many pairs for machines: the values, or why there is none; κ is weighted quadratically.

    >>> one = many_pairs("ab", np.array([[0, 0], [1, 1], [1, 0]]), np.array([1.0, 2.0]), "nominal")[0]
    >>> round(in_short(one)["cohen_kappa"]["value"], 4), in_short(one)["pearson"]["why"][:30]
    (0.4, 'not permitted for nominal rati')
    """
    said: dict[str, Any] = {"a": pair.a, "b": pair.b, "n": pair.n}
    for name in _COMPUTED:
        one: Figure = getattr(pair, name)
        said[name] = {"value": one.value} | ({"why": one.why.say(lang)} if one.why else {})
    return said


def _of_rater(
    first: int,
    names: Sequence[Hashable],
    codes: NDArray[np.integer],
    values: Floats,
    level: Level,
    count: Integers | None,
) -> Iterator[RaterPair]:
    """One rater with all that come after."""
    others = range(first + 1, len(names))
    found: dict[str, list[float]] = {}
    plain = np.zeros(len(others), dtype=np.bool_)
    if others and values.size <= MOST_CATEGORIES:
        tables = _tables(codes[:, first], codes[:, first + 1 :], values.size, count)
        computed, plain = _figures(tables, values)
        found = {name: column.tolist() for name, column in computed.items()}
        sizes = tables.sum(axis=(1, 2)).astype(np.int64).tolist()
    for place, second in enumerate(others):
        both = names[first], names[second]
        if not plain[place]:  # continuous values, and figures that are undefined for a reason
            yield _without_intervals(
                rater_pair(both, codes[:, first], codes[:, second], values, level, count)
            )
            continue
        n = sizes[place]
        figures = {name: Figure(found[name][place], n, why_no_ci=MANY_RATERS) for name in _COMPUTED}
        allowed = {name: if_permitted(NEEDS.get(name), one, level) for name, one in figures.items()}
        none = undefined(MANY_RATERS, n)
        limits = LimitsOfAgreement(allowed["mean_difference"], none, none, None)
        yield RaterPair(*both, n, **allowed, linear_kappa=none, limits=limits)


def _without_intervals(pair: RaterPair) -> RaterPair:
    """A pair without its intervals and without what is not computed for the others."""
    none = undefined(MANY_RATERS, pair.n)
    figures = {name: getattr(pair, name) for name in _COMPUTED}
    figures = {
        name: one if one.value is None else replace(one, ci95=None, why_no_ci=MANY_RATERS)
        for name, one in figures.items()
    }
    limits = LimitsOfAgreement(figures["mean_difference"], none, none, None)
    return replace(pair, **figures, linear_kappa=none, limits=limits)


def _tables(
    first: NDArray[np.integer], others: NDArray[np.integer], q: int, count: Integers | None
) -> Floats:
    """(others, q, q) how often the first gave the row's value and the other the column's."""
    many = others.shape[1]
    joint = (np.arange(many) * (q + 1) + first.astype(np.int64)[:, None]) * (q + 1) + others
    weight = None if count is None else np.repeat(count, many)
    counted = np.bincount(joint.ravel(), weight, minlength=many * (q + 1) ** 2)
    return counted.reshape(many, q + 1, q + 1)[:, :q, :q].astype(np.float64)


@np.errstate(all="ignore")
def _figures(tables: Floats, values: Floats) -> tuple[dict[str, Floats], NDArray[np.bool_]]:
    """Every figure of every table, and whether a table has all of them."""
    n, row, column = tables.sum(axis=(1, 2)), tables.sum(axis=2), tables.sum(axis=1)
    points = np.broadcast_to(values / max(1.0, np.abs(values).max()), row.shape)
    ranks = [np.cumsum(side, axis=1) - (side - 1) / 2 for side in (row, column)]
    found = {
        "pearson": _product_moments(tables, points, points),
        "spearman": _product_moments(tables, *ranks),
        "kendall": _kendall(tables, n, row, column),
        "cohen_kappa": _kappa(tables, n, row, column, values, "identity"),
        "weighted_kappa": _kappa(tables, n, row, column, values, "quadratic"),
        "mean_difference": (row @ values - column @ values) / n,
    }
    differ = (np.count_nonzero(row, axis=1) > 1) & (np.count_nonzero(column, axis=1) > 1)
    finite = np.all([np.isfinite(one) for one in found.values()], axis=0)
    return found, differ & finite


def _product_moments(tables: Floats, x: Floats, y: Floats) -> Floats:
    n, row, column = tables.sum(axis=(1, 2)), tables.sum(axis=2), tables.sum(axis=1)
    dx = x - ((row * x).sum(axis=1) / n)[:, None]
    dy = y - ((column * y).sum(axis=1) / n)[:, None]
    both = np.einsum("mij,mi,mj->m", tables, dx, dy)
    r: Floats = both / np.sqrt((row * dx**2).sum(axis=1)) / np.sqrt((column * dy**2).sum(axis=1))
    return np.where(np.abs(np.abs(r) - 1) < 1e-14, np.sign(r), r)  # rounding of an exact relation


def _kendall(tables: Floats, n: Floats, row: Floats, column: Floats) -> Floats:
    """τ-b: of every cell the cells above and right are in the same order, those below and right in the other."""
    after = np.flip(np.cumsum(np.flip(tables, axis=2), axis=2), axis=2) - tables  # right, in the same row
    above = np.cumsum(after, axis=1) - after
    below = after.sum(axis=1, keepdims=True) - above - after
    score = (tables * (below - above)).sum(axis=(1, 2))
    pairs = n * (n - 1) / 2
    tied = [(side * (side - 1)).sum(axis=1) / 2 for side in (row, column)]
    tau: Floats = np.clip(score / np.sqrt(pairs - tied[0]) / np.sqrt(pairs - tied[1]), -1, 1)
    return tau


def _kappa(tables: Floats, n: Floats, row: Floats, column: Floats, values: Floats, kind: Weights) -> Floats:
    weight = weight_matrix(values, kind)
    observed = (tables * weight).sum(axis=(1, 2)) / n
    expected = np.einsum("mi,ij,mj->m", row, weight, column) / n**2
    kappa: Floats = (observed - expected) / (1 - expected)
    return kappa
