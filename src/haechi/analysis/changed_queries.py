"""Queries that did not give the same result in every round, however many runs there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.scoring.batches import brought_together
from haechi.scoring.runs.consistency import REPEATED, query_with_version
from haechi.scoring.runs.failures import answered
from haechi.scoring.runs.points import zero_by_rule

_DETAILS = tuple(f"details:{name}" for name in ("label", "label_by", "signature", "failure"))
LISTED = 30
_OF_TIME_OR_QUERY = {"seconds", "ratio_a", "ratio_b"}
_ORDER = {"descending": [True, False], "nulls_last": True}


@frozen
class ChangedQueries:
    """How many of how many queries changed, and those that changed most, with their labels and scores."""

    n: int
    n_queries: int
    most: pl.DataFrame


def columns(rubric: Rubric, main: str) -> list[str]:
    """What has to be known of every run: also the scores that can change, each with the reason for a 0 by rule.

    Response times vary by themselves, and consistency is the same for all runs of a query: neither is a change.
    """
    scores = [name for names in _compared(rubric) for name in names]
    whys = [f"why:{name}" for name in scores]
    return list(dict.fromkeys([REPEATED, "round", "rater", *_DETAILS, main, *scores, *whys]))


def _compared(rubric: Rubric) -> tuple[list[str], list[str]]:
    """The scores that code gives for what a run did, and those that raters give."""
    counted = [c for c in rubric.criteria if c.scale.counted and c.only is None]
    own = [c.score for c in counted if c.rated_by == "code" and not _OF_TIME_OR_QUERY & {*c.scale.measured}]
    return own, [c.score for c in counted if c.rated_by == "rater"]


def changed_queries(runs: Iterable[pl.DataFrame], rubric: Rubric, main: str, n_runs: int) -> ChangedQueries:
    """Queries that did not do the same in every round; none where there is one round. In every version of the agent a query
    is one of its own: what a new version does otherwise is no repeat that went wrong.

    A query changed when some of its runs brought an answer and others did not; when the answers' data differ; when labels that
    somebody gave differ, or, where the answers have no data, labels that were guessed from their words; or when a score
    differs, by the same rater if it is rated. What is missing or 0 by rule differs from nothing.
    """
    rounds: set[str | None] = set()
    n = n_queries = 0
    most: list[pl.DataFrame] = []
    for together in brought_together(_numbered(runs, rounds), REPEATED, n_runs):
        n_queries += together[REPEATED].n_unique()
        changed = _changed(together, rubric, main)
        n += changed.height
        most.append(changed.sort("spread", "at", **_ORDER).head(LISTED))  # type: ignore[arg-type]
    if len(rounds) < 2:
        return ChangedQueries(0, n_queries, pl.DataFrame())
    return ChangedQueries(n, n_queries, pl.concat(most).sort("spread", "at", **_ORDER).head(LISTED))  # type: ignore[arg-type]


def _numbered(runs: Iterable[pl.DataFrame], rounds: set[str | None]) -> Iterator[pl.DataFrame]:
    before = 0
    for piece in runs:
        rounds.update(piece["round"].unique().to_list())
        yield piece.with_columns(at=pl.int_range(before, before + piece.height, dtype=pl.Int64))
        before += piece.height


def _changed(runs: pl.DataFrame, rubric: Rubric, main: str) -> pl.DataFrame:
    measured, rated = _compared(rubric)
    label, with_answer = pl.col("details:label"), answered()
    given = pl.col("details:label_by") == "given"
    scores = [_several(pl.col(name).filter(~zero_by_rule(name))) for name in measured]
    same_rater = pl.col("rater").n_unique() == 1
    scores += [same_rater & _several(pl.col(name).filter(with_answer)) for name in rated]
    grouped = (
        runs.drop_nulls(REPEATED)
        .group_by(REPEATED, maintain_order=True)
        .agg(
            query=query_with_version().first(),
            items=pl.col("item"),
            labels=label,
            scores=pl.col(main),
            n=pl.len(),
            other_outcome=_several(with_answer),
            other_label=_several(label.filter(with_answer & given)),  # a guess alone is no change
            other_answer=_several(pl.col("details:signature").filter(with_answer)),
            other_score=pl.any_horizontal(scores) if scores else pl.lit(False),
            spread=pl.when(pl.col(main).count() > 1).then(pl.col(main).max() - pl.col(main).min()),
            at=pl.col("at").first(),
        )
    )
    kinds = ("other_outcome", "other_label", "other_answer", "other_score")
    return grouped.filter((pl.col("n") > 1) & pl.any_horizontal(kinds))


def _several(values: pl.Expr) -> pl.Expr:
    """Whether there are two different values or more; what is missing is none."""
    return values.drop_nulls().n_unique() > 1
