"""The report's figures as tables for other programs: scores, summary, ratings, agreement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from haechi.analysis.analysis import Analysis
from haechi.analysis.coefficient_registry import in_tables
from haechi.analysis.zero_by_rule import WITHOUT, totals_without
from haechi.report.run_columns import TEXTS, read_runs, run_columns
from haechi.report.sections.run_texts import texts_of
from haechi.report.tables.scores import one_class_each
from haechi.scoring.panel import panel_means
from haechi.scoring.rated_runs import CODE
from haechi.scoring.rule_zeros import UNMEASURED
from haechi.scoring.runs.points import BESIDE, in_words
from haechi.scoring.summary_row import OverItems, SummaryRow
from haechi.stats import Figure, Group
from haechi.text import language


def score_rows(figures: Analysis) -> Iterator[pl.DataFrame]:
    """One row per item, piece by piece: meta fields, `mean:SCORE` of its raters, and `RATER:SCORE` of everyone.

    A rater's further replicates are `RATER#2:SCORE`. Agent runs also have what stands behind their scores, up to
    `MOST_TEXTS` of them their texts, `RATER:rated_SCORE` what raters gave for what code measures, and where there are any
    in `unmeasured` the scores that are 0 by rule on every run.
    """
    names = figures.names
    runs = read_runs(figures)
    unmeasured = ", ".join(sorted(figures.scored.unmeasured().get((), ())))
    for frame in figures.batches():
        rows = frame.lazy()
        items = panel_means(frame, names, ["item"], figures.scored.meta)
        details = [column for column in frame.columns if column.startswith("details:")]
        made = items.select("item", *figures.scored.meta)
        if details:
            behind = frame.unique("item", keep="first", maintain_order=True).select("item", *details)
            behind = behind.rename(lambda column: column.removeprefix("details:"))
            if runs:
                texts = run_columns(behind, runs)
                texts = texts.rename({name: _free(name, [*made.columns, *behind.columns]) for name in TEXTS})
                made = made.join(texts, on="item", how="left", maintain_order="left")
            made = made.join(behind, on="item", how="left", maintain_order="left")
        means = items.select("item", *(pl.col(name).alias(f"mean:{name}") for name in names))
        joined = made.lazy().join(means.lazy(), on="item", how="left", maintain_order="left")
        taken = [*made.columns, *means.columns]
        for rater, replicate in dict.fromkeys((cell.rater, cell.replicate) for cell in figures.who_rated):
            label = rater if replicate == 1 else f"{rater}#{replicate}"
            columns = {_free(f"{label}:{name}", taken): pl.col(name) for name in names}
            beside = [name for name in figures.scored.beside if name in names and rater != CODE]
            columns |= {_free(f"{label}:rated_{name}", taken): pl.col(BESIDE + name) for name in beside}
            taken += columns
            own = rows.filter((pl.col("rater") == rater) & (pl.col("replicate") == replicate))
            joined = joined.join(own.select("item", **columns), on="item", how="left", maintain_order="left")
        if unmeasured:
            joined = joined.with_columns(pl.lit(unmeasured).alias(_free(UNMEASURED, taken)))
        yield joined.collect()


def _free(name: str, taken: Sequence[str]) -> str:
    """A column's name that nobody has: raters and meta fields may be called anything."""
    while name in taken:
        name += "'"
    return name


def criteria_rows(figures: Analysis) -> pl.DataFrame:
    """One row for every criterion that an item brings and everyone who rated it: `met` is empty where they did not say."""
    told = figures.scored.verdicts
    if told is None:
        return pl.DataFrame()
    return told.drop("of", "key").with_columns(pl.col("tags").list.join(", "), pl.col("met").cast(pl.Int64))


def summary_rows(figures: Analysis) -> pl.DataFrame:
    """One row per group and score; the whole set has an empty `by`. Means and intervals are over items."""
    rows = [_row("", "", name, figures.whole[name], figures.scored.summary[0]) for name in figures.names]
    rows += [_without(name, of) for name, of in totals_without(figures.scored).items()]
    rows += [_seconds(name, group) for name, group in one_class_each(figures.seconds).items()]
    known = _estimated(figures)
    rows += [_human(name, figures.human[name].mean) for name in known]
    rows += [
        _human(f"{name}.pass{limit:g}", figures.human.pass_rate(name, limit).mean)
        for name, limit in figures.human.passes.items()
        if name in known
    ]
    summary = {tuple(row.by.items()): row for row in figures.scored.summary[1:]}
    for comparison in figures.comparisons:
        fields = ",".join(comparison.items.by)
        for name, found in comparison.criteria.items():
            for group in found.groups:
                label = str(group.described.name)
                counted = next(r for by, r in summary.items() if {k: str(v) for k, v in by} == dict(group.by))
                rows.append(_row(fields, label, name, group.described, counted))
    return pl.DataFrame(rows, infer_schema_length=None)


def _row(by: str, label: str, name: str, group: Group, summary: SummaryRow) -> dict[str, Any]:
    of = summary.scores[name]
    counts = of.distribution or {}
    low, high = group.mean.ci95 or (None, None)
    return {
        "by": by,
        "group": label,
        "score": name,
        "items": group.n,
        "mean": group.mean.value,
        "ci95_low": low,
        "ci95_high": high,
        "sd": group.sd.value,
        "median": group.median.value,
        "ratings": of.n,
        "mean_of_ratings": of.mean,
        "ratings_missing": of.missing,
        "distribution": "; ".join(f"{level}: {count}" for level, count in counts.items()),
        "why_no_ci95": group.mean.why_no_ci and group.mean.why_no_ci.say(language()),
    }


