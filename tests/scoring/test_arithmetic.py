"""The rubric's arithmetic on whole tables: floors, missing values, direct scores, exclusions."""

from __future__ import annotations

import polars as pl
import pytest

import haechi
from haechi.rubrics import Rubric
from haechi.scoring.ratings import score_ratings

QAC = haechi.rubric("maice-qac")


def _ratings(values: dict[str, object], item: str = "s1", rater: str = "judge") -> pl.DataFrame:
    rows = [
        {"item": item, "criterion": name, "rater": rater, "kind": "ai", "replicate": 1}
        | {"value": None if value is None else str(value), "status": "missing" if value is None else "ok"}
        | {"reason": "reply cut off" if value is None else None}
        for name, value in values.items()
    ]
    return pl.DataFrame(rows, schema_overrides={"value": pl.String, "reason": pl.String})


def _all(value: object) -> dict[str, object]:
    return dict.fromkeys(QAC.rateables, value)


def _row(frame: pl.DataFrame) -> dict[str, object]:
    (row,) = frame.to_dicts()
    return row


def test_item_is_met_plus_one_areas_and_total_are_sums():
    values = _all(0) | {
        "A1_math_expertise.concept_accuracy": 1,
        "B2_explanation_systematicity.key_emphasis": 1,
    }
    row = _row(score_ratings(_ratings(values), QAC).frame)
    assert (row["A1"], row["A2"], row["B2"], row["C1"]) == (2, 1, 2, 1)
    assert (row["A"], row["B"], row["C"], row["total"]) == (4, 4, 2, 10)
    everything = _row(score_ratings(_ratings(_all(1)), QAC).frame)
    assert (everything["A"], everything["B"], everything["C"], everything["total"]) == (15, 15, 10, 40)


def test_a_missing_element_makes_item_area_and_total_missing_with_the_reason():
    scores = score_ratings(_ratings(_all(1) | {"C2_learning_support.understanding_check": None}), QAC)
    row, why = _row(scores.frame), _row(scores.reasons)
    assert (row["C1"], row["C2"], row["C"], row["total"], row["A"]) == (5, None, None, None, 15)
    assert why["C2"] == "no value: understanding_check (reply cut off)"
    assert why["total"] == "no value: C"
    assert why["A"] is None


def test_unmet_counts_missing_elements_as_zero_but_never_a_reply_that_failed():
    partly = _ratings(_all(1) | {"C2_learning_support.understanding_check": None})
    failed = _ratings(_all(None), item="s2")
    frame = score_ratings(pl.concat([partly, failed]), QAC, missing="unmet").frame
    assert dict(frame.select("item", "total").rows()) == {"s1": 39, "s2": None}


def test_the_floor_holds_by_rule_for_every_rater_and_when_a_rater_states_it():
    by_rule = score_ratings(_ratings(_all(1)), QAC, floored=["s1"]).frame
    assert (_row(by_rule)["B"], _row(by_rule)["total"]) == (3, 28)
    stated = score_ratings(_ratings(_all(1) | {"no_mathematical_content": 1}), QAC).frame
    assert (_row(stated)["B"], _row(stated)["A"]) == (3, 15)
    not_stated = score_ratings(_ratings(_all(1) | {"no_mathematical_content": 0}), QAC).frame
    assert _row(not_stated)["B"] == 15


def test_the_floor_fills_what_a_judge_left_out():
    b = {name: None for name in QAC.rateables if name.startswith("B")}
    assert _row(score_ratings(_ratings(_all(1) | b), QAC, floored=["s1"]).frame)["total"] == 28


def test_item_scores_given_directly_are_used_where_no_elements_were_ticked():
    values = {f"{c.key}": 4 for c in QAC.criteria}
    row = _row(score_ratings(_ratings(values, rater="teacher"), QAC).frame)
    assert (row["A1"], row["A"], row["total"]) == (4, 12, 32)
    only_total = _row(score_ratings(_ratings({"total": 27}, rater="teacher"), QAC).frame)
    assert (only_total["A1"], only_total["total"]) == (None, 27)


def test_excluding_a_criterion_shrinks_area_and_total():
    row = _row(score_ratings(_ratings(_all(1)), QAC.without(("C1",))).frame)
    assert (row["C"], row["total"]) == (5, 35)
    assert "C1" not in row
    row = _row(score_ratings(_ratings(_all(1)), QAC.without(("C1", "C2"))).frame)
    assert row["total"] == 30
    assert "C" not in row


def test_raters_items_and_replicates_are_kept_apart():
    frames = [_ratings(_all(1)), _ratings(_all(0), rater="other"), _ratings(_all(0), item="s2")]
    again = _ratings(_all(0)).with_columns(replicate=pl.lit(2, pl.Int64))
    frame = score_ratings(pl.concat([*frames, again]), QAC).frame
    assert sorted(frame.select("item", "rater", "replicate", "total").rows()) == [
        ("s1", "judge", 1, 40.0),
        ("s1", "judge", 2, 8.0),
        ("s1", "other", 1, 8.0),
        ("s2", "judge", 1, 8.0),
    ]


def test_ubica_overall_is_the_mean_of_nine_and_the_comment_enters_no_figure():
    rubric = haechi.rubric("ubica")
    keys = [c.key for c in rubric.criteria if c.scale.type == "likert"]
    values = dict(zip(keys, [1, 2, 3, 4, 5, 5, 5, 5, 5], strict=True)) | {"comment": "잘 들었어요"}
    row = _row(score_ratings(_ratings(values), rubric).frame)
    assert row["overall"] == pytest.approx(35 / 9, abs=1e-15)
    assert row["sum"] == 35
    assert "comment" not in row


@pytest.mark.parametrize(
    ("by", "strict", "lenient"), [("mean", None, 1.0), ("weighted_mean", None, 1.0), ("sum", None, None)]
)
def test_renormalise_takes_means_over_what_is_there(by, strict, lenient):
    rubric = haechi.rubric("diary-comment")
    parts = (
        {"weights": {"sensibleness": 0.75, "sympathy": 0.25}}
        if by == "weighted_mean"
        else {"of": ("sensibleness", "sympathy")}
    )
    fields = {name: getattr(rubric, name) for name in Rubric.fields()}
    changed = Rubric(**(fields | {"scores": ({"key": "both", "name": "둘", "by": by, **parts},)}))
    ratings = _ratings({"sensibleness": 1, "sympathy": None})
    assert _row(score_ratings(ratings, changed).frame)["both"] == strict
    assert _row(score_ratings(ratings, changed, missing="renormalise").frame)["both"] == lenient


def test_share_is_points_reached_of_points_that_can_be_reached():
    rubric = haechi.rubric("diary-comment")
    fields = {name: getattr(rubric, name) for name in Rubric.fields()}
    share = {"key": "share", "name": "비율", "by": "share", "of": ("sensibleness", "specificity", "sympathy")}
    changed = Rubric(**(fields | {"scores": (share,)}))
    ratings = _ratings({"sensibleness": 1, "specificity": 1, "sympathy": 0})
    assert _row(score_ratings(ratings, changed).frame)["share"] == pytest.approx(2 / 3, abs=1e-15)
