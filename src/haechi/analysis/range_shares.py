"""Criteria of different ranges on one scale: every score as the share of its own range."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import polars as pl

from haechi.analysis.counts import GroupCounts
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.clusters import cluster_sums, mean_over_clusters
from haechi.scoring.panel import panel_means
from haechi.scoring.rule_zeros import shown_by_rule
from haechi.stats.distributions import t_quantile
from haechi.stats.figure import NO_WIDTH, Figure, figure, undefined
from haechi.stats.reasons import fewer_than
from haechi.stats.sample import NOISE, Sample

_AWAY = "\0away"
_SIGNS = 6  # with so many differences of one sign and size, chance has had its say: 2 / 2⁶ < .05


@frozen
class Weakest:
    """The criteria that lie lowest in their ranges, the next one, every share, and how far the next one is above.

    above: the difference of shares, next − lowest, over the items that have both, else between two samples; its interval
    holds for all other criteria together (Bonferroni), since the lowest was picked out.
    """

    worst: tuple[str, ...]
    next: str | None
    shares: dict[str, float]
    above: Figure | None

    @property
    def is_clear(self) -> bool:
        """Whether the next one is surely above."""
        found = self.above
        if found is None or found.value is None:
            return False
        if found.why_no_ci is NO_WIDTH:  # every item has the same difference
            return found.value > 0 and found.n >= _SIGNS
        return found.ci95 is not None and found.ci95[0] > 0


def weakest(
    batches: Batches, rubric: Rubric, names: Sequence[str], cluster: str | None = None
) -> Weakest | None:
    """Which criteria are the weakest; None where fewer than two have a score. Zeros by rule are no scores.

    Items that share a value of `cluster` are one cluster, over which the difference to the next is taken.

    >>> import haechi
    >>> from haechi.scoring.batches import in_memory
    >>> rows = pl.DataFrame({"item": ["a", "b"], "rater": ["x", "x"], "A1": [2.0, 3.0], "C1": [4.0, 4.0]})
    >>> found = weakest(in_memory(rows), haechi.rubric("maice-qac"), ["A1", "C1"])
    >>> found.worst, found.next, found.shares, round(found.above.value, 3)
    (('A1',), 'C1', {'A1': 0.375, 'C1': 0.75}, 0.375)
    """
    known = _counted(batches, rubric, names, {name: pl.col(name) for name in names})
    shares = {name: sample.mean for name, sample in known.items() if sample.n}
    if len(shares) < 2:
        return None
    lowest = min(shares.values())
    worst = tuple(name for name, share in shares.items() if share - lowest <= NOISE)
    others = [name for name in shares if name not in worst]
    if not others:
        return Weakest(worst, None, shares, None)
    following = min(others, key=lambda name: (shares[name], name))
    pairs = {one: pl.col(following) - pl.col(one) for one in worst}
    level = 0.05 / (len(shares) - 1)
    both = _counted(batches, rubric, names, pairs)
    above = [
        _apart(known[following], known[one], level)
        if not both[one].n
        else _mean(both[one], level)
        if cluster is None
        else _mean_of_clusters(batches, rubric, names, pairs[one], cluster, level)
        for one in worst
    ]
    return Weakest(
        worst, following, shares, min(above, key=lambda one: one.ci95[0] if one.ci95 else -math.inf)
    )


def _counted(
    batches: Batches, rubric: Rubric, names: Sequence[str], wanted: dict[str, pl.Expr]
) -> dict[str, Sample]:
    """What was asked for of the shares, item by item, counted."""
    counts = GroupCounts(list(wanted), [])
    for shared in _shares(batches, rubric, names):
        counts.add(shared.select(one.alias(name) for name, one in wanted.items()))
    return counts.groups()[()].scores


def _shares(
    batches: Batches, rubric: Rubric, names: Sequence[str], meta: Sequence[str] = ()
) -> Iterator[pl.DataFrame]:
    """Every score as the share of its range, item by item, in pieces; zeros by rule are left empty."""
    runs = rubric.item == "run"
    whys = [*(f"why:{name}" for name in names), "details:failure"] if runs else []
    for frame in batches(["item", "rater", *meta, *names, *whys]):
        given = frame.with_columns(
            pl.when(~shown_by_rule(name)).then(pl.col(name)).alias(name) for name in names if runs
        )
        items = panel_means(given, names, ["item"], meta)
        yield items.with_columns(_share(name, rubric) for name in names)


def _mean_of_clusters(
    batches: Batches, rubric: Rubric, names: Sequence[str], wanted: pl.Expr, field: str, level: float
) -> Figure:
    """The mean of a difference over clusters; an item without a value of the field is one of its own."""
    shares = _shares(batches, rubric, names, [field])
    pieces = (shared.select("item", field, wanted.alias(_AWAY)) for shared in shares)
    over = mean_over_clusters(cluster_sums(pieces, field, [_AWAY]), _AWAY)
    if over.value is None or over.ci95 is None:
        return over
    half = t_quantile(1 - level / 2, over.details["clusters_df"]) * over.details["clusters_se"]
    return figure(over.value, over.n, _within(over.value, half), paired=True)


def _share(name: str, rubric: Rubric) -> pl.Expr:
    low, high = rubric.range(name)
    return (pl.col(name) - low) / (high - low)


def _mean(sample: Sample, level: float) -> Figure:
    n = sample.n
    if n < 2:
        return figure(sample.mean, n, None, fewer_than(2, "항목", "items", n))
    half = t_quantile(1 - level / 2, n - 1) * sample.sd / math.sqrt(n)
    return figure(sample.mean, n, _within(sample.mean, half), paired=True)


def _apart(a: Sample, b: Sample, level: float) -> Figure:
    """The difference of two samples that share no item, by Welch."""
    n = min(a.n, b.n)
    if n < 2:
        return undefined(fewer_than(2, "항목", "items", n), n)
    parts = a.sd**2 / a.n, b.sd**2 / b.n
    away, error = a.mean - b.mean, math.sqrt(sum(parts))
    df = sum(parts) ** 2 / (parts[0] ** 2 / (a.n - 1) + parts[1] ** 2 / (b.n - 1)) if error else n - 1
    half = t_quantile(1 - level / 2, df) * error
    return figure(away, a.n + b.n, _within(away, half), paired=False)


def _within(away: float, half: float) -> tuple[float, float]:
    """Shares are never further apart than 1."""
    return max(away - half, -1.0), min(away + half, 1.0)
