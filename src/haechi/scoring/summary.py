"""The summary of scores: the whole set and every group, in counts that grow with groups and values, never with rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from haechi.data.fields import OF_ROWS
from haechi.rubrics import Rubric
from haechi.scoring.figures import Occurrences, figures_of
from haechi.scoring.panel import panel_means
from haechi.scoring.runs.measure import KEPT
from haechi.scoring.runs.points import BY_RULE, REASONS, WITHOUT, totals_of_runs, zero_by_rule
from haechi.text import language

if TYPE_CHECKING:
    from haechi.stats.figure import Figure

Interval = tuple[float, float]

MOST_INTERVALS = 100
"""A grouping of more groups has no intervals: nobody reads them, and those of a million groups would take minutes."""
_BY = "by:"  # fields to group by are kept apart from our own columns, whatever they are called
_SUM = "sum:"  # what is added up over the runs of a group beside their number
_CLASS_UNKNOWN = f"{_SUM}class unknown"


class OverItems(NamedTuple):
    """A score over the items, each with the mean of its raters: what reports and gates say of it."""

    n: int
    mean: float | None
    sd: float | None
    ci95: Interval | None
    median: float | None = None

    def over_clusters(self, found: Figure) -> OverItems:
        """The same with the interval over clusters of items, or none where there is none."""
        return self._replace(ci95=None if self.mean is None else found.ci95)


@dataclass(frozen=True)
class ScoreFigures:
    """One score of a group: mean, n, median, distribution and missing are those of all ratings.

    counted: the score of every item that has it; bounds: its range; interval: whether its mean is to have an interval;
    by_rule: how many are 0 because there was nothing to measure, by reason; measured: of a total that has such parts, its
    value without them; clustered: the interval over clusters of items, where they come in such; clustered_without: that
    of the total without such parts.

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
    by_rule: Mapping[str, int] = field(default_factory=dict)
    measured: Occurrences | None = None
    clustered: Figure | None = None
    clustered_without: Figure | None = None

    def over_clusters(self, found: Figure | None, without: Figure | None) -> ScoreFigures:
        """The same with intervals over clusters of items; None leaves one as it is."""
        made = replace(self, clustered=found, clustered_without=without)
        if not self.counted:  # it was read, and is not to be computed again
            vars(made)["over_items"] = _clustered(self.over_items, found, self.interval)
            own = self.without_zero_by_rule
            vars(made)["without_zero_by_rule"] = own and _clustered(own, without, self.interval)
        return made

    @cached_property
    def over_items(self) -> OverItems:
        """The figures of the report, computed when first asked for."""
        found = _over_items(self.counted, self.bounds, self.interval)
        return _clustered(found, self.clustered, self.interval)

    @cached_property
    def without_zero_by_rule(self) -> OverItems | None:
        """The same of a total without its parts that are 0 by rule; None where it has none."""
        if self.measured is None:
            return None
        found = _over_items(self.measured, self.bounds, self.interval)
        return _clustered(found, self.clustered_without, self.interval)

    @property
    def zeros_by_rule(self) -> int:
        """How many are 0 because there was nothing to measure."""
        return sum(self.by_rule.values())

    @property
    def why_by_rule(self) -> str:
        """The reasons for these, in words."""
        return ", ".join(REASONS[code].say() for code in self.by_rule)

    @property
    def share_ci95(self) -> Interval | None:
        """Of a yes-or-no criterion: Wilson's interval of the share of all ratings that say yes."""
        from haechi.stats.proportion import wilson

        return wilson((self.distribution or {}).get("1", 0), self.n).ci95

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        items, without = self.over_items, self.without_zero_by_rule
        more: dict[str, Any] = {}
        if self.by_rule:
            more["zero_by_rule"] = {
                "n": self.zeros_by_rule,
                "why": self.why_by_rule,
                "reasons": dict(self.by_rule),
            }
        if self.clustered is not None and self.clustered.why_no_ci is not None and self.interval:
            more["why_no_ci95"] = self.clustered.why_no_ci.say(language())
        if without is not None:
            more["without_zero_by_rule"] = without._asdict() | {"ci95": without.ci95 and list(without.ci95)}
        return {
            "mean": self.mean,
            "n": self.n,
            "sd": items.sd,
            "median": self.median,
            "distribution": self.distribution,
            "missing": self.missing,
            "ci95": None if items.ci95 is None else list(items.ci95),
            "mean_over_items": items.mean,
            **more,
        }


def _clustered(found: OverItems, clustered: Figure | None, interval: bool) -> OverItems:
    return found if clustered is None or not interval else found.over_clusters(clustered)


def _over_items(counted: Occurrences, bounds: Interval | None, interval: bool) -> OverItems:
    import numpy as np  # and all statistics with it

    from haechi.stats.groups import describe_one
    from haechi.stats.sample import Sample

    ordered = sorted(counted)
    values = np.array([value for value, _ in ordered], dtype=np.float64)
    sample = Sample(values, np.array([times for _, times in ordered], dtype=np.int64))
    if not interval and sample.n > 1:
        return OverItems(sample.n, sample.mean, sample.sd, None, sample.median)
    group = describe_one("", sample, sample.n, bounds)
    return OverItems(group.n, group.mean.value, group.sd.value, group.mean.ci95, group.median.value)


