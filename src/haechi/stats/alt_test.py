"""The alternative annotator test: may a judge model stand in for people?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from haechi.frozen import frozen
from haechi.stats.corrections import benjamini_yekutieli
from haechi.stats.distributions import normal_below, t_below
from haechi.stats.figure import Lang, Why
from haechi.stats.ratings import Floats, Given, as_ratings, as_values
from haechi.stats.reasons import fewer_than

Metric = Literal["accuracy", "neg_rmse"]
LEAST_ITEMS = 30  # of a person: the authors leave out annotators with fewer
ENOUGH_PEOPLE, ENOUGH_ITEMS = 3, 50  # the authors' advice: three annotators, 50 to 100 items
_HALF = 0.5
TOO_FEW_PEOPLE = Why("사람 평가자가 두 명 이상이어야 합니다", "at least two human raters are needed")
NOTHING_SHARED = Why(
    "AI 평가자와 두 명 이상의 사람이 함께 평가한 항목이 없습니다",
    "no item was rated by the judge and by two or more people",
)
NOT_CONFIRMED = Why(
    "t 검정으로는 ε 안에 들지만, 차이의 분포가 치우쳐도 맞는 점수 검정으로는 확인되지 않습니다. 항목이 더 필요합니다",
    "the t test finds it within ε, the score test, which holds for lopsided differences too, does not: more items are "
    "needed",
)


@frozen
class AgainstOne:
    """The judge against one person who was left out: how well does each represent the remaining people?

    Of a person with fewer than 30 items there are only the figures; what the test says is None.
    """

    rater: str
    n: int
    judge_advantage: float
    human_advantage: float
    p: float | None = None
    p_corrected: float | None = None
    test: str | None = None
    judge_wins: bool | None = None
    p_score: float | None = None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:  # noqa: ARG002 - nothing here is in words
        """For machines."""
        return dict(self.__dict__)


@frozen
class AltTest:
    """Whether the judge may replace people, and the figures behind the answer.

    replaces: None, with `why`, where it cannot be decided; winning_rate: ω, the share of the people tested than whom
    the judge is shown to be not more than ε worse; advantage: ρ, the probability that the judge is at least as close
    to the others as a person is; n_items: items that the judge and two people or more rated.
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
    n_items: int = 0

    @property
    def too_few(self) -> Why | None:
        """Which people or items are wanting for a verdict; None where nothing could be compared at all."""
        return _too_few(sum(one.p is not None for one in self.people), self.n_items) if self.people else None

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
            "n_items": self.n_items,
            "people": [one.as_json(lang) for one in self.people],
        }
        return said | ({"why": self.why.say(lang)} if self.why else {})


def alt_test(
    humans: Given,
    judge: Given,
    metric: Metric = "accuracy",
    *,
    epsilon: float = 0.2,
    q: float = 0.05,
    raters: Sequence[str] | None = None,
) -> AltTest:
    """Leave each person out in turn and ask whether the judge represents the others about as well.

    Formula: for person j and item i, S is the alignment with the remaining people: the share of equal values
    (`accuracy`) or minus the root mean squared difference (`neg_rmse`). W^f = 1 if S(judge) ≥ S(person), W^h
    = 1 if S(person) ≥ S(judge); ρ^f_j and ρ^h_j are their means. H0: ρ^f_j ≤ ρ^h_j − ε, the judge is worse than
    the person by ε or more, is tested on the differences W^h − W^f against ε, one-sided, by Student's t. People with
    fewer than 30 items are left out: they help to judge others, and are not tested. The p-values are corrected by
    Benjamini–Yekutieli at level q. ω is the share of people with H0 rejected; ρ is the mean of ρ^f_j and ranks judges
    (of the people tested; of all, where nobody can be tested).

    The judge replaces people when ω ≥ 0.5, there are three people and 50 items or more, and Tango's score test, which
    keeps its level where nearly all differences are 0 and t does not, rejects H0 for half of the people too. With
    less it is not decided.

    ε rewards the judge's lower cost: 0.2 where people are experts, 0.15 trained, 0.1 crowd workers.
    humans: (items, people); judge: (items,); NaN where missing. Items need the judge and two people.
    References: Calderon, Reichart & Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge, ACL 2025; Tango
    1998, Statistics in Medicine 17, 891–908. R: none; t.test(wh - wf, mu = epsilon, alternative = "less") of each person
    and p.adjust(p, "BY"); Python, without the score test: the authors' github.com/nitaytech/AltTest.

    >>> people = [[1, 1, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]]
    >>> judge = [1, 0, 1, 0, 1, 0, 1, 0]
    >>> few = alt_test(people, judge)
    >>> print(few.verdict.en)  # doctest: +NORMALIZE_WHITESPACE
    cannot be decided: at least 3 people with 30 or more items are needed, there are 0;
    at least 50 items are needed, there are 8
    >>> few.replaces, few.winning_rate, few.advantage
    (None, None, 1.0)
    >>> print(alt_test(people * 7, judge * 7).verdict.en)  # doctest: +NORMALIZE_WHITESPACE
    replaces people: on average not more than ε = 0.2 worse than a person, as shown for 3 of 3 people
    (winning rate 1.00 ≥ 0.5); at least as close to the others as a person with probability 1.00
    """
    if metric not in ("accuracy", "neg_rmse"):
        raise ValueError(f"metric must be accuracy or neg_rmse, found {metric!r}")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must lie between 0 and 1, found {epsilon}")
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
    shared = ~np.isnan(values) & ((~np.isnan(people)).sum(axis=1) >= 2)
    found = [_against(name, f, h, epsilon) for name, (f, h) in compared]
    adjusted = iter(benjamini_yekutieli([one.p for one in found if one.p is not None]).tolist())
    corrected = tuple(
        one if one.p is None else replace(one, p_corrected=(p := next(adjusted)), judge_wins=p <= q)
        for one in found
    )
    return _decided(corrected, int(shared.sum()), epsilon, q, metric)


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


