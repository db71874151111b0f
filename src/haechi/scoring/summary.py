"""The summary of scores: the whole set and every group, in counts that grow with groups and values, never with rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.figures import Occurrences, figures_of
from haechi.scoring.panel import panel_means
from haechi.scoring.runs.measure import KEPT

Interval = tuple[float, float]

MOST_INTERVALS = 100
"""A grouping of more groups has no intervals: nobody reads them, and those of a million groups would take minutes."""
_BY = "by:"  # fields to group by are kept apart from our own columns, whatever they are called


class OverItems(NamedTuple):
    """A score over the items, each with the mean of its raters: what reports and gates say of it."""

    n: int
    mean: float | None
    sd: float | None
    ci95: Interval | None


@dataclass(frozen=True)
class ScoreFigures:
    """One score of a group: mean, n, median, distribution and missing are those of all ratings.

    counted: the score of every item that has it; bounds: its range; interval: whether its mean is to have an interval.

    >>> items = [(1.0, 1), (0.0, 1)]
    >>> figures = ScoreFigures(0.5, 2, 0.5, {"0": 1, "1": 1}, missing=0, counted=items, bounds=(0.0, 1.0))
    >>> [round(end, 2) for end in figures.over_items.ci95], round(figures.over_items.sd, 4)
    ([0.09, 0.91], 0.7071)
    """

    mean: float | None
    n: int
    median: float | None
    distribution: Mapping[str, int] | None
    missing: int
    counted: Occurrences = ()
    bounds: Interval | None = None
    interval: bool = True

    @cached_property
    def over_items(self) -> OverItems:
        """The figures of the report, computed when first asked for."""
        import numpy as np  # and all statistics with it

        from haechi.stats.groups import describe_one
        from haechi.stats.sample import Sample

        ordered = sorted(self.counted)
        values = np.array([value for value, _ in ordered], dtype=np.float64)
        sample = Sample(values, np.array([times for _, times in ordered], dtype=np.int64))
        if not self.interval and sample.n > 1:
            return OverItems(sample.n, sample.mean, sample.sd, None)
        group = describe_one("", sample, sample.n, self.bounds)
        return OverItems(group.n, group.mean.value, group.sd.value, group.mean.ci95)

    @property
    def share_ci95(self) -> Interval | None:
        """Of a yes-or-no criterion: Wilson's interval of the share of all ratings that say yes."""
        from haechi.stats.proportion import wilson

        return wilson((self.distribution or {}).get("1", 0), self.n).ci95

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        items = self.over_items
        return {
            "mean": self.mean,
            "n": self.n,
            "sd": items.sd,
            "median": self.median,
            "distribution": self.distribution,
            "missing": self.missing,
            "ci95": None if items.ci95 is None else list(items.ci95),
            "mean_over_items": items.mean,
        }


class Seconds(NamedTuple):
    """The mean response time of agent runs, and how many have one."""

    mean: float | None
    n: int


@dataclass(frozen=True)
class SummaryRow:
    """One group: the fields that make it (none for the whole set), its rows and items, and every score.

    >>> row = SummaryRow({"mode": "a"}, 2, 1, {"total": ScoreFigures(3.0, 2, 3.0, None, 0, [(3.0, 1)])})
    >>> row.as_json()["scores"]["total"]["mean_over_items"], SummaryRow.read(row.as_json()).as_json() == row.as_json()
    (3.0, True)
    """

    by: Mapping[str, str | None]
    n: int
    n_items: int
    scores: Mapping[str, ScoreFigures]
    seconds: Seconds | None = None

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        seconds = {} if self.seconds is None else {"seconds": self.seconds._asdict()}
        scores = {name: figures.as_json() for name, figures in self.scores.items()}
        return {"by": dict(self.by), "n": self.n, "n_items": self.n_items, **seconds, "scores": scores}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> SummaryRow:
        """A row as it was written, of agent runs that code alone rated: each is one item."""
        scores: dict[str, ScoreFigures] = {}
        for name, of in said["scores"].items():
            made = ScoreFigures(of["mean"], of["n"], of["median"], of["distribution"], of["missing"])
            ends = of["ci95"] and (of["ci95"][0], of["ci95"][1])
            # What was computed when it was written; the counts behind it were not kept.
            vars(made)["over_items"] = OverItems(of["n"], of["mean_over_items"], of["sd"], ends)
            scores[name] = made
        seconds = Seconds(**said["seconds"]) if "seconds" in said else None
        return cls(said["by"], said["n"], said["n_items"], scores, seconds)


