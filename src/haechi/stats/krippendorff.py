"""Krippendorff's alpha for every level of measurement, with missing data and an interval over units."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from haechi.stats.bootstrap import CHUNK, REPLICATES, SEED, percentile_interval
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.jackknife import jackknife_interval
from haechi.stats.patterns import Patterns, patterns
from haechi.stats.ratings import LEVELS, Floats, Given, Level, as_ratings, row_sums, sum_of_squares
from haechi.stats.reasons import ALL_IDENTICAL, NEGATIVE_RATIO, NO_PAIR, NOTHING, ONE_RATER

MOST_FOR_RATIO = 20_000  # distinct values whose pairs can all be compared
MOST_FOR_RATIO_INTERVAL = 2_000
MOST_LEFT_OUT = 1_000  # different units: beyond, resampling is quicker, and as good


@np.errstate(all="ignore")
def krippendorff_alpha(
    ratings: Given, level: Level = "interval", bootstrap: int = REPLICATES, seed: int = SEED
) -> Figure:
    """Agreement beyond chance for any number of raters, any level and any gaps.

    Formula: α = 1 − Do/De, the observed over the expected disagreement, both means of δ² over pairs of
    values: pairs within a unit (each weighted 1/(m−1), m ratings in the unit) against all pairs whatsoever.
        nominal  δ² = 1 if a ≠ b else 0               interval δ² = (a − b)²
        ordinal  δ² = (mid-rank a − mid-rank b)²       ratio    δ² = ((a − b)/(a + b))²
    Interval: units are left out one by one (see `jackknife_interval`); where there are more than a thousand different
    ones they are resampled with replacement instead (`bootstrap` times, seeded), and the middle 95 % are taken. It
    holds for these raters. `bootstrap=0` leaves the interval out.

    ratings: (units, raters), NaN where missing. Units with fewer than two ratings cannot be paired and are
    left out; `n` counts the pairable units, `n_values` their ratings.
    References: Krippendorff 2011, Computing Krippendorff's alpha-reliability; Hayes & Krippendorff 2007,
    Communication Methods and Measures 1, 77–89. R: irr::kripp.alpha, krippendorffsalpha.

    >>> from haechi.stats.examples import KRIPPENDORFF
    >>> for level in ("nominal", "ordinal", "interval", "ratio"):
    ...     print(level, round(krippendorff_alpha(KRIPPENDORFF, level, bootstrap=0).value, 4))
    nominal 0.7434
    ordinal 0.8154
    interval 0.8491
    ratio 0.7974
    """
    if level not in LEVELS:
        raise ValueError(f"level must be one of {', '.join(LEVELS)}, found {level!r}")
    array = as_ratings(ratings)
    if level == "interval" and not bootstrap:
        quick = _interval_from_moments(array)
        if quick is not None:
            return quick
    return alpha_from(patterns(array), array.shape[1], level, bootstrap, seed)


@np.errstate(all="ignore")
def alpha_from(
    found: Patterns, n_raters: int, level: Level, bootstrap: int = REPLICATES, seed: int = SEED
) -> Figure:
    """Krippendorff's alpha from patterns that were already counted."""
    units = found.at_least(2)
    n = units.n_items
    why = _why_undefined(found, units, n_raters, level)
    if why:
        return undefined(why, n, level=level)
    alpha = _alpha_of(units, level)
    value = float(alpha(units.count[None, :].astype(np.float64))[0])
    details: dict[str, Any] = {"level": level, "n_values": int(units.count @ units.size)}
    if not bootstrap:
        return figure(value, n, **details)
    if level == "ratio" and units.values.size > MOST_FOR_RATIO_INTERVAL:
        return figure(value, n, None, _too_many(units.values.size, MOST_FOR_RATIO_INTERVAL), **details)
    if units.count.size <= MOST_LEFT_OUT:
        each = np.eye(units.count.size)
        ends = jackknife_interval(value, alpha(units.count - each), units.count, units.n_rare)
    else:
        ends = percentile_interval(units.count, alpha, bootstrap, seed)
        details |= {"bootstrap": bootstrap, "seed": seed}
    if isinstance(ends, Why):
        return figure(value, n, None, ends, **details)
    return figure(value, n, ends, **details)


def _why_undefined(found: Patterns, units: Patterns, n_raters: int, level: Level) -> Why | None:
    if not found.count.size:
        return NOTHING
    if n_raters < 2:
        return ONE_RATER
    if not units.count.size:
        return NO_PAIR
    used = units.rows[units.rows < units.values.size]
    if used.min() == used.max():
        return ALL_IDENTICAL
    return _why_no_ratio(units.values) if level == "ratio" else None


def _why_no_ratio(values: Floats) -> Why | None:
    if values[0] < 0:
        return NEGATIVE_RATIO
    return _too_many(values.size, MOST_FOR_RATIO) if values.size > MOST_FOR_RATIO else None


def _too_many(have: int, most: int) -> Why:
    return Why(
        f"비율 수준은 모든 값의 쌍을 비교해야 하는데 서로 다른 값이 {have}개입니다(최대 {most}개)",
        f"the ratio level compares all pairs of values, and {have} are too many (at most {most})",
    )


def _alpha_of(units: Patterns, level: Level) -> Callable[[Floats], Floats]:
    """α as a function of how often each pattern occurs: (b, p) counts to (b,) values."""
    if level == "ordinal":
        return _ordinal_alpha(units)
    if level == "interval":
        return _interval_alpha(units)
    within = _within(units, level)
    expected_of = _expected_ratio(units.values) if level == "ratio" else _expected_nominal

    def alpha(per_value: Floats, weight: Floats) -> Floats:
        total = per_value.sum(axis=1)
        return _one_minus_ratio((weight @ within) * (total - 1), expected_of(per_value))

    return _by_value(units, alpha)


