"""Is a difference shown to be small? Two one-sided tests against a margin, and non-inferiority either way."""

from __future__ import annotations

from typing import Any

from haechi.frozen import frozen
from haechi.stats.distributions import t_below, t_quantile
from haechi.stats.figure import Figure, Lang, Why
from haechi.stats.outcome import Outcome, no_outcome, outcome

NO_INTERVAL = Why("차이의 구간이 없습니다", "the difference has no interval")
LEVEL = 0.05


@frozen
class Equivalence:
    """A difference against a margin; both directions, first minus second.

    first_not_worse: whether the first is shown to be less than the margin below the second; second_not_worse: the other
    way round. Both together are equivalence. ci90 lies within the margin exactly when both are shown.
    """

    margin: float
    ci90: tuple[float, float] | None
    first_not_worse: Outcome
    second_not_worse: Outcome

    @property
    def p(self) -> float | None:
        """The p-value of equivalence: the larger of the two."""
        one, two = self.first_not_worse.p, self.second_not_worse.p
        return None if one is None or two is None else max(one, two)

    @property
    def is_equivalent(self) -> bool | None:
        """Whether a difference as large as the margin is ruled out either way."""
        return None if self.p is None else self.p < LEVEL

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "margin": self.margin,
            "equivalent": self.is_equivalent,
            "p": self.p,
            "ci90": list(self.ci90) if self.ci90 else None,
            "first_not_worse": self.first_not_worse.as_json(lang),
            "second_not_worse": self.second_not_worse.as_json(lang),
        }


def equivalence(difference: Figure, test: Outcome, margin: float) -> Equivalence:
    """Two one-sided t tests (TOST) of a difference whose t test is known: is it within ± the margin?

    Formula: p of (d + Δ)/se above, and of (d − Δ)/se below, with the degrees of freedom of the test; equivalent where
    both are under .05, that is where the 90 % interval lies within ±Δ. One of them alone is non-inferiority.

    difference, test: of `two_samples` (Welch), `paired` or `Clustered.contrast`. Reference: Schuirmann 1987, Journal of
    Pharmacokinetics and Biopharmaceutics 15, 657–680. statsmodels: ttost_ind(usevar = "unequal"), ttost_paired.
    R: TOSTER::t_TOST.

    >>> from haechi.stats.paired import paired
    >>> found = paired([3, 4, 3, 5, 4, 4], [3, 4, 4, 4, 4, 4])
    >>> within = equivalence(found.difference, found.t_test, 1.0)
    >>> within.is_equivalent, round(within.p, 4)
    (True, 0.0059)
    """
    if difference.value is None or difference.ci95 is None or not test.df:
        why = difference.why or difference.why_no_ci or test.why or NO_INTERVAL
        none = no_outcome("non_inferiority", why, difference.n)
        return Equivalence(margin, None, none, none)
    df, value = test.df[0], difference.value
    error = (difference.ci95[1] - difference.ci95[0]) / 2 / t_quantile(0.975, df)
    half = t_quantile(0.95, df) * error
    above, below = (value + margin) / error, (value - margin) / error
    first, second = (
        outcome("non_inferiority", t, p, difference.n, df=(df,), method="one-sided")
        for t, p in ((above, t_below(-above, df)), (below, t_below(below, df)))
    )
    return Equivalence(margin, (value - half, value + half), first, second)