class Seconds(NamedTuple):
    """The mean response time of agent runs, how many have one, and how many have none."""

    mean: float | None
    n: int
    without_time: int


@dataclass(frozen=True)
class SummaryRow:
    """One group: the fields that make it (none for the whole set), its rows and items, and every score.

    seconds: response times of agent runs; of one tool class under the name of its latency score. class_unknown: how many
    runs count as SINGLE because neither they nor others of their query tell their class.

    >>> row = SummaryRow({"mode": "a"}, 2, 1, {"total": ScoreFigures(3.0, 2, 3.0, None, 0, [(3.0, 1)])})
    >>> row.as_json()["scores"]["total"]["mean_over_items"], SummaryRow.read(row.as_json()).as_json() == row.as_json()
    (3.0, True)
    """

    by: Mapping[str, str | None]
    n: int
    n_items: int
    scores: Mapping[str, ScoreFigures]
    seconds: Seconds | None = None
    seconds_by_class: Mapping[str, Seconds] = field(default_factory=dict)
    class_unknown: int = 0

    def over_clusters(self, found: Mapping[str, Figure]) -> SummaryRow:
        """The same with the intervals over clusters of items, by the names of the scores."""
        scores = {
            name: of.over_clusters(found.get(name), found.get(WITHOUT + name))
            for name, of in self.scores.items()
        }
        return replace(self, scores=scores)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        seconds: dict[str, Any] = {}
        if self.seconds is not None:
            seconds["seconds"] = self.seconds._asdict()
            seconds["seconds_by_class"] = {name: one._asdict() for name, one in self.seconds_by_class.items()}
            seconds["class_unknown"] = self.class_unknown
        scores = {name: figures.as_json() for name, figures in self.scores.items()}
        return {"by": dict(self.by), "n": self.n, "n_items": self.n_items, **seconds, "scores": scores}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> SummaryRow:
        """A row as it was written, of agent runs that code alone rated: each is one item."""
        scores: dict[str, ScoreFigures] = {}
        for name, of in said["scores"].items():
            by_rule = of.get("zero_by_rule", {}).get("reasons", {})
            made = ScoreFigures(
                of["mean"], of["n"], of["median"], of["distribution"], of["missing"], by_rule=by_rule
            )
            # What was computed when it was written; the counts behind it were not kept.
            vars(made)["over_items"] = OverItems(of["n"], of["mean_over_items"], of["sd"], _ends(of["ci95"]))
            if "without_zero_by_rule" in of:
                own = of["without_zero_by_rule"]
                vars(made)["without_zero_by_rule"] = OverItems(**own | {"ci95": _ends(own["ci95"])})
            scores[name] = made
        seconds = Seconds(**said["seconds"]) if "seconds" in said else None
        by_class = {name: Seconds(**one) for name, one in said.get("seconds_by_class", {}).items()}
        unknown = said.get("class_unknown", 0)
        return cls(said["by"], said["n"], said["n_items"], scores, seconds, by_class, unknown)


def _ends(given: Sequence[float] | None) -> Interval | None:
    return None if given is None else (given[0], given[1])


class _Counts(NamedTuple):
    """Of one grouping: a table of the rows and one of the values of each score; the same of the items if they differ."""

    rows: list[pl.DataFrame]
    items: list[pl.DataFrame] | None


Counts = dict[tuple[str, ...], _Counts]
Key = tuple[Any, ...]