class _Counts(NamedTuple):
    """Of one grouping: a table of the rows and one of the values of each score; the same of the items if they differ."""

    rows: list[pl.DataFrame]
    items: list[pl.DataFrame] | None


Counts = dict[tuple[str, ...], _Counts]


class _Kept:
    """Tables of counts that are added up when they have grown beyond the first."""

    def __init__(self, tables: Iterable[pl.DataFrame] = ()) -> None:
        self.tables = list(tables)

    def add(self, counted: pl.DataFrame) -> None:
        self.tables.append(counted)
        if sum(map(len, self.tables[1:])) > len(self.tables[0]) + 10_000:
            self.tables = [self.total()]

    def total(self) -> pl.DataFrame:
        keys = [name for name in self.tables[0].columns if name not in ("n", "timed", "seconds")]
        return pl.concat(self.tables).group_by(keys).sum()


class Summary:
    """Counts every score of every group; means, distributions and intervals follow from the counts.

    An item counts among the items of a group with the mean of its raters there. An agent run is measured once, whoever
    judges it: it counts once among the rows too, unless they are grouped by rater.

    >>> import haechi
    >>> summary = Summary(haechi.rubric("diary-comment"), [("system",)], ["sensibleness"])
    >>> rows = {"item": ["a", "a", "b"], "rater": ["x", "y", "x"], "system": ["A", "A", "B"]}
    >>> summary.add(pl.DataFrame({**rows, "sensibleness": [1.0, 1.0, 0.0]}))
    >>> [(dict(row.by), row.n, row.n_items, row.scores["sensibleness"].mean) for row in summary.rows()]
    [({}, 3, 2, 0.6666666666666666), ({'system': 'A'}, 2, 1, 1.0), ({'system': 'B'}, 1, 1, 0.0)]
    >>> summary.rows()[0].scores["sensibleness"].over_items.mean
    0.5
    """

    def __init__(
        self, rubric: Rubric, by: Sequence[tuple[str, ...]], names: Sequence[str] | None = None
    ) -> None:
        self._rubric = rubric
        self._scores = tuple(rubric.score_names if names is None else names)
        self._by = ((), *by)
        self._rows = {fields: [_Kept() for _ in ("rows", *self._scores)] for fields in self._by}
        # None as long as every row is an item: then the counts of the rows are those of the items.
        self._items: dict[tuple[str, ...], list[_Kept]] | None = None

    def add(self, scored: pl.DataFrame) -> None:
        """Count a batch of scored rows; all rows of an item stand in the same one."""
        self.keep(self.counts(scored))

    def counts(self, scored: pl.DataFrame) -> Counts:
        """The counts of a batch; nothing is changed, so that several threads may count at once."""
        several = "rater" in scored.columns and scored["item"].n_unique() < scored.height
        runs = self._per_run(scored) if several and self._rubric.item == "run" else scored
        counted: Counts = {}
        for fields in self._by:
            rows = scored if {"rater", "kind"} & set(fields) else runs
            items = None
            if several:
                means = panel_means(rows, self._scores, list(dict.fromkeys([*fields, "item"])))
                items = self._counted(means, fields)
            counted[fields] = _Counts(self._counted(rows, fields), items)
        return counted

    def _per_run(self, scored: pl.DataFrame) -> pl.DataFrame:
        others = [name for name in scored.columns if name not in ("item", "rater", *self._scores)]
        return panel_means(scored, self._scores, ["item"], others)

    def _counted(self, scored: pl.DataFrame, fields: tuple[str, ...]) -> list[pl.DataFrame]:
        keys = [_BY + name for name in fields]
        timed = [name for name in ("seconds",) if name in scored.columns]
        frame = scored.lazy().select(*(_field(scored, name) for name in fields), *timed, *self._scores)
        times = [pl.col(name).count().alias("timed") for name in timed]
        times += [pl.col(name).sum() for name in timed]
        counts = [frame.group_by(keys or pl.lit(0).alias("all")).agg(pl.len().alias("n"), *times)]
        for score in self._scores:
            present = frame.filter(pl.col(score).is_not_null())
            value = pl.col(score).cast(pl.Float64).alias("value")
            counts.append(present.group_by(*keys, value).agg(n=pl.len()))
        return pl.collect_all(counts)

    def keep(self, counted: Counts) -> None:
        """Add the counts of a batch to those of the others."""
        if self._items is None and any(counts.items is not None for counts in counted.values()):
            self._items = {
                fields: [_Kept(map(_untimed, kept.tables)) for kept in every]
                for fields, every in self._rows.items()
            }
        for fields, (rows, items) in counted.items():
            _add(self._rows[fields], rows)
            if self._items is not None:
                _add(self._items[fields], [*map(_untimed, rows)] if items is None else items)

    @property
    def n(self) -> int:
        """How many rows were counted."""
        return sum(int(counted["n"].sum()) for counted in self._rows[()][0].tables)

    def merge(self, other: Summary) -> None:
        """Add what was counted elsewhere, of other items by the same rubric and groups."""
        for fields, rows in other._rows.items():
            items = None if other._items is None else [kept.total() for kept in other._items[fields]]
            if rows[0].tables:
                self.keep({fields: _Counts([kept.total() for kept in rows], items)})

    def values(self, field: str) -> set[str | None]:
        """The values of a field that is grouped by, alone or crossed with others.

        >>> import haechi
        >>> summary = Summary(haechi.rubric("diary-comment"), [("system",)], ["sensibleness"])
        >>> summary.add(pl.DataFrame({"item": ["a"], "rater": ["x"], "system": ["A"], "sensibleness": [1.0]}))
        >>> summary.values("system")
        {'A'}
        """
        tables = (kept[0].tables for fields, kept in self._rows.items() if field in fields)
        return {value for some in tables for table in some for value in table[_BY + field].to_list()}

    def rows(self) -> list[SummaryRow]:
        """One row for the whole set, then one for each group, in the order of the group's values."""
        return [row for fields in self._by for row in self._groups(fields)]

    def _groups(self, fields: tuple[str, ...]) -> list[SummaryRow]:
        if not self._rows[fields][0].tables:
            return []
        rows, *values = self._grouped(self._rows[fields], fields)
        items, *means = (rows, *values) if self._items is None else self._grouped(self._items[fields], fields)
        order = sorted(rows, key=_by_number if self._rubric.item == "run" else _by_name)
        made = []
        for key in order:
            ((n, *times),) = rows[key]
            ((n_items, *_),) = items[key]
            scores = {}
            for name, counted, of_items in zip(self._scores, values, means, strict=True):
                found = figures_of(counted.get(key, []), name, self._rubric)
                scores[name] = ScoreFigures(
                    found["mean"],
                    found["n"],
                    found["median"],
                    found["distribution"],
                    n - found["n"],
                    of_items.get(key, []),
                    self._rubric.range(name),
                    interval=len(order) <= MOST_INTERVALS,
                )
            seconds = Seconds(times[1] / times[0] if times[0] else None, times[0]) if times else None
            made.append(SummaryRow(dict(zip(fields, key, strict=True)), n, n_items, scores, seconds))
        return made

    def _grouped(
        self, every: Sequence[_Kept], fields: tuple[str, ...]
    ) -> list[dict[tuple[Any, ...], list[tuple[Any, ...]]]]:
        """What was counted, by the values of the fields."""
        found = []
        for kept in every:
            total = kept.total()
            groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
            rest = [name for name in ("value", "n", "timed", "seconds") if name in total.columns]
            for row in total.select(*(_BY + name for name in fields), *rest).iter_rows():
                groups.setdefault(row[: len(fields)], []).append(row[len(fields) :])
            found.append(groups)
        return found


def _add(kept: Sequence[_Kept], counted: Sequence[pl.DataFrame]) -> None:
    for one, more in zip(kept, counted, strict=True):
        one.add(more)


def _untimed(counted: pl.DataFrame) -> pl.DataFrame:
    """Counts of items have no response times: those are of rows."""
    return counted.drop("timed", "seconds", strict=False)


def _field(scored: pl.DataFrame, name: str) -> pl.Expr:
    """A field to group by, as text; one that was carried along comes before a column of the same name."""
    carried = KEPT + name
    return pl.col(carried if carried in scored.columns else name).cast(pl.String).alias(_BY + name)


def _by_name(key: tuple[str | None, ...]) -> list[tuple[bool, str]]:
    """By alphabet, nothing last."""
    return [(part is None, str(part)) for part in key]


def _by_number(key: tuple[str | None, ...]) -> list[tuple[int, int, str]]:
    """Numbers by size, then words by alphabet, nothing last."""
    return [
        (2, 0, "")
        if part is None
        else (0, int(part), part)
        if part.isdecimal() and len(part) < 19
        else (1, 0, part)
        for part in key
    ]
