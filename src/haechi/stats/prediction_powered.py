"""Prediction-powered inference: few human ratings, many AI ratings, and an interval that still holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Figure, Lang, figure, undefined
from haechi.stats.mean_interval import interval_of_mean, mean_figure
from haechi.stats.ratings import Floats, Given, as_values
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import Sample


@frozen
class PredictionPowered:
    """The mean human score estimated with the judge's help, next to the one without it.

    saved: how many further human ratings would have been needed for an interval as narrow; negative if the
    judge is so poor that it hurts. None where it cannot be said.
    """

    mean: Figure
    human_only: Figure
    judge_only: Figure
    n_human: int
    n_judge: int
    weight: float | None
    effective: float | None
    saved: float | None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "mean": self.mean.as_json(lang),
            "human_only": self.human_only.as_json(lang),
            "judge_only": self.judge_only.as_json(lang),
            "n_human": self.n_human,
            "n_judge": self.n_judge,
            "weight": self.weight,
            "effective_human_ratings": self.effective,
            "human_ratings_saved": self.saved,
        }


def prediction_powered_mean(human: Given, judge: Given, tuned: bool = False) -> PredictionPowered:
    """The mean human score from few human and many AI ratings, valid however poor the judge is.

    Formula: θ = λ·mean(judge on the N unlabelled items) + mean(human − λ·judge on the n labelled ones),
    variance λ² var(judge)/N + var(human − λ·judge)/n, interval θ ± t √variance, the degrees of freedom
    Satterthwaite's of the two parts. λ = 1 is the original; `tuned` takes λ = cov(human, judge)/((1 + n/N) var(judge)),
    cut to [0, 1], which is never worse than people alone in the limit; estimating it costs a degree of freedom more.
    Effective human ratings = var(human)/variance of θ.

    human, judge: (items,) NaN where missing; the judge's value is needed for an item to count.
    References: Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023, Science 382, 669–674; Angelopoulos, Duchi
    & Zrnic 2023, PPI++. Python: ppi_py.ppi_mean_ci. R: ipd::ipd(human - judge ~ 1, method = "ppi", or "ppi_plusplus" for
    `tuned`, model = "mean"); both with normal intervals.

    >>> human = [4, 3, 5, 2] + [float("nan")] * 6
    >>> result = prediction_powered_mean(human, [4, 3, 4, 2, 5, 4, 3, 3, 2, 4])
    >>> result.mean.value, [round(end, 3) for end in result.mean.ci95], round(result.saved, 1)
    (3.75, [2.594, 4.906], 2.8)
    """
    y, f = as_values(human), as_values(judge)
    if y.size != f.size:
        raise ValueError(f"human and judge must have one value per item: {y.size} and {f.size}")
    labelled = ~np.isnan(y) & ~np.isnan(f)
    free = np.isnan(y) & ~np.isnan(f)
    with np.errstate(all="ignore"):
        return _estimate(y[labelled], f[labelled], f[free], tuned)


def _estimate(y: Floats, f: Floats, free: Floats, tuned: bool) -> PredictionPowered:
    n, many = y.size, free.size
    human_only = _mean(y)
    judge_only = _mean(np.concatenate([f, free]))
    if n < 2 or many < 2:
        why = fewer_than(2, "사람이 평가한 항목", "items rated by people and the judge", n)
        if n >= 2:
            why = fewer_than(2, "AI 평가자만 평가한 항목", "items rated by the judge alone", many)
        return PredictionPowered(undefined(why, n + many), human_only, judge_only, n, many, None, None, None)
    weight = _weight(y, f, free) if tuned else 1.0
    theta = weight * float(free.mean()) + float((y - weight * f).mean())
    lost = 2 if tuned and n > 2 else 1
    of_judge = weight**2 * float(free.var(ddof=1)) / many
    of_people = float((y - weight * f).var(ddof=lost)) / n
    variance = of_judge + of_people
    df = variance**2 / (of_judge**2 / (many - 1) + of_people**2 / (n - lost)) if variance > 0 else 1.0
    ends = interval_of_mean(theta, variance, df)
    mean = figure(theta, n + many, ends, n_human=n, n_judge=many)
    ratio = y.var(ddof=1) / np.float64(variance)
    effective = float(ratio) if np.isfinite(ratio) else None
    saved = None if effective is None else effective - n
    return PredictionPowered(mean, human_only, judge_only, n, many, weight, effective, saved)


def _weight(y: Floats, f: Floats, free: Floats) -> float:
    spread = float(np.concatenate([f, free]).var(ddof=1))
    if spread == 0:
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).sum()) / (y.size - 1)
    return min(1.0, max(0.0, covariance / ((1 + y.size / free.size) * spread)))


def _mean(values: Floats) -> Figure:
    n = values.size
    return mean_figure(Sample.of(values)) if n > 1 else undefined(fewer_than(2, "값", "values", n), n)