class _Kept:
    """Tables of counts that are added up when they have grown beyond the first."""

    def __init__(self, tables: Iterable[pl.DataFrame] = ()) -> None:
        self.tables = list(tables)

    def add(self, counted: pl.DataFrame) -> None:
        self.tables.append(counted)
        if sum(map(len, self.tables[1:])) > len(self.tables[0]) + 10_000:
            self.tables = [self.total()]

    def total(self) -> pl.DataFrame:
        keys = [name for name in self.tables[0].columns if name != "n" and not name.startswith(_SUM)]
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
        self._totals = totals_of_runs(rubric) if names is None else []
        self._values = (*self._scores, *(WITHOUT + name for name in self._totals))
        self._by = ((), *by)
        self._rows = {fields: [_Kept() for _ in ("rows", *self._values)] for fields in self._by}
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
            rows = scored if set(OF_ROWS) & set(fields) else runs
            items = None
            if several:
                means = panel_means(rows, self._values, list(dict.fromkeys([*fields, "item"])))
                items = self._counted(means, fields)
            counted[fields] = _Counts(self._counted(rows, fields), items)
        return counted

    def _per_run(self, scored: pl.DataFrame) -> pl.DataFrame:
        others = [name for name in scored.columns if name not in ("item", "rater", *self._values)]
        return panel_means(scored, self._values, ["item"], others)

    def _counted(self, scored: pl.DataFrame, fields: tuple[str, ...]) -> list[pl.DataFrame]:
        keys = [_BY + name for name in fields]
        sums = self._sums(scored)
        frame = scored.lazy().select(
            *(field_of(scored, name).alias(_BY + name) for name in fields),
            *self._values,
            *(e.alias(n) for n, e in sums.items()),
        )
        added = [pl.col(name).sum() for name in sums]
        counts = [frame.group_by(keys or pl.lit(0).alias("all")).agg(pl.len().alias("n"), *added)]
        for score in self._values:
            present = frame.filter(pl.col(score).is_not_null())
            value = pl.col(score).cast(pl.Float64).alias("value")
            counts.append(present.group_by(*keys, value).agg(n=pl.len()))
        return pl.collect_all(counts)

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

    def keep(self, counted: Counts) -> None:
        """Add the counts of a batch to those of the others."""
        if self._items is None and any(counts.items is not None for counts in counted.values()):
            self._items = {
                fields: [_Kept(map(_only_counts, kept.tables)) for kept in every]
                for fields, every in self._rows.items()
            }
        for fields, (rows, items) in counted.items():
            _add(self._rows[fields], rows)
            if self._items is not None:
                _add(self._items[fields], [*map(_only_counts, rows)] if items is None else items)

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
        rows, *values = self._rows[fields]
        items, *means = self._rows[fields] if self._items is None else self._items[fields]
        sums, n_items = _rows_of(rows, fields), _rows_of(items, fields)
        of_rows, of_items = (
            {name: _values_of(kept, fields) for name, kept in zip(self._values, every, strict=True)}
            for every in (values, means)
        )
        order = sorted(sums, key=_by_number if self._rubric.item == "run" else _by_name)
        made = []
        for key in order:
            row = sums[key]
            scores = {}
            for name in self._scores:
                found = figures_of(of_rows[name].get(key, []), name, self._rubric)
                scores[name] = ScoreFigures(
                    found["mean"],
                    found["n"],
                    found["median"],
                    found["distribution"],
                    row["n"] - found["n"],
                    of_items[name].get(key, []),
                    self._rubric.range(name),
                    interval=len(order) <= MOST_INTERVALS,
                    by_rule=_by_rule(row, name),
                    measured=self._without(name, row, of_items, key),
                )
            made.append(
                SummaryRow(
                    dict(zip(fields, key, strict=True)),
                    row["n"],
                    n_items[key]["n"],
                    scores,
                    _seconds(row, ""),
                    {name: one for name in self._classes if (one := _seconds(row, name)) is not None},
                    row.get(_CLASS_UNKNOWN, 0),
                )
            )
        return made

    def _without(
        self, name: str, row: Mapping[str, Any], items: Mapping[str, Mapping[Key, Occurrences]], key: Key
    ) -> Occurrences | None:
        """Of a total some part of which is 0 by rule, what it is without that."""
        if name not in self._totals or not any(_by_rule(row, c) for c in self._rubric.criteria_of(name)):
            return None
        return items[WITHOUT + name].get(key, [])


def _rows_of(kept: _Kept, fields: tuple[str, ...]) -> dict[Key, dict[str, Any]]:
    """The number of rows and the sums of every group."""
    total = kept.total()
    return {tuple(row[_BY + name] for name in fields): row for row in total.iter_rows(named=True)}


def _values_of(kept: _Kept, fields: tuple[str, ...]) -> dict[Key, list[tuple[float, int]]]:
    """Of every group how often each value occurs."""
    groups: dict[Key, list[tuple[float, int]]] = {}
    for *key, value, n in kept.total().select(*(_BY + name for name in fields), "value", "n").iter_rows():
        groups.setdefault(tuple(key), []).append((value, n))
    return groups


def _by_rule(row: Mapping[str, Any], name: str) -> dict[str, int]:
    counted = {code: row.get(f"{_SUM}{code}:{name}", 0) for code in BY_RULE}
    return {code: n for code, n in counted.items() if n}


def _seconds(row: Mapping[str, Any], name: str) -> Seconds | None:
    if f"{_SUM}runs:{name}" not in row:
        return None
    runs, timed, total = (row[f"{_SUM}{what}:{name}"] for what in ("runs", "timed", "seconds"))
    return Seconds(total / timed if timed else None, timed, runs - timed)


def _add(kept: Sequence[_Kept], counted: Sequence[pl.DataFrame]) -> None:
    for one, more in zip(kept, counted, strict=True):
        one.add(more)


def _only_counts(counted: pl.DataFrame) -> pl.DataFrame:
    """Counts of items have no sums: those are of rows."""
    return counted.drop(pl.selectors.starts_with(_SUM))


def field_of(scored: pl.DataFrame, name: str) -> pl.Expr:
    """A field to group or select by, as text; one that was carried along comes before a column of the same name."""
    carried = KEPT + name
    return pl.col(carried if carried in scored.columns else name).cast(pl.String)


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
