"""By how much a value moves with something else that is known of it, as a score with the length of an answer."""

from __future__ import annotations

import numpy as np

from haechi.stats.distributions import t_quantile, t_two_sided
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Floats, Given, Integers, as_values, codes_of
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import NOISE

SAME_EVERYWHERE = Why("모두 같아서 비교할 것이 없습니다", "it is the same everywhere: nothing to compare")
NO_SPREAD = Why("값이 한 직선 위에 있어 분산이 없습니다", "the values lie on one line: there is no variance")
ONE_CLUSTER_DECIDES = Why("군집 하나가 기울기를 정합니다", "one cluster alone decides the slope")
FEWEST_CLUSTERS = 3


@np.errstate(all="ignore")
def slope(values: Given, x: Given, clusters: Given | None = None) -> tuple[Figure, Outcome]:
    """The slope of a least-squares line with its 95 % interval, and whether it differs from 0; clusters may differ at will.

    Formula: b = Σ (x − x̄)(y − ȳ) / Σ (x − x̄)². The residuals of a cluster are multiplied by (I − H_cc)^(−1/2), H the hat
    matrix, before they make the sandwich variance: CR2, unbiased where values are independent after all; HC2 without clusters.
    Student's t with Satterthwaite's degrees of freedom. Where x is 0 or 1 it is the difference of two means of `Clustered`.

    values, x: (n,), NaN in either left out; clusters: (n,) anything hashable, every value one of its own by default.
    References: Bell & McCaffrey 2002, Survey Methodology 28, 169–181; Pustejovsky & Tipton 2018, Journal of Business &
    Economic Statistics 36, 672–683. R: clubSandwich::coef_test(lm(y ~ x), vcov = "CR2", test = "Satterthwaite").

    >>> found, tested = slope([3, 4, 4, 6, 5, 7], [1, 2, 3, 4, 5, 6])
    >>> round(found.value, 3), [round(end, 2) for end in found.ci95], round(tested.p, 4)
    (0.714, [0.25, 1.18], 0.0197)
    """
    y, at = as_values(values), as_values(x)
    known = ~(np.isnan(y) | np.isnan(at))
    whose = np.arange(y.size) if clusters is None else codes_of(clusters)[0]
    y, at, whose = y[known], at[known], np.unique(whose[known], return_inverse=True)[1]
    n, many = int(y.size), int(whose.max(initial=-1)) + 1
    if many < FEWEST_CLUSTERS:
        return _none(fewer_than(FEWEST_CLUSTERS, "항목 묶음", "clusters of items", many), n)
    line = np.column_stack([np.ones(n), at - at.mean()])
    if np.ptp(at) <= NOISE * max(1.0, float(np.abs(at).max())):
        return _none(SAME_EVERYWHERE, n)
    bread = np.linalg.inv(line.T @ line)
    fitted = bread @ (line.T @ y)
    away = y - line @ fitted
    own = _sums((line[:, :, None] * line[:, None, :]).reshape(n, 4), whose, many).reshape(many, 2, 2)
    given_back = _given_back(bread, own)
    if given_back is None:
        return _none(ONE_CLUSTER_DECIDES, n)
    towards: Floats = given_back @ bread[:, 1]  # (clusters, 2): what a cluster's residuals weigh in the slope
    scores = (towards * _sums(line * away[:, None], whose, many)).sum(axis=1)
    value, variance = float(fitted[1]), float(scores @ scores)
    if variance <= (NOISE * max(abs(value), float(np.abs(y).max()) / float(np.ptp(at)))) ** 2:
        return figure(value, n, None, NO_SPREAD, clusters=many), no_outcome("slope", NO_SPREAD, n)
    df, error = _satterthwaite(bread, own, towards), variance**0.5
    half, t = t_quantile(0.975, df) * error, value / error
    shown = figure(value, n, (value - half, value + half), clusters=many)
    return shown, outcome("slope", t, t_two_sided(t, df), n, df=(df,), method="CR2, Satterthwaite")


def _none(why: Why, n: int) -> tuple[Figure, Outcome]:
    return undefined(why, n), no_outcome("slope", why, n)


def _sums(rows: Floats, whose: Integers, many: int) -> Floats:
    """The rows of every cluster added up."""
    return np.column_stack([np.bincount(whose, column, minlength=many) for column in rows.T])


def _given_back(bread: Floats, own: Floats) -> Floats | None:
    """(clusters, 2, 2) what (I − X_c M X_c')^(−1/2) X_c is of X_c: by the eigenvalues of a matrix as small as the line has coefficients."""
    root = np.linalg.cholesky(bread)
    taken, ways = np.linalg.eigh(root.T @ own @ root)
    if (taken > 1 - 1e-9).any():
        return None
    found: Floats = (
        root @ (ways / np.sqrt(1 - taken)[:, None, :]) @ np.swapaxes(ways, 1, 2) @ np.linalg.inv(root)
    )
    return found


def _satterthwaite(bread: Floats, own: Floats, towards: Floats) -> float:
    """(tr P)²/tr P² of the quadratic form that the variance is, P = δ d − b' M b, if values were independent and alike."""
    b = (own @ towards[:, :, None])[:, :, 0]
    d = (towards * b).sum(axis=1)
    among = (b @ bread * b).sum(axis=1)
    square = bread @ (b.T @ b)
    return float((d - among).sum() ** 2 / ((d**2).sum() - 2 * (d * among).sum() + np.trace(square @ square)))