def _by_value(units: Patterns, alpha: Callable[[Floats, Floats], Floats]) -> Callable[[Floats], Floats]:
    """α by way of how often every value occurs, (b, q); of very many values only some weights at a time."""
    p, q = units.count.size, units.values.size
    tally = units.counts() if p * q <= CHUNK else None
    step = max(1, CHUNK // max(q, 1))

    def per_value(weight: Floats) -> Floats:
        return np.stack([units.spread(row) for row in weight]) if tally is None else weight @ tally

    def in_steps(weight: Floats) -> Floats:
        parts = [weight[start : start + step] for start in range(0, len(weight), step)]
        return np.concatenate([alpha(per_value(part), part) for part in parts])

    return in_steps


def _expected_nominal(per_value: Floats) -> Floats:
    expected: Floats = per_value.sum(axis=1) ** 2 - (per_value**2).sum(axis=1)
    return expected


def _expected_ratio(values: Floats) -> Callable[[Floats], Floats]:
    """Σ δ² over all pairs of values, some rows of the table of pairs at a time; a small table is kept."""
    rows = max(1, CHUNK // max(values.size, 1))
    starts = range(0, values.size, rows)

    def part(start: int) -> Floats:
        return _squared_ratio(values[start : start + rows, None], values[None, :])

    kept = {0: part(0)} if len(starts) == 1 else {}

    def expected(per_value: Floats) -> Floats:
        total = np.zeros(len(per_value))
        for start in starts:
            distance = kept[0] if kept else part(start)
            total += ((per_value @ distance.T) * per_value[:, start : start + rows]).sum(axis=1)
        return total

    return expected


def _one_minus_ratio(observed: Floats, expected: Floats) -> Floats:
    """1 − observed/expected, NaN where nothing was expected (a resample of identical values)."""
    return 1 - observed / np.where(expected > 0, expected, np.nan)


def _within(units: Patterns, level: Level) -> Floats:
    """(p,) Σ δ² over the ordered pairs of one unit, divided by m − 1."""
    q = units.values.size
    values = np.append(units.values, np.nan)[units.rows]
    total = np.zeros(units.count.size)
    for i in range(values.shape[1]):
        for j in range(i):
            a, b = values[:, i], values[:, j]
            both = (units.rows[:, i] < q) & (units.rows[:, j] < q)
            distance = a != b if level == "nominal" else _squared_ratio(a, b)
            total += np.where(both, distance, 0.0)
    return 2 * total / (units.size - 1)


def _squared_ratio(a: Floats, b: Floats) -> Floats:
    difference = a - b
    return np.where(difference == 0, 0.0, difference / (a + b)) ** 2


def _interval_alpha(units: Patterns) -> Callable[[Floats], Floats]:
    """Both disagreements from sums and sums of squares: Σ(a−b)² over ordered pairs is 2(nΣa² − (Σa)²)."""
    used = units.spread(np.ones(units.count.size)) > 0
    middle = units.values[used].mean()  # centring keeps the differences of large sums exact
    values = np.append(units.values - middle, 0.0)[units.rows]
    size, first, second = units.size, values.sum(axis=1), (values**2).sum(axis=1)
    within = _non_negative(size * second - first**2, size * second) / (size - 1)
    parts = np.column_stack([size, first, second, within])

    def alpha(weight: Floats) -> Floats:
        n, first, second, observed = (weight @ parts).T
        return _one_minus_ratio(observed * (n - 1), _non_negative(n * second - first**2, n * second))

    return alpha


def _non_negative(difference: Floats, scale: Floats) -> Floats:
    """Sums of squares whose remainder is only rounding are zero."""
    return np.where(difference > 1e-13 * scale, difference, 0.0)


def _ordinal_alpha(units: Patterns) -> Callable[[Floats], Floats]:
    """Ordinal α is interval α on mid-ranks, and the mid-ranks follow the values of the resample."""
    q, size = units.values.size, units.size
    rows = units.rows.astype(np.intp)

    def alpha(per_value: Floats, weight: Floats) -> Floats:
        total = per_value.sum(axis=1)
        rank = np.cumsum(per_value, axis=1) - per_value / 2 - total[:, None] / 2
        expected = total * (per_value * rank**2).sum(axis=1) - (per_value * rank).sum(axis=1) ** 2
        rank = np.concatenate([rank, np.zeros((rank.shape[0], 1))], axis=1)
        observed = np.empty(weight.shape[0])
        for b in range(weight.shape[0]):
            at = rank[b][rows] if q else rank[b]
            within = (size * (at**2).sum(axis=1) - at.sum(axis=1) ** 2) / (size - 1)
            observed[b] = weight[b] @ within
        return _one_minus_ratio(observed * (total - 1), expected)

    return _by_value(units, alpha)


def _interval_from_moments(array: Floats) -> Figure | None:
    """The quick way for complete ratings: three passes over the data and no encoding.

    Returns None where a rating is missing, the values do not vary, or lie so far from zero that the
    difference of the sums would lose digits; the general way handles these.
    """
    n, m = array.shape
    if m < 2 or n == 0:
        return None
    row = row_sums(array)
    total, squares = float(row.sum()), sum_of_squares(array)
    expected = n * m * squares - total**2
    if not math.isfinite(expected) or expected <= 1e-6 * n * m * squares:
        return None
    within = m * squares - sum_of_squares(row)
    observed = within / (m - 1) if within > 1e-12 * m * squares else 0.0
    value = 1 - observed * (n * m - 1) / expected
    return figure(value, n, level="interval", n_values=n * m)
