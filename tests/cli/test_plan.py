"""`haechi plan` from assumptions and from a pilot study, and what it refuses."""

from __future__ import annotations

import pytest

import haechi as package
from haechi.stats.planning import Spread, mean_width


def test_the_plan_of_the_contract(haechi):
    said = haechi("plan", "--width", 0.5, "--sd", 1.2, "--icc", 0.6, "--raters", 3, "--json").json
    assert said["goal"]["kind"] == "width"
    assert said["goal"]["width"] == 0.5
    assert said["assumed"] == {"sd": 1.2, "icc": 0.6}
    best = said["best"]
    assert (best["items"], best["raters"], best["ratings"]) == (68, 3, 204)
    assert best["width"] == pytest.approx(mean_width(Spread(0.864, 0, 0.576), 68, 3))
    assert best in said["designs"]
    assert [one["ratings"] for one in said["designs"]] == sorted(one["ratings"] for one in said["designs"])
    assert set(said["curve"]["widths"]) == {str(one["raters"]) for one in said["designs"]}


def test_a_pilot_gives_its_own_components(haechi, demo):
    folder = demo / "maice-qac"
    found = haechi("agree", folder, "--json").json["criteria"]["total"]["components"]
    said = haechi("plan", folder, "--width", "total=1.0", "--json").json
    assert said["assumed"]["components"] == found
    assert said["goal"]["score"] == "total"
    for one in said["designs"]:
        spread = Spread(*found.values())
        assert one["width"] == pytest.approx(mean_width(spread, one["items"], one["raters"]))
        assert one["width"] <= 1.0 < mean_width(spread, one["items"] - 1, one["raters"])
    again = package.plan(folder, width={"total": 1.0})
    assert again.as_json() == said


def test_costs_decide_what_is_cheapest(haechi):
    given = (
        "plan",
        "--width",
        0.5,
        "--sd",
        1.2,
        "--icc",
        0.3,
        "--cost-item",
        10,
        "--cost-rating",
        1,
        "--json",
    )
    designs = haechi(*given).json["designs"]
    costs = [one["items"] * 10 + one["ratings"] for one in designs]
    assert [one["cost"] for one in designs] == costs == sorted(costs)
    assert designs[0]["raters"] > 1


def test_new_raters_need_several_raters_whatever_the_items(haechi):
    given = ("plan", "--width", 0.8, "--sd", 1, "--icc", 0.5, "--rater-sd", 0.3, "--new-raters", "--json")
    said = haechi(*given).json
    assert min(one["raters"] for one in said["designs"]) > 2
    refused = haechi(*given[:-1], "--raters", 2)
    assert refused.code == 1
    assert "no number of items makes the interval so narrow" in refused.err


@pytest.mark.parametrize(
    ("given", "items", "words"),
    [
        (("--difference", 0.5, "--sd", 1), 64, "64 items in each group"),
        (("--difference", 0.5, "--sd", 1, "--paired", "--correlation", 0.5), 34, "34 pairs"),
        (("--gate", 3, "--mean", 3.5, "--sd", 1.5), 25, "the mean is 3 or more with a probability of 95 %"),
        (
            ("--gate", 3, "--mean", 3.5, "--sd", 1.5, "--lower"),
            119,
            "the lower end of the interval is 3 or more",
        ),
        (("--share", 0.8, "--width", 0.1), 245, "0.100 wide"),
        (("--share", 0.9, "--width", 0.1, "--pass", 3, "--icc", 0.5, "--repeats", 5), 187, "pass^3"),
        (
            ("--alt-test", "--human-error", 0.2, "--judge-error", 0.1, "--raters", 3),
            50,
            "3 people and the judge",
        ),
    ],
)
def test_every_goal_says_what_it_takes(haechi, given, items, words):
    assert haechi("plan", *given, "--json").json["best"]["items"] == items
    told = haechi("plan", *given)
    assert told.code == 0
    assert words in told.out
    korean = haechi("plan", *given, "--lang", "ko").out
    assert f"{items}개" in korean


@pytest.mark.parametrize(
    "given",
    [
        (),
        ("--width", 1),
        ("--width", 0, "--sd", 1),
        ("--width", "x", "--sd", 1),
        ("--width", 1, "--difference", 1, "--sd", 1),
        ("--share", 0.5),
        ("--pass", 2, "--width", 1),
        ("--alt-test", "--human-error", 0.1),
        ("--width", 1, "--sd", 1, "--icc", 1.5),
    ],
)
def test_what_is_no_plan_is_wrong_usage(haechi, given):
    assert haechi("plan", *given).code == 2


def test_impossible_goals_are_refused_with_a_sentence(haechi, demo):
    below = haechi("plan", "--gate", 3, "--mean", 2.9, "--sd", 1)
    assert (below.code, "an expected mean above 3" in below.err) == (1, True)
    never = haechi("plan", "--alt-test", "--human-error", 0.02, "--judge-error", 0.4, "--raters", 3)
    assert (never.code, "not even 2,000 items" in never.err) == (1, True)
    certain = haechi("plan", "--share", 1, "--width", 0.1, "--pass", 2)
    assert (certain.code, "between 0 and 1" in certain.err) == (1, True)
    own = haechi("plan", demo / "maice-qac", "--width", "total=1", "--sd", 3)
    assert (own.code, "its own figures are used" in own.err) == (2, True)
    unknown = haechi("plan", demo / "maice-qac", "--width", "totl=1", "--json")
    assert unknown.code == 1
    assert "total" in unknown.json["error"][0]["expected"]


def test_a_pilot_with_one_rater_plans_for_that_rater(haechi, tmp_path):
    study = package.Study.new(tmp_path / "s", "diary-comment")
    items = [f"d{i}" for i in range(8)]
    study.add({"id": items, "context": ["c"] * 8, "response": ["r"] * 8})
    study.import_ratings({"item": items, "rater": ["kim"] * 8, "sympathy": [0, 1] * 4})
    said = haechi("plan", tmp_path / "s", "--width", "sympathy=0.2", "--json").json
    assert [one["raters"] for one in said["designs"]] == [1]
    assert "the same raters only" in said["note"]
