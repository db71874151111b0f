"""Whether the runs of a query pass their checks every time, never, or now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import polars as pl

CHECKED = "accuracy"
PASS_FROM = 3
"""Points from which a run counts as passed: half of its checks or more."""


def repeats(batches: Callable[[Sequence[str]], Iterable[pl.DataFrame]]) -> dict[str, int]:
    """How many queries have runs that all pass, all fail, or differ; runs without accuracy are left out.

    >>> runs = pl.DataFrame({"query": ["a", "a", "b", "b", "c"], "accuracy": [5.0, 3.0, 4.0, 2.0, None]})
    >>> repeats(lambda columns: [runs.select(columns)])
    {'queries': 2, 'all_pass': 1, 'all_fail': 0, 'mixed': 1, 'pass_from': 3}
    """
    lowest, highest = pl.col("low").min(), pl.col("high").max()
    found = pl.DataFrame(schema={"query": pl.String, "low": pl.Float64, "high": pl.Float64})
    for batch in batches(["query", CHECKED]):
        known = batch.drop_nulls().select("query", low=CHECKED, high=CHECKED)
        found = pl.concat([found, known]).group_by("query").agg(lowest, highest)
    passed, failed = int((found["low"] >= PASS_FROM).sum()), int((found["high"] < PASS_FROM).sum())
    mixed = found.height - passed - failed
    return {
        "queries": found.height,
        "all_pass": passed,
        "all_fail": failed,
        "mixed": mixed,
        "pass_from": PASS_FROM,
    }
