"""Criteria of different ranges on one scale: every score as the share of its own range."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from haechi.analysis.counts import GroupCounts
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.clusters import cluster_sums, mean_over_clusters
from haechi.scoring.panel import panel_means
from haechi.scoring.runs.points import zero_by_rule
from haechi.stats.figure import NO_WIDTH, Figure
from haechi.stats.mean_interval import mean_figure
from haechi.stats.sample import NOISE, Sample
from haechi.stats.two_samples import NO_SPREAD, Moments, contrast

_AWAY = "\0away"
# With so many values chance has had its say: of differences of one sign and size 2 / 2⁶ < .05, of two sets of items with a
# value each 2 / 45 at most.
_ENOUGH = {NO_WIDTH: 6, NO_SPREAD: 10}


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
        if found.why_no_ci in _ENOUGH:
            return found.value > 0 and found.n >= _ENOUGH[found.why_no_ci]
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
    level = 1 - 0.05 / (len(shares) - 1)
    both = _counted(batches, rubric, names, pairs)
    above = [
        contrast([Moments.of(known[following]), Moments.of(known[one])], (1.0, -1.0), "welch_t", level)[0]
        if not both[one].n
        else mean_figure(both[one], level=level)
        if cluster is None
        else _mean_of_clusters(batches, rubric, names, pairs[one], cluster, level)
        for one in worst
    ]
    least = min(above, key=lambda one: one.ci95[0] if one.ci95 else -math.inf)
    return Weakest(worst, following, shares, _within(least))


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
    whys = [f"why:{name}" for name in names if runs]
    for frame in batches(["item", "rater", *meta, *names, *whys]):
        given = frame.with_columns(
            pl.when(~zero_by_rule(name)).then(pl.col(name)).alias(name) for name in names if runs
        )
        items = panel_means(given, names, ["item"], meta)
        yield items.with_columns(_share(name, rubric) for name in names)


def _mean_of_clusters(
    batches: Batches, rubric: Rubric, names: Sequence[str], wanted: pl.Expr, field: str, level: float
) -> Figure:
    """The mean of a difference over clusters; an item without a value of the field is one of its own."""
    shares = _shares(batches, rubric, names, [field])
    pieces = (shared.select("item", field, wanted.alias(_AWAY)) for shared in shares)
    return mean_over_clusters(cluster_sums(pieces, field, [_AWAY]), _AWAY, level=level)


def _share(name: str, rubric: Rubric) -> pl.Expr:
    low, high = rubric.range(name)
    return (pl.col(name) - low) / (high - low)


def _within(away: Figure) -> Figure:
    """Shares are never further apart than 1."""
    return replace(away, ci95=away.ci95 and (max(away.ci95[0], -1.0), min(away.ci95[1], 1.0)))