def _without(name: str, of: OverItems) -> dict[str, Any]:
    """A total without what is 0 by rule."""
    low, high = of.ci95 or (None, None)
    about = {"by": "", "group": "", "score": name + WITHOUT, "items": of.n, "mean": of.mean}
    return about | {"ci95_low": low, "ci95_high": high, "sd": of.sd, "median": of.median}


def _estimated(figures: Analysis) -> list[str]:
    """The scores of which it can be said what people would have given, and that is more than they gave themselves."""
    if not figures.human.is_there or figures.human.is_all:
        return []
    return [name for name in figures.names if figures.human[name].mean.value is not None]


def _human(name: str, found: Figure) -> dict[str, Any]:
    low, high = found.ci95 or (None, None)
    about = {"by": "", "group": "", "score": f"human.{name}", "items": found.n, "mean": found.value}
    return about | {"ci95_low": low, "ci95_high": high}


def _seconds(name: str, group: Group) -> dict[str, Any]:
    low, high = group.mean.ci95 or (None, None)
    return {
        "by": "",
        "group": "",
        "score": f"{name}.seconds" if name else "seconds",
        "items": group.n,
        "mean": group.mean.value,
        "ci95_low": low,
        "ci95_high": high,
        "sd": group.sd.value,
        "median": group.median.value,
        "ratings": group.n,
        "mean_of_ratings": group.mean.value,
        "ratings_missing": group.n_missing,
        "distribution": "",
    }


def rating_rows(figures: Analysis) -> Iterator[pl.DataFrame]:
    """The ratings in force, piece by piece; what code rated is computed, not stored, and stands here of kind code."""
    yield figures.ratings
    for name in _by_code(figures):
        for frame in figures.batches(["item", name, f"why:{name}"]):
            yield frame.unique("item", keep="first", maintain_order=True).select(
                "item",
                criterion=pl.lit(name),
                rater=pl.lit("code"),
                kind=pl.lit("code"),
                value=pl.col(name).cast(pl.String),
                evidence=pl.lit(None, pl.String),
                replicate=pl.lit(1, pl.Int64),
                status=pl.when(pl.col(name).is_null()).then(pl.lit("missing")).otherwise(pl.lit("ok")),
                reason=in_words(name),
                stance=pl.lit(None, pl.String),
                rubric=pl.lit(figures.rubric.version),
                at=pl.lit(None, pl.String),
            )


def count_ratings(figures: Analysis) -> int:
    """How many rows `rating_rows` has."""
    return figures.ratings.height + len(_by_code(figures)) * figures.n_rated


def _by_code(figures: Analysis) -> list[str]:
    return [c.score for c in figures.rubric.criteria if c.rated_by == "code"]


def query_rows(figures: Analysis) -> pl.DataFrame:
    """One row per query of agent runs: its texts, runs and means, the checks that failed, and by version or round what passed.

    `became` is what became of it from the last version (or round) but one to the last.
    """
    found = figures.query_results
    if found is None:
        return pl.DataFrame()
    whole, trend = found.queries, figures.trend
    texts = texts_of(figures, whole["item"].to_list())
    causes = found.causes.group_by("query", maintain_order=True).agg(
        failing=pl.format("{} ×{}", "check", "n").str.join("; ")
    )
    rows = whole.select(
        "query",
        question=_looked_up({item: one.query for item, one in texts.items()}),
        expectation=_looked_up({item: one.expected for item, one in texts.items()}),
        **{name: pl.col(name) for name in ("runs", "decided", "passed", "failed", "unanswered")},
        **{f"mean:{figures.main}": pl.col("mean")},
        mean_seconds=pl.col("mean_seconds"),
        slowest_seconds=pl.col("slowest"),
    ).join(causes, on="query", how="left", maintain_order="left")
    for value in trend.values if trend else ():
        own = found.table.filter(pl.col("value") == value)
        counts = [pl.col(name).alias(f"{name}@{value}") for name in ("decided", "passed")]
        rows = rows.join(own.select("query", *counts), on="query", how="left", maintain_order="left")
    if trend and trend.steps:
        became = trend.steps[-1].queries.select("query", "became")
        rows = rows.join(became, on="query", how="left", maintain_order="left")
    return rows


def _looked_up(texts: Mapping[str, str]) -> pl.Expr:
    return pl.col("item").replace_strict(dict(texts), default=None, return_dtype=pl.String)


def agreement_rows(figures: Analysis) -> pl.DataFrame:
    """One row per panel, score and coefficient, with interval, n and the reason where it is not defined."""
    found = figures.agreement
    if found is None:
        return pl.DataFrame()
    panels = [("all", found.criteria)]
    if found.panels:
        panels += [("human_human", found.panels.human_human), ("ai_ai", found.panels.ai_ai)]
    rows = []
    for panel, block in panels:
        for name, one in block.items():
            named = {**one.icc, **{key: one.coefficients[key] for key in in_tables()}}
            about = {
                "panel": panel,
                "score": name,
                "items": one.n_items,
                "complete": one.n_complete,
                "raters": len(one.raters),
            }
            rows += [about | {"coefficient": key} | _figure(figure) for key, figure in named.items()]
    for name, against in found.panels.human_ai.items() if found.panels else ():
        about = {
            "panel": "human_ai",
            "score": name,
            "items": against.panel.n,
            "complete": against.panel.n,
            "raters": len(found.raters),
        }
        for key in ("pearson", "spearman", "kendall", "mean_difference"):
            rows.append(about | {"coefficient": key} | _figure(getattr(against.panel, key)))
    return pl.DataFrame(rows, infer_schema_length=None)


def _figure(figure: Figure) -> dict[str, Any]:
    low, high = figure.ci95 or (None, None)
    why = figure.why.say(language()) if figure.why else None
    return {"value": figure.value, "ci95_low": low, "ci95_high": high, "n": figure.n, "why": why}
