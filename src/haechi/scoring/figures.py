"""Figures of a score from how often each value occurs: exact, and cheap to combine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from haechi.rubrics import Rubric
from haechi.rubrics.values import plain

# More different values than this are no distribution that one can read.
_MOST_VALUES = 60

Occurrences = Sequence[tuple[float, int]]
"""Values and how often each occurs."""


def figures_of(counted: Occurrences, name: str, rubric: Rubric) -> dict[str, Any]:
    """Mean, count and distribution of a score; `counted` are values and how often.

    >>> import haechi
    >>> figures = figures_of([(1.0, 3), (0.0, 1)], "sympathy", haechi.rubric("diary-comment"))
    >>> figures["mean"], figures["n"], figures["distribution"]
    (0.75, 4, {'0': 1, '1': 3})
    """
    ordered = sorted(counted)
    n = sum(times for _, times in ordered)
    distribution = _distribution(ordered, name, rubric)
    if not n:
        return {"mean": None, "n": 0, "distribution": distribution}
    mean = math.fsum(value * times for value, times in ordered) / n
    return {"mean": mean, "n": n, "distribution": distribution}


def _distribution(ordered: Occurrences, name: str, rubric: Rubric) -> dict[str, int] | None:
    """How often each value occurs; every level of a scale is listed, also those that do not occur.

    A score of agent runs that lies between two points counts for the nearer one, as in the runs' reports.
    """
    levels = _levels(name, rubric)
    if levels is None and rubric.item == "run":
        low, high = rubric.range(name)
        levels = [float(level) for level in range(math.floor(low), math.ceil(high) + 1)]
        ordered = [(math.floor(value + 0.5), times) for value, times in ordered]
    if levels is None and len(ordered) > _MOST_VALUES:
        return None
    counts = dict.fromkeys(map(plain, levels or ()), 0)
    for value, times in ordered:
        counts[plain(value)] = counts.get(plain(value), 0) + times
    return counts


def _levels(name: str, rubric: Rubric) -> Sequence[float] | None:
    """The values that are listed for a criterion; None for scores made of others, which lie in between."""
    points = rubric.points(name) if rubric.criterion(name) is not None else None
    return _whole(points) if points is not None and rubric.item == "run" else points


def _whole(worth: Sequence[float]) -> Sequence[float]:
    """All points from the lowest to the highest, so that the metrics of a run stand side by side."""
    if any(not value.is_integer() for value in worth):
        return worth
    return [float(level) for level in range(int(worth[0]), int(worth[-1]) + 1)]
