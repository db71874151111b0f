"""Correlation of two series: Pearson, Spearman and Kendall's tau-b, with Fisher intervals."""

from __future__ import annotations

import math

import numpy as np

from haechi.stats.distributions import Z95
from haechi.stats.figure import Figure, figure, undefined
from haechi.stats.ratings import Floats, Given, Integers, both
from haechi.stats.reasons import CONSTANT, fewer_than

MOST_CELLS = 4_000_000  # cells of a table of two scales; a table of continuous values would be larger


def pearson(x: Given, y: Given) -> Figure:
    """Linear association of two series.

    Formula: r = Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²). Interval: tanh(artanh r ± 1.96/√(n−3)), Fisher 1921.
    x, y: (n,) NaN where missing; pairs with a gap are left out. R: cor.test(x, y).

    >>> figure = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    >>> round(figure.value, 4), [round(end, 4) for end in figure.ci95]
    (0.8, [-0.2796, 0.9862])
    """
    a, b = both(x, y)
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

    Interval: Fisher's z with the variance (1 + ρ²/2)/(n − 3) of Bonett & Wright 2000, Psychometrika 65,
    23–28. x, y: (n,) NaN where missing. References: Spearman 1904. R: cor(method = "spearman"),
    DescTools::SpearmanRho.

    >>> round(spearman([1, 2, 3, 4, 5], [1, 8, 27, 64, 60]).value, 4)
    0.9
    """
    a, b = both(x, y)
    return spearman_of(a, b)


@np.errstate(all="ignore")
def spearman_of(a: Floats, b: Floats, count: Floats | None = None) -> Figure:
    """Spearman's ρ of complete pairs, each occurring `count` times."""
    n = a.size if count is None else int(count.sum())
    if n < 2:
        return undefined(fewer_than(2, "값의 쌍", "pairs of values", n), n)
    r = _product_moment(mid_ranks(a, count), mid_ranks(b, count), count)
    if r is None:
        return undefined(CONSTANT, n)
    return _with_fisher(r, n, 1 + r * r / 2, 3, "(1+r^2/2)/(n-3)")


def kendall(x: Given, y: Given) -> Figure:
    """Kendall's τ-b: concordant minus discordant pairs, corrected for ties on either side.

    Formula: τ = (C − D) / √((P − T_x)(P − T_y)), P = n(n−1)/2, T the tied pairs of each series.
    Interval: Fisher's z with the variance 0.437/(n − 4) of Fieller, Hartley & Pearson 1957, Biometrika 44,
    470–481. x, y: (n,) NaN where missing. References: Kendall 1945. R: cor.test(method = "kendall"),
    DescTools::KendallTauB.

    >>> round(kendall([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]).value, 4)
    0.6
    """
    a, b = both(x, y)
    if a.size < 2:
        return undefined(fewer_than(2, "값의 쌍", "pairs of values", a.size), a.size)
    x_code, y_code = (np.unique(side, return_inverse=True)[1] for side in (a, b))
    width = int(y_code.max()) + 1
    if (int(x_code.max()) + 1) * width <= MOST_CELLS:
        table = np.bincount(x_code * width + y_code, minlength=(int(x_code.max()) + 1) * width)
        return kendall_of(table.reshape(-1, width))
    from scipy.stats import kendalltau

    return _kendall_figure(float(kendalltau(x_code, y_code).statistic), a.size)


@np.errstate(all="ignore")
def kendall_of(table: Integers) -> Figure:
    """Kendall's τ-b from a table of counts whose rows and columns are ascending scale points."""
    counts = table.astype(np.float64)
    n = counts.sum()
    after = np.zeros_like(counts)  # after[i, j]: pairs above in both rows and columns
    after[:-1, :-1] = counts[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1][1:, 1:]
    crossed = np.zeros_like(counts)
    crossed[:-1, 1:] = counts[::-1].cumsum(axis=0).cumsum(axis=1)[::-1][1:, :-1]
    pairs = n * (n - 1) / 2
    tied = [(margin * (margin - 1)).sum() / 2 for margin in (counts.sum(axis=1), counts.sum(axis=0))]
    if n < 2:
        return undefined(fewer_than(2, "값의 쌍", "pairs of values", int(n)), int(n))
    if pairs in tied:
        return undefined(CONSTANT, int(n))
    score = (counts * after).sum() - (counts * crossed).sum()
    return _kendall_figure(float(score / math.sqrt(pairs - tied[0]) / math.sqrt(pairs - tied[1])), int(n))


def _kendall_figure(tau: float, n: int) -> Figure:
    return _with_fisher(max(-1.0, min(1.0, tau)), n, 0.437, 4, "0.437/(n-4)")


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


def mid_ranks(values: Floats, count: Floats | None = None) -> Floats:
    """Ranks from 1, ties sharing their mean rank; each value occurs `count` times.

    >>> import numpy as np
    >>> mid_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, code = np.unique(values, return_inverse=True)
    per_value = np.bincount(code, weights=count).astype(np.float64)
    ranks: Floats = (np.cumsum(per_value) - (per_value - 1) / 2)[code]
    return ranks