def _against(name: str, judge: Floats, human: Floats, epsilon: float) -> AgainstOne:
    """The judge against one person, with p-values of «the person's advantage over the judge is at least ε»."""
    n, differences = judge.size, human - judge
    figures = AgainstOne(name, n, float(judge.mean()), float(human.mean()))
    if n < LEAST_ITEMS:
        return figures
    away = float(differences.mean()) - epsilon
    spread = float(differences.std(ddof=1))
    p = t_below(away / (spread / math.sqrt(n)), n - 1) if spread else float(away >= 0)
    score = _score_test(int((differences > 0).sum()), int((differences < 0).sum()), n, epsilon)
    return replace(figures, p=p, test="t", p_score=score)


def _score_test(more: int, less: int, n: int, epsilon: float) -> float:
    """P-value of «P(1) − P(−1) ≥ ε» for n values of which so many are 1 and −1; the variance is that under H0.

    q is the likeliest P(−1) where P(1) = q + ε, the root of a quadratic equation.

    >>> round(_score_test(2, 0, 50, 0.1), 4)
    0.0786
    """
    linear = more + less - epsilon * (2 * n - more + less)
    q = (linear + math.sqrt(linear**2 + 8 * n * less * epsilon * (1 - epsilon))) / (4 * n)
    away, variance = more - less - n * epsilon, n * (2 * q + epsilon - epsilon**2)
    if variance <= 0:  # ε is 0 or 1, and H0 leaves nothing to chance
        return 0.0 if away < 0 else 1.0
    return normal_below(away / math.sqrt(variance))


def _decided(
    people: tuple[AgainstOne, ...], n_items: int, epsilon: float, q: float, metric: Metric
) -> AltTest:
    tested = [one for one in people if one.p is not None]
    wins, m = sum(bool(one.judge_wins) for one in tested), len(tested)
    rate = wins / m if m else None
    rho = sum(one.judge_advantage for one in tested or people) / len(tested or people)
    why = _too_few(m, n_items)
    enough = rate is not None and rate >= _HALF
    if why is None and enough and not _confirmed(tested, q):
        why = NOT_CONFIRMED
    if why is not None:
        return AltTest(None, rate, rho, epsilon, q, metric, people, _undecided(why), why, n_items)
    verdict = _sentence(enough, wins, m, len(people) - m, rho, epsilon)
    return AltTest(enough, rate, rho, epsilon, q, metric, people, verdict, None, n_items)


def _too_few(people: int, items: int) -> Why | None:
    """What is wanting for a verdict."""
    wanting = []
    if people < ENOUGH_PEOPLE:
        wanting.append(
            Why(
                f"항목을 {LEAST_ITEMS}개 이상 평가한 사람이 {ENOUGH_PEOPLE}명 이상 필요한데 {people}명입니다",
                f"at least {ENOUGH_PEOPLE} people with {LEAST_ITEMS} or more items are needed, there are {people}",
            )
        )
    if items < ENOUGH_ITEMS:
        wanting.append(fewer_than(ENOUGH_ITEMS, "항목", "items", items))
    return (
        Why("; ".join(one.ko for one in wanting), "; ".join(one.en for one in wanting)) if wanting else None
    )


def _confirmed(tested: Sequence[AgainstOne], q: float) -> bool:
    """Whether the score test too rejects H0 for half of the people."""
    corrected = benjamini_yekutieli([one.p_score for one in tested])
    return float((corrected <= q).mean()) >= _HALF


def _sentence(replaces: bool, wins: int, m: int, left_out: int, rho: float, epsilon: float) -> Why:
    """What was tested, and how it came out."""
    rates = f"{wins / m:.2f} {'≥' if replaces else '<'} {_HALF:g}"
    if replaces:
        ko = (
            f"사람을 대신할 수 있습니다: 평균적으로 사람보다 ε = {epsilon:g} 넘게 못하지 않다는 것이 사람 {m}명 중 "
            f"{wins}명에 대해 확인되었습니다(승률 {rates})"
        )
        en = (
            f"replaces people: on average not more than ε = {epsilon:g} worse than a person, as shown for {wins} of {m} "
            f"people (winning rate {rates})"
        )
    else:  # what was not shown may still be so
        whom = f"사람은 {wins}명입니다" if wins else "사람이 없습니다"
        ko = (
            f"사람을 대신할 수 있다는 근거가 부족합니다: 사람 {m}명 중 AI가 평균적으로 ε = {epsilon:g} 넘게 뒤지지 않는다고 "
            f"확인된 {whom}(승률 {rates})"
        )
        en = (
            f"not shown to be able to stand in for people: that it is, on average, not more than ε = {epsilon:g} worse "
            f"is shown for {wins or 'none'} of {m} people (winning rate {rates})"
        )
    ko += f". 다른 사람들에게 사람만큼 가까울 확률은 {rho:.2f}입니다"
    en += f"; at least as close to the others as a person with probability {rho:.2f}"
    if left_out:
        ko += f". 항목이 {LEAST_ITEMS}개보다 적은 {left_out}명은 뺐습니다"
        en += f"; {left_out} with fewer than {LEAST_ITEMS} items left out"
    return Why(ko, en)


def _undecided(why: Why) -> Why:
    return Why(f"판단할 수 없습니다: {why.ko}", f"cannot be decided: {why.en}")


def _impossible(why: Why, epsilon: float, q: float, metric: Metric) -> AltTest:
    return AltTest(None, None, None, epsilon, q, metric, (), _undecided(why), why)
