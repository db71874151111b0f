"""The same items answered by two systems: paired t, Wilcoxon's signed ranks and sign-flip permutation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.bootstrap import SEED
from haechi.stats.correlation import mid_ranks
from haechi.stats.distributions import Z95, normal_below, t_quantile, t_two_sided
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Floats, Given, Integers, paired_values
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import Sample

EXACT_UP_TO = 50  # signed ranks; beyond, the normal approximation is close
ALL_FLIPS_UP_TO = 13  # 8,192 sign patterns are fewer than the permutations drawn at random
PERMUTATIONS = 10_000

ALL_ZERO = Why("모든 쌍의 차이가 0입니다", "all differences are zero")
NO_SPREAD = Why("모든 쌍의 차이가 같아 분산이 없습니다", "all differences are equal: they have no variance")
PAIRED_TESTS = ("t_test", "wilcoxon", "sign_flip")


@frozen
class Paired:
    """Two systems on the same items: mean difference a − b, effect size and three tests."""

    difference: Figure
    cohen_dz: Figure
    t_test: Outcome
    wilcoxon: Outcome
    sign_flip: Outcome
    seed: int

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "difference": self.difference.as_json(lang),
            "cohen_dz": self.cohen_dz.as_json(lang),
            "paired_t": self.t_test.as_json(lang),
            "wilcoxon": self.wilcoxon.as_json(lang),
            "sign_flip": self.sign_flip.as_json(lang),
            "seed": self.seed,
        }


def paired(a: Given, b: Given, seed: int = SEED) -> Paired:
    """Compare two systems on the items that both answered.

    Formula: paired t = mean(d)/(SD(d)/√n), d = a − b, n − 1 degrees of freedom. Wilcoxon: the sum of the ranks of |d|
    with a positive sign, zeros dropped, ties given mid-ranks; exact up to 50 differences, else normal with
    the tie correction. Sign-flip: how often a random change of signs gives a mean at least as far from zero
    (all 2^n patterns up to n = 13, else 10,000 seeded ones). d_z = mean(d)/SD(d), interval from its
    large-sample variance 1/n + d_z²/(2n).

    a, b: (n,) scores by item, NaN where missing. References: Student 1908; Wilcoxon 1945; Fisher 1935.
    R: t.test(paired = TRUE), coin::wilcoxsign_test, coin::oneway_test.

    >>> result = paired([5, 4, 4, 5, 3], [3, 4, 2, 4, 2])
    >>> round(result.difference.value, 2), round(result.t_test.p, 4), result.wilcoxon.p, result.sign_flip.p
    (1.2, 0.0327, 0.125, 0.125)
    """
    x, y = paired_values(a, b)
    with np.errstate(all="ignore"):
        size = max(np.abs(x).max(initial=0), np.abs(y).max(initial=0))
        return paired_differences(Sample(*np.unique(x - y, return_counts=True)).without_noise(size), seed)


def paired_differences(differences: Given | Sample, seed: int = SEED) -> Paired:
    """As `paired`, where only the differences of the pairs are known; (n,) or a sample.

    >>> paired_differences([2, 0, 2, 1, 1]).difference.value
    1.2
    """
    d = Sample.of(differences)
    n = d.n
    if n < 2:
        why = fewer_than(2, "두 시스템이 모두 답한 항목", "items answered by both systems", n)
        none = undefined(why, n)
        t, ranks, flips = (no_outcome(name, why, n) for name in ("paired_t", "wilcoxon", "sign_flip"))
        return Paired(none, none, t, ranks, flips, seed)
    with np.errstate(all="ignore"):
        return Paired(*_student(d), signed_ranks(d), _sign_flip(d, seed), seed)


def _student(d: Sample) -> tuple[Figure, Figure, Outcome]:
    n, mean = d.n, d.mean
    if d.is_flat:
        return figure(mean, n, (mean, mean)), undefined(NO_SPREAD, n), no_outcome("paired_t", NO_SPREAD, n)
    sd = d.sd
    half = t_quantile(0.975, n - 1) * sd / math.sqrt(n)
    effect = np.divide(mean, sd)  # of what is too small for its square, there is no deviation
    spread = Z95 * np.sqrt(1 / n + effect**2 / (2 * n))
    t = effect * math.sqrt(n)
    return (
        figure(mean, n, (mean - half, mean + half)),
        figure(effect, n, (effect - spread, effect + spread)),
        outcome("paired_t", t, t_two_sided(t, n - 1), n, df=(n - 1,)),
    )


def signed_ranks(differences: Sample) -> Outcome:
    """Wilcoxon's signed-rank test, two-sided; the statistic is the sum of positive ranks."""
    some = differences.values != 0
    values, count = differences.values[some], differences.count[some]
    if values.size == 0:
        return no_outcome("wilcoxon", ALL_ZERO, 0)
    n = int(count.sum())
    ranks = mid_ranks(np.abs(values), count)
    positive = float((count * ranks)[values > 0].sum())
    if n <= EXACT_UP_TO:
        below, above = exact_signed_ranks(np.repeat(values, count))
        return outcome("wilcoxon", positive, 2 * min(below, above), n, method="exact")
    _, at = np.unique(ranks, return_inverse=True)
    ties = np.bincount(at, weights=count)
    of = float(n)
    variance = of * (of + 1) * (2 * of + 1) / 24 - float((ties**3 - ties).sum()) / 48
    z = (positive - of * (of + 1) / 4) / math.sqrt(variance)
    return outcome("wilcoxon", positive, 2 * normal_below(-abs(z)), n, method="normal approximation")


