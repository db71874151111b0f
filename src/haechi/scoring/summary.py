"""The summary of scores: the whole set and every group, in counts that grow with groups and values, never with rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from haechi.data.fields import is_of_rows
from haechi.rubrics import Rubric
from haechi.scoring.batches import KEPT
from haechi.scoring.figures import Occurrences, figures_of
from haechi.scoring.panel import panel_means
from haechi.scoring.runs.points import BY_RULE, WITHOUT, totals_of_runs, zero_by_rule
from haechi.scoring.summary_row import ScoreFigures, Seconds, SummaryRow
from haechi.scoring.tally import VALUE, Counts, N, Tally

if TYPE_CHECKING:
    from haechi.data.group_order import GroupKey

MOST_INTERVALS = 100
"""A grouping of more groups has no intervals: nobody reads them, and those of a million groups would take minutes."""
_BY = "by:"  # fields to group by are kept apart from our own columns, whatever they are called
_ALL = "all"  # one value: what stands for the group where there are no fields
_SUM = "sum:"  # what is added up over the runs of a group beside their number
_CLASS_UNKNOWN = f"{_SUM}class unknown"


class _Counted(NamedTuple):
    """Of one grouping the size of every group, with what is added up in it, and how often every value occurs."""

    sizes: pl.DataFrame
    values: pl.DataFrame

    def without_sums(self) -> _Counted:
        """Counts of items have no sums: those are of rows."""
        return self._replace(sizes=self.sizes.drop(pl.selectors.starts_with(_SUM)))


class _Batch(NamedTuple):
    """The rows of a batch as counted by one grouping; and its items, if they differ."""

    rows: _Counted
    items: _Counted | None


Batch = dict[tuple[str, ...], _Batch]


class _Grouping:
    """What was counted by one grouping so far."""

    def __init__(self, fields: tuple[str, ...], names: Sequence[str]) -> None:
        self.fields, keys = fields, [_BY + name for name in fields]
        self._sizes, self.tally = Counts([_ALL, *keys]), Tally(names, keys)

    def counted(self, scored: pl.DataFrame, sums: Sequence[pl.Expr] = ()) -> _Counted:
        keys = {_BY + name: field_of(scored, name) for name in self.fields}
        frame = scored.with_columns(**keys)
        groups = frame.group_by(pl.lit(0).alias(_ALL), *keys)
        sizes = groups.agg(pl.len().cast(pl.Int64).alias(N), *sums)
        return _Counted(sizes, self.tally.counted(frame))

    def keep(self, counted: _Counted) -> None:
        self._sizes.keep(counted.sizes)
        self.tally.keep(counted.values)

    def total(self) -> _Counted | None:
        return _Counted(self._sizes.total(), self.tally.total()) if self._sizes else None

    def sizes(self) -> dict[GroupKey, dict[str, Any]]:
        """The number of rows and the sums of every group."""
        rows = self._sizes.total().iter_rows(named=True) if self._sizes else ()
        return {tuple(row[_BY + name] for name in self.fields): row for row in rows}

    def values(self) -> dict[GroupKey, Occurrences]:
        """By group and score: every value and how often it occurs."""
        parts = self.tally.values().items()
        return {key: list(zip(of[VALUE].to_list(), of[N].to_list(), strict=True)) for key, of in parts}


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
        self._totals = totals_of_runs(rubric) if names is None else []
        self._values = (*self._scores, *(WITHOUT + name for name in self._totals))
        self._by = ((), *by)
        self._rows = self._groupings()
        # None as long as every row is an item: then the counts of the rows are those of the items.
        self._items: dict[tuple[str, ...], _Grouping] | None = None

    def _groupings(self) -> dict[tuple[str, ...], _Grouping]:
        return {fields: _Grouping(fields, self._values) for fields in self._by}

    def add(self, scored: pl.DataFrame) -> None:
        """Count a batch of scored rows; all rows of an item stand in the same one."""
        self.keep(self.counts(scored))

    def counts(self, scored: pl.DataFrame) -> Batch:
        """The counts of a batch; nothing is changed, so that several threads may count at once."""
        several = "rater" in scored.columns and scored["item"].n_unique() < scored.height
        runs = self._per_run(scored) if several and self._rubric.item == "run" else scored
        counted: Batch = {}
        added = {id(rows): self._with_sums(rows) for rows in (scored, runs)}  # once for all groupings
        for fields, grouping in self._rows.items():
            rows = scored if any(map(is_of_rows, fields)) else runs
            items = None
            if several:
                means = panel_means(rows, self._values, list(dict.fromkeys([*fields, "item"])))
                items = grouping.counted(means)
            counted[fields] = _Batch(grouping.counted(*added[id(rows)]), items)
        return counted

    def _per_run(self, scored: pl.DataFrame) -> pl.DataFrame:
        others = [name for name in scored.columns if name not in ("item", "rater", *self._values)]
        return panel_means(scored, self._values, ["item"], others)

    def _with_sums(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, list[pl.Expr]]:
        """Rows with what is added up of them, and how; most reasons for a zero do not occur, and need no adding."""
        sums = self._sums(rows)
        rows = rows.with_columns(**sums)
        occurs = rows.select((pl.col(name) != 0).any() for name in sums).row(0) if sums else ()
        return rows, [
            pl.col(name).sum() if any_of_it else pl.lit(0, rows.schema[name]).alias(name)
            for name, any_of_it in zip(sums, occurs, strict=True)
        ]

    def _sums(self, scored: pl.DataFrame) -> dict[str, pl.Expr]:
        """What is added up of agent runs: their seconds, all and by class, and the zeros by rule, by reason."""
        if "seconds" not in scored.columns:
            return {}
        sums: dict[str, pl.Expr] = {}
        for name, only in {"": None, **self._classes}.items():
            in_class = pl.lit(True) if only is None else pl.col("tool_class") == only
            own = pl.when(in_class).then(pl.col("seconds"))
            sums[f"{_SUM}runs:{name}"] = in_class.cast(pl.Int64)
            sums[f"{_SUM}timed:{name}"] = own.is_not_null().cast(pl.Int64)
            sums[f"{_SUM}seconds:{name}"] = own
        for name in self._measured:
            for code in BY_RULE:
                sums[f"{_SUM}{code}:{name}"] = zero_by_rule(name, code).cast(pl.Int64)
        sums[_CLASS_UNKNOWN] = (pl.col("class_by") == "nobody").cast(pl.Int64)
        return sums

    @property
    def _classes(self) -> dict[str, str]:
        return {c.score: c.only for c in self._rubric.criteria if c.only is not None}

    @property
    def _measured(self) -> list[str]:
        return [c.score for c in self._rubric.criteria if c.rated_by == "code" and c.score in self._scores]

    def keep(self, counted: Batch) -> None:
        """Add the counts of a batch to those of the others."""
        if self._items is None and any(batch.items is not None for batch in counted.values()):
            self._items = self._groupings()
            for fields, grouping in self._rows.items():
                before = grouping.total()
                if before is not None:
                    self._items[fields].keep(before.without_sums())
        for fields, (rows, items) in counted.items():
            self._rows[fields].keep(rows)
            if self._items is not None:
                self._items[fields].keep(rows.without_sums() if items is None else items)

    @property
    def n(self) -> int:
        """How many rows were counted."""
        return sum(row[N] for row in self._rows[()].sizes().values())

    def merge(self, other: Summary) -> None:
        """Add what was counted elsewhere, of other items by the same rubric and groups."""
        for fields, grouping in other._rows.items():
            rows = grouping.total()
            items = None if other._items is None else other._items[fields].total()
            if rows is not None:
                self.keep({fields: _Batch(rows, items)})

    def values(self, field: str) -> set[str | None]:
        """The values of a field that is grouped by, alone or crossed with others.

        >>> import haechi
        >>> summary = Summary(haechi.rubric("diary-comment"), [("system",)], ["sensibleness"])
        >>> summary.add(pl.DataFrame({"item": ["a"], "rater": ["x"], "system": ["A"], "sensibleness": [1.0]}))
        >>> summary.values("system")
        {'A'}
        """
        groupings = (one for fields, one in self._rows.items() if field in fields)
        return {row[_BY + field] for one in groupings for row in one.sizes().values()}

    def rows(self) -> list[SummaryRow]:
        """One row for the whole set, then one for each group, in the order of the groups."""
        return [row for fields in self._by for row in self._groups(fields)]

    def _groups(self, fields: tuple[str, ...]) -> list[SummaryRow]:
        rows, items = self._rows[fields], (self._items or self._rows)[fields]
        sums, n_items = rows.sizes(), items.sizes()
        of_rows = rows.values()
        of_items = of_rows if items is rows else items.values()
        order = _in_order(fields, sums)
        made = []
        for key in order:
            row = sums[key]
            scores = {}
            for name in self._scores:
                found = figures_of(of_rows.get((*key, name), []), name, self._rubric)
                labels = not self._rubric.has_mean(name)
                scores[name] = ScoreFigures(
                    None if labels else found["mean"],
                    found["n"],
                    found["distribution"],
                    row[N] - found["n"],
                    of_items.get((*key, name), []),
                    self._rubric.range(name),
                    interval=len(order) <= MOST_INTERVALS,
                    by_rule=_by_rule(row, name),
                    measured=self._without(name, row, of_items, key),
                    labels=labels,
                )
            made.append(
                SummaryRow(
                    dict(zip(fields, key, strict=True)),
                    row[N],
                    n_items[key][N],
                    scores,
                    _seconds(row, ""),
                    {name: one for name in self._classes if (one := _seconds(row, name)) is not None},
                    row.get(_CLASS_UNKNOWN, 0),
                )
            )
        return made

    def _without(
        self, name: str, row: Mapping[str, Any], items: Mapping[GroupKey, Occurrences], key: GroupKey
    ) -> Occurrences | None:
        """Of a total some part of which is 0 by rule, what it is without that."""
        if name not in self._totals or not any(_by_rule(row, c) for c in self._rubric.criteria_of(name)):
            return None
        return items.get((*key, WITHOUT + name), [])


def _by_rule(row: Mapping[str, Any], name: str) -> dict[str, int]:
    counted = {code: row.get(f"{_SUM}{code}:{name}", 0) for code in BY_RULE}
    return {code: n for code, n in counted.items() if n}


def _seconds(row: Mapping[str, Any], name: str) -> Seconds | None:
    if f"{_SUM}runs:{name}" not in row:
        return None
    runs, timed, total = (row[f"{_SUM}{what}:{name}"] for what in ("runs", "timed", "seconds"))
    return Seconds(total / timed if timed else None, timed, runs - timed)


def field_of(scored: pl.DataFrame, name: str) -> pl.Expr:
    """A field to group or select by, as text; one that was carried along comes before a column of the same name."""
    carried = KEPT + name
    return pl.col(carried if carried in scored.columns else name).cast(pl.String)


def _in_order(fields: tuple[str, ...], keys: Collection[GroupKey]) -> list[GroupKey]:
    if not fields:
        return list(keys)
    from haechi.data.group_order import group_orders, in_order  # most tables are asked for no groups

    return in_order(keys, group_orders(fields, keys))
