"""Corrections for looking many times: Holm, Bonferroni, Benjamini–Hochberg and Benjamini–Yekutieli."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from haechi.stats.outcome import Outcome
from haechi.stats.ratings import Floats, Given, as_values


def holm(p_values: Given) -> Floats:
    """p-values adjusted by Holm's step-down method: the chance of any false alarm stays below the level.

    Formula: p̃_(i) = max over j ≤ i of min(1, (m − j + 1) p_(j)). p_values: (m,), order kept.
    Reference: Holm 1979, Scandinavian Journal of Statistics 6, 65–70. R: p.adjust(p, "holm").

    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _probabilities(p_values)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate((p.size - np.arange(p.size)) * p[order]))
    return adjusted


def bonferroni(p_values: Given) -> Floats:
    """p-values times their number: the chance of any false alarm stays below the level, with less power than Holm's.

    Formula: p̃ = min(1, m p). p_values: (m,), order kept. Reference: Dunn 1961, Journal of the American Statistical Association 56, 52–64.
    R: p.adjust(p, "bonferroni").

    >>> bonferroni([0.01, 0.04, 0.5]).round(4).tolist()
    [0.03, 0.12, 1.0]
    """
    p = _probabilities(p_values)
    adjusted: Floats = np.minimum(1.0, p * p.size)
    return adjusted


def benjamini_hochberg(p_values: Given) -> Floats:
    """p-values adjusted so that of all findings the expected share of false alarms stays below the level.

    Formula: p̃_(i) = min over j ≥ i of min(1, m/j p_(j)); holds for independent and positively dependent tests.
    p_values: (m,), order kept. Reference: Benjamini & Hochberg 1995, Journal of the Royal Statistical Society B 57,
    289–300. R: p.adjust(p, "BH").

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.04, 0.04]
    """
    return _stepped_up(_probabilities(p_values), 1.0)


def benjamini_yekutieli(p_values: Given) -> Floats:
    """p-values adjusted so that the share of false alarms stays below the level under any dependence.

    Formula: p̃_(i) = min over j ≥ i of min(1, c(m) m/j p_(j)), c(m) = Σ 1/i. p_values: (m,), order kept.
    Reference: Benjamini & Yekutieli 2001, Annals of Statistics 29, 1165–1188. R: p.adjust(p, "BY").

    >>> benjamini_yekutieli([0.01, 0.04, 0.03]).round(4).tolist()
    [0.055, 0.0733, 0.0733]
    """
    p = _probabilities(p_values)
    return _stepped_up(p, float((1 / np.arange(1, p.size + 1)).sum()))


def _stepped_up(p: Floats, factor: float) -> Floats:
    order, rank = np.argsort(p, kind="stable"), np.arange(1, p.size + 1)
    scaled = p[order] * p.size * factor / rank
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return adjusted


Correction = Literal["holm", "bh", "bonferroni", "none"]
CORRECTIONS: dict[str, Callable[[Given], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "bonferroni": bonferroni,
}
CORRECTION_NAMES = {"holm": "Holm", "bh": "Benjamini–Hochberg", "bonferroni": "Bonferroni"}


def correct(outcomes: Sequence[Outcome], method: Correction) -> list[Outcome]:
    """Tests that answer one question together, each with its p corrected beside its own.

    A test that was not made needs no correction; one that is alone keeps its p. With `none` no test has a second p.

    >>> both = correct([Outcome("t", 2.5, 0.02, 20), Outcome("t", None, None, 1), Outcome("t", 2.1, 0.04, 20)], "holm")
    >>> [one.p_corrected for one in both]
    [0.04, None, 0.04]
    """
    made = [place for place, one in enumerate(outcomes) if one.p is not None]
    if method == "none":
        return list(outcomes)
    corrected = list(outcomes)
    for place, p in zip(made, CORRECTIONS[method]([outcomes[i].p for i in made]).tolist(), strict=True):
        corrected[place] = replace(outcomes[place], p_corrected=p, correction=method)
    return corrected


Result = TypeVar("Result")


def correct_each(results: Sequence[Result], tests: Sequence[str], method: Correction) -> list[Result]:
    """Results of which every one made the same tests, each of the tests corrected over the results.

    >>> from haechi.stats.mcnemar import mcnemar
    >>> both = correct_each([mcnemar(9, 8, 1, 2), mcnemar(9, 2, 2, 2)], ["exact"], "bonferroni")
    >>> [round(one.exact.p_corrected, 4) for one in both]
    [0.0781, 1.0]
    """
    found: list[Any] = list(results)
    for test in tests:
        made = correct([getattr(one, test) for one in found], method)
        found = [replace(one, **{test: outcome}) for one, outcome in zip(found, made, strict=True)]
    return found


def _probabilities(p_values: Given) -> Floats:
    p = as_values(p_values)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p-values must lie between 0 and 1")
    return p
