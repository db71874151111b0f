"""When a run of a query passes, and whether its runs pass every time, never, or now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.runs.consistency import REPEATED
from haechi.scoring.runs.failures import FAILURE, failed
from haechi.scoring.runs.points import zero_by_rule


@frozen
class PassRule:
    """When a run passes on a score: it reaches the `mark` and has not failed; null where nothing was there to be measured.

    checked: the score is made of checks; on it a run that failed is decided, whatever its score is.
    """

    score: str
    mark: float
    checked: bool

    @classmethod
    def of(cls, rubric: Rubric, score: str, stated: Mapping[str, float]) -> PassRule:
        """From the mark that the study states, else from three fifths of the way up the scale; of accuracy half of its checks.

        >>> import haechi
        >>> PassRule.of(haechi.rubric("hiring-agent"), "accuracy", {})
        PassRule(score='accuracy', mark=3.0, checked=True)
        >>> PassRule.of(haechi.rubric("hiring-agent"), "overall", {"overall": 4.5}).mark
        4.5
        """
        (low, high), checks = rubric.range(score), rubric.checked_criterion
        mark = stated.get(score, low + 3 * (high - low) / 5)
        return cls(score, mark, checks is not None and checks.score == score)

    @property
    def beside(self) -> list[str]:
        """The columns that are looked at beside the score."""
        return [f"why:{self.score}", FAILURE]

    @property
    def passed(self) -> pl.Expr:
        """Whether a run passes."""
        measured = pl.col(self.score).is_not_null() & ~zero_by_rule(self.score)
        decided = measured | failed() if self.checked else measured
        return pl.when(decided).then(~failed() & (pl.col(self.score) >= self.mark).fill_null(False))


def repeats(
    batches: Callable[[Sequence[str]], Iterable[pl.DataFrame]], rule: PassRule
) -> dict[str, int | float]:
    """How many queries, each of one version of the agent, have runs that all pass, all fail, or differ.

    Runs on which nothing decides are left out.

    >>> import haechi
    >>> runs = pl.DataFrame({REPEATED: ["a", "a", "b", "b", "c"], "accuracy": [5.0, 3.0, 4.0, 2.0, None]})
    >>> runs = runs.with_columns(pl.lit(None, pl.String).alias(name) for name in ("why:accuracy", "details:failure"))
    >>> repeats(lambda columns: [runs.select(columns)], PassRule.of(haechi.rubric("hiring-agent"), "accuracy", {}))
    {'queries': 2, 'all_pass': 1, 'all_fail': 0, 'mixed': 1, 'pass_from': 3.0}
    """
    every, some = pl.col("every").all(), pl.col("some").any()
    found = pl.DataFrame(schema={REPEATED: pl.String, "every": pl.Boolean, "some": pl.Boolean})
    for batch in batches([REPEATED, rule.score, *rule.beside]):
        known = batch.select(REPEATED, every=rule.passed, some=rule.passed).drop_nulls()
        found = pl.concat([found, known]).group_by(REPEATED).agg(every, some)
    all_pass, all_fail = int(found["every"].sum()), int((~found["some"]).sum())
    return {
        "queries": found.height,
        "all_pass": all_pass,
        "all_fail": all_fail,
        "mixed": found.height - all_pass - all_fail,
        "pass_from": rule.mark,
    }
