"""Whether a judge still answers as before: the same anchors, judged again and again, and an alarm that may be looked at daily."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from haechi.frozen import frozen
from haechi.stats.distributions import t_quantile, t_two_sided
from haechi.stats.figure import NO_WIDTH, Figure, Lang, figure, undefined
from haechi.stats.ratings import Floats
from haechi.stats.reasons import fewer_than

FEWEST = 10
"""Anchors, below which nothing is said."""
PLANNED = 100
FALSE_ALARMS = 0.01


@frozen
class Drift:
    """What became of the anchors: the shift of the newest looks, and whether some look raised the alarm.

    shift: mean of the last `window` looks less the mean of all looks before, in points; in_sd: the same in standard
    deviations of the anchors' scores (over anchors, of their means over the looks before). at: the look, counted from 0,
    that first raised the alarm; None: none did.
    """

    shift: Figure
    in_sd: float | None
    window: int
    p: float | None
    level: float
    at: int | None
    looks: int

    @property
    def alarm(self) -> bool:
        """Whether the judge has changed."""
        return self.at is not None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        told = {"shift": self.shift.as_json(lang), "in_sd": self.in_sd, "window": self.window, "p": self.p}
        return told | {"level": self.level, "alarm": self.alarm, "at": self.at, "looks": self.looks}


def drift(looks: Floats, planned: int = PLANNED, false_alarms: float = FALSE_ALARMS) -> Drift:
    """Compare the newest looks at the same anchors with all looks before them, after every look.

    looks: (looks, anchors) scores in the order of time, NaN where one is missing. At every look the last 1, 2, 4, 8, …
    looks are held against all before them: per anchor the difference of the two means, and Student's t of these differences
    over the anchors. With m such tests over the `planned` looks each is made at `false_alarms`/m (Bonferroni), so that an
    alarm without a change comes at most that often in all of them together, however they hang together. Anchors are the
    units: a few answers that flip now and then cannot raise it. What power it has: docs/comparability.md.

    >>> rng = np.random.default_rng(7)
    >>> quality = rng.normal(0, 1, 40)
    >>> before, after = (quality + rng.normal(shift, 0.3, (8, 40)) for shift in (0.0, 0.4))
    >>> drift(before).alarm, drift(np.vstack([before, after])).at
    (False, 8)
    """
    given = np.atleast_2d(np.asarray(looks, dtype=float))
    tests = sum(len(_windows(t)) for t in range(1, planned + 1))
    level, at = false_alarms / tests, None
    last: tuple[float, int, Figure] | None = None
    for newest in range(1, given.shape[0]):
        tested = ((_test(given[: newest + 1], window), window) for window in _windows(newest))
        found = [(one[0], window, one[1]) for one, window in tested if one is not None]
        if not found:
            continue
        p, window, shift = last = min(found, key=lambda one: one[0])
        if at is None and p < level:
            at = newest
    if last is None:
        few = fewer_than(2, "평가 회차", "looks", given.shape[0])
        why = few if given.shape[0] < 2 else fewer_than(FEWEST, "앵커", "anchors", given.shape[1])
        return Drift(undefined(why, given.shape[1]), None, 0, None, level, None, given.shape[0])
    p, window, shift = last
    before = np.nanmean(given[:-window], axis=0)
    sd = float(np.nanstd(before, ddof=1))
    in_sd = shift.value / sd if shift.value is not None and sd > 0 else None
    return Drift(shift, in_sd, window, p, level, at, given.shape[0])


def _windows(newest: int) -> list[int]:
    """How many of the newest looks are held against all before: 1, 2, 4 … of those from 0 to `newest`.

    >>> _windows(1), _windows(9)
    ([1], [1, 2, 4, 8])
    """
    return [2**k for k in range(newest.bit_length()) if 2**k <= newest]


def _test(given: Floats, window: int) -> tuple[float, Figure] | None:
    """Student's t of the anchors' differences; None where there are too few anchors."""
    new, old = given[-window:], given[:-window]
    seen = (~np.isnan(new)).any(axis=0) & (~np.isnan(old)).any(axis=0)
    n = int(seen.sum())
    if n < FEWEST:
        return None
    differences = np.nanmean(new[:, seen], axis=0) - np.nanmean(old[:, seen], axis=0)
    mean, se = float(differences.mean()), float(differences.std(ddof=1)) / math.sqrt(n)
    if se <= 1e-12 * max(1.0, float(np.abs(given[:, seen][~np.isnan(given[:, seen])]).max())):
        return (1.0 if abs(mean) < 1e-12 else 0.0), figure(mean, n, None, NO_WIDTH)
    half = t_quantile(0.975, n - 1) * se
    return t_two_sided(mean / se, n - 1), figure(mean, n, (mean - half, mean + half))
