"""The same items answered by several systems: Friedman, Cochran's Q, and every two of them in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.bootstrap import SEED
from haechi.stats.corrections import Correction, correct_each
from haechi.stats.correlation import mid_ranks
from haechi.stats.distributions import chi2_above
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.mcnemar import McNemar, mcnemar, mcnemar_of_clusters
from haechi.stats.outcome import Outcome, no_outcome, outcome
from haechi.stats.paired import PAIRED_TESTS, Paired, paired_differences
from haechi.stats.ratings import Floats, Given, Integers, as_ratings
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import NOISE, Sample

Changes = Mapping[tuple[int, int], Sample]
ALL_TIED = Why("모든 항목에서 시스템들의 값이 같습니다", "the systems have the same values on every item")
PAIRS_HAVE_IT = Why(
    "W는 0보다 작을 수 없어 구간이 0을 품지 못합니다. 쌍마다의 차이에 구간이 있습니다",
    "W cannot fall below 0, so an interval could never contain it; the difference of every pair has one",
)


@frozen
class Matched:
    """The values of the same items under several systems, counted as a sample is.

    values: (kinds, systems), NaN where an item has no value; count: (kinds,).
    """

    values: Floats
    count: Integers

    @classmethod
    def of(cls, values: Given | Matched) -> Matched:
        """Count rows of (items, systems).

        >>> Matched.of([[1, 2], [1, 2], [3, 4]]).count.tolist()
        [2, 1]
        """
        if isinstance(values, Matched):
            return values
        kinds, count = np.unique(as_ratings(values), axis=0, return_counts=True)
        return cls(kinds, count)

    @property
    def complete(self) -> Matched:
        """The items that every system has a value of; values that differ by rounding only are one, so that they tie."""
        whole = ~np.isnan(self.values).any(axis=1)
        kept = self.values[whole]
        kinds, at = np.unique(kept, return_inverse=True)
        if not kinds.size:
            return Matched(kept, self.count[whole])
        starts = np.diff(kinds, prepend=-np.inf) > NOISE * np.abs(kinds)
        return Matched(kinds[starts][np.cumsum(starts) - 1][at].reshape(kept.shape), self.count[whole])

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.count.sum())

    def difference(self, first: int, second: int) -> Sample:
        """First − second, over the items that have both.

        >>> Matched.of([[1, 2, 5], [1, None, 3]]).difference(2, 0).each().tolist()
        [2.0, 4.0]
        """
        one, two = self.values[:, first], self.values[:, second]
        known = ~(np.isnan(one) | np.isnan(two))
        size = float(np.abs(np.append(one[known], two[known])).max(initial=0.0))
        kinds, at = np.unique(one[known] - two[known], return_inverse=True)
        return Sample(kinds, np.bincount(at, self.count[known], kinds.size).astype(np.int64)).without_noise(
            size
        )

    def met(self) -> Matched:
        """Shares of raters as what most of them said, 1 or 0; a tie has no value.

        >>> Matched.of([[0.6, 0.5]]).met().values.tolist()
        [[1.0, nan]]
        """
        known = np.where(self.values > 0.5, 1.0, np.where(self.values < 0.5, 0.0, np.nan))
        return Matched(known, self.count)


@frozen
class MatchedPair:
    """Two of the systems on the items that both answered; p-values corrected over all pairs."""

    a: str
    b: str
    comparison: Paired
    mcnemar: McNemar | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {"a": self.a, "b": self.b, **self.comparison.as_json(lang)}
        return said | ({"mcnemar": self.mcnemar.as_json(lang)} if self.mcnemar else {})


@frozen
class SameItems:
    """Three or more systems on the same items; Cochran's Q where the values are met or unmet."""

    friedman: Outcome
    kendall_w: Figure
    pairs: tuple[MatchedPair, ...]
    cochran_q: Outcome | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        said = {"friedman": self.friedman.as_json(lang), "kendall_w": self.kendall_w.as_json(lang)}
        if self.cochran_q is not None:
            said["cochran_q"] = self.cochran_q.as_json(lang)
        return said | {"pairs": [pair.as_json(lang) for pair in self.pairs]}


