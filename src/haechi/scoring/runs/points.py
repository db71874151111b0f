"""Measures to points, by the tables of the rubric; and for every score that is null or 0 by rule, why."""

from __future__ import annotations

from contextlib import suppress

import polars as pl

from haechi.rubrics.model import Missing, Rubric
from haechi.rubrics.parts import Criterion
from haechi.rubrics.values import Off
from haechi.scoring.arithmetic import MEANS, derived_score
from haechi.scoring.runs.failures import ERROR, NO_ANSWER, NOT_AN_OBJECT, UNPARSEABLE, answered
from haechi.text import Lang, Text

REASONS: dict[str, Text] = {
    ERROR: Text("실행 오류", "the run ended in an error"),
    UNPARSEABLE: Text("응답 JSON을 읽을 수 없음", "the payload is not JSON"),
    NOT_AN_OBJECT: Text("응답 JSON이 객체가 아님", "the payload is JSON but not an object"),
    NO_ANSWER: Text("답변도 화면 데이터도 없음", "neither a message nor data was returned"),
    "no checks": Text("체크가 없음", "there is nothing to check"),
    "open checks": Text(
        "코드로 확인할 수 없는 기대 결과(사람이나 AI 평가자가 확인)",
        "code cannot decide any line of the expectation; they wait for a person or a judge",
    ),
    "no time": Text("응답 시간이 없음", "no response time was recorded"),
    "failed without time": Text("응답 시간이 없음", "no response time was recorded"),
    "single run": Text("같은 질의를 두 번 이상 실행하지 않음", "the query was run fewer than twice"),
    "no query": Text("Query ID가 없음", "the run has no query id"),
    "no verdict": Text("평가가 없음", "there is no verdict"),
    "unknown verdict": Text("평가한 등급이 척도에 없음", "the verdict is not on the scale"),
    "other class": Text("다른 도구 구간의 실행", "the run is in the other tool class"),
    "incomplete": Text("구성 점수가 없음", "a score it is made of is missing"),
}
"""The codes in the columns `why:NAME`, in words."""

BY_RULE = ("no checks", "no time", "single run", "no query")
"""The reasons for a 0 that lie in the data and not in what the system did: such a 0 is no measurement. That a failed run
has no time is its own doing."""

WITHOUT = "without:"
"""Columns of totals from which what is 0 by rule was left out begin with this."""

RATED = "rated:"
"""Columns of the points that a rater gave begin with this."""

BESIDE = "beside:"
"""Columns of the points that a rater gave for what code measures begin with this: they stand beside its scores."""

_NOT_REPEATED = pl.when(pl.col("query").is_null()).then(pl.lit("no query")).otherwise(pl.lit("single run"))
_FAILURE = pl.col("failure")
_MEASURES = {
    "outcome": pl.when(answered("failure")).then(pl.lit("OK")).otherwise(pl.lit("FAILED")),
    "check_ratio": pl.col("check_ratio"),
    "seconds": pl.col("seconds"),
    "ratio_a": pl.col("ratio_a"),
    "ratio_b": pl.col("ratio_b"),
}
_WAITING = pl.col("checks_open") > 0
"""Whether lines of the expectation wait for a person or a judge."""
_WHY_NONE = {
    "check_ratio": pl.when(_WAITING).then(pl.lit("open checks")).otherwise(pl.lit("no checks")),
    "seconds": pl.when("failed").then(pl.lit("failed without time")).otherwise(pl.lit("no time")),
    "ratio_a": _NOT_REPEATED,
    "ratio_b": _NOT_REPEATED,
}


def score(measures: pl.DataFrame, rubric: Rubric, missing: Missing | None = None) -> pl.DataFrame:
    """Add a column per score of the rubric, `why:NAME` where it is null or 0 by rule, and `without:NAME` per total.

    `measures` has the columns of `measure` and of `ratios`; where raters judged the runs, also `rated:NAME` with
    the points of what they rate.

    >>> import haechi
    >>> run = {"query": "q1", "failed": False, "failure": None, "tool_class": "SINGLE", "seconds": 5.0001,
    ...        "check_ratio": 0.75, "checks_open": 0, "ratio_a": 1.0, "ratio_b": 0.5, "intent_verdict": "GOOD"}
    >>> scored = score(pl.DataFrame([run]), haechi.rubric("hiring-agent")).to_dicts()[0]
    >>> [scored[name] for name in ("intent", "accuracy", "consistency", "latency_single", "stability")]
    [4.0, 4.0, 3.75, 4.0, 5.0]
    >>> scored["latency_multi"], scored["why:latency_multi"], scored["overall"]
    (None, 'other class', 4.175)
    """
    columns = [
        column for c in rubric.criteria if c.scale.counted for column in _criterion(c, rubric, measures)
    ]
    scored = measures.with_columns(columns).drop(pl.selectors.starts_with(RATED))
    for derived in rubric.scores:
        value = derived_score(derived, rubric, missing or rubric.missing)
        scored = scored.with_columns(value.alias(derived.key))
        if not derived.hidden:
            why = pl.when(pl.col(derived.key).is_null()).then(pl.lit("incomplete"))
            scored = scored.with_columns(why.alias(f"why:{derived.key}"))
    totals = [_without(key, rubric, missing).alias(WITHOUT + key) for key in totals_of_runs(rubric)]
    hidden = [derived.key for derived in rubric.scores if derived.hidden]
    return scored.with_columns(totals).drop(hidden)


