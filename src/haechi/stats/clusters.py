"""Values that come in clusters, as several sessions of a student do: means and differences that count the clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.distributions import f_above, t_quantile, t_two_sided
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Floats, Given, Integers, as_values
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import NOISE

ONE_CLUSTER = Why(
    "군집이 하나뿐인 집단이 있어 군집 사이의 차이를 알 수 없습니다",
    "a group has a single cluster, so nothing shows how far clusters differ",
)
NO_SPREAD = Why("군집의 평균이 모두 같아 분산이 없습니다", "the clusters do not differ: there is no variance")


@frozen
class Clustered:
    """How many values every cluster has in every group, and their sum; both (clusters, groups)."""

    n: Integers
    total: Floats

    @classmethod
    def of(cls, values: Given, groups: Given, clusters: Given) -> Clustered:
        """Count values, NaN left out; groups and clusters: (n,) anything hashable, in order of first appearance.

        >>> Clustered.of([1, 2, 4], ["a", "a", "b"], ["kim", "kim", "lee"]).total.tolist()
        [[3.0, 0.0], [0.0, 4.0]]
        """
        array = as_values(values)
        known = ~np.isnan(array)
        rows, columns = (_codes(names) for names in (clusters, groups))
        shape = int(rows.max(initial=-1)) + 1, int(columns.max(initial=-1)) + 1
        at = (rows * shape[1] + columns)[known]
        size = shape[0] * shape[1]
        n = np.bincount(at, minlength=size)
        total: Floats = np.bincount(at, weights=array[known], minlength=size).astype(np.float64)
        return cls(n.reshape(shape), total.reshape(shape))

    def of_groups(self, chosen: Sequence[int | None]) -> Clustered:
        """Some of the groups; None is one without values."""
        places = [self.n.shape[1] if one is None else one for one in chosen]
        nothing = ((0, 0), (0, 1))
        return Clustered(np.pad(self.n, nothing)[:, places], np.pad(self.total, nothing)[:, places])

    @property
    def means(self) -> Floats:
        """(groups,) the mean of every group, each value counting once."""
        means: Floats = self.total.sum(axis=0) / self.n.sum(axis=0)
        return means

    def contrast(self, weights: Sequence[float], test: str = "cluster_t") -> tuple[Figure, Outcome]:
        """A weighted sum of group means with its interval, and whether it differs from 0; clusters may differ at will.

        Formula: the residual sums of a cluster in a group, Σ e / √(1 − n_cg/n_g), make V = Σ_c (Σ_g w_g u_cg / n_g)²:
        CR2, unbiased where values are independent after all. Student's t with Satterthwaite's degrees of freedom. With
        weights 1 it is the mean of a group, with clusters of one value Welch's test but for the degrees of freedom.

        References: Bell & McCaffrey 2002, Survey Methodology 28, 169–181; Pustejovsky & Tipton 2018, Journal of Business
        & Economic Statistics 36, 672–683. R: clubSandwich::coef_test(vcov = "CR2", test = "Satterthwaite").

        >>> both = Clustered.of([3, 4, 2, 3, 6, 4, 7, 6], [*"aaaabbbb"], [1, 1, 2, 2, 3, 3, 4, 4])
        >>> difference, tested = both.contrast([1, -1])
        >>> difference.value, round(tested.statistic, 4), round(tested.df[0], 4)
        (-2.75, -3.0509, 2.0)
        """
        used = [place for place, weight in enumerate(weights) if weight]
        weight = np.array([weights[place] for place in used], dtype=np.float64)
        cells, sums = self.n[:, used].astype(np.float64), self.total[:, used]
        sizes, n = cells.sum(axis=0), int(self.n[:, used].sum())
        clusters = int((cells.sum(axis=1) > 0).sum())
        if (refused := _too_few(cells)) is not None:
            return undefined(refused, n, clusters=clusters), no_outcome(test, refused, n)
        with np.errstate(all="ignore"):
            means = sums.sum(axis=0) / sizes
            value = float(weight @ means)
            scores = _adjusted(cells, sums - cells * means) @ (weight / sizes)
            variance = float(scores @ scores)
            if variance <= (NOISE * float(np.abs(weight * means).sum())) ** 2:
                return figure(value, n, None, NO_SPREAD, clusters=clusters), no_outcome(test, NO_SPREAD, n)
            df = _satterthwaite(cells, weight)
            error = float(np.sqrt(variance))
            half = t_quantile(0.975, df) * error
            t = value / error
            shown = figure(value, n, (value - half, value + half), clusters=clusters)
            return shown, outcome(test, t, t_two_sided(t, df), n, df=(df,), method="CR2, Satterthwaite")

    def omnibus(self) -> Outcome:
        """Whether the group means differ at all; see `wald`."""
        groups = self.n.shape[1]
        return self.wald(np.eye(groups - 1, groups) - np.eye(groups - 1, groups, 1), "cluster_f")

    def wald(self, contrasts: Floats, test: str) -> Outcome:
        """Whether several weighted sums of group means are all 0; contrasts: (sums, groups), none of which follows from others.

        Formula: Wald's statistic W with the CR2 variance of `contrast`; as Hotelling's T², F = W (η − q + 1) / (η q) with
        q and η − q + 1 degrees of freedom, η the degrees of freedom of a Wishart matrix whose entries vary as much as those
        of the estimated variance would if values were independent. With one sum it is `contrast`.

        Reference: Tipton & Pustejovsky 2015, Journal of Educational and Behavioral Statistics 40, 604–634. R:
        clubSandwich::Wald_test(vcov = "CR2", test = "HTZ").

        >>> three = Clustered.of([3, 4, 2, 3, 6, 4, 7, 6, 5, 4, 5, 3], [*"abcabcabcabc"], [*"111222333444"])
        >>> found = three.wald(np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]]), "cluster_f")
        >>> round(found.statistic, 4), [round(df, 4) for df in found.df]
        (36.5, [2.0, 2.0])
        """
        n, clusters = int(self.n.sum()), int((self.n.sum(axis=1) > 0).sum())
        cells, q = self.n.astype(np.float64), len(contrasts)
        if (refused := _too_few(cells)) is not None:
            return no_outcome(test, refused, n)
        with np.errstate(all="ignore"):
            scores = _adjusted(cells, self.total - cells * self.means) / cells.sum(axis=0)
            variance = contrasts @ (scores.T @ scores) @ contrasts.T
            df = _wishart(cells, contrasts)
            if df <= q - 1 or np.linalg.matrix_rank(variance) < q:
                why = fewer_than(q + 2, "군집", "clusters", clusters) if clusters <= q + 1 else NO_SPREAD
                return no_outcome(test, why, n)
            away = contrasts @ self.means
            wald = float(away @ np.linalg.solve(variance, away))
            below = df - q + 1
            f = wald * below / (df * q)
            return outcome(test, f, f_above(f, q, below), n, df=(q, below), method="CR2, HTZ")


def _codes(names: Given) -> Integers:
    listed: list[Any] = (
        names.to_numpy().tolist() if hasattr(names, "to_numpy") else np.asarray(names, object).tolist()
    )
    code: dict[Any, int] = {}
    return np.fromiter((code.setdefault(name, len(code)) for name in listed), np.int64, len(listed))


def _too_few(cells: Floats) -> Why | None:
    smallest = int(cells.sum(axis=0).min())
    if smallest < 2:
        return fewer_than(2, "집단마다 값", "values in each group", smallest)
    return ONE_CLUSTER if int((cells > 0).sum(axis=0).min()) < 2 else None


def _adjusted(cells: Floats, residuals: Floats) -> Floats:
    """What a cluster lost of its residuals because it has a part in the mean, given back."""
    adjusted: Floats = residuals / np.sqrt(1 - cells / cells.sum(axis=0))
    return adjusted


def _satterthwaite(cells: Floats, weight: Floats) -> float:
    """Degrees of freedom of the variance, if values were independent: (tr Γ)² / tr Γ², Γ = D − Σ_g v_g v_g'."""
    sizes = cells.sum(axis=0)
    given_back = weight**2 / sizes**2 / (1 - cells / sizes)  # (clusters, groups)
    diagonal = (given_back * cells).sum(axis=1)
    v = np.sqrt(given_back / sizes) * cells
    trace = float(diagonal.sum() - (v**2).sum())
    squares = float(diagonal @ diagonal - 2 * (diagonal @ (v**2).sum(axis=1)) + ((v.T @ v) ** 2).sum())
    return trace**2 / squares


def _wishart(cells: Floats, contrasts: Floats) -> float:
    """η: the degrees of freedom of the variance of several sums, if values were independent; see `_satterthwaite`.

    The scores of two clusters in a group have the covariance δ d − v v'. Standardised so that the expected variance is
    the identity, Σ Var(ω_st) = Σ_gh (|b_g|² |b_h|² + (b_g·b_h)²) Σ_cd m_cdg m_cdh, and η = q(q + 1) over it.
    """
    sizes, q = cells.sum(axis=0), len(contrasts)
    given_back = 1 / (sizes**2 * (1 - cells / sizes))  # (clusters, groups)
    d, v = given_back * cells, np.sqrt(given_back / sizes) * cells
    expected = (contrasts * (d - v**2).sum(axis=0)) @ contrasts.T
    b = np.linalg.solve(np.linalg.cholesky(expected), contrasts)
    together = b.T @ b
    lengths = np.diag(together)
    pairs = d.T @ d - d.T @ v**2 - (v**2).T @ d + (v.T @ v) ** 2
    return float(q * (q + 1) / ((np.outer(lengths, lengths) + together**2) * pairs).sum())
