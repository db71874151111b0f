"""Corrections for looking many times: Holm and Benjamini–Yekutieli."""

from __future__ import annotations

import numpy as np

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


def benjamini_yekutieli(p_values: Given) -> Floats:
    """p-values adjusted so that the share of false alarms stays below the level under any dependence.

    Formula: p̃_(i) = min over j ≥ i of min(1, c(m) m/j p_(j)), c(m) = Σ 1/i. p_values: (m,), order kept.
    Reference: Benjamini & Yekutieli 2001, Annals of Statistics 29, 1165–1188. R: p.adjust(p, "BY").

    >>> benjamini_yekutieli([0.01, 0.04, 0.03]).round(4).tolist()
    [0.055, 0.0733, 0.0733]
    """
    p = _probabilities(p_values)
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, p.size + 1)
    scaled = p[order] * p.size * (1 / rank).sum() / rank
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return adjusted


def _probabilities(p_values: Given) -> Floats:
    p = as_values(p_values)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p-values must lie between 0 and 1")
    return p
