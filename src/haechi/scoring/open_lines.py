"""Open lines of expectations, decided by people and judges: their answers join the checks that code decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import polars as pl

from haechi.data.agent_run import checks_of, has_failed
from haechi.data.item import Item
from haechi.data.line_names import line_name
from haechi.expectations.check import short_text
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.rubrics.parts import Criterion
from haechi.scoring.panel import most_said
from haechi.scoring.rated_runs import in_force
from haechi.scoring.runs.points import score

DECIDED, BY = "checks_decided", "checks_decided_by"
_MET, _OF, _FAILING = "\0met", "\0of", "\0failing"
_SCHEMA = {"item": pl.String, _MET: pl.Int64, _OF: pl.Int64, _FAILING: pl.String, BY: pl.String}


class OpenLine(NamedTuple):
    """A line of a run's expectation that code does not decide, and the name of its ratings."""

    item: Item
    text: str
    name: str


def open_lines(items: Iterable[Item], criterion: Criterion) -> Iterator[OpenLine]:
    """The open lines of runs that did not fail, run by run.

    >>> import haechi
    >>> run = Item("r1", "run", {"query": "q1", "expected": "1) 답변이 친절한가", "payload": "{}"}, {})
    >>> accuracy = haechi.rubric("hiring-agent").checked_criterion
    >>> [(line.item.id, line.text) for line in open_lines([run], accuracy)]
    [('r1', '답변이 친절한가')]
    """
    for item in items:
        checks = checks_of(item) if item.kind == "run" else None
        if checks is None or not checks.waiting or has_failed(item.content):
            continue
        for line in checks.waiting:
            yield OpenLine(item, line, line_name(criterion, line))


def waiting_lines(
    items: Iterable[Item], rubric: Rubric, ratings: pl.DataFrame | None = None
) -> Iterator[OpenLine]:
    """The open lines of runs that nobody decided yet."""
    criterion = rubric.checked_criterion
    known = answers(ratings, rubric).select("item", "criterion").iter_rows() if ratings is not None else ()
    decided = set(known)
    for line in open_lines(items, criterion) if criterion is not None else ():
        if (line.item.id, line.name) not in decided:
            yield line


def answers(ratings: pl.DataFrame, rubric: Rubric) -> pl.DataFrame:
    """What was answered about each line of each run: (item, criterion, met, by).

    People come before judges, most of them before the others, each with one vote; where they are split the line stays open.

    >>> import haechi
    >>> given = {"item": "r1", "criterion": "accuracy.line_d24643b8457b", "value": ["1", "0", "0"], "status": "ok"}
    >>> given |= {"rater": ["kim", "gpt", "gemini"], "kind": ["human", "ai", "ai"], "stance": None}
    >>> answers(pl.DataFrame(given), haechi.rubric("hiring-agent")).rows()
    [('r1', 'accuracy.line_d24643b8457b', True, 'kim')]
    """
    criterion = rubric.checked_criterion
    prefix = f"{criterion.key}.line_" if criterion is not None else "\0"
    known = in_force(ratings, pl.col("criterion").str.starts_with(prefix))
    line = ["item", "criterion"]
    said = most_said(known.with_columns(met=pl.col("value").cast(pl.Float64, strict=False)), line, "met")
    by = known.group_by(line).agg(by=pl.col("rater").unique(maintain_order=True).str.join(", "))
    decided = said.drop_nulls("met").join(by, on=line, maintain_order="left")
    return decided.with_columns(pl.col("met") > 0.5)


def decided_lines(items: Iterable[Item], given: pl.DataFrame, rubric: Rubric) -> pl.DataFrame:
    """For every run how many of its open lines are decided, how many of them are met, and by whom; given: `answers`."""
    criterion = rubric.checked_criterion
    known = {(item, name): (met, by) for item, name, met, by in given.iter_rows()}
    rows: dict[str, dict[str, Any]] = {}
    for line in open_lines(items, criterion) if criterion is not None else ():
        if (line.item.id, line.name) not in known:
            continue
        met, by = known[line.item.id, line.name]
        row = rows.setdefault(line.item.id, {"item": line.item.id, _MET: 0, _OF: 0, _FAILING: [], BY: {}})
        row[_OF] += 1
        row[_MET] += met
        row[_FAILING] += [] if met else [short_text(line.text)]
        row[BY] |= dict.fromkeys(by.split(", "))
    made = [
        row | {_FAILING: "; ".join(row[_FAILING]) or None, BY: ", ".join(row[BY])} for row in rows.values()
    ]
    return pl.DataFrame(made, schema=_SCHEMA)


def with_decided(
    runs: pl.DataFrame, decided: pl.DataFrame, rubric: Rubric, missing: Missing | None
) -> pl.DataFrame:
    """Scored runs whose decided lines are checks like the others: passed of total, ratio, failing, and the points again."""
    if decided.is_empty():
        return runs
    joined = runs.join(decided, on="item", how="left", maintain_order="left")
    counts = pl.col(_OF).is_not_null() & ~pl.col("failed")
    of, met = pl.col(_OF).cast(pl.Float64), pl.col(_MET).cast(pl.Float64)
    total = pl.col("checks_total").fill_null(0.0) + of
    passed = pl.col("checks_passed").fill_null(0.0) + met
    failing = pl.concat_str("failing", _FAILING, separator="; ", ignore_nulls=True)
    changed = {
        "checks_total": total,
        "checks_passed": passed,
        "check_ratio": passed / total,
        "checks_open": pl.col("checks_open") - pl.col(_OF),
        "failing": pl.when(failing != "").then(failing),
    }
    again = joined.with_columns(
        *(pl.when(counts).then(value).otherwise(pl.col(name)).alias(name) for name, value in changed.items()),
        pl.when(counts).then(pl.col(_OF)).alias(DECIDED),
        pl.when(counts).then(pl.col(BY)).alias(BY),
    ).drop(_MET, _OF, _FAILING)
    scores = [*rubric.score_names, *(f"why:{name}" for name in rubric.score_names)]
    return score(again.drop(scores), rubric, missing)