def same_items(
    values: Given | Matched,
    names: Sequence[str] = (),
    binary: bool = False,
    correction: Correction = "holm",
    seed: int = SEED,
    changes: Changes | None = None,
) -> SameItems:
    """Do several systems differ on the same items, and which ones?

    Formula: Friedman's χ² = (12/(nk(k + 1)) Σ R² − 3n(k + 1)) / (1 − Σ (t³ − t)/(nk(k² − 1))), R the sum of a system's ranks
    within every item, t the sizes of ties; Kendall's W = χ²/(n(k − 1)) is 0 where ranks are random and 1 where all items
    rank the systems alike. Cochran's Q = (k − 1)(k Σ C² − T²)/(kT − Σ L²) asks the same of what is met or unmet, C met by a
    system, L on an item, T in all. Both use the items that every system answered. The pairs are `paired` over the items that
    both answered, p-values corrected over the pairs, with McNemar's test where values are met or unmet.

    values: (items, systems), NaN where missing; changes: of what is met or unmet and comes in clusters, by every pair of
    systems the clusters' net changes, which McNemar's test counts then. References: Friedman 1937; Kendall & Babington
    Smith 1939; Cochran 1950, Biometrika 37, 256–266. scipy: friedmanchisquare; statsmodels: cochrans_q. R: friedman.test.

    >>> found = same_items([[1, 2, 3], [2, 3, 5], [1, 3, 2], [2, 4, 5]])
    >>> round(found.friedman.statistic, 4), round(found.friedman.p, 4), round(found.kendall_w.value, 4)
    (6.5, 0.0388, 0.8125)
    >>> same_items([[1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 1, 1]], binary=True).cochran_q.statistic
    4.666666666666667
    """
    matched = Matched.of(values)
    labels = list(names) or [str(place + 1) for place in range(matched.values.shape[1])]
    said = matched.met() if binary else None
    places = list(combinations(range(len(labels)), 2))
    compared = [paired_differences(matched.difference(i, j), seed) for i, j in places]
    compared = correct_each(compared, PAIRED_TESTS, correction)
    changed = [] if said is None else [mcnemar_of(said, i, j, changes) for i, j in places]
    changed = correct_each(changed, ("exact", "mid_p"), correction)
    pairs = tuple(
        MatchedPair(labels[i], labels[j], compared[at], changed[at] if changed else None)
        for at, (i, j) in enumerate(places)
    )
    with np.errstate(all="ignore"):
        test, w = _friedman(matched.complete)
    found = SameItems(test, w, pairs)
    return found if said is None else replace(found, cochran_q=_cochran(said.complete))


def mcnemar_of(met: Matched, first: int, second: int, changes: Changes | None = None) -> McNemar:
    """McNemar's test of two systems whose values are 1 or 0; by clusters where their changes are known."""
    one, two = met.values[:, first], met.values[:, second]
    cells = [int(met.count[(one == a) & (two == b)].sum()) for a in (1, 0) for b in (1, 0)]
    found = mcnemar(*cells)
    return found if changes is None else mcnemar_of_clusters(found, changes[first, second])


def _friedman(matched: Matched) -> tuple[Outcome, Figure]:
    n, k = matched.n, matched.values.shape[1]
    if n < 2 or k < 3:
        why = (
            fewer_than(3, "시스템", "systems", k)
            if k < 3
            else fewer_than(2, "모두 답한 항목", "items that all systems answered", n)
        )
        return no_outcome("friedman", why, n), undefined(why, n)
    ranks = np.array([mid_ranks(row) for row in matched.values])
    ties = np.array([sum(c**3 - c for c in np.unique(row, return_counts=True)[1]) for row in matched.values])
    shared = 1 - float(matched.count @ ties) / (k * (k * k - 1) * n)
    if shared <= 0:
        return no_outcome("friedman", ALL_TIED, n), undefined(ALL_TIED, n)
    sums = matched.count @ ranks
    statistic = (12 / (k * n * (k + 1)) * float(sums @ sums) - 3 * n * (k + 1)) / shared
    w = figure(statistic / (n * (k - 1)), n, None, PAIRS_HAVE_IT)
    return outcome("friedman", statistic, chi2_above(statistic, k - 1), n, df=(k - 1,)), w


def _cochran(met: Matched) -> Outcome:
    n, k = met.n, met.values.shape[1]
    if n < 2:
        return no_outcome(
            "cochran_q", fewer_than(2, "모두 답한 항목", "items that all systems answered", n), n
        )
    columns, rows = met.count @ met.values, met.values.sum(axis=1)
    total = float(columns.sum())
    spread = k * total - float(met.count @ rows**2)
    if spread == 0:
        return no_outcome("cochran_q", ALL_TIED, n)
    q = (k - 1) * (k * float(columns @ columns) - total**2) / spread
    return outcome("cochran_q", q, chi2_above(q, k - 1), n, df=(k - 1,))
