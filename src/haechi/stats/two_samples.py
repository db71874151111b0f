"""Two groups: Welch's t, Mann–Whitney, Cohen's d, Hedges' g and Cliff's delta."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.correlation import mid_ranks
from haechi.stats.distributions import Z95, normal_below, t_quantile, t_two_sided
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Floats, Given, Integers
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import NOISE, Sample, count_rows

NO_SPREAD = Why(
    "두 집단 모두 값이 한 가지뿐이어서 분산이 없습니다", "neither group varies: there is no variance"
)
NO_SPREAD_ANYWHERE = Why(
    "집단마다 값이 한 가지뿐이어서 분산이 없습니다", "no group varies: there is no variance"
)


@frozen
class TwoSamples:
    """Two groups compared; every difference is first minus second."""

    difference: Figure
    welch_t: Outcome
    mann_whitney: Outcome
    cohen_d: Figure
    hedges_g: Figure
    cliff_delta: Figure

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "difference": self.difference.as_json(lang),
            "welch_t": self.welch_t.as_json(lang),
            "mann_whitney": self.mann_whitney.as_json(lang),
            "cohen_d": self.cohen_d.as_json(lang),
            "hedges_g": self.hedges_g.as_json(lang),
            "cliff_delta": self.cliff_delta.as_json(lang),
        }


def two_samples(x: Given | Sample, y: Given | Sample) -> TwoSamples:
    """Is one group higher, and by how much?

    Formula: Welch t = (x̄ − ȳ)/√(s²x/n + s²y/m) with Welch–Satterthwaite degrees of freedom; equal variances not
    assumed. Mann–Whitney: how often x beats y; exact without ties for small groups, else normal with tie and
    continuity correction. Cohen's d = (x̄ − ȳ)/pooled SD; Hedges' g = J·d with J = Γ(f/2)/(√(f/2)
    Γ((f−1)/2)), f = n + m − 2; intervals from the variance (n+m)/(nm) + d²/(2(n+m)). Cliff's δ = P(x > y) −
    P(x < y), interval of Feng & Cliff.

    x, y: (n,), (m,) values, NaN left out, or samples. References: Welch 1947; Mann & Whitney 1947; Hedges & Olkin 1985;
    Cliff 1993, Psychological Bulletin 114, 494–509; Feng & Cliff 2004, Journal of Modern Applied Statistical
    Methods 3, 322–332. R: t.test, wilcox.test, effsize::cohen.d, effsize::cliff.delta.

    >>> result = two_samples([5, 4, 4, 5, 3], [3, 2, 4, 2, 2])
    >>> round(result.difference.value, 2), round(result.welch_t.p, 4), round(result.cohen_d.value, 4)
    (1.6, 0.0193, 1.8475)
    >>> round(result.cliff_delta.value, 2)
    0.8
    """
    a, b = Sample.of(x), Sample.of(y)
    n = a.n + b.n
    if min(a.n, b.n) < 2:
        why = fewer_than(2, "집단마다 값", "values in each group", min(a.n, b.n))
        none = undefined(why, n)
        t, u = no_outcome("welch_t", why, n), no_outcome("mann_whitney", why, n)
        return TwoSamples(none, t, u, none, none, none)
    with np.errstate(all="ignore"):
        difference, test = welch_t(Moments.of(a), Moments.of(b))
        values, counts = count_rows([a, b])
        return TwoSamples(
            difference, test, mann_whitney(values, counts), *_standardised(a, b), cliff_delta(*counts)
        )


@frozen
class Moments:
    """What Welch's test needs of a group: how many values, their mean and standard deviation."""

    n: int
    mean: float
    sd: float

    @classmethod
    def of(cls, sample: Sample) -> Moments:
        """Of any number of values; what there is none of is 0.

        >>> Moments.of(Sample.of([1.0, 2.0, 3.0])), Moments.of(Sample.of([]))
        (Moments(n=3, mean=2.0, sd=1.0), Moments(n=0, mean=0.0, sd=0.0))
        """
        return cls(sample.n, sample.mean if sample.n else 0.0, sample.sd if sample.n > 1 else 0.0)


def welch_t(a: Moments, b: Moments) -> tuple[Figure, Outcome]:
    """The difference of means with its interval, and Welch's t test; also where only the moments were kept.

    Formula and reference: `two_samples`. R: t.test; BSDA::tsum.test.

    >>> difference, test = welch_t(Moments(5, 4.2, 0.836660), Moments(5, 2.6, 0.894427))
    >>> round(difference.value, 2), round(test.p, 4)
    (1.6, 0.0193)
    """
    return contrast([a, b], (1.0, -1.0), "welch_t")


