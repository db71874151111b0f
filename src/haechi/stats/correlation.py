"""Correlation of two series: Pearson, Spearman and Kendall's tau-b, with intervals on Fisher's scale."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from haechi.stats.distributions import Z95
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.jackknife import FEWEST_ITEMS, jackknife_interval, too_few
from haechi.stats.ratings import Floats, Given, Integers, paired_values
from haechi.stats.reasons import CONSTANT, fewer_than

MOST_CELLS = 4_000_000  # cells of a table of two scales; a table of continuous values would be larger


def pearson(x: Given, y: Given) -> Figure:
    """Linear association of two series.

    Formula: r = Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²). Interval: tanh(artanh r ± 1.96/√(n−3)).
    x, y: (n,) NaN where missing; pairs with a gap are left out. References: Pearson 1896, Philosophical Transactions of
    the Royal Society A 187, 253–318; Fisher 1921, Metron 1, 3–32. R: cor.test(x, y).

    >>> figure = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(figure.value, 4), [round(end, 4) for end in figure.ci95]
    (0.8, [-0.2796, 0.9862])
    """
    a, b = paired_values(x, y)
    return pearson_of(a, b)


@np.errstate(all="ignore")
def pearson_of(a: Floats, b: Floats, count: Floats | None = None) -> Figure:
    """Pearson's r of complete pairs, each occurring `count` times."""
    n = a.size if count is None else int(count.sum())
    if n < 2:
        return undefined(fewer_than(2, "값의 쌍", "pairs of values", n), n)
    r = _product_moment(a, b, count)
    if r is None:
        return undefined(CONSTANT, n)
    return _with_fisher(r, n, 1.0, 3, "1/(n-3)")


def spearman(x: Given, y: Given) -> Figure:
    """Monotone association: Pearson's r of the mid-ranks.

    Formula: ρ = Σ(R−R̄)(S−S̄) / √(Σ(R−R̄)² Σ(S−S̄)²), R and S the ranks of x and y, ties sharing their mean rank.
    Interval: Fisher's z with the variance (1 + ρ²/2)/(n − 3).
    x, y: (n,) NaN where missing. References: Spearman 1904, American Journal of Psychology 15, 72–101; Bonett & Wright
    2000, Psychometrika 65, 23–28. R: cor(method = "spearman"), DescTools::SpearmanRho.

    >>> round(spearman([1, 2, 3, 4, 5], [1, 8, 27, 64, 60]).value, 4)
    0.9
    """
    a, b = paired_values(x, y)
    return spearman_of(a, b)


@np.errstate(all="ignore")
def spearman_of(a: Floats, b: Floats) -> Figure:
    """Spearman's ρ of complete pairs."""
    if a.size < 2:
        return undefined(fewer_than(2, "값의 쌍", "pairs of values", a.size), a.size)
    return spearman_of_ranks(mid_ranks(a), mid_ranks(b))


@np.errstate(all="ignore")
def spearman_of_ranks(a: Floats, b: Floats, count: Floats | None = None) -> Figure:
    """Spearman's ρ of two or more complete pairs of mid-ranks, each occurring `count` times."""
    n = a.size if count is None else int(count.sum())
    r = _product_moment(a, b, count)
    if r is None:
        return undefined(CONSTANT, n)
    return _with_fisher(r, n, 1 + r * r / 2, 3, "(1+r^2/2)/(n-3)")


