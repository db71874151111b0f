"""Bland and Altman's limits of agreement between two raters."""

from __future__ import annotations

from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.distributions import Z95, t_quantile
from haechi.stats.figure import Figure, Lang, figure, undefined
from haechi.stats.ratings import Floats, Given, paired_values
from haechi.stats.reasons import NOTHING, fewer_than


@frozen
class LimitsOfAgreement:
    """Bias and the limits within which 95 % of the differences are expected."""

    bias: Figure
    lower: Figure
    upper: Figure
    sd: float | None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "bias": self.bias.as_json(lang),
            "lower": self.lower.as_json(lang),
            "upper": self.upper.as_json(lang),
            "sd": self.sd,
        }


def bland_altman(a: Given, b: Given) -> LimitsOfAgreement:
    """Do two raters give the same numbers, and how far apart can they be on one item?

    Formula: bias = mean(a − b); limits = bias ± 1.96 SD(a − b). Intervals by Student's t with n − 1: of the
    bias with SD/√n, of a limit with SD √(1/n + 1.96²/(2(n−1))).

    a, b: (n,) NaN where missing. References: Bland & Altman 1986, Lancet 327, 307–310; 1999, Statistical
    Methods in Medical Research 8, 135–160. R: BlandAltmanLeh::bland.altman.stats.

    >>> limits = bland_altman([4, 5, 3, 4], [3, 5, 2, 2])
    >>> limits.bias.value, round(limits.upper.value, 4)
    (1.0, 2.6003)
    """
    x, y = paired_values(a, b)
    return limits_of(x, y)


@np.errstate(all="ignore")
def limits_of(x: Floats, y: Floats, count: Floats | None = None) -> LimitsOfAgreement:
    """Limits of agreement of complete pairs, each occurring `count` times."""
    w = np.ones(x.size) if count is None else count
    n = int(w.sum())
    if n == 0:
        nothing = undefined(NOTHING, 0)
        return LimitsOfAgreement(nothing, nothing, nothing, None)
    difference = x - y
    bias = float(w @ difference) / n
    if n < 2:
        why = fewer_than(2, "값의 쌍", "pairs of values", n)
        return LimitsOfAgreement(figure(bias, n, None, why), undefined(why, n), undefined(why, n), None)
    varies = difference.min() != difference.max()
    sd = float(np.sqrt(w @ (difference - bias) ** 2 / (n - 1))) if varies else 0.0
    t = t_quantile(0.975, n - 1)
    half, wide = t * sd * n**-0.5, t * sd * (1 / n + Z95**2 / (2 * (n - 1))) ** 0.5
    low, high = bias - Z95 * sd, bias + Z95 * sd
    return LimitsOfAgreement(
        figure(bias, n, (bias - half, bias + half)),
        figure(low, n, (low - wide, low + wide)),
        figure(high, n, (high - wide, high + wide)),
        sd if np.isfinite(sd) else None,
    )
