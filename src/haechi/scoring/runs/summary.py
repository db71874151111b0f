"""Summaries of scores that grow with the number of groups and distinct scores, never with the number of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.figures import figures_of
from haechi.scoring.runs.measure import KEPT

# Fields to group by are kept apart from our own columns, whatever they are called.
_BY = "by:"

Counts = dict[tuple[str, ...], list[pl.DataFrame]]
"""For every grouping a table of the runs, and one of the values of each score."""


class Summary:
    """Counts every score of every group; means and distributions follow from the counts.

    >>> import haechi
    >>> summary = Summary(haechi.rubric("hiring-agent").without(("intent", "consistency")), (("round",),))
    >>> scores = {"latency_single": [5.0, 4.0], "latency_multi": [None] * 2, "stability": [5.0] * 2, "overall": [4.0] * 2}
    >>> runs = {"round": ["1", "2"], "accuracy": [5.0, 4.0], "seconds": [1.0, None]}
    >>> frame = pl.DataFrame(runs | scores, schema_overrides=dict.fromkeys(scores, pl.Float64))
    >>> summary.add(frame)
    >>> [(row["by"], row["n"], row["scores"]["accuracy"]["mean"]) for row in summary.rows()]
    [({}, 2, 4.5), ({'round': '1'}, 1, 5.0), ({'round': '2'}, 1, 4.0)]
    """

    def __init__(self, rubric: Rubric, by: Sequence[tuple[str, ...]]) -> None:
        self._rubric = rubric
        self._scores = rubric.score_names
        self._by = ((), *by)
        self._runs: dict[tuple[str, ...], list[pl.DataFrame]] = {names: [] for names in self._by}
        self._values: dict[tuple[tuple[str, ...], str], list[pl.DataFrame]] = {
            (names, score): [] for names in self._by for score in self._scores
        }

    def add(self, scored: pl.DataFrame) -> None:
        """Count a batch of scored runs."""
        self.keep(self.counts(scored))

    def counts(self, scored: pl.DataFrame) -> Counts:
        """The counts of a batch; nothing is changed, so that several threads may count at once."""
        counted = {}
        for names in self._by:
            keys = [_BY + name for name in names]
            fields = [_field(scored, name) for name in names]
            frame = scored.lazy().select(*fields, "seconds", *self._scores)
            grouped = frame.group_by(keys or pl.lit(0).alias("all"))
            times = pl.col("seconds")
            counts = [grouped.agg(n=pl.len(), timed=times.count(), seconds=times.sum())]
            for score in self._scores:
                present = frame.filter(pl.col(score).is_not_null())
                counts.append(present.group_by(*keys, pl.col(score).alias("value")).agg(n=pl.len()))
            counted[names] = pl.collect_all(counts)
        return counted

    def keep(self, counted: Counts) -> None:
        """Add the counts of a batch to those of the others."""
        for names, (runs, *values) in counted.items():
            self._keep(self._runs[names], runs)
            for score, one in zip(self._scores, values, strict=True):
                self._keep(self._values[names, score], one)

    @property
    def n(self) -> int:
        """How many runs were counted."""
        return sum(int(counted["n"].sum()) for counted in self._runs[()])

    def merge(self, other: Summary) -> None:
        """Add what was counted elsewhere, of other runs by the same rubric and groups."""
        for names, runs in other._runs.items():
            if runs:
                self._keep(self._runs[names], _total(runs))
        for key, values in other._values.items():
            if values:
                self._keep(self._values[key], _total(values))

    @staticmethod
    def _keep(kept: list[pl.DataFrame], counted: pl.DataFrame) -> None:
        """Add counts to those kept; the sum is taken when the list has grown beyond its first table."""
        kept.append(counted)
        if sum(map(len, kept[1:])) > len(kept[0]) + 10_000:
            kept[:] = [_total(kept)]

    def rows(self) -> list[dict[str, Any]]:
        """One row for the whole set, then one for each group, in the order of the group's values."""
        return [row for names in self._by for row in self._rows(names)]

    def _rows(self, names: tuple[str, ...]) -> list[dict[str, Any]]:
        if not self._runs[names]:
            return []
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for row in _total(self._runs[names]).iter_rows(named=True):
            key = tuple(row[_BY + name] for name in names)
            mean = row["seconds"] / row["timed"] if row["timed"] else None
            by = dict(zip(names, key, strict=True))
            found[key] = {"by": by, "n": row["n"], "seconds": {"mean": mean, "n": row["timed"]}, "scores": {}}
        for score in self._scores:
            values: dict[tuple[Any, ...], list[tuple[float, int]]] = {key: [] for key in found}
            for *group, value, n in (
                _total(self._values[names, score])
                .select(*(_BY + name for name in names), "value", "n")
                .iter_rows()
            ):
                values[tuple(group)].append((value, n))
            for key, counted in values.items():
                figures = figures_of(counted, score, self._rubric)
                found[key]["scores"][score] = figures | {"missing": found[key]["n"] - figures["n"]}
        return [found[key] for key in sorted(found, key=_order)]


def _field(scored: pl.DataFrame, name: str) -> pl.Expr:
    """A field to group by, as text; one that was carried along comes before a column of the same name."""
    carried = KEPT + name
    return pl.col(carried if carried in scored.columns else name).cast(pl.String).alias(_BY + name)


def _total(kept: list[pl.DataFrame]) -> pl.DataFrame:
    keys = [name for name in kept[0].columns if name not in ("n", "timed", "seconds")]
    return pl.concat(kept).group_by(keys).sum()


def _order(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers by size, then words by alphabet, nothing last."""
    return tuple(
        (2, 0, "")
        if part is None
        else (0, int(part), part)
        if part.isdecimal() and len(part) < 19
        else (1, 0, part)
        for part in key
    )
