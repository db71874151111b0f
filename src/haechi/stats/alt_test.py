"""The alternative annotator test: may a judge model stand in for people?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from haechi.stats.corrections import benjamini_yekutieli
from haechi.stats.distributions import t_below
from haechi.stats.figure import Lang, Why
from haechi.stats.paired import exact_signed_ranks
from haechi.stats.ratings import Floats, as_ratings, as_values

Metric = Literal["accuracy", "neg_rmse"]
ENOUGH_FOR_T = 30  # the paper: below this the t test's normality is in doubt, use Wilcoxon's signed ranks
TOO_FEW_PEOPLE = Why("사람 평가자가 두 명 이상이어야 합니다", "at least two human raters are needed")
NOTHING_SHARED = Why(
    "판정자와 두 명 이상의 사람이 함께 평가한 항목이 없습니다",
    "no item was rated by the judge and by two or more people",
)


@dataclass(frozen=True)
class AgainstOne:
    """The judge against one person who was left out: who is closer to the remaining people?"""

    rater: str
    n: int
    judge_advantage: float
    human_advantage: float
    p: float
    p_corrected: float
    test: str
    judge_wins: bool

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:  # noqa: ARG002 - nothing here is in words
        """For machines."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class AltTest:
    """Whether the judge may replace people, and the figures behind the answer.

    winning_rate: ω, the share of people whom the judge beats; advantage: ρ, the probability that the judge is
    at least as close to the others as a person is. Both are None, with `why`, where the test cannot be made.
    """

    replaces: bool | None
    winning_rate: float | None
    advantage: float | None
    epsilon: float
    q: float
    metric: Metric
    people: tuple[AgainstOne, ...]
    verdict: Why
    why: Why | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines, the verdict in one language."""
        said: dict[str, Any] = {
            "replaces": self.replaces,
            "winning_rate": self.winning_rate,
            "advantage_probability": self.advantage,
            "epsilon": self.epsilon,
            "q": self.q,
            "metric": self.metric,
            "verdict": self.verdict.say(lang),
            "people": [one.as_json(lang) for one in self.people],
        }
        return said | ({"why": self.why.say(lang)} if self.why else {})


def alt_test(
    humans: Any,
    judge: Any,
    metric: Metric = "accuracy",
    *,
    epsilon: float = 0.2,
    q: float = 0.05,
    raters: Sequence[str] | None = None,
) -> AltTest:
    """Leave each person out in turn and ask whether the judge represents the others at least as well.

    For person j and item i, S is the alignment with the remaining people: the share of equal values
    (`accuracy`) or minus the root mean squared difference (`neg_rmse`). W^f = 1 if S(judge) ≥ S(person), W^h
    = 1 if S(person) ≥ S(judge); ρ^f_j and ρ^h_j are their means. H0: ρ^f_j ≤ ρ^h_j − ε is tested on the
    differences W^h − W^f against ε, one-sided: Student's t from 30 items on, below that Wilcoxon's signed
    ranks (exact). The p-values are corrected by Benjamini–Yekutieli at level q. ω is the share of people with
    H0 rejected, the judge replaces people when ω ≥ 0.5; ρ is the mean of ρ^f_j and ranks judges.

    ε rewards the judge's lower cost: 0.2 where people are experts, 0.15 trained, 0.1 crowd workers.
    humans: (items, people); judge: (items,); NaN where missing. Items need the judge and two people.
    Reference: Calderon, Reichart & Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge, ACL 2025.

    >>> people = [[1, 1, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]]
    >>> result = alt_test(people, judge=[1, 0, 1, 0, 1, 0, 1, 0])
    >>> result.winning_rate, result.advantage
    (1.0, 1.0)
    >>> print(result.verdict.en)  # doctest: +NORMALIZE_WHITESPACE
    replaces people: closer to the others than 3 of 3 people (winning rate 1.00 ≥ 0.5, ε = 0.2),
    and as close as a person with probability 1.00
    """
    if metric not in ("accuracy", "neg_rmse"):
        raise ValueError(f"metric must be accuracy or neg_rmse, found {metric!r}")
    people, values = as_ratings(humans), as_values(judge)
    if people.shape[0] != values.size:
        raise ValueError(
            f"the judge must have one value per item: {people.shape[0]} items, {values.size} values"
        )
    names = list(raters) if raters is not None else [str(j) for j in range(people.shape[1])]
    if len(names) != people.shape[1]:
        raise ValueError(f"{people.shape[1]} human raters, but {len(names)} names")
    if people.shape[1] < 2:
        return _impossible(TOO_FEW_PEOPLE, epsilon, q, metric)
    compared = [(name, advantages(people, values, j, metric)) for j, name in enumerate(names)]
    compared = [(name, both) for name, both in compared if both[0].size]
    if not compared:
        return _impossible(NOTHING_SHARED, epsilon, q, metric)
    tests = [_test(human - judge_, epsilon) for _, (judge_, human) in compared]
    adjusted = benjamini_yekutieli([p for p, _ in tests])
    found = tuple(
        AgainstOne(name, f.size, float(f.mean()), float(h.mean()), p, p_corrected, test, p_corrected <= q)
        for (name, (f, h)), (p, test), p_corrected in zip(compared, tests, adjusted.tolist(), strict=True)
    )
    return _decided(found, epsilon, q, metric)


def advantages(people: Floats, judge: Floats, left_out: int, metric: Metric) -> tuple[Floats, Floats]:
    """W^f and W^h against one person, over the items that the judge, the person and someone else rated."""
    others = np.delete(people, left_out, axis=1)
    person = people[:, left_out]
    usable = ~np.isnan(judge) & ~np.isnan(person) & ~np.isnan(others).all(axis=1)
    others, person, judge = others[usable], person[usable], judge[usable]
    judge_score, human_score = _alignment(judge, others, metric), _alignment(person, others, metric)
    return (judge_score >= human_score).astype(np.float64), (human_score >= judge_score).astype(np.float64)


@np.errstate(all="ignore")
def _alignment(one: Floats, others: Floats, metric: Metric) -> Floats:
    """Order-preserving alignment: per item the others are the same, so sums rank as means and roots do."""
    difference = one[:, None] - others
    if metric == "accuracy":
        difference = (difference != 0).astype(np.float64) + 0 * others  # NaN stays NaN
    score: Floats = -np.nansum(difference**2, axis=1)
    return score


def _test(differences: Floats, epsilon: float) -> tuple[float, str]:
    """P-value of «the person's advantage over the judge is at least ε»."""
    n, shifted = differences.size, differences - epsilon
    if n < ENOUGH_FOR_T:
        return (exact_signed_ranks(shifted)[0] if shifted.any() else 1.0), "wilcoxon"
    if differences.min() == differences.max():
        return (0.0 if shifted[0] < 0 else 1.0), "t"
    t = float(shifted.mean()) / (float(differences.std(ddof=1)) / math.sqrt(n))
    return t_below(t, n - 1), "t"


