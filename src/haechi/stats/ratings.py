"""The common input of the statistics: a matrix of items × raters, with NaN where a rating is missing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haechi.frozen import frozen

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Given = ArrayLike | Sequence[object]
"""Numbers or labels as users have them: arrays, lists with None where nothing is, series and data frames."""
Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
MOST_CELLS = 400_000_000  # 3.2 GB; a denser table than this does not come from raters


@frozen
class Matrix:
    """Ratings as a matrix: `ratings[i, j]` is what `raters[j]` gave `items[i]`, NaN where nothing."""

    ratings: Floats
    items: Sequence[Hashable]
    raters: Sequence[Hashable]


def as_ratings(ratings: Given) -> Floats:
    """Ratings as a float array of shape (items, raters); None and masked cells become NaN.

    Takes arrays, nested lists and data frames (anything with `to_numpy`). Infinite values and text are
    refused with a ValueError: labels are turned into numbers by `encode_labels`.

    >>> as_ratings([[1, None], [2, 3]])
    array([[ 1., nan],
           [ 2.,  3.]])
    """
    array = _floats(ratings)
    if array.ndim == 1 and array.size == 0:
        array = array.reshape(0, 0)
    if array.ndim != 2:
        raise ValueError(f"ratings must have two dimensions (items × raters), found {array.ndim}")
    return array


def as_columns(values: Given) -> Floats:
    """Ratings as (items, raters), of one rater too.

    >>> as_columns([4, None]).shape
    (2, 1)
    """
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values, dtype=np.float64)
    return as_ratings(array[:, None] if array.ndim == 1 else array)


def as_values(values: Given) -> Floats:
    """One series of numbers as a float array of shape (n,), NaN where missing."""
    array = _floats(values)
    if array.ndim != 1:
        raise ValueError(f"values must have one dimension, found {array.ndim}")
    return array


def distinct(values: Floats) -> Floats:
    """The different numbers, ascending; `np.unique` does the same once it has imported `np.ma`.

    >>> distinct(np.array([2.0, 1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    ordered: Floats = np.sort(values, axis=None)
    is_new = np.ones(ordered.size, dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]


def _floats(values: Given) -> Floats:
    if isinstance(values, np.ndarray):
        # Asking for `np.ma` imports it; a plain array is none of it.
        if type(values) is not np.ndarray and isinstance(values, np.ma.MaskedArray):
            values = np.where(np.ma.getmaskarray(values), np.nan, values.data)
    elif hasattr(values, "to_numpy"):
        values = values.to_numpy()
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"ratings must be numbers; encode labels with encode_labels first ({error})"
        ) from None
    if not math.isfinite(_sum(array)) and np.isinf(array).any():
        raise ValueError("ratings must be finite: an infinite value was found")
    return array


@np.errstate(all="ignore")
def _sum(array: Floats) -> float:
    return float(array.sum())


def row_sums(array: Floats) -> Floats:
    """(items,) sums over raters; adding columns is many times quicker than numpy's sum over a short axis."""
    total: Floats = array[:, 0].copy() if array.shape[1] else np.zeros(array.shape[0])
    for column in range(1, array.shape[1]):
        total += array[:, column]
    return total


def sum_of_squares(array: Floats) -> float:
    """Σ x²; einsum, as the threads of a linear algebra library wait for each other on a busy machine."""
    flat = array.ravel()
    return float(np.einsum("i,i->", flat, flat))


def paired_values(x: Given, y: Given) -> tuple[Floats, Floats]:
    """Two series of one length, reduced to the positions where both have a value."""
    a, b = as_values(x), as_values(y)
    if a.size != b.size:
        raise ValueError(f"the two series must have the same length, found {a.size} and {b.size}")
    if a.size == 0 or not (math.isnan(a.min()) or math.isnan(b.min())):
        return a, b
    kept = ~(np.isnan(a) | np.isnan(b))
    return a[kept], b[kept]


def encode_labels(
    labels: Given, categories: Sequence[Hashable] | None = None
) -> tuple[Floats, tuple[Hashable, ...]]:
    """Labels (any shape) as numbers 0, 1, 2 … in the order of `categories`, missing (None, NaN, "") as NaN.

    No statistic: it prepares labels for one. Without `categories` the labels are numbered in sorted order, which is enough
    for nominal figures; an ordinal scale must be declared. R: as.integer(factor(labels, levels = categories)) - 1.

    >>> codes, names = encode_labels([["yes", "no"], ["no", None]])
    >>> codes
    array([[ 1.,  0.],
           [ 0., nan]])
    >>> names
    ('no', 'yes')
    """
    array = np.asarray(labels, dtype=object)
    flat = [None if _is_missing(label) else label for label in array.ravel()]
    if categories is None:
        categories = sorted(
            {label for label in flat if label is not None}, key=lambda label: (str(type(label)), label)
        )
    code: dict[Hashable | None, float] = {name: float(i) for i, name in enumerate(categories)}
    unknown = {label for label in flat if label is not None and label not in code}
    if unknown:
        raise ValueError(f"labels outside the declared categories: {sorted(map(repr, unknown))[:5]}")
    code[None] = math.nan
    return np.array([code[label] for label in flat], dtype=np.float64).reshape(array.shape), tuple(categories)


def _is_missing(label: Any) -> bool:
    return label is None or label == "" or (isinstance(label, float) and math.isnan(label))


def matrix(item: Given, rater: Given, value: Given) -> Matrix:
    """Long format (one row per rating) to the matrix of items × raters.

    No statistic: it prepares ratings for one. R: tidyr::pivot_wider(names_from = rater, values_from = value).

    `item` and `rater` are integers or anything hashable, `value` numbers with NaN or None for missing.
    Whole numbers are ordered ascending, other ids by first appearance. A second row for the same item and
    rater is refused with a ValueError that names the first ones: which of the two holds is not ours to guess.

    >>> table = matrix(["s1", "s1", "s2"], ["ann", "bo", "bo"], [4, 5, 2])
    >>> table.ratings
    array([[ 4.,  5.],
           [nan,  2.]])
    >>> table.raters
    ('ann', 'bo')
    """
    values = as_values(value)
    rows, items = codes_of(item)
    columns, raters = codes_of(rater)
    if not rows.size == columns.size == values.size:
        raise ValueError(
            f"item, rater and value differ in length: {rows.size}, {columns.size}, {values.size}"
        )
    shape = (len(items), len(raters))
    if shape[0] * shape[1] > MOST_CELLS:
        raise ValueError(f"{shape[0]} items × {shape[1]} raters do not fit into memory as a matrix")
    cell = rows * shape[1]
    cell += columns
    seen = np.zeros(shape[0] * shape[1], dtype=bool)
    seen[cell] = True
    if int(np.count_nonzero(seen)) != cell.size:
        raise ValueError(_name_duplicates(cell, items, raters))
    ratings = np.empty(shape) if cell.size == seen.size else np.full(shape, np.nan)
    ratings.ravel()[cell] = values
    return Matrix(ratings, items, raters)


def codes_of(ids: Given) -> tuple[Integers, Sequence[Hashable]]:
    """Ids as 0 … k−1 and the list of ids; whole numbers by scatter, others through a dictionary."""
    array = ids.to_numpy() if hasattr(ids, "to_numpy") else np.asarray(ids)
    if array.ndim != 1:
        raise ValueError(f"ids must have one dimension, found {array.ndim}")
    if array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low < 4 * array.size + 1024:
            codes = array.astype(np.int64, copy=False)
            codes = codes - low if low else codes
            hit = np.zeros(high - low + 1, dtype=bool)
            hit[codes] = True
            if hit.all():
                return codes, range(low, high + 1)
            used = np.flatnonzero(hit)
            place = np.cumsum(hit) - 1
            return place[codes], tuple((used + low).tolist())
    code: dict[Hashable, int] = {}
    codes = np.fromiter((code.setdefault(name, len(code)) for name in array.tolist()), np.int64, array.size)
    return codes, tuple(code)


def _name_duplicates(cell: Integers, items: Sequence[Hashable], raters: Sequence[Hashable]) -> str:
    counted = np.bincount(cell)
    first = np.flatnonzero(counted > 1)[:3]
    named = ", ".join(f"({items[c // len(raters)]!r}, {raters[c % len(raters)]!r})" for c in first)
    return (
        f"{int((counted > 1).sum())} duplicated (item, rater) pairs, the first: {named}; keep one row of each"
    )
