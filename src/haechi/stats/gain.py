"""Whether a new way of judging is closer to people than the old one, by a rule that noise cannot pass and looking often cannot bend."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.distributions import t_quantile
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.population import clustered_mean
from haechi.stats.ratings import Floats, Given, paired_values
from haechi.stats.reasons import fewer_than

FEWEST = 10
"""Items without which nothing is said, of the comparison and of judging twice."""
ERROR = 0.05
"""How often, over all looks together, noise may be called an improvement."""

NOT_TWICE = fewer_than(
    FEWEST, "같은 AI 평가자가 두 번 평가한 항목", "items judged twice by the same judge", 0
)
SHOWN = Why("나아졌습니다", "improved")
NOT_SHOWN = Why("나아졌다는 것이 보이지 않았습니다", "no improvement was shown")


@frozen
class Gain:
    """By how much a new judge is closer to people than the old one, on the same items.

    before, after: the mean distances from people; gain: before − after, with the 95 % interval; ends: its interval at `level`,
    which decides; noise: by how much judging twice alone moves the gain, at the same level; look: the how-manieth time that these items are asked.
    """

    before: Figure
    after: Figure
    gain: Figure
    noise: Figure
    ends: tuple[float, float] | None
    level: float
    look: int

    @property
    def improved(self) -> bool:
        """Whether the gain is shown: its interval lies above 0, and it is more than judging twice varies."""
        if self.ends is None or self.noise.value is None or self.gain.value is None:
            return False
        return self.ends[0] > 0 and self.gain.value > self.noise.value

    @property
    def verdict(self) -> Why:
        """In two or three words."""
        return SHOWN if self.improved else NOT_SHOWN

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        figures = {name: getattr(self, name).as_json(lang) for name in ("before", "after", "gain", "noise")}
        ends = list(self.ends) if self.ends is not None else None
        told = {"level": self.level, "interval": ends, "look": self.look}
        return {**figures, **told, "improved": self.improved, "verdict": self.verdict.say(lang)}


def level_of(look: int) -> float:
    """The level of the interval that decides at a look: that of the first is 95 %, and every further one halves what may go wrong.

    Formula: 1 − α/2^(k−1) for look k. An interval errs on the side of "improved" half of the time, α/2^k, and Σ α/2^k ≤ α over
    however many looks.

    >>> [level_of(look) for look in (1, 2, 3)]
    [0.95, 0.975, 0.9875]
    """
    if look < 1:
        raise ValueError(f"look must be at least 1, found {look}")
    return 1 - ERROR * float(0.5 ** (look - 1))


def paired_gain(
    before: Given, after: Given, twice: Given | None = None, look: int = 1, clusters: Given | None = None
) -> Gain:
    """Compare two judges by their distances from people on the same items.

    Formula: g = before − after by item; mean(g) ± t SD(g)/√n at `level_of(look)`, over clusters where there are such
    (`clustered_mean`). Noise of judging twice: t √(mean(e²)/n), e the difference between two distances of the old judge on one item, n the items
    of the comparison. "Improved" is said where the lower end is above 0 and the mean above the noise. Where nobody judged twice the noise is
    unknown, and nothing is called improved.

    before, after: (n,) distances, NaN where missing; twice: (m, 2) distances of the old judge, judged twice; look: the how-manieth time
    that these items decide; clusters: (n,) what items belong to. Reference: Student 1908; Bonferroni's inequality for the looks; coverage and
    power: docs/alignment.md. R: t.test(before, after, paired = TRUE, conf.level = level), with clusters
    sandwich::vcovCL(lm(before - after ~ 1), type = "HC0"); none for the noise: qt(.5 + level / 2, m) * sqrt(mean(e^2) / n).

    >>> old, new = [0.5, 0.25, 0.5, 0.75, 0.5, 0.25, 0.5, 0.5, 0.75, 0.5], [0.25, 0.25, 0.0, 0.5, 0.25, 0.25, 0.25, 0.0, 0.5, 0.25]
    >>> again = [[0.5, 0.5]] * 8 + [[0.25, 0.5], [0.75, 0.5]]
    >>> found = paired_gain(old, new, again)
    >>> found.gain, found.noise.value < 0.1, found.improved
    (0.25 [0.13, 0.37], True, True)
    >>> paired_gain(old, new).improved, paired_gain(old, new, again, look=30).improved
    (False, False)
    """
    level = level_of(look)
    old, new = np.asarray(before, np.float64), np.asarray(after, np.float64)
    names = (
        np.arange(old.size) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    )
    known = ~(np.isnan(old) | np.isnan(new))
    old, new, group = old[known], new[known], names[known]
    n = int(old.size)
    if n < FEWEST:
        why = fewer_than(
            FEWEST, "두 AI 평가자와 사람이 모두 평가한 항목", "items rated by both judges and by people", n
        )
        none = undefined(why, n)
        return Gain(none, none, none, _noise(twice, n, level), None, level, look)
    own = [_clustered(values, group) for values in (old, new, old - new)]
    # Where the gain has no spread, there are no ends: nobody can tell how sure it is.
    ends = _clustered(old - new, group, level).ci95
    return Gain(own[0], own[1], own[2], _noise(twice, n, level), ends, level, look)


def _clustered(values: Floats, group: np.ndarray[Any, Any], level: float = 0.95) -> Figure:
    return clustered_mean(np.bincount(group, values), np.bincount(group), level=level)


def _noise(twice: Given | None, n: int, level: float) -> Figure:
    """By how much the mean over n items moves when the same judge judges twice."""
    if twice is None or n == 0:
        return undefined(NOT_TWICE, 0)
    pairs = np.asarray(twice, np.float64).reshape(-1, 2)
    first, second = paired_values(pairs[:, 0], pairs[:, 1])
    m = int(first.size)
    if m < FEWEST:
        why = fewer_than(
            FEWEST, "같은 AI 평가자가 두 번 평가한 항목", "items judged twice by the same judge", m
        )
        return undefined(why, m)
    moved = float(((first - second) ** 2).mean())
    return figure(t_quantile((1 + level) / 2, m) * math.sqrt(moved / n), m)
