"""A judge as a test: how often it finds what people found, how often it leaves alone what they left alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.distributions import Z95
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.proportion import wilson
from haechi.stats.ratings import Floats, Given, as_values
from haechi.stats.reasons import NOTHING

NO_BETTER_THAN_CHANCE = Why(
    "민감도와 특이도의 합이 1을 넘지 않아, AI 평가자의 판단에서 실제 비율을 되짚을 수 없습니다",
    "sensitivity and specificity add up to no more than 1: the judge's verdicts say nothing about the true rate",
)
BARELY_BETTER = Why(
    "사람과 견준 항목이 적어 민감도와 특이도의 합이 1을 넘는지 확실하지 않습니다",
    "too few items were rated by people to be sure that sensitivity and specificity add up to more than 1",
)


@frozen
class JudgeAccuracy:
    """A judge of yes-or-no values against people.

    sensitivity: the share of the people's 1 that the judge calls 1; specificity: of their 0 that it calls 0; apparent: the
    share of 1 over all that the judge rated; corrected: the share that people would have found there.
    """

    sensitivity: Figure
    specificity: Figure
    apparent: Figure
    corrected: Figure

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        names = ("sensitivity", "specificity", "apparent", "corrected")
        return {name: getattr(self, name).as_json(lang) for name in names}


def judge_accuracy(judge: Given, people: Given) -> JudgeAccuracy:
    """Sensitivity and specificity of a judge with Wilson's intervals, and the rate of 1 corrected for its errors.

    Formula: sensitivity Se = the judge's 1 / the people's 1, specificity Sp = the judge's 0 / the people's 0, over the items of
    which people said that and which the judge rated too; apparent p = the judge's 1 over all items that it rated; corrected
    (p + Sp − 1) / (Se + Sp − 1), whose interval counts all three samples: `corrected_prevalence`.
    Reference: Altman & Bland 1994, BMJ 308, 1552. R: epiR::epi.tests, binom::binom.wilson for its intervals, asht::prevSeSp.

    judge, people: (n,) zeros and ones, NaN where missing; of several people their majority.

    >>> found = judge_accuracy([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0, None, None])
    >>> found.sensitivity.value, found.specificity.value, found.apparent.value, round(found.corrected.value, 4)
    (1.0, 0.75, 0.5, 0.3333)
    """
    given, true = as_values(judge), as_values(people)
    if given.size != true.size:
        raise ValueError(f"the two series must have the same length, found {given.size} and {true.size}")
    for values in (given, true):
        if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
            raise ValueError("sensitivity is taken of zeros and ones; other values were found")
    found = given[(true == 1) & ~np.isnan(given)]
    left = given[(true == 0) & ~np.isnan(given)]
    hits, rejected = _share(found, 1.0), _share(left, 0.0)
    apparent = _share(given[~np.isnan(given)], 1.0)
    corrected = corrected_prevalence(*_counts(apparent), *_counts(hits), *_counts(rejected))
    return JudgeAccuracy(hits, rejected, apparent, corrected)


def _share(values: Floats, of: float) -> Figure:
    return wilson(int((values == of).sum()), values.size)


def _counts(share: Figure) -> tuple[int, int]:
    return int(share.details.get("successes", 0)), share.n


def corrected_prevalence(
    positive: int, n: int, true_positive: int, n_positive: int, true_negative: int, n_negative: int
) -> Figure:
    """How often a thing is really there, from how often a judge that errs says so; its interval counts all three samples.

    Formula: π = (p + Sp − 1) / (Se + Sp − 1) of Rogan and Gladen, cut off at 0 and 1. Interval of Lang and Reiczigel: with
    n′ = n + z², p′ = (np + z²/2)/n′, Se′ = (n₁Se + 1)/(n₁ + 2), Sp′ = (n₀Sp + 1)/(n₀ + 2), π′ from these,
    δ = 2z² (π′ Se′(1 − Se′)/(n₁ + 2) − (1 − π′) Sp′(1 − Sp′)/(n₀ + 2)):
    π′ + δ ± z √(p′(1 − p′)/n′ + π′² Se′(1 − Se′)/(n₁ + 2) + (1 − π′)² Sp′(1 − Sp′)/(n₀ + 2)) / (Se′ + Sp′ − 1).
    References: Rogan & Gladen 1978, American Journal of Epidemiology 107, 71–76; Lang & Reiczigel 2014, Preventive
    Veterinary Medicine 113, 13–22. R: asht::prevSeSp.

    positive of n: what the judge says; true_positive of n_positive and true_negative of n_negative: how often it is right
    where people say yes and no.

    >>> found = corrected_prevalence(60, 200, 45, 50, 90, 100)
    >>> round(found.value, 4), [round(end, 4) for end in found.ci95]
    (0.25, [0.1469, 0.3543])
    >>> corrected_prevalence(60, 200, 20, 50, 50, 100).why.en
    "sensitivity and specificity add up to no more than 1: the judge's verdicts say nothing about the true rate"
    """
    for successes, size in ((positive, n), (true_positive, n_positive), (true_negative, n_negative)):
        if not 0 <= successes <= size:
            raise ValueError(f"successes must lie between 0 and n, found {successes} of {size}")
    if min(n, n_positive, n_negative) == 0:
        return undefined(NOTHING, n)
    beyond = true_positive / n_positive + true_negative / n_negative - 1
    if beyond <= 0:
        return undefined(NO_BETTER_THAN_CHANCE, n)
    value = (positive / n + true_negative / n_negative - 1) / beyond
    z2 = Z95**2
    p, m = (positive + z2 / 2) / (n + z2), n + z2
    (se, n1), (sp, n0) = (
        ((right + 1) / (size + 2), size + 2)
        for right, size in ((true_positive, n_positive), (true_negative, n_negative))
    )
    if se + sp <= 1:
        return figure(min(1.0, max(0.0, value)), n, None, BARELY_BETTER)
    middle = (p + sp - 1) / (se + sp - 1)
    of_se, of_sp = se * (1 - se) / n1, sp * (1 - sp) / n0
    shift = 2 * z2 * (middle * of_se - (1 - middle) * of_sp)
    spread = math.sqrt(p * (1 - p) / m + middle**2 * of_se + (1 - middle) ** 2 * of_sp)
    half = Z95 * spread / (se + sp - 1)
    ends = tuple(min(1.0, max(0.0, middle + shift + side * half)) for side in (-1, 1))
    return figure(min(1.0, max(0.0, value)), n, (ends[0], ends[1]))
