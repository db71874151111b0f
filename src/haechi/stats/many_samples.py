"""Three or more groups: Welch's analysis of variance, Kruskal–Wallis, and corrected pairs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.corrections import Correction, correct_each
from haechi.stats.correlation import mid_ranks
from haechi.stats.distributions import chi2_above, f_above
from haechi.stats.figure import Lang, Why
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Given
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import Sample, count_rows
from haechi.stats.two_samples import TwoSamples, two_samples

FLAT_GROUP = Why(
    "값이 한 가지뿐인 집단이 있어 분산으로 가중할 수 없습니다",
    "a group does not vary, so it cannot be weighted by its variance",
)
EMPTY_GROUP = Why("값이 하나도 없는 집단이 있습니다", "a group has no values")
ALL_TIED = Why("모든 값이 같습니다", "all values are the same")


@frozen
class SamplePair:
    """Two of the groups compared; its p-values are corrected over all pairs."""

    a: str
    b: str
    comparison: TwoSamples

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {"a": self.a, "b": self.b, **self.comparison.as_json(lang)}


@frozen
class ManySamples:
    """Groups compared all at once, and pair by pair."""

    welch_anova: Outcome
    kruskal_wallis: Outcome
    pairs: tuple[SamplePair, ...]

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "welch_anova": self.welch_anova.as_json(lang),
            "kruskal_wallis": self.kruskal_wallis.as_json(lang),
            "pairs": [pair.as_json(lang) for pair in self.pairs],
        }


def many_samples(
    groups: Mapping[str, Given] | Mapping[str, Sample], correction: Correction = "holm"
) -> ManySamples:
    """Do groups differ at all, and which ones?

    Formula: Welch's F = Σ w (x̄ − x̃)²/(k − 1) / (1 + 2(k − 2)/(k² − 1) A), w = n/s², x̃ = Σ w x̄/Σ w, A = Σ (1 − w/Σ w)²/(n − 1),
    with k − 1 and (k² − 1)/(3A) degrees of freedom: no equal variances assumed. Kruskal–Wallis: H = (12/(N(N + 1)) Σ R²/n −
    3(N + 1)) / (1 − Σ (t³ − t)/(N³ − N)), R the sum of a group's ranks, t the sizes of ties. The pairs carry Welch's and
    Mann–Whitney's p-values, each corrected over the pairs, by Holm's method unless another is asked for.

    groups: name → (n,) values, NaN left out, or samples. References: Welch 1951, Biometrika 38, 330–336; Kruskal & Wallis
    1952. R: oneway.test, kruskal.test, pairwise.t.test(p.adjust = "holm", pool.sd = FALSE).

    >>> result = many_samples({"a": [1, 2, 3, 2], "b": [2, 4, 4, 3], "c": [5, 6, 5, 7]})
    >>> round(result.welch_anova.p, 4), round(result.kruskal_wallis.p, 4)
    (0.0039, 0.0125)
    >>> [(pair.a, pair.b, round(pair.comparison.welch_t.p_corrected, 4)) for pair in result.pairs]
    [('a', 'b', 0.0953), ('a', 'c', 0.0033), ('b', 'c', 0.0204)]
    """
    samples = {name: Sample.of(values) for name, values in groups.items()}
    pairs = list(combinations(samples, 2))
    compared = [two_samples(samples[a], samples[b]) for a, b in pairs]
    compared = correct_each(compared, ("welch_t", "mann_whitney"), correction)
    with np.errstate(all="ignore"):
        sides = list(samples.values())
        return ManySamples(
            _welch(sides),
            _kruskal(sides),
            tuple(SamplePair(a, b, two) for (a, b), two in zip(pairs, compared, strict=True)),
        )


def _welch(groups: list[Sample]) -> Outcome:
    n, k = sum(g.n for g in groups), len(groups)
    if k < 2:
        return no_outcome("welch_anova", fewer_than(2, "집단", "groups", k), n)
    smallest = min(g.n for g in groups)
    if smallest < 2:
        return no_outcome("welch_anova", fewer_than(2, "집단마다 값", "values in each group", smallest), n)
    if any(g.is_flat for g in groups):
        return no_outcome("welch_anova", FLAT_GROUP, n)
    size = np.array([g.n for g in groups], dtype=np.float64)
    spread = np.array([g.variance for g in groups])
    weight = size / spread
    weight /= weight.sum()
    mean = np.array([g.mean for g in groups])
    variance = spread / size
    scale = 1 / (1 / variance).sum()
    between = (weight * (mean - weight @ mean) ** 2).sum() / scale / (k - 1)
    lost = ((1 - weight) ** 2 / (size - 1)).sum()
    f = between / (1 + 2 * (k - 2) / (k**2 - 1) * lost)
    df2 = (k**2 - 1) / (3 * lost)
    return outcome("welch_anova", float(f), f_above(f, k - 1, df2), n, df=(k - 1, df2))


def _kruskal(groups: list[Sample]) -> Outcome:
    n, k = sum(g.n for g in groups), len(groups)
    if k < 2:
        return no_outcome("kruskal_wallis", fewer_than(2, "집단", "groups", k), n)
    if min(g.n for g in groups) < 1:
        return no_outcome("kruskal_wallis", EMPTY_GROUP, n)
    values, counts = count_rows(groups)
    ties = counts.sum(axis=0)
    if ties.size == 1:
        return no_outcome("kruskal_wallis", ALL_TIED, n)
    sums = (counts @ mid_ranks(values, ties)) ** 2 / counts.sum(axis=1)
    h = 12 / (n * (n + 1)) * float(sums.sum()) - 3 * (n + 1)
    h /= 1 - float((ties.astype(np.float64) ** 3 - ties).sum()) / (float(n) ** 3 - n)
    return outcome("kruskal_wallis", h, chi2_above(h, k - 1), n, df=(k - 1,))