def totals_of_runs(rubric: Rubric) -> list[str]:
    """The totals that can be given without what is 0 by rule: means, some part of which code measures.

    >>> import haechi
    >>> totals_of_runs(haechi.rubric("hiring-agent")), totals_of_runs(haechi.rubric("ubica"))
    (['overall'], [])
    """
    measured = {c.score for c in rubric.criteria if c.rated_by == "code"}
    visible = (derived for derived in rubric.scores if not derived.hidden and derived.by in MEANS)
    return [one.key for one in visible if rubric.item == "run" and rubric.criteria_of(one.key) & measured]


def zero_by_rule(name: str, code: str | None = None) -> pl.Expr:
    """Whether the score of a criterion is 0 because there was nothing to measure, for one reason or for any.

    >>> whys = ["no time", None, "failed without time", "no time"]
    >>> runs = pl.DataFrame({"speed": [0.0, 0.0, 0.0, None], "why:speed": whys})
    >>> runs.select(zero_by_rule("speed")).to_series().to_list()
    [True, False, False, False]
    """
    why = pl.col(f"why:{name}")
    asked = why.is_in(BY_RULE) if code is None else why == code
    return ((pl.col(name) == 0) & asked).fill_null(False)


def in_words(name: str, lang: Lang | None = None) -> pl.Expr:
    """Why a score is null, or 0 by rule, as it is shown; what raters said about it stays as it is.

    >>> whys = pl.DataFrame({"why:intent": ["no verdict", "no value: sympathy", None]})
    >>> whys.select(in_words("intent", "en")).to_series().to_list()
    ['there is no verdict', 'no value: sympathy', None]
    """
    return pl.col(f"why:{name}").replace({code: text.say(lang) for code, text in REASONS.items()})


def _without(key: str, rubric: Rubric, missing: Missing | None) -> pl.Expr:
    """A total over what was measured; null where nothing was."""
    derived = next(one for one in rubric.scores if one.key == key)
    left_out = {part: _is_by_rule(part, rubric) for part in derived.parts}
    return derived_score(derived, rubric, missing or rubric.missing, left_out)


def _is_by_rule(part: str, rubric: Rubric) -> pl.Expr:
    """Whether a part of a total is 0 by rule; of several of which the first counts, whether that one is."""
    derived = next((one for one in rubric.scores if one.key == part), None)
    if derived is None:
        return zero_by_rule(part)
    if derived.by != "first":
        return pl.lit(False)
    own = [pl.when(pl.col(one).is_not_null()).then(_is_by_rule(one, rubric)) for one in derived.parts]
    return pl.coalesce(own).fill_null(False)


def _criterion(criterion: Criterion, rubric: Rubric, measures: pl.DataFrame) -> list[pl.Expr]:
    """The score of a criterion and the reason beside it."""
    if criterion.rated_by == "code":
        points, why = _measured(criterion)
    elif RATED + criterion.score in measures.columns:
        points = pl.col(RATED + criterion.score)
        why = pl.when(points.is_null()).then(pl.lit("no verdict"))
    elif criterion is _with_column(rubric):
        points, why = _imported(criterion, measures["intent_verdict"])
    else:
        points, why = pl.lit(None, pl.Float64), pl.lit("no verdict")
    if criterion.failed_run is not None:
        by_rule = pl.lit(criterion.scale.points_by_rule(criterion.failed_run), pl.Float64)
        points = pl.when("failed").then(by_rule).otherwise(points)
        why = pl.when("failed").then(_FAILURE).otherwise(why)
    if criterion.only is not None:
        own = pl.col("tool_class") == criterion.only
        points = pl.when(own).then(points)
        why = pl.when(own).then(why).otherwise(pl.lit("other class"))
    return [points.alias(criterion.score), why.alias(f"why:{criterion.score}")]


def _measured(criterion: Criterion) -> tuple[pl.Expr, pl.Expr]:
    """What code measured, in points, and why a measure is not there."""
    measures = {name: _MEASURES[name] for name in criterion.scale.measured}
    why = [_why_none(name) for name in measures]
    points = criterion.scale.points_of_measures(measures)
    if (
        "check_ratio" in measures
    ):  # an expectation that code cannot decide is no expectation that is not there
        points = pl.when(pl.col("check_ratio").is_not_null() | ~_WAITING.fill_null(False)).then(points)
    return points, pl.coalesce(why)


def _why_none(measure: str) -> pl.Expr:
    """Why there is no value; a bad outcome is a value, and has a reason too."""
    if measure == "outcome":
        return _FAILURE
    return pl.when(_MEASURES[measure].is_null()).then(_WHY_NONE[measure])


def _with_column(rubric: Rubric) -> Criterion | None:
    """The criterion whose values may stand beside the runs: `intent`, or the first that is rated."""
    rated = [c for c in rubric.criteria if c.rated_by == "rater" and c.scale.counted]
    return next((c for c in rated if c.key == "intent"), rated[0] if rated else None)


def _imported(criterion: Criterion, verdicts: pl.Series) -> tuple[pl.Expr, pl.Expr]:
    """Verdicts that stood beside the runs, in points."""
    kept: dict[str, str] = {}
    for raw in verdicts.unique().drop_nulls():
        with suppress(Off):
            kept[raw] = criterion.scale.read(raw)
    values = pl.DataFrame({"value": kept.values()}, schema={"value": pl.String})
    worth = values.select(criterion.scale.points_of_column(pl.col("value"))).to_series()
    given = pl.col(verdicts.name)
    points = given.replace_strict(list(kept), worth, default=None, return_dtype=pl.Float64)
    why = pl.when(given.is_null()).then(pl.lit("no verdict"))
    return points, why.when(points.is_null()).then(pl.lit("unknown verdict"))
