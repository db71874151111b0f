"""Who gave what for agent runs: people, AI judges, code for what it measures, and the rule for runs that failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from haechi.rubrics import Rubric
from haechi.scoring.batches import Batches
from haechi.scoring.runs.failures import FAILURE, failed
from haechi.scoring.runs.points import BESIDE

BY_RULE = "rule"
"""The kind of rater that decides runs which failed: nobody is asked about them."""


def runs_as_rated(batches: Batches, rubric: Rubric, names: Sequence[str], beside: Sequence[str]) -> Batches:
    """The same runs as people and judges rated them: what code measures is what code gave, as a judge does, or what people did.

    Code measures every run, so that it is a judge of all; of a run that failed the rule has the only row.
    beside: the scores for which raters gave points beside code.

    >>> import haechi
    >>> from haechi.scoring.batches import in_memory
    >>> rows = {"item": ["r1", "r1", "r2"], "rater": ["gpt", "kim", "code"], "kind": ["ai", "human", "code"]}
    >>> rows |= {"accuracy": [5.0, 5.0, 0.0], "beside:accuracy": [None, 4.0, None], "intent": [4.0, 3.0, 0.0]}
    >>> runs = pl.DataFrame(rows | {"details:failure": [None, None, "error"]})
    >>> made = runs_as_rated(in_memory(runs), haechi.rubric("hiring-agent"), ["accuracy", "intent"], ["accuracy"])
    >>> next(made(["item", "rater", "kind", "accuracy", "intent"])).rows()  # doctest: +NORMALIZE_WHITESPACE
    [('r1', 'gpt', 'ai', None, 4.0), ('r1', 'kim', 'human', 4.0, 3.0), ('r1', 'code', 'ai', 5.0, None),
     ('r2', 'rule', 'rule', 0.0, 0.0)]
    """
    measured = [c.score for c in rubric.criteria if c.rated_by == "code" and c.score in names]
    given = [pl.col(BESIDE + name).alias(name) if name in beside else _none(name) for name in measured]
    others = [name for name in names if name not in measured]
    people = pl.col("kind") == "human"

    def made(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        wanted = None
        if columns is not None:
            more = [BESIDE + name for name in beside if name in columns]
            wanted = list(dict.fromkeys([*columns, *more, "item", "rater", "kind", FAILURE]))
        for frame in batches(wanted):
            there = set(frame.columns)
            own = [one for one in given if one.meta.output_name() in there]
            ran, once = frame.filter(~failed()), frame.unique("item", keep="first", maintain_order=True)
            raters = ran.filter(pl.col("kind") != "code").with_columns(
                pl.when(people).then(one).alias(one.meta.output_name()) for one in own
            )
            code = once.filter(~failed()).with_columns(
                *_named("code", "ai"), *(_none(name) for name in others if name in there)
            )
            rule = once.filter(failed()).with_columns(_named(BY_RULE, BY_RULE))
            whole = pl.concat([raters, code, rule], how="vertical_relaxed")
            yield whole if columns is None else whole.select(columns)

    return made


def _none(name: str) -> pl.Expr:
    return pl.lit(None, pl.Float64).alias(name)


def _named(rater: str, kind: str) -> list[pl.Expr]:
    return [pl.lit(rater).alias("rater"), pl.lit(kind).alias("kind")]
