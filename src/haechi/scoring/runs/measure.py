"""Runs to measures: what the instrument reads off every payload, before any table of points."""

from __future__ import annotations

import polars as pl

from haechi.data.names import BLANK
from haechi.scoring.runs.failures import failed
from haechi.scoring.runs.labels import LabelRules, labelled
from haechi.scoring.runs.quick_payloads import read_payloads

TEXTS = (
    "item", "query", "round", "query_text", "expected", "error", "payload",
    "latency_class", "accuracy_checks", "category", "version", "intent_verdict", "intent_label",
)  # fmt: skip
RUN_SCHEMA = pl.Schema(dict.fromkeys(TEXTS, pl.String) | {"latency_ms": pl.Float64})
"""The columns of a batch of runs; further columns go through untouched."""


def measure(batch: pl.DataFrame, rules: LabelRules) -> pl.DataFrame:
    """One row of measures for every run of a batch; nothing in a payload can make it fail.

    `tool_class` is null where a failed run does not tell: then its query's other runs do (`consistency.with_ratios`).

    >>> import haechi
    >>> rules = LabelRules.of(haechi.rubric("hiring-agent").run)
    >>> runs = [{"item": "q1-1", "query": "q1", "expected": "@check formType=LINK",
    ...          "payload": '{"assistantMessage": "목록을 조회했습니다.", "responseTimeSec": 4.2}'}]
    >>> measured = measure(pl.DataFrame(runs, schema=RUN_SCHEMA), rules).to_dicts()[0]
    >>> [measured[name] for name in ("failure", "seconds", "tool_class", "check_ratio", "failing", "label")]
    [None, 4.2, 'SINGLE', 0.0, 'formType=LINK', 'VIEW']
    """
    trimmed = pl.col("query", "error", "latency_class", "intent_verdict", "intent_label").str.strip_chars(
        BLANK
    )
    batch = batch.with_columns(pl.when(trimmed != "").then(trimmed).name.keep())
    as_a_whole = failed("failure")
    stated = pl.col("stated_class").str.strip_chars(BLANK)
    given_class = pl.coalesce("latency_class", stated).str.to_uppercase()
    read = read_payloads(batch, rules.signature)
    guessed = labelled(read["message"], rules)
    return (
        batch.drop("query_text", "expected", "payload", "accuracy_checks")
        .hstack(read)
        .with_columns(
            failed=as_a_whole,
            tool_class=pl.when(given_class.is_in(("SINGLE", "MULTI")))
            .then(given_class)
            .when(pl.col("several").is_not_null())
            .then(pl.when("several").then(pl.lit("MULTI")).otherwise(pl.lit("SINGLE"))),
            label=pl.when(as_a_whole)
            .then(pl.lit(rules.failed))
            .otherwise(pl.coalesce(pl.col("intent_label").str.to_uppercase(), guessed["label"])),
            label_by=pl.when(as_a_whole)
            .then(pl.lit("failure"))
            .otherwise(
                pl.when(pl.col("intent_label").is_null()).then(guessed["label_by"]).otherwise(pl.lit("given"))
            ),
        )
        .drop("latency_ms", "latency_class", "intent_label", "several", "stated_class", "message")
    )