def _decided(people: tuple[AgainstOne, ...], epsilon: float, q: float, metric: Metric) -> AltTest:
    wins, m = sum(one.judge_wins for one in people), len(people)
    rate, rho = wins / m, sum(one.judge_advantage for one in people) / m
    replaces = rate >= 0.5
    sign = "≥" if replaces else "<"
    rates = f"{rate:.2f} {sign} 0.5, ε = {epsilon:g}"
    verdict = Why(
        f"{'사람을 대신할 수 있습니다' if replaces else '사람을 대신할 수 없습니다'}: "
        f"사람 {m}명 중 {wins}명보다 나머지 평가자들의 판단에 더 가까웠고(승률 {rates}), "
        f"사람만큼 가까울 확률은 {rho:.2f}입니다",
        f"{'replaces people' if replaces else 'does not replace people'}: "
        f"closer to the others than {wins} of {m} people (winning rate {rates}), "
        f"and as close as a person with probability {rho:.2f}",
    )
    return AltTest(replaces, rate, rho, epsilon, q, metric, people, verdict)


def _impossible(why: Why, epsilon: float, q: float, metric: Metric) -> AltTest:
    verdict = Why(f"판단할 수 없습니다: {why.ko}", f"cannot be decided: {why.en}")
    return AltTest(None, None, None, epsilon, q, metric, (), verdict, why)
