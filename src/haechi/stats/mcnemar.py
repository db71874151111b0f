"""Met or unmet on the same items, by two systems: McNemar's test, exact and with mid-p."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.distributions import beta_quantile, binomial_below, normal_below
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.sample import Sample

NO_CHANGE = Why(
    "두 시스템의 결과가 모든 항목에서 같습니다", "both systems have the same verdict on every item"
)
ONE_WAY = Why(
    "결과가 갈린 항목이 모두 한쪽 방향이어서 승산비가 정해지지 않습니다",
    "all items on which the verdicts differ go one way, so the odds ratio is not bounded",
)


NO_CLUSTER_RATIO = Why(
    "승산비의 구간은 항목을 서로 독립으로 보므로 묶음이 있으면 구하지 않습니다",
    "the interval of the odds ratio takes items as independent, so there is none of items in clusters",
)
_MOST_STEPS = 50_000_000


@frozen
class McNemar:
    """Items by the verdict on both systems, and whether more changed one way than the other.

    odds_ratio: items met by the first only, for each met by the second only; clusters: where items come in such, how many
    of them changed more one way than the other.
    """

    both_met: int
    first_only: int
    second_only: int
    neither: int
    exact: Outcome
    mid_p: Outcome
    odds_ratio: Figure
    clusters: int | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "both_met": self.both_met,
            "first_only": self.first_only,
            "second_only": self.second_only,
            "neither": self.neither,
            "exact": self.exact.as_json(lang),
            "mid_p": self.mid_p.as_json(lang),
            "odds_ratio": self.odds_ratio.as_json(lang),
            **({} if self.clusters is None else {"clusters": self.clusters}),
        }


def mcnemar(both_met: int, first_only: int, second_only: int, neither: int) -> McNemar:
    """Did one system meet the criterion on more of the same items?

    Formula: only items on which the two differ count, b met by the first only, c by the second only. Exact: p =
    2 Σ C(b + c, i)/2^(b + c) over i ≤ min(b, c), at most 1, the two-sided binomial test of b among b + c at ½. Mid-p: the
    same less the probability of what was seen (half of it where b = c), which is nearer to the level. Odds ratio b/c with
    the interval from Clopper & Pearson's.

    References: McNemar 1947; Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13, 91 (mid-p).
    statsmodels: mcnemar(exact = True). R: exact2x2::mcnemar.exact.

    >>> found = mcnemar(20, 9, 2, 5)
    >>> round(found.exact.p, 4), round(found.mid_p.p, 4), found.odds_ratio.value
    (0.0654, 0.0386, 4.5)
    """
    n, differing, least = (
        both_met + first_only + second_only + neither,
        first_only + second_only,
        min(first_only, second_only),
    )
    counts = both_met, first_only, second_only, neither
    if differing == 0:
        none = no_outcome("mcnemar", NO_CHANGE, n)
        return McNemar(*counts, none, none, undefined(NO_CHANGE, n))
    below = binomial_below(least, differing)
    at = below - binomial_below(least - 1, differing)
    exact = min(1.0, 2 * below)
    mid = exact - (at / 2 if first_only == second_only else at)
    tests = (
        outcome("mcnemar", float(least), exact, n, method="exact"),
        outcome("mcnemar", float(least), mid, n, method="mid-p"),
    )
    if least == 0:
        return McNemar(*counts, *tests, undefined(ONE_WAY, n))
    low = beta_quantile(0.025, first_only, second_only + 1)
    high = beta_quantile(0.975, first_only + 1, second_only)
    ratio = figure(first_only / second_only, n, (low / (1 - low), high / (1 - high)))
    return McNemar(*counts, *tests, ratio)


def mcnemar_of_clusters(plain: McNemar, changes: Sample) -> McNemar:
    """The same of items that come in clusters, as several dialogues of one student do.

    Exact: if the systems do not differ, each cluster could as well have changed the other way, so that all signs of the
    clusters' net changes are equally probable; two-sided, |Σ d| at least as large. With clusters of one item it is the
    binomial test above. Where there are too many for that, z = Σ d / √Σ d². References: Obuchowski 1998, Statistics in
    Medicine 17, 1495–1507; Yang, Sun & Hardin 2010, Journal of Biopharmaceutical Statistics 20, 811–831.

    plain: the test of the same items as independent; changes: of every cluster the items met by the first system only, less those met by the second only.

    >>> found = mcnemar_of_clusters(mcnemar(20, 9, 2, 5), Sample.of([4, 3, 1, -1, 0, 0]))
    >>> found.exact.p, found.mid_p.p, found.clusters
    (0.375, 0.25, 4)
    """
    net = np.rint(changes.values).astype(np.int64)
    size, count = np.abs(net[net != 0]), changes.count[net != 0]
    n, clusters = plain.exact.n, int(count.sum())
    if not clusters:
        none = no_outcome("mcnemar", NO_CHANGE, n)
        return replace(plain, exact=none, mid_p=none, clusters=0)
    away = abs(int(net @ changes.count))
    steps = int(size @ count)
    if steps * clusters > _MOST_STEPS:
        z = away / math.sqrt(float(size**2 @ count))
        more = same = 2 * normal_below(-z)
        method = "signs of clusters, normal approximation"
    else:
        chance = np.ones(1)  # of every sum from −steps to steps, by twos
        for step in np.repeat(size, count):
            wider = np.zeros(chance.size + step)
            wider[: chance.size] += chance / 2
            wider[step:] += chance / 2
            chance = wider
        sums = np.abs(2 * np.arange(chance.size) - steps)
        more, same = float(chance[sums >= away].sum()), float(chance[sums > away].sum())
        method = "signs of clusters, exact"
    statistic = float(plain.first_only - plain.second_only)
    tests = (
        outcome("mcnemar", statistic, min(1.0, more), n, method=method),
        outcome("mcnemar", statistic, (more + same) / 2, n, method=f"{method}, mid-p"),
    )
    ratio = plain.odds_ratio
    if ratio.value is not None:
        ratio = replace(ratio, ci95=None, why_no_ci=NO_CLUSTER_RATIO)
    return replace(plain, exact=tests[0], mid_p=tests[1], odds_ratio=ratio, clusters=clusters)
