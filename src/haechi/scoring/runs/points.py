"""Measures to points, by the tables of the rubric; and for every score that is null or 0 by rule, why."""

from __future__ import annotations

import polars as pl

from haechi.rubrics.formula import Formula
from haechi.rubrics.model import Criterion, Missing, Rubric
from haechi.rubrics.scales import Bands, Computed, Verdict
from haechi.scoring.arithmetic import banded, derived_score
from haechi.text import Text

REASONS: dict[str, Text] = {
    "error": Text("실행 오류", "the run ended in an error"),
    "unparseable": Text("응답 JSON을 읽을 수 없음", "the payload is not JSON"),
    "not an object": Text("응답 JSON이 객체가 아님", "the payload is JSON but not an object"),
    "no answer": Text("답변도 화면 데이터도 없음", "neither a message nor data was returned"),
    "no checks": Text("체크가 없음", "there is nothing to check"),
    "no time": Text("응답 시간이 없음", "no response time was recorded"),
    "single run": Text("같은 질의를 두 번 이상 실행하지 않음", "the query was run fewer than twice"),
    "no query": Text("Query ID가 없음", "the run has no query id"),
    "no verdict": Text("판정이 없음", "there is no verdict"),
    "unknown verdict": Text("판정이 척도에 없음", "the verdict is not on the scale"),
    "other class": Text("다른 도구 구간의 실행", "the run is in the other tool class"),
    "incomplete": Text("구성 점수가 없음", "a score it is made of is missing"),
}
"""The codes in the columns `why:NAME`, in words."""

_NO_VALUE = {
    "check_ratio": pl.lit("no checks"),
    "seconds": pl.lit("no time"),
    "ratio_a": pl.when(pl.col("query").is_null()).then(pl.lit("no query")).otherwise(pl.lit("single run")),
}


def score(measures: pl.DataFrame, rubric: Rubric, missing: Missing | None = None) -> pl.DataFrame:
    """Add a column per score of the rubric, and `why:NAME` where it is null or 0 by rule.

    `measures` has the columns of `measure` and of `ratios`.

    >>> import haechi
    >>> run = {"query": "q1", "failed": False, "failure": None, "tool_class": "SINGLE", "seconds": 5.0001,
    ...        "check_ratio": 0.75, "ratio_a": 1.0, "ratio_b": 0.5, "intent_verdict": "GOOD"}
    >>> scored = score(pl.DataFrame([run]), haechi.rubric("hiring-agent")).to_dicts()[0]
    >>> [scored[name] for name in ("intent", "accuracy", "consistency", "latency_single", "stability")]
    [4.0, 4.0, 3.75, 4.0, 5.0]
    >>> scored["latency_multi"], scored["why:latency_multi"], scored["overall"]
    (None, 'other class', 4.175)
    """
    columns = [column for criterion in rubric.criteria for column in _criterion(criterion)]
    scored = measures.with_columns(columns)
    for derived in rubric.scores:
        value = derived_score(derived, rubric, missing or rubric.missing)
        scored = scored.with_columns(value.alias(derived.key))
        if not derived.hidden:
            why = pl.when(pl.col(derived.key).is_null()).then(pl.lit("incomplete"))
            scored = scored.with_columns(why.alias(f"why:{derived.key}"))
    return scored.drop(derived.key for derived in rubric.scores if derived.hidden)


def _criterion(criterion: Criterion) -> list[pl.Expr]:
    """The score of a criterion and the reason beside it."""
    scale = criterion.scale
    why = pl.lit(None, pl.String)
    if isinstance(scale, Verdict):
        points, why = _verdict(scale)
    elif isinstance(scale, Bands):
        measured = pl.col(scale.measure or "")
        points = pl.coalesce(banded(scale, measured), pl.lit(scale.missing, pl.Float64))
        why = pl.when(measured.is_null()).then(_NO_VALUE.get(scale.measure or "", why))
    elif isinstance(scale, Computed):
        computed = Formula(scale.formula).evaluate({name: pl.col(name) for name in scale.measures})
        points = pl.coalesce(computed.clip(scale.low, scale.high), pl.lit(scale.missing, pl.Float64))
        absent = pl.any_horizontal(pl.col(name).is_null() for name in scale.measures)
        why = pl.when(absent).then(_NO_VALUE["ratio_a"])
    else:
        points, why = pl.lit(None, pl.Float64), pl.lit("no verdict")
    if criterion.failed_run is not None:
        by_rule = (
            scale.points()[str(criterion.failed_run)] if isinstance(scale, Verdict) else criterion.failed_run
        )
        points = pl.when("failed").then(pl.lit(by_rule, pl.Float64)).otherwise(points)
        why = pl.when("failed").then(pl.col("failure")).otherwise(why)
    if criterion.only is not None:
        own = pl.col("tool_class") == criterion.only
        points = pl.when(own).then(points)
        why = pl.when(own).then(why).otherwise(pl.lit("other class"))
    return [points.alias(criterion.score), why.alias(f"why:{criterion.score}")]


def _verdict(scale: Verdict) -> tuple[pl.Expr, pl.Expr]:
    """A verdict that code gives on the outcome of the run, or one that a rater has given."""
    if scale.measure == "outcome":
        stable = pl.col("failure").is_null()
        points = pl.when(stable).then(scale.points()["OK"]).otherwise(scale.points()["FAILED"])
        return points, pl.col("failure")
    given = pl.col("intent_verdict")
    worth = {label.upper(): points for label, points in scale.points().items()}
    points = given.str.to_uppercase().replace_strict(worth, default=None, return_dtype=pl.Float64)
    why = (
        pl.when(given.is_null())
        .then(pl.lit("no verdict"))
        .when(points.is_null())
        .then(pl.lit("unknown verdict"))
    )
    return points, why
