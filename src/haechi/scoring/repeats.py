"""When a run of a query passes, and whether its runs pass every time, never, or now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.runs.consistency import REPEATED
from haechi.scoring.runs.failures import FAILURE, failed
from haechi.scoring.runs.points import zero_by_rule

CHECKED = "accuracy"


def pass_mark(rubric: Rubric, name: str = CHECKED) -> float:
    """The points from which a run passes on a score: three fifths of the way up its scale; of accuracy half of its checks.

    >>> import haechi
    >>> pass_mark(haechi.rubric("hiring-agent"))
    3.0
    """
    low, high = rubric.range(name)
    return low + 3 * (high - low) / 5


def passed(rubric: Rubric, name: str = CHECKED) -> pl.Expr:
    """Whether a run passes on a score: it reaches the mark and has not failed; null where nothing was there to be measured.

    A run that failed is decided on accuracy, whatever its score is. Needed are the score, `why:NAME` and `details:failure`.
    """
    measured = pl.col(name).is_not_null() & ~zero_by_rule(name)
    decided = measured | failed() if name == CHECKED else measured
    return pl.when(decided).then(~failed() & (pl.col(name) >= pass_mark(rubric, name)).fill_null(False))


def repeats(
    batches: Callable[[Sequence[str]], Iterable[pl.DataFrame]], rubric: Rubric
) -> dict[str, int | float]:
    """How many queries, each of one version of the agent, have runs that all pass, all fail, or differ.

    Runs on which nothing decides are left out.

    >>> import haechi
    >>> runs = pl.DataFrame({REPEATED: ["a", "a", "b", "b", "c"], "accuracy": [5.0, 3.0, 4.0, 2.0, None]})
    >>> runs = runs.with_columns(pl.lit(None, pl.String).alias(name) for name in ("why:accuracy", "details:failure"))
    >>> repeats(lambda columns: [runs.select(columns)], haechi.rubric("hiring-agent"))
    {'queries': 2, 'all_pass': 1, 'all_fail': 0, 'mixed': 1, 'pass_from': 3.0}
    """
    every, some = pl.col("every").all(), pl.col("some").any()
    found = pl.DataFrame(schema={REPEATED: pl.String, "every": pl.Boolean, "some": pl.Boolean})
    for batch in batches([REPEATED, CHECKED, f"why:{CHECKED}", FAILURE]):
        own = passed(rubric)
        known = batch.select(REPEATED, every=own, some=own).drop_nulls()
        found = pl.concat([found, known]).group_by(REPEATED).agg(every, some)
    all_pass, all_fail = int(found["every"].sum()), int((~found["some"]).sum())
    return {
        "queries": found.height,
        "all_pass": all_pass,
        "all_fail": all_fail,
        "mixed": found.height - all_pass - all_fail,
        "pass_from": pass_mark(rubric),
    }