def contrast(
    groups: Sequence[Moments], weights: Sequence[float], test: str, level: float = 0.95
) -> tuple[Figure, Outcome]:
    """A weighted sum of group means with its interval, and whether it differs from 0; equal variances not assumed.

    Formula: t = Σ w x̄ / √(Σ w² s²/n), degrees of freedom (Σ w² s²/n)² / Σ ((w² s²/n)² / (n − 1)). With two groups and
    weights 1, −1 it is Welch's t. Reference: Welch 1947; Kirk 2013, Experimental Design, 4th ed., 4.4.
    R: sandwich::vcovHC(type = "HC2") has the same t.

    >>> rising = [Moments(4, 2.0, 0.8), Moments(4, 3.0, 1.0), Moments(4, 5.5, 0.9)]
    >>> difference, test = contrast(rising, (-1, 0, 1), "linear")
    >>> difference.value, round(test.df[0], 2)
    (3.5, 5.92)
    """
    used = [(one, weight) for one, weight in zip(groups, weights, strict=True) if weight]
    n = sum(one.n for one, _ in used)
    smallest = min((one.n for one, _ in used), default=0)
    if smallest < 2:
        why = fewer_than(2, "집단마다 값", "values in each group", smallest)
        return undefined(why, n), no_outcome(test, why, n)
    terms = [weight * one.mean for one, weight in used]
    total = sum(terms)
    if abs(total) <= NOISE * max(map(abs, terms)):
        total = 0.0  # or rounding alone would have a direction
    if all(one.sd == 0 for one, _ in used):
        why = NO_SPREAD if len(used) == 2 else NO_SPREAD_ANYWHERE
        return figure(total, n, None, why), no_outcome(test, why, n)
    squared = [weight**2 * one.sd**2 / one.n for one, weight in used]
    variance = sum(squared)
    # Shares, so that large variances are not squared.
    df = 1 / sum((own / variance) ** 2 / (one.n - 1) for own, (one, _) in zip(squared, used, strict=True))
    error = float(np.sqrt(variance))
    half = t_quantile((1 + level) / 2, df) * error
    t = total / error
    return (
        figure(total, n, (total - half, total + half)),
        outcome(test, t, t_two_sided(t, df), n, df=(df,)),
    )


def mann_whitney(values: Floats, counts: Integers) -> Outcome:
    """Mann and Whitney's test of two groups, (2, values) how often each has which value; the statistic is U of the first, ties counted half."""
    n, m = map(float, counts.sum(axis=1))
    ties = counts.sum(axis=0)
    u = float(counts[0] @ mid_ranks(values, ties)) - n * (n + 1) / 2
    if ties.size == 1:
        return no_outcome("mann_whitney", NO_SPREAD, int(n + m))
    if ties.max() == 1 and min(n, m) <= 8 and n * m <= 10_000:
        p = _exact_u(u, int(n), int(m))
        return outcome("mann_whitney", u, p, int(n + m), method="exact")
    tied = float((ties.astype(np.float64) ** 3 - ties).sum()) / ((n + m) * (n + m - 1))
    sd = math.sqrt(n * m / 12 * (n + m + 1 - tied))
    z = max(0.0, abs(u - n * m / 2) - 0.5) / sd
    return outcome("mann_whitney", u, 2 * normal_below(-z), int(n + m), method="normal approximation")


def _exact_u(u: float, n: int, m: int) -> float:
    """Two-sided p of U without ties."""
    share = shares_of_u(n, m)
    least = int(min(u, n * m - u))
    return float(2 * share[: least + 1].sum())


def shares_of_u(n: int, m: int) -> Floats:
    """How probable every value of U is without ties: arrangements counted by adding one rank at a time.

    >>> shares_of_u(1, 2).round(4).tolist()
    [0.3333, 0.3333, 0.3333]
    """
    ways = np.zeros((n + 1, n * m + 1))
    ways[0, 0] = 1.0
    for rank in range(1, n + m + 1):  # the element of this rank belongs to the first group, or not
        for chosen in range(min(rank, n), 0, -1):
            gain = rank - chosen  # members of the second group below it
            if gain <= m:
                ways[chosen, gain:] += ways[chosen - 1, : ways.shape[1] - gain]
    share: Floats = ways[n] / ways[n].sum()
    return share


def _standardised(a: Sample, b: Sample) -> tuple[Figure, Figure]:
    n, m = a.n, b.n
    df = n + m - 2
    if a.is_flat and b.is_flat:
        none = undefined(NO_SPREAD, n + m)
        return none, none
    pooled = np.sqrt(((n - 1) * a.variance + (m - 1) * b.variance) / df)
    d = (a.mean - b.mean) / pooled
    half = Z95 * np.sqrt((n + m) / (n * m) + d * d / (2 * (n + m)))
    j = (
        math.exp(math.lgamma(df / 2) - math.log(df / 2) / 2 - math.lgamma((df - 1) / 2))
        if df > 1
        else math.nan
    )
    return figure(d, n + m, (d - half, d + half)), figure(j * d, n + m, (j * (d - half), j * (d + half)))


def cliff_delta(of_a: Integers, of_b: Integers) -> Figure:
    """P(a > b) − P(a < b) with Feng and Cliff's asymmetric interval, of how often each group has the same values."""
    n, m = int(of_a.sum()), int(of_b.sum())
    # Of every value: how many of each side are not above it.
    upto_a, upto_b = np.cumsum(of_a), np.cumsum(of_b)
    by_a, by_b = (2 * upto_b - of_b - m) / m, (n - 2 * upto_a + of_a) / n
    delta = float(of_a @ by_a / n)
    if abs(delta) == 1:
        smaller = min(n, m)
        near = (smaller - Z95**2) / (smaller + Z95**2)
        return figure(delta, n + m, (near, 1.0) if delta > 0 else (-1.0, -near))
    ties = int(of_a @ of_b)
    total = n * m - ties - n * m * delta**2
    around_a, around_b = float(of_a @ (by_a - delta) ** 2), float(of_b @ (by_b - delta) ** 2)
    spread = m**2 * around_a + n**2 * around_b - total
    variance = max(spread / (n * m * (n - 1) * (m - 1)), (1 - delta**2) / (n * m - 1))
    z2 = Z95**2 * variance
    half = np.sqrt(z2 * ((1 - delta**2) ** 2 + z2))
    base = 1 - delta**2 + z2
    return figure(delta, n + m, ((delta - delta**3 - half) / base, (delta - delta**3 + half) / base))
