"""Groups described: count, mean with its interval, spread and median."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.mean_interval import Bounds, mean_figure
from haechi.stats.ratings import Floats, Given, as_values
from haechi.stats.reasons import NEED_NUMBERS, NOTHING, fewer_than
from haechi.stats.sample import Sample


@frozen
class Group:
    """One group's values in short; `n` counts values, `n_missing` what was left out."""

    name: Hashable
    n: int
    n_missing: int
    mean: Figure
    sd: Figure
    median: Figure

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "group": self.name,
            "n": self.n,
            "n_missing": self.n_missing,
            "mean": self.mean.as_json(lang),
            "sd": self.sd.as_json(lang),
            "median": self.median.as_json(lang),
        }

    def over_clusters(self, field: str, found: Figure | None) -> Group:
        """The same with the interval of the mean over clusters of values, or why there is none; None: as it is."""
        if found is None or self.mean.value is None:
            return self
        details = {**self.mean.details, **found.details, "cluster_by": field}
        mean = replace(self.mean, ci95=found.ci95, why_no_ci=found.why_no_ci, details=details)
        return replace(self, mean=mean)

    def without_interval(self, why: Why) -> Group:
        """The same without the interval of its mean, and why."""
        return replace(self, mean=replace(self.mean, ci95=None, why_no_ci=why))


def split(values: Given, groups: Given) -> dict[Hashable, Floats]:
    """Values by group, in order of first appearance; values: (n,), groups: (n,) anything hashable.

    No statistic: it lays out what the statistics of groups take. R: split(values, groups), which sorts the names.

    >>> {name: part.tolist() for name, part in split([1, 2, 3], ["b", "a", "b"]).items()}
    {'b': [1.0, 3.0], 'a': [2.0]}
    """
    array = as_values(values)
    names = groups.to_numpy().tolist() if hasattr(groups, "to_numpy") else np.asarray(groups, object).tolist()
    if len(names) != array.size:
        raise ValueError(f"values and groups differ in length: {array.size} and {len(names)}")
    code: dict[Hashable, int] = {}
    codes = np.fromiter((code.setdefault(name, len(code)) for name in names), np.int64, len(names))
    return {name: array[codes == i] for name, i in code.items()}


def describe(values: Given, groups: Given, bounds: Bounds | None = None) -> tuple[Group, ...]:
    """Each group's n, mean, standard deviation and median, with the interval of the mean (see `mean_figure`).

    Formula: x̄ = Σ x/n, s = √(Σ (x − x̄)² / (n − 1)), the middle value or the mean of the two middle ones. Interval: x̄ ± t s/√n
    with n − 1 degrees of freedom; on a scale with two ends Wilson's for p = (x̄ − low)/(high − low) of
    max(n, n p(1 − p)(high − low)²/s²) values, with t in the place of z; of values that all lie at the ends just Wilson's.

    values: (n,) NaN where missing; groups: (n,); bounds: the ends of the scale, if it has any. References: Student 1908,
    Biometrika 6, 1–25; Wilson 1927, Journal of the American Statistical Association 22, 209–212. R: by group mean(x), sd(x),
    median(x), and t.test(x)$conf.int where the scale has no ends.

    >>> agent, free = describe([4, 5, 3, 2, 2, 3], ["agent"] * 3 + ["freepass"] * 3)
    >>> agent.name, agent.n, agent.mean.value, round(free.mean.value, 4), agent.median.value
    ('agent', 3, 4.0, 2.3333, 4.0)
    """
    parts = split(values, groups)
    return tuple(describe_one(name, Sample.of(part), part.size, bounds) for name, part in parts.items())


@np.errstate(all="ignore")
def describe_one(name: Hashable, sample: Sample, size: int, bounds: Bounds | None = None) -> Group:
    """One group in short; `size` counts its members, also those without a value.

    >>> describe_one("agent", Sample.of([4, 5, 3]), size=4).n_missing
    1
    """
    n, missing = sample.n, size - sample.n
    if n == 0:
        none = undefined(NOTHING, 0)
        return Group(name, 0, missing, none, none, none)
    median, mean = figure(sample.median, n), mean_figure(sample, bounds)
    if n < 2:
        return Group(name, n, missing, mean, undefined(fewer_than(2, "값", "values", n), n), median)
    return Group(name, n, missing, mean, figure(sample.sd, n), median)


def names_alone(name: Hashable, sample: Sample, size: int) -> Group:
    """A group whose values are names: how many there are, and why there is no mean of them.

    >>> names_alone("labels", Sample.of([0, 1, 2]), size=4).mean
    – (not permitted for nominal ratings: the values are names, not amounts)
    """
    none = undefined(NEED_NUMBERS, sample.n)
    return Group(name, sample.n, size - sample.n, none, none, none)
