"""Met or unmet on the same items, by two systems: McNemar's test, exact and with mid-p."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from haechi.stats.distributions import beta_quantile, binomial_below
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.outcome import Outcome, no_outcome, outcome

NO_CHANGE = Why(
    "두 시스템의 결과가 모든 항목에서 같습니다", "both systems have the same verdict on every item"
)
ONE_WAY = Why(
    "결과가 갈린 항목이 모두 한쪽 방향이어서 승산비가 정해지지 않습니다",
    "all items on which the verdicts differ go one way, so the odds ratio is not bounded",
)


@dataclass(frozen=True)
class McNemar:
    """Items by the verdict on both systems, and whether more changed one way than the other.

    odds_ratio: items met by the first only, for each met by the second only.
    """

    both_met: int
    first_only: int
    second_only: int
    neither: int
    exact: Outcome
    mid_p: Outcome
    odds_ratio: Figure

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
        }


def mcnemar(both_met: int, first_only: int, second_only: int, neither: int) -> McNemar:
    """Did one system meet the criterion on more of the same items?

    Only items on which the two differ count: b met by the first only, c by the second only. Exact: two-sided binomial
    test of b among b + c at ½. Mid-p: the same less the probability of what was seen (half of it where b = c), which is
    nearer to the level (Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13, 91). Odds ratio b/c with the interval from
    Clopper & Pearson's. Reference: McNemar 1947. statsmodels: mcnemar(exact = True). R: exact2x2::mcnemar.exact.

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
