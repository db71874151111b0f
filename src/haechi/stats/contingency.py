"""Counts of categories in groups: χ², Fisher's exact test and Cramér's V."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.bootstrap import SEED
from haechi.stats.distributions import chi2_above
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.noncentral import noncentral_chi2_ends
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.ratings import Floats, Given, Integers
from haechi.stats.reasons import BELOW_CHANCE

PERMUTATIONS = 10_000
_CELLS = 1_000_000  # of permuted tables held at once
FEW = 5.0
ONE_KIND = Why(
    "둘 이상의 집단에 둘 이상의 범주가 있어야 합니다", "at least two groups and two categories are needed"
)


@frozen
class Contingency:
    """Whether groups differ in how often they fall into categories.

    chi_squared: Pearson's, without continuity correction; exact: Fisher's test of a table of two by two, of a larger one
    whose expected counts are small a permutation test; None where χ² is enough. smallest_expected: the smallest count
    that no association would make.
    """

    chi_squared: Outcome
    cramer_v: Figure
    smallest_expected: float | None
    exact: Outcome | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {
            "chi_squared": self.chi_squared.as_json(lang),
            "cramer_v": self.cramer_v.as_json(lang),
            "smallest_expected": self.smallest_expected,
        }
        return said | ({"exact": self.exact.as_json(lang)} if self.exact is not None else {})


def contingency(counts: Given, seed: int = SEED) -> Contingency:
    """Are categories as frequent in one group as in another?

    Formula: χ² = Σ (O − E)²/E, (groups − 1)(categories − 1) degrees of freedom. V = √(χ²/(n (min(r, c) − 1))), interval from
    noncentral χ²: V counts the (groups − 1)(categories − 1) that chance adds to χ² and the interval does not, so where
    it would end below V there is none. Fisher: the sum of the probabilities of all tables no more probable than this
    one, margins fixed. A larger table with an expected count below 5 is tested by 10,000 seeded permutations of χ².

    counts: (groups, categories) whole numbers; empty rows and columns are left out. References: Pearson 1900; Fisher
    1922; Cramér 1946; Smithson 2003, Confidence Intervals. scipy: chi2_contingency(correction = False), fisher_exact.
    R: chisq.test(correct = FALSE), fisher.test, effectsize::cramers_v(adjust = FALSE, alternative = "two.sided").

    >>> found = contingency([[9, 3], [4, 8]])
    >>> round(found.chi_squared.p, 4), round(found.exact.p, 4), round(found.cramer_v.value, 4)
    (0.0405, 0.0995, 0.4181)
    """
    table = np.asarray(counts, dtype=np.int64)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n = int(table.sum())
    if min(table.shape, default=0) < 2:
        return Contingency(no_outcome("chi_squared", ONE_KIND, n), undefined(ONE_KIND, n), None)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    statistic = _chi_squared(table, expected)
    rows, columns = table.shape
    df = (rows - 1) * (columns - 1)
    p = chi2_above(statistic, df)
    scale = n * (min(rows, columns) - 1)
    low, high = (min(1.0, math.sqrt(end / scale)) for end in noncentral_chi2_ends(statistic, df))
    value = min(1.0, math.sqrt(statistic / scale))
    v = figure(value, n, (low, high)) if value <= high else figure(value, n, None, BELOW_CHANCE)
    exact = None
    if table.shape == (2, 2):
        exact = outcome("fisher_exact", float(table[0, 0]), _fisher(table), n, method="exact")
    elif expected.min() < FEW:
        exact = _permuted(table, expected, statistic, seed)
    test = outcome("chi_squared", statistic, p, n, df=(df,))
    return Contingency(test, v, float(expected.min()), exact)


def _chi_squared(table: Integers, expected: Floats) -> float:
    return float(((table - expected) ** 2 / expected).sum())


def _fisher(table: Integers) -> float:
    """Two-sided p of two by two: tables with the same margins that are no more probable."""
    (a, b), (c, d) = table.tolist()
    least, most = max(0, a - d), min(a + b, a + c)
    x = np.arange(least, most, dtype=np.float64)  # how much more probable the next table is
    ratios = (a + b - x) / (x + 1) * ((a + c - x) / (d - a + x + 1))
    logs = np.concatenate([[0.0], np.log(ratios).cumsum()])
    chance = np.exp(logs - logs.max())
    chance /= chance.sum()
    own = chance[a - least]
    return float(chance[chance <= own * (1 + 1e-7)].sum())


def _permuted(table: Integers, expected: Floats, statistic: float, seed: int) -> Outcome:
    """How often tables with the same margins, drawn at random, are as far from what is expected."""
    random, at_once, hits = np.random.default_rng(seed), max(1, _CELLS // table.size), 0
    for start in range(0, PERMUTATIONS, at_once):
        drawn = _drawn(table, min(at_once, PERMUTATIONS - start), random)
        away = ((drawn - expected) ** 2 / expected).sum(axis=(1, 2))
        hits += int((away >= statistic * (1 - 1e-12)).sum())
    p = (hits + 1) / (PERMUTATIONS + 1)
    return outcome("permutation", statistic, p, int(table.sum()), method=f"{PERMUTATIONS} permutations")


def _drawn(table: Integers, many: int, random: np.random.Generator) -> Integers:
    """Tables with the same margins, (many, rows, columns): all of them cell by cell, each given those before it."""
    drawn = np.zeros((many, *table.shape), dtype=np.int64)
    columns = np.tile(table.sum(axis=0), (many, 1))  # what of every column is not dealt out yet
    for row, size in enumerate(table.sum(axis=1)[:-1]):
        rest, others = np.full(many, size), columns.sum(axis=1)
        for column in range(table.shape[1] - 1):
            own = columns[:, column].copy()
            others -= own
            drawn[:, row, column] = random.hypergeometric(own, others, rest)
            rest -= drawn[:, row, column]
        drawn[:, row, -1] = rest
        columns -= drawn[:, row]
    drawn[:, -1] = columns
    return drawn