def exact_signed_ranks(differences: Floats) -> tuple[float, float]:
    """P(W ≤ w) and P(W ≥ w) of the sum of positive mid-ranks when every sign is a fair coin.

    Twice a mid-rank is a whole number, so the distribution is counted exactly, ties and all.

    >>> import numpy as np
    >>> exact_signed_ranks(np.array([1.0, 2.0, 3.0]))
    (1.0, 0.125)
    """
    d = differences[differences != 0]
    doubled = np.rint(2 * mid_ranks(np.abs(d))).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = ways[rank:] + ways[: ways.size - rank]
    ways /= ways.sum()
    observed = int(doubled[d > 0].sum())
    return float(ways[: observed + 1].sum()), float(ways[observed:].sum())


def _sign_flip(d: Sample, seed: int) -> Outcome:
    n = d.n
    if not d.values.any():
        return no_outcome("sign_flip", ALL_ZERO, n)
    scaled = d.values / np.abs(d.values).max()
    # Equal sums count as equal whatever the order of adding.
    observed = abs(d.count @ scaled) - 1e-12 * (d.count @ np.abs(scaled))
    if n <= ALL_FLIPS_UP_TO:
        bits = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
        extreme = np.abs((1 - 2 * bits) @ np.repeat(scaled, d.count)) >= observed
        return outcome("sign_flip", d.mean, float(extreme.mean()), n, method="all sign patterns")
    sizes, at = np.unique(np.abs(scaled), return_inverse=True)
    count = np.bincount(at, weights=d.count).astype(np.int64)
    hits = sum(int((np.abs(sums) >= observed).sum()) for sums in _flipped(sizes, count, seed))
    p = (hits + 1) / (PERMUTATIONS + 1)
    return outcome("sign_flip", d.mean, p, n, method=f"{PERMUTATIONS} random sign patterns")


def _flipped(sizes: Floats, count: Integers, seed: int) -> Iterator[Floats]:
    """Sums of differences with random signs, some patterns at a time.

    Where sizes repeat often, how many of a size are positive is drawn; else every sign. The distribution is the same.
    """
    random = np.random.default_rng(seed)
    n, often = int(count.sum()), sizes.size * 10 <= count.sum()
    each = np.repeat(sizes, 1 if often else count)
    step = max(1, 4_000_000 // each.size)
    for start in range(0, PERMUTATIONS, step):
        shape = min(step, PERMUTATIONS - start), each.size
        if often:
            yield (2 * random.binomial(count, 0.5, shape) - count) @ each
        else:
            yield 2 * (random.integers(0, 2, (shape[0], n), dtype=np.int8) @ each) - each.sum()