def kendall(x: Given, y: Given) -> Figure:
    """Kendall's τ-b: concordant minus discordant pairs, corrected for ties on either side.

    Formula: τ = (C − D) / √((P − T_x)(P − T_y)), P = n(n−1)/2, T the tied pairs of each series.
    Interval: jackknife over pairs of values (see `jackknife_interval`), from ten on, which sees the ties.
    x, y: (n,) NaN where missing. References: Kendall 1945. R: cor.test(method = "kendall"), DescTools::KendallTauB.

    >>> round(kendall([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]).value, 4)
    0.6
    """
    a, b = paired_values(x, y)
    if a.size < 2:
        return undefined(fewer_than(2, "값의 쌍", "pairs of values", a.size), a.size)
    x_code, y_code = (np.unique(side, return_inverse=True)[1] for side in (a, b))
    shape = int(x_code.max()) + 1, int(y_code.max()) + 1
    if shape[0] * shape[1] <= MOST_CELLS:
        joint = np.bincount(x_code * shape[1] + y_code, minlength=shape[0] * shape[1])
        return kendall_of(joint.reshape(shape))
    rows, columns = np.bincount(x_code), np.bincount(y_code)
    row, column = rows[x_code], columns[y_code]
    y_smaller, both_tied = _smaller_in_group(x_code, y_code)  # of equal x
    x_smaller, _ = _smaller_in_group(y_code, x_code)
    less = (np.cumsum(rows) - rows)[x_code] + (np.cumsum(columns) - columns)[y_code]
    # Above and right, and the two other sides, follow from what lies below and left, and from the ties.
    signed = (
        4 * _below(x_code, y_code) + 2 * (x_smaller + y_smaller - less) + both_tied + a.size - row - column
    )
    return _kendall(signed.astype(np.float64), row, column, np.ones(a.size, np.int64))


@np.errstate(all="ignore")
def kendall_of(table: Integers) -> Figure:
    """Kendall's τ-b from a table of counts whose rows and columns are ascending scale points."""
    counts = table.astype(np.float64)
    sums = np.zeros((counts.shape[0] + 1, counts.shape[1] + 1))
    sums[1:, 1:] = counts.cumsum(axis=0).cumsum(axis=1)
    low, high = sums[:-1], sums[1:]  # of every cell: the rows below, and with its own
    same = low[:, :-1] + sums[-1, -1] - high[:, -1:] - sums[-1:, 1:] + high[:, 1:]
    other = low[:, -1:] - low[:, 1:] + sums[-1:, :-1] - high[:, :-1]
    signed = same - other
    i, j = table.nonzero()
    row, column = table.sum(axis=1)[i], table.sum(axis=0)[j]
    return _kendall(signed[i, j], row, column, table[i, j])


@np.errstate(all="ignore")
def _kendall(signed: Floats, row: Integers, column: Integers, count: Integers) -> Figure:
    """τ-b of pairs of values: with how many others each is in the same order less those in the other, and tied."""
    n = int(count.sum())
    if n < 2:
        return undefined(fewer_than(2, "값의 쌍", "pairs of values", n), n)
    pairs, score = n * (n - 1) / 2, float(count @ signed) / 2
    tied = [float(count @ (side - 1.0)) / 2 for side in (row, column)]
    if pairs in tied:
        return undefined(CONSTANT, n)

    def tau(score: Any, pairs: float, x_tied: Any, y_tied: Any) -> Any:
        return score / np.sqrt(pairs - x_tied) / np.sqrt(pairs - y_tied)

    value = max(-1.0, min(1.0, float(tau(score, pairs, *tied))))
    if n < FEWEST_ITEMS:
        return figure(value, n, None, too_few(n))
    left = tau(score - signed, pairs - (n - 1), tied[0] - (row - 1.0), tied[1] - (column - 1.0))
    ends = jackknife_interval(value, left, count)
    return figure(value, n, None, ends) if isinstance(ends, Why) else figure(value, n, ends)


