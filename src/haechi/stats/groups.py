"""Groups described: count, mean with a bootstrap interval, spread and median."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from haechi.stats.bootstrap import REPLICATES, SEED, percentile_interval
from haechi.stats.figure import Figure, Lang, Why, figure, undefined
from haechi.stats.ratings import Floats, Given, as_values
from haechi.stats.reasons import NOTHING, fewer_than
from haechi.stats.sample import Sample


@dataclass(frozen=True)
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


def split(values: Given, groups: Given) -> dict[Hashable, Floats]:
    """Values by group, in order of first appearance; values: (n,), groups: (n,) anything hashable.

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


def describe(values: Given, groups: Given, seed: int = SEED) -> tuple[Group, ...]:
    """Each group's n, mean, standard deviation and median, with the bootstrap interval of the mean.

    Formula: the middle 95 % of the means of 1,000 seeded resamples of the group. Reference: Efron &
    Tibshirani 1993, An Introduction to the Bootstrap. R: boot::boot.ci(type = "perc").

    values: (n,) NaN where missing; groups: (n,).

    >>> agent, free = describe([4, 5, 3, 2, 2, 3], ["agent"] * 3 + ["freepass"] * 3)
    >>> agent.name, agent.n, agent.mean.value, round(free.mean.value, 4), agent.median.value
    ('agent', 3, 4.0, 2.3333, 4.0)
    """
    parts = split(values, groups)
    return tuple(describe_one(name, Sample.of(part), part.size, seed) for name, part in parts.items())


@np.errstate(all="ignore")
def describe_one(name: Hashable, sample: Sample, size: int, seed: int = SEED) -> Group:
    """One group in short; `size` counts its members, also those without a value.

    >>> describe_one("agent", Sample.of([4, 5, 3]), size=4).n_missing
    1
    """
    n, missing = sample.n, size - sample.n
    if n == 0:
        none = undefined(NOTHING, 0)
        return Group(name, 0, missing, none, none, none)
    median, mean = figure(sample.median, n), sample.mean
    if n < 2:
        why = fewer_than(2, "값", "values", n)
        return Group(name, n, missing, figure(mean, n, None, why), undefined(why, n), median)
    ends = percentile_interval(sample.count, lambda weight: weight @ sample.values / n, REPLICATES, seed)
    if isinstance(ends, Why):
        shown = figure(mean, n, None, ends)
    else:
        shown = figure(mean, n, ends, bootstrap=REPLICATES, seed=seed)
    return Group(name, n, missing, shown, figure(sample.sd, n), median)
