"""What became of every query: runs, passed ones, times and causes, for every version or round of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import polars as pl

from haechi.analysis.query_kinds import QUERY, QueryKinds
from haechi.frozen import frozen
from haechi.scoring.batches import Batches
from haechi.scoring.panel import panel_means
from haechi.scoring.repeats import PassRule
from haechi.scoring.runs.consistency import REPEATED, query_alone
from haechi.scoring.runs.failures import failed, unanswered
from haechi.stats.figure import Figure
from haechi.stats.mcnemar import McNemar, mcnemar
from haechi.stats.repeats import flip_chance, pass_hat_ks, repeats_to_tell

Became = Literal["fixed", "broken", "flaky", "both_passed", "both_failed", "new", "gone", "undecided"]
BECAME: tuple[Became, ...] = get_args(Became)
"""What can become of a query from one version to the next."""
SURE = 0.05
_AT, _VALUE = "at", "value"
_DIGITS = 10  # sums depend in their last digits on the order of the rows, which pieces change
_SUMS = (
    "runs", "decided", "passed", "failed", "unanswered", "main_sum", "main_n", "seconds_sum", "seconds_n",
)  # fmt: skip


@frozen
class QueryResults:
    """Of every query, in every version or round (`value`), its runs counted.

    table: query, value, at (its place among the runs), item (its first run), runs, decided (runs of which is known whether
    they passed), passed, failed, unanswered (no failure), main_sum and main_n of the main score, seconds_sum, seconds_n, slowest.
    causes: query, check, n: how often which check failed.
    repeated: value, decided, passed of every query of one version, whose runs are repeats.
    rule: when a run passes.
    """

    table: pl.DataFrame
    causes: pl.DataFrame
    repeated: pl.DataFrame
    rule: PassRule

    @property
    def queries(self) -> pl.DataFrame:
        """The same of every query over all versions and rounds, in the order of the runs, with the means."""
        whole = self.table.group_by("query").agg(
            pl.col(_AT).min(),
            pl.col("item").sort_by(_AT).first(),
            *(pl.col(name).sum() for name in _SUMS),
            pl.col("slowest").max(),
        )
        return whole.sort(_AT).with_columns(
            mean=_ratio("main_sum", "main_n"), mean_seconds=_ratio("seconds_sum", "seconds_n")
        )

    def passes(self, value: str | None = None) -> dict[int, Figure]:
        """pass^k, that k runs of a query all pass, for k up to 5 and the most runs of a query; of one version, or of all.

        Nothing where no query was tried twice. Intervals are over queries, however many versions were asked.
        """
        own = self.repeated if value is None else self.repeated.filter(pl.col(_VALUE) == value)
        queries = own.group_by(REPEATED).agg(pl.col("decided").sum(), pl.col("passed").sum())
        most = int(queries["decided"].max() or 0)  # type: ignore[arg-type]
        if most < 2:
            return {}
        kinds = QueryKinds(["decided", "passed"])
        kinds.add(queries.with_columns(query_alone().alias(QUERY)))
        decided, passed = kinds.by_version()
        return pass_hat_ks(decided, passed, kinds.n, most)

    def step(self, before: str, after: str) -> VersionStep:
        """What became of every query from one version to another."""
        sides = [
            self.table.filter(pl.col(_VALUE) == value).select(
                "query",
                _AT,
                "item",
                *(pl.col(name).alias(f"{name}_{side}") for name in ("decided", "passed")),
            )
            for side, value in (("a", before), ("b", after))
        ]
        both = sides[0].join(sides[1], on="query", how="full", coalesce=True, suffix="_after")
        both = both.sort(pl.coalesce(_AT, f"{_AT}_after"))
        became = both.with_columns(became=_became(), item=pl.coalesce("item_after", "item"))
        return VersionStep(before, after, became.drop(_AT, f"{_AT}_after", "item_after"))


def _ratio(total: str, n: str) -> pl.Expr:
    return pl.when(pl.col(n) > 0).then(pl.col(total) / pl.col(n))


def _became() -> pl.Expr:
    a, b, a_passed, b_passed = (pl.col(f"{name}_{side}") for name in ("decided", "passed") for side in "ab")
    none_a, none_b, all_a, all_b = a_passed == 0, b_passed == 0, a_passed == a, b_passed == b
    rules: list[tuple[pl.Expr, Became]] = [
        (a.is_null(), "new"),
        (b.is_null(), "gone"),
        ((a == 0) | (b == 0), "undecided"),
        (~(none_a | all_a) | ~(none_b | all_b), "flaky"),
        (none_a & all_b, "fixed"),
        (all_a & none_b, "broken"),
        (all_a & all_b, "both_passed"),
    ]
    found = pl.lit("both_failed")
    for fits, word in reversed(rules):
        found = pl.when(fits).then(pl.lit(word)).otherwise(found)
    return found


@frozen
class VersionStep:
    """From one version (or round) to another: queries: query, item, decided_a, passed_a, decided_b, passed_b, became."""

    before: str
    after: str
    queries: pl.DataFrame

    @property
    def counts(self) -> Mapping[Became, int]:
        """How many queries became what."""
        counted = dict(self.queries["became"].value_counts().iter_rows())
        return {word: int(counted.get(word, 0)) for word in BECAME}

    @property
    def test(self) -> McNemar:
        """Whether more were fixed than broken; queries that were flaky or are in one version only are left out."""
        counts = self.counts
        return mcnemar(counts["both_passed"], counts["broken"], counts["fixed"], counts["both_failed"])

    def of(self, *words: Became) -> pl.DataFrame:
        """The queries that became this, with `sure`: whether they have enough repeats to say so of each of them."""
        own = self.queries.filter(pl.col("became").is_in(words))
        runs = zip(own["decided_a"].to_list(), own["decided_b"].to_list(), strict=True)
        sure = [bool(a and b and flip_chance(a, b) <= SURE) for a, b in runs]
        flaky = pl.col("became") == "flaky"  # it was seen to pass and to fail
        return own.with_columns(sure=flaky | pl.Series(sure, dtype=pl.Boolean))

    @property
    def repeats_needed(self) -> int:
        """How many runs of each version it takes to call a query fixed or broken."""
        return repeats_to_tell(SURE)


def query_results(batches: Batches, rule: PassRule, field: str | None, main: str) -> QueryResults:
    """Count the runs of every query, and those of them that pass.

    field: what tells versions or rounds apart; without it, and of runs that have none, `value` is null.

    >>> import haechi
    >>> from haechi.scoring.batches import in_memory
    >>> runs = {"item": ["a", "b"], "rater": "code", "query": "q1", "version": ["v1", "v2"], "accuracy": [0.0, 5.0]}
    >>> more = {"repeated:query": ["q1 v1", "q1 v2"], "why:accuracy": None, "overall": [1.0, 4.0]}
    >>> more |= {f"details:{name}": None for name in ("failure", "seconds", "failing")}
    >>> frame = pl.DataFrame(runs | more).cast({"why:accuracy": pl.String, "details:failure": pl.String})
    >>> frame = frame.cast({"details:seconds": pl.Float64, "details:failing": pl.String})
    >>> rule = PassRule.of(haechi.rubric("hiring-agent"), "accuracy", {})
    >>> found = query_results(in_memory(frame), rule, "version", "overall")
    >>> found.step("v1", "v2").counts["fixed"]
    1
    """
    seconds, passes = "details:seconds", rule.passed
    meta = [
        "query",
        REPEATED,
        *([field] if field else []),
        *rule.beside,
        seconds,
        "details:failing",
    ]
    names = list(dict.fromkeys([rule.score, main]))
    tables: list[pl.DataFrame] = []
    causes: list[pl.DataFrame] = []
    repeated: list[pl.DataFrame] = []
    counts = [passes.count().cast(pl.Int64).alias("decided"), passes.sum().cast(pl.Int64).alias("passed")]
    before = 0
    for frame in batches(list(dict.fromkeys(["item", "rater", *meta, *names]))):
        runs = panel_means(frame, names, ["item"], meta).with_columns(
            pl.int_range(before, before + pl.len()).alias(_AT),
            (pl.col(field).cast(pl.String) if field else pl.lit(None, pl.String)).alias(_VALUE),
        )
        before += runs.height
        runs = runs.drop_nulls("query")
        tables.append(
            runs.group_by("query", _VALUE, maintain_order=True).agg(
                pl.col(_AT).first(),
                pl.col("item").first(),
                pl.len().cast(pl.Int64).alias("runs"),
                *counts,
                failed().sum().cast(pl.Int64).alias("failed"),
                unanswered().sum().cast(pl.Int64).alias("unanswered"),
                pl.col(main).sum().round(_DIGITS).alias("main_sum"),
                pl.col(main).count().cast(pl.Int64).alias("main_n"),
                pl.col(seconds).sum().round(_DIGITS).alias("seconds_sum"),
                pl.col(seconds).count().cast(pl.Int64).alias("seconds_n"),
                pl.col(seconds).max().alias("slowest"),
            )
        )
        repeated.append(runs.group_by(REPEATED, _VALUE).agg(counts))
        asked = runs.select("query", check=pl.col("details:failing").str.split("; ")).explode("check")
        causes.append(asked.drop_nulls().group_by("query", "check", maintain_order=True).len("n"))
    table = (
        pl.concat(tables)
        .group_by("query", _VALUE)
        .agg(
            pl.col(_AT).min(),
            pl.col("item").sort_by(_AT).first(),
            *(pl.col(name).sum() for name in _SUMS),
            pl.col("slowest").max(),
        )
    )
    counted = pl.concat(causes).group_by("query", "check").agg(pl.col("n").sum())
    tried = pl.concat(repeated).group_by(REPEATED, _VALUE).sum()
    causing = counted.sort("n", "check", descending=[True, False])
    return QueryResults(table.sort(_AT), causing, tried, rule)
