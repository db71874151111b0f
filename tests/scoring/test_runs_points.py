"""Measures to points: every band edge, the overall score, and why a score is null or 0."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import haechi
from haechi.scoring.runs import consistency
from haechi.scoring.runs.points import REASONS, score

RUBRIC = haechi.rubric("hiring-agent")
RUN = {
    "query": "q1", "failed": False, "failure": None, "tool_class": "SINGLE", "seconds": 1.0, "check_ratio": 1.0, "checks_open": 0,
    "ratio_a": 1.0, "ratio_b": 1.0, "intent_verdict": "PERFECT",
}  # fmt: skip
TYPES = {"failure": pl.String, "seconds": pl.Float64, "check_ratio": pl.Float64, "intent_verdict": pl.String,
         "ratio_a": pl.Float64, "ratio_b": pl.Float64, "query": pl.String}  # fmt: skip


def scored(missing: Any = None, **changes: Any) -> dict[str, Any]:
    frame = pl.DataFrame([RUN | changes], schema_overrides=TYPES)
    return score(frame, RUBRIC, missing).to_dicts()[0]


@pytest.mark.parametrize(
    ("seconds", "single", "multi"),
    [
        (0.0, 5, 5), (5.0, 5, 5), (5.0001, 4, 5), (8.0, 4, 5), (8.0001, 3, 5), (10.0, 3, 5), (10.0001, 2, 5),
        (15.0, 2, 5), (15.0001, 1, 5), (20.0, 1, 5), (20.0001, 0, 4), (30.0, 0, 4), (30.0001, 0, 3), (40.0, 0, 3),
        (40.0001, 0, 2), (50.0, 0, 2), (50.0001, 0, 1), (60.0, 0, 1), (60.0001, 0, 0), (1e9, 0, 0), (None, 0, 0),
    ],
)  # fmt: skip
def test_time_bands(seconds: float | None, single: int, multi: int) -> None:
    one, many = scored(seconds=seconds), scored(seconds=seconds, tool_class="MULTI")
    assert (one["latency_single"], one["latency_multi"], one["why:latency_multi"]) == (
        single,
        None,
        "other class",
    )
    assert (many["latency_single"], many["latency_multi"], many["why:latency_single"]) == (
        None,
        multi,
        "other class",
    )
    assert one["why:latency_single"] == ("no time" if seconds is None else None)


@pytest.mark.parametrize(
    ("ratio", "points"),
    [
        (0.0, 0),
        (0.01, 1),
        (0.2499, 1),
        (0.25, 2),
        (0.4999, 2),
        (0.5, 3),
        (0.7499, 3),
        (0.75, 4),
        (0.9999, 4),
        (1.0, 5),
    ],
)
def test_accuracy_bands(ratio: float, points: int) -> None:
    assert scored(check_ratio=ratio)["accuracy"] == points


def test_accuracy_without_checks_and_of_a_failed_run_is_0_and_says_why() -> None:
    unchecked = scored(check_ratio=None)
    assert (unchecked["accuracy"], unchecked["why:accuracy"]) == (0, "no checks")
    failed = scored(check_ratio=1.0, failed=True, failure="unparseable")
    assert (failed["accuracy"], failed["why:accuracy"]) == (0, "unparseable")


@pytest.mark.parametrize(
    ("verdict", "points", "why"),
    [
        ("PERFECT", 5, None), ("GOOD", 4, None), ("partial", 3, None), ("WEAK", 2, None), ("FAILED", 0, None),
        ("RELATED_BUT_WRONG", 1, None), (None, None, "no verdict"), ("최고", None, "unknown verdict"),
    ],
)  # fmt: skip
def test_intent(verdict: str | None, points: int | None, why: str | None) -> None:
    run = scored(intent_verdict=verdict)
    assert (run["intent"], run["why:intent"]) == (points, why)


def test_intent_of_a_failed_run_is_failed_by_rule() -> None:
    run = scored(intent_verdict="PERFECT", failed=True, failure="error")
    assert (run["intent"], run["why:intent"]) == (0, "error")


def test_a_run_without_answer_is_unstable_but_not_failed() -> None:
    run = scored(failure="no answer", intent_verdict=None)
    assert (run["stability"], run["why:stability"], run["intent"], run["accuracy"]) == (
        0,
        "no answer",
        None,
        5,
    )
    assert scored()["stability"] == 5


def test_consistency() -> None:
    assert scored(ratio_a=1.0, ratio_b=0.5)["consistency"] == 3.75  # (1 + 1/2) / 2 * 5
    once = scored(ratio_a=None, ratio_b=None)
    assert (once["consistency"], once["why:consistency"]) == (0, "single run")
    assert scored(query=None, ratio_a=None, ratio_b=None)["why:consistency"] == "no query"


def test_overall_weighs_the_run_s_own_speed() -> None:
    # 20 % of 4 + 10 % of 2.5 + 30 % of 3 + 20 % of 2 + 20 % of 5 = 0.8 + 0.25 + 0.9 + 0.4 + 1 = 3.35
    run = {"intent_verdict": "GOOD", "ratio_a": 0.5, "ratio_b": 0.5, "check_ratio": 0.5, "seconds": 45.0}
    assert scored(**run, tool_class="MULTI")["overall"] == pytest.approx(3.35)


def test_overall_is_missing_with_a_part_unless_renormalised() -> None:
    run = scored(intent_verdict=None, seconds=6.0)
    assert (run["overall"], run["why:overall"]) == (None, "incomplete")
    # (10 * 5 + 30 * 5 + 20 * 4 + 20 * 5) / 80 = 4.75
    assert scored("renormalise", intent_verdict=None, seconds=6.0)["overall"] == pytest.approx(4.75)


def test_every_reason_has_words() -> None:
    odd = [
        scored(check_ratio=None, seconds=None, intent_verdict=None, ratio_a=None, ratio_b=None),
        scored(query=None, ratio_a=None, ratio_b=None, intent_verdict="?", tool_class="MULTI"),
        *(scored(failed=True, failure=failure) for failure in ("error", "unparseable", "not an object")),
        scored(failed=True, failure="error", seconds=None),
        scored(failure="no answer"),
        scored(check_ratio=None, checks_open=2),
    ]
    given = {run[name] for run in odd for name in run if name.startswith("why:")} - {None}
    assert given == set(REASONS)
    assert all(text.ko and text.en for text in REASONS.values())


MEASURES = pl.DataFrame(
    [
        ("q1", "ADD", "s1"), ("q1", "ADD", "s2"), ("q1", "ERROR", "EMPTY"), ("q1", "VIEW", "s2"), ("q2", "VIEW", "s1"),
        ("q3", "VIEW", "s1"), ("q3", "ADD", "s1"), (None, "ADD", "s1"), (None, "ADD", "s1"),
    ],
    schema=["query", "label", "signature"],
    orient="row",
).with_columns(tool_class=pl.lit("SINGLE"), version=pl.lit(None, pl.String))  # fmt: skip


def test_ratios_of_a_query() -> None:
    ratios = consistency.ratios(consistency.counts(MEASURES)).drop("query_class")
    found = {row["query"]: row for row in ratios.to_dicts()}
    assert found["q1"] == {"query": "q1", "runs": 4, "modal_label": "ADD", "ratio_a": 0.5, "ratio_b": 0.5}
    assert found["q2"] == {"query": "q2", "runs": 1, "modal_label": "VIEW", "ratio_a": None, "ratio_b": None}
    # A tie is broken by the alphabet.
    assert found["q3"] == {"query": "q3", "runs": 2, "modal_label": "ADD", "ratio_a": 0.5, "ratio_b": 1.0}
    assert set(found) == {"q1", "q2", "q3"}


def test_another_version_is_no_repeat() -> None:
    """An agent that does the same every time until it is changed is consistent before and after."""
    runs = pl.DataFrame({"query": ["q1"] * 4, "label": "ADD", "signature": [*"xxyy"], "tool_class": "SINGLE"})
    versions = runs.with_columns(version=pl.Series(["v1", "v1", "v2", "v2"]))
    for frame, ratio in ((versions, 1.0), (runs.with_columns(version=pl.lit(None, pl.String)), 0.5)):
        known = consistency.with_ratios(frame, consistency.ratios(consistency.counts(frame)))
        assert known["ratio_b"].to_list() == [ratio] * 4
        assert known["query"].to_list() == ["q1"] * 4


def test_counts_of_pieces_add_up() -> None:
    whole = consistency.ratios(consistency.counts(MEASURES)).sort("query")
    for size in (1, 2, 5):
        pieces = [
            consistency.counts(MEASURES[start : start + size]) for start in range(0, len(MEASURES), size)
        ]
        assert consistency.ratios(consistency.merge(pieces)).sort("query").equals(whole)


def classes(*runs: tuple[str | None, str | None]) -> list[tuple[str, str]]:
    frame = pl.DataFrame(runs, schema={"query": pl.String, "tool_class": pl.String}, orient="row")
    frame = frame.with_columns(label=pl.lit("ADD"), signature=pl.lit("s"), version=pl.lit(None, pl.String))
    known = consistency.ratios(consistency.counts(frame))
    return consistency.with_ratios(frame, known).select("tool_class", "class_by").rows()


def test_a_failed_run_without_a_payload_has_the_class_of_its_query() -> None:
    assert classes(("q1", "MULTI"), ("q1", None), ("q2", "SINGLE"), ("q2", None)) == [
        ("MULTI", "run"),
        ("MULTI", "query"),
        ("SINGLE", "run"),
        ("SINGLE", "query"),
    ]
    assert classes(("q1", "MULTI"), ("q1", "SINGLE"), ("q1", "MULTI"), ("q1", None))[-1] == ("MULTI", "query")


def test_a_class_that_nobody_tells_is_single_and_says_so() -> None:
    assert classes(("q1", None), ("q1", None), (None, None)) == [("SINGLE", "nobody")] * 3
