"""Values that come in clusters, as several sessions of a student do: means and differences that count the clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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


@dataclass(frozen=True)
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

    def of_groups(self, chosen: Sequence[int]) -> Clustered:
        """Some of the groups."""
        return Clustered(self.n[:, list(chosen)], self.total[:, list(chosen)])

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
        """Whether the group means differ at all: F = Wald / (k − 1) with the CR2 variance, clusters − 1 below.

        R: clubSandwich::Wald_test(vcov = "CR2", test = "Naive-F").
        """
        n, clusters = int(self.n.sum()), int((self.n.sum(axis=1) > 0).sum())
        cells = self.n.astype(np.float64)
        if (refused := _too_few(cells)) is not None:
            return no_outcome("cluster_f", refused, n)
        q = cells.shape[1] - 1
        with np.errstate(all="ignore"):
            scores = _adjusted(cells, self.total - cells * self.means) / cells.sum(axis=0)
            apart = np.eye(q, q + 1) - np.eye(q, q + 1, 1)
            variance = apart @ (scores.T @ scores) @ apart.T
            if clusters <= q or np.linalg.matrix_rank(variance) < q:
                why = fewer_than(q + 2, "군집", "clusters", clusters) if clusters <= q + 1 else NO_SPREAD
                return no_outcome("cluster_f", why, n)
            away = apart @ self.means
            f = float(away @ np.linalg.solve(variance, away)) / q
            return outcome("cluster_f", f, f_above(f, q, clusters - 1), n, df=(q, clusters - 1), method="CR2")


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
