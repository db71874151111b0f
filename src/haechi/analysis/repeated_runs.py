"""Agent runs repeated, or trials of an item: does it succeed every time, and does it score alike?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

import polars as pl

from haechi.analysis.compared_groups import ComparedItems
from haechi.analysis.query_kinds import QUERY, QueryKinds
from haechi.data.agent_run import VERSION
from haechi.frozen import frozen
from haechi.scoring.batches import brought_together
from haechi.scoring.panel import panel_means
from haechi.scoring.repeats import PassRule
from haechi.scoring.rule_zeros import nothing_measured
from haechi.scoring.runs.consistency import REPEATED, query_alone, query_with_version, version_of_query
from haechi.stats import Figure, Stability
from haechi.stats.figure import Lang, undefined
from haechi.stats.repeats import pass_hat_ks, stability_of

MOST_QUERIES = 100_000
"""Up to so many queries it is said of each one how alike its runs are."""
_PASSED = "\0passed:"


@frozen
class RepeatedScore:
    """One score over the runs of every query; `scoring.repeats` says which of them pass."""

    passes_at: float
    pass_hat_k: Mapping[int, Figure]
    stability: Stability

    def unmeasured(self) -> RepeatedScore:
        """The same of a score that is 0 by rule on all runs: it says nothing about others."""
        why = nothing_measured()
        passes = {k: undefined(why, 0, k=k) for k in self.pass_hat_k}
        return replace(self, pass_hat_k=passes)

    def as_json(self, lang: Lang, per_query: Mapping[str, float | None] | None) -> dict[str, Any]:
        """For machines; the share of the most frequent score stands beside the query's name."""
        said = self.stability.as_json(lang) | ({} if per_query is None else {"per_query": per_query})
        passes = {str(k): found.as_json(lang) for k, found in self.pass_hat_k.items()}
        return {"passes_at": self.passes_at, "pass_hat_k": passes, "stability": said}


@frozen
class RepeatedRuns:
    """All scores over the runs of every query of one version, all rounds together; intervals are over queries.

    per_query: for every score the share of each query's most frequent one; None where there are too many queries.
    clustered_by: of what there are several in one query or item, its versions or groups; None where there is one of each.
    groups: the same in every group, of trials of an item and where versions are compared.
    """

    n_queries: int
    criteria: Mapping[str, RepeatedScore]
    per_query: Mapping[str, Mapping[str, float | None]] | None
    clustered_by: Literal["query", "item"] | None = None
    groups: Mapping[str, RepeatedRuns] = field(default_factory=dict)

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        shares = self.per_query or dict.fromkeys(self.criteria)
        criteria = {name: found.as_json(lang, shares[name]) for name, found in self.criteria.items()}
        said: dict[str, Any] = {"n_queries": self.n_queries, "criteria": criteria}
        said |= {"clustered_by": self.clustered_by} if self.clustered_by else {}
        groups = {label: found.as_json(lang) for label, found in self.groups.items()}
        return said | ({"groups": groups} if groups else {})


def repeated_runs(items: ComparedItems) -> RepeatedRuns | None:
    """pass^k and stability of every score of agent runs, else of what is met or unmet and was tried several times.

    None where runs do not say which query they answer, or nothing was tried twice.
    """
    if items.rubric.item == "run":
        make, names, by_group = _runs, items.names, VERSION in items.by
    else:
        binary = (c.score for c in items.rubric.criteria if c.scale.counts_met and c.score in items.names)
        make, names, by_group = _trials, tuple(binary), True
        if not names or not any((frame["replicate"] > 1).any() for frame in items.batches(["replicate"])):
            return None
    ruled = frozenset.intersection(*items.ruled.values()) if items.ruled else frozenset[str]()
    whole = _repeated(items, names, make(items, names), ruled)
    if whole is None or not by_group or len(items.groups) < 2:
        return whole
    groups = {
        label: found
        for label, group in items.groups.items()
        if (found := _repeated(items, names, make(items, names, group.by), items.ruled.get(label, ruled)))
    }
    return replace(whole, groups=groups)


def _repeated(
    items: ComparedItems, names: Sequence[str], pieces: Iterator[pl.DataFrame], ruled: frozenset[str]
) -> RepeatedRuns | None:
    counts = {name: _Queries(PassRule.of(items.rubric, name, items.passes).mark) for name in names}
    order: list[pl.DataFrame] = []
    versions: set[str | None] = set()
    n_queries = n_repeated = longest = 0
    for runs in brought_together(pieces, QUERY, items.n):
        versions.update(runs.select(version_of_query()).to_series().unique().head(2))
        queries = runs.group_by(QUERY, REPEATED, maintain_order=True).agg(pl.col("\0at").first(), pl.len())
        n_queries, n_repeated = n_queries + queries[QUERY].n_unique(), n_repeated + queries.height
        longest = max(longest, int(queries["len"].max() or 0))  # type: ignore[arg-type]
        shares = [
            counts[name].add(runs.select(QUERY, REPEATED, score=pl.col(name), passed=pl.col(_PASSED + name)))
            for name in names
        ]
        if n_repeated <= MOST_QUERIES:
            named = (share.alias(name) for share, name in zip(shares, names, strict=True))
            order.append(queries.select(REPEATED, "\0at").hstack(list(named)))
    if not n_queries:
        return None
    per_query, several = None, len(versions) > 1
    if n_repeated <= MOST_QUERIES:
        ordered = pl.concat(order).sort("\0at")
        labels = ordered.select(query_with_version() if several else query_alone()).to_series().to_list()
        per_query = {name: dict(zip(labels, ordered[name].to_list(), strict=True)) for name in names}
    found = {name: one.figures(longest) for name, one in counts.items()}
    for name in ruled:
        found[name] = found[name].unmeasured()
    shared: Literal["query", "item"] = "query" if items.rubric.item == "run" else "item"
    return RepeatedRuns(n_queries, found, per_query, shared if n_repeated > n_queries else None)