def _below(x: Integers, y: Integers) -> Integers:
    """(n,) how many of the others lie below in both series.

    In the order of x a value counts those before it with a smaller y: at every step of a merge those of the left half
    that the right half passes. Of equal x the larger y comes first, and of equal y the right half, so that ties count
    for nothing.

    >>> _below(np.array([1, 2, 3, 3]), np.array([1, 3, 2, 4])).tolist()
    [0, 1, 1, 2]
    """
    n = x.size
    order = np.lexsort((-y, x))
    by_y = np.lexsort((-np.arange(n), y[order]))  # places in the order of x, by y
    found = np.zeros(n, dtype=np.int64)
    for bit in range(max(1, (n - 1).bit_length())):
        places = by_y[np.argsort(by_y >> (bit + 1), kind="stable")]
        from_left = (places >> bit) & 1 == 0
        passed = np.cumsum(from_left)
        starts = np.flatnonzero(np.diff(places >> (bit + 1), prepend=-1))
        before = np.repeat(passed[starts] - from_left[starts], np.diff(np.append(starts, n)))
        found[places] += np.where(from_left, 0, passed - before)
    below = np.empty(n, dtype=np.int64)
    below[order] = found
    return below


def _smaller_in_group(group: Integers, value: Integers) -> tuple[Integers, Integers]:
    """(n,) how many of the same group have a smaller value, and how many the same one.

    >>> _smaller_in_group(np.array([0, 0, 0, 1]), np.array([5, 3, 5, 1]))
    (array([1, 0, 1, 0]), array([2, 1, 2, 1]))
    """
    order = np.lexsort((value, group))
    news = np.diff(group[order], prepend=-1) != 0
    groups = np.flatnonzero(news)
    runs = np.flatnonzero(news | (np.diff(value[order], prepend=-1) != 0))
    first = groups[np.cumsum(news) - 1]
    lengths = np.diff(np.append(runs, group.size))
    smaller, same = np.empty((2, group.size), dtype=np.int64)
    smaller[order] = np.repeat(runs, lengths) - first
    same[order] = np.repeat(lengths, lengths)
    return smaller, same


def _product_moment(a: Floats, b: Floats, count: Floats | None) -> float | None:
    """Pearson's r, or None where a side is constant."""
    if a.min() == a.max() or b.min() == b.max():
        return None
    w = np.ones(a.size) if count is None else count
    total = w.sum()
    a, b = a - (w @ a) / total, b - (w @ b) / total
    a, b = a / np.abs(a).max(), b / np.abs(b).max()  # so that squares neither overflow nor vanish
    r = float((w * a) @ b / math.sqrt((w * a) @ a) / math.sqrt((w * b) @ b))
    if abs(abs(r) - 1) < 1e-14:  # rounding of an exact relation
        return math.copysign(1.0, r)
    return r


def _with_fisher(r: float, n: int, numerator: float, lost: int, variance: str) -> Figure:
    """The coefficient with tanh(artanh r ± 1.96 √(numerator/(n − lost)))."""
    if n <= lost:
        return figure(r, n, None, fewer_than(lost + 1, "값의 쌍", "pairs of values", n))
    if abs(r) == 1:
        return figure(r, n, (r, r), fisher_variance=variance)
    z, half = math.atanh(r), Z95 * math.sqrt(numerator / (n - lost))
    return figure(r, n, (math.tanh(z - half), math.tanh(z + half)), fisher_variance=variance)


def fisher_z(r: float) -> float:
    """artanh r, finite also where a correlation is 1 or −1.

    >>> round(fisher_z(0.5), 4), round(fisher_z(1.0), 2)
    (0.5493, 4.95)
    """
    return math.atanh(min(max(r, -0.9999), 0.9999))


def mid_ranks(values: Floats, count: Floats | None = None) -> Floats:
    """Ranks from 1, ties sharing their mean rank; each value occurs `count` times.

    >>> import numpy as np
    >>> mid_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, code = np.unique(values, return_inverse=True)
    return ranks_of(np.bincount(code, weights=count))[code]


def ranks_of(per_value: Floats | Integers) -> Floats:
    """The mid-ranks of ascending values that occur so often.

    >>> ranks_of(np.array([1, 2])).tolist()
    [1.0, 2.5]
    """
    ranks: Floats = np.cumsum(per_value, dtype=np.float64) - (per_value - 1) / 2
    return ranks
