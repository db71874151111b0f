"""What most raters say: everybody has one vote, however often somebody was asked."""

from __future__ import annotations

import polars as pl
import pytest

import haechi
from haechi.analysis.analysis import Analysis
from haechi.judge.human_answers import settled_items
from haechi.report.sections.items import failures_section
from haechi.scoring.open_lines import answers
from haechi.scoring.panel import most_said
from haechi.scoring.rated_runs import given_labels
from haechi.study.study import Study
from own_criteria import own_study

SAID = {"gpt": ["1", "1", "1"], "claude": ["0"], "gemini": ["0"]}
"""Three of five answers are 1, and one of three raters says 1."""


def rows(item, criterion, said, kind="ai", **names):
    """The ratings of one item; names: what is given for 0 and 1."""
    return [
        (item, criterion, rater, kind, number, names.get(f"of_{value}", value))
        for rater, values in said.items()
        for number, value in enumerate(values, 1)
    ]


def frame(given):
    columns = ["item", "criterion", "rater", "kind", "replicate", "value"]
    return pl.DataFrame(given, schema=columns, orient="row")


def in_force(given):
    return frame(given).with_columns(status=pl.lit("ok"), stance=pl.lit(None, pl.String))


@pytest.mark.parametrize(
    ("said", "most"),
    [
        (SAID, "0"),
        ({"gpt": ["1", "0", "1"], "claude": ["1", "1", "0"], "kim": ["0"]}, "1"),
        ({"gpt": ["1", "0"], "kim": ["0"]}, "0"),
        ({"gpt": ["1", "0"]}, None),
        ({"gpt": ["1"], "kim": ["0"]}, None),
        ({"gpt": ["1", "1", "1"], "kim": ["0"]}, None),
        ({"gpt": [None, None, "1"], "kim": [None]}, "1"),
        ({"kim": [None]}, None),
    ],
)
def test_a_rater_has_one_vote_and_who_is_split_has_none(said, most):
    assert most_said(frame(rows("a", "c", said)), ["item", "criterion"]).rows() == [("a", "c", most)]


def test_things_stand_in_their_order_each_with_its_own_raters():
    given = frame([*rows("b", "c", {"kim": ["1"]}), *rows("a", "c", SAID), *rows("b", "d", {"kim": ["2"]})])
    assert most_said(given, ["item"]).rows() == [("b", None), ("a", "0")]
    assert most_said(given.with_columns(pl.lit(None).alias("item")), ["item"])["value"].to_list() == ["0"]
    assert most_said(given.clear(), ["item"]).rows() == []


def test_an_open_line_is_decided_by_raters_not_by_repeated_answers():
    line = "accuracy.line_d24643b8457b"
    found = answers(in_force(rows("r1", line, SAID)), haechi.rubric("hiring-agent"))
    assert found.rows() == [("r1", line, False, "gpt, claude, gemini")]
    split = answers(
        in_force(rows("r1", line, {"gpt": ["1", "1"], "kim": ["0"]})), haechi.rubric("hiring-agent")
    )
    assert split.is_empty()


def test_a_run_has_the_label_of_most_raters():
    labels = in_force(rows("r1", "intent_label", SAID, of_1="ADD", of_0="VIEW"))
    assert given_labels(labels).rows() == [("r1", "VIEW")]


def test_an_item_counts_in_the_category_that_most_of_its_raters_chose():
    given = []
    for n in range(4):
        given += rows(f"{n}", "mood", SAID, of_1="glad", of_0="sad" if n < 2 else "calm")
    mode = [f"m{int(item) // 2}" for item, *_ in given]
    found = haechi.compare(frame(given).with_columns(mode=pl.Series(mode)), by="mode")
    counts = found.as_json()["criteria"]["mood"]["counts"]
    assert dict(zip(counts["categories"], zip(*counts["counts"], strict=True), strict=True)) == {
        "calm": (0, 2),
        "sad": (2, 0),
    }


def test_a_value_is_settled_by_people_not_by_who_rated_again(make_study):
    study: Study = make_study(1)
    said = {"kim": ["1", "0", "0"], "lee": ["0"], "park": ["1"]}
    for criterion in study.rubric.criteria:
        study.import_ratings(frame(rows("d0", criterion.key, said, "human")).to_dict(as_series=False))
    with study.database.read() as connection:
        (found,) = settled_items(connection, study.rubric)
    assert {answer.value for answer in found.answers} == {"0"}


def test_an_example_that_fails_is_one_that_most_raters_call_unmet(make_study):
    study: Study = make_study(2)
    given = []
    for criterion in study.rubric.criteria:
        given += rows("d0", criterion.key, {"gpt": ["0", "0", "0"], "claude": ["1"], "gemini": ["1"]})
        given += rows("d1", criterion.key, SAID)
    study.import_ratings(frame(given).to_dict(as_series=False))
    section = failures_section(Analysis(study))
    assert section is not None
    assert {row[0].item for part in section.parts for row in part.rows} == {"d1"}


def test_a_criterion_of_an_item_fails_where_most_raters_say_so(tmp_path):
    study = own_study(tmp_path)
    given = rows("p1", "1", SAID) + rows(
        "p1", "2", {"gpt": ["0", "0", "0"], "claude": ["1"], "gemini": ["1"]}
    )
    given += rows("p1", "3", {"gpt": ["1"], "claude": ["0"]})
    study.import_ratings(frame(given).to_dict(as_series=False))
    (own,) = study.scores().own
    assert [one.failing for one in own.criteria] == [("p1",), (), ()]