def _trials(
    items: ComparedItems, names: Sequence[str], only: Mapping[str, str] | None = None
) -> Iterator[pl.DataFrame]:
    """The trials of items, one row each, numbered: the mean over their raters; of one group where it is named."""
    from haechi.scoring.plain_tables import BASE_ITEM  # and all that reads files

    before, shared = 0, BASE_ITEM if BASE_ITEM in next(items.batches()).columns else "item"
    for frame in items.batches(
        list(dict.fromkeys([*items.by, shared, "item", "rater", "replicate", *names]))
    ):
        own = _of_group(frame.drop_nulls(list(items.by)), only)
        keys = list(dict.fromkeys([*items.by, shared, "item", "replicate"]))
        runs = own.group_by(keys, maintain_order=True).agg(pl.col(name).mean() for name in names)
        rules = [PassRule.of(items.rubric, name, items.passes) for name in names]
        reached = ((pl.col(rule.score) >= rule.mark).alias(_PASSED + rule.score) for rule in rules)
        made = runs.select(pl.col(shared).alias(QUERY), pl.col("item").alias(REPEATED), *names, *reached)
        yield made.with_columns(pl.int_range(before, before + made.height).alias("\0at"))
        before += made.height


def _of_group(rows: pl.DataFrame, only: Mapping[str, str] | None) -> pl.DataFrame:
    for name, value in (only or {}).items():
        rows = rows.filter(pl.col(name).cast(pl.String) == value)
    return rows


def _runs(
    items: ComparedItems, names: Sequence[str], only: Mapping[str, str] | None = None
) -> Iterator[pl.DataFrame]:
    """The runs that are compared, one row each, numbered; of one group where it is named."""
    keys, before = list(dict.fromkeys([*items.by, "item"])), 0
    rules = [PassRule.of(items.rubric, name, items.passes) for name in names]
    about = list(dict.fromkeys(column for rule in rules for column in rule.beside))
    beside = [name for name in (REPEATED, *about) if name not in keys]
    passes = [rule.passed.alias(_PASSED + rule.score) for rule in rules]
    for frame in items.batches(list(dict.fromkeys([*keys, "rater", REPEATED, *names, *about]))):
        runs = panel_means(_of_group(frame, only), names, keys, beside)
        runs = runs.drop_nulls([REPEATED, *items.by]).unique("item", keep="first", maintain_order=True)
        runs = runs.with_columns(query_alone().alias(QUERY), *passes).drop(about)
        yield runs.with_columns(pl.int_range(before, before + runs.height).alias("\0at"))
        before += runs.height


class _Queries:
    """Queries counted by how many runs they have, of how many it is decided, how many pass, and how often the most frequent score comes."""

    def __init__(self, passes_at: float) -> None:
        self._passes_at, self._variances = passes_at, 0.0
        self._kinds = QueryKinds(["runs", "decided", "passed", "most"])

    def add(self, runs: pl.DataFrame) -> pl.Series:
        """Count all runs of some queries; the share of each one's most frequent score, version by version, in their order."""
        score = pl.col("score").cast(pl.Float64)
        of_query = runs.group_by(QUERY, REPEATED, maintain_order=True).agg(
            runs=score.count(),
            decided=pl.col("passed").count(),
            passed=pl.col("passed").sum(),
            variance=score.var(),
        )
        alike = (
            runs.drop_nulls("score")
            .group_by(REPEATED, "score")
            .len()
            .group_by(REPEATED)
            .agg(most=pl.max("len"))
        )
        made = of_query.join(alike, on=REPEATED, how="left", maintain_order="left").fill_null(0)
        self._variances += float(made["variance"].sum())
        self._kinds.add(made)
        return made.select(pl.when(pl.col("runs") > 1).then(pl.col("most") / pl.col("runs"))).to_series()

    def figures(self, longest: int) -> RepeatedScore:
        """What was counted, in figures; longest: the most runs that a query has."""
        runs, decided, passes, most = self._kinds.by_version()
        chances = pass_hat_ks(decided, passes, self._kinds.n, longest)
        return RepeatedScore(
            self._passes_at, chances, stability_of(runs, most, self._kinds.n, self._variances)
        )
