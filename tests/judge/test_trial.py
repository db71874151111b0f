"""Ways of judging on items that people rated: side by side, kept apart, and a recommendation that says no more than the data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest
from provider_settings import MODELS
from scipy import stats as scipy_stats

from haechi.analysis.trial import JudgingWay, JudgingWayPair, Trial, trial_of, trial_study
from haechi.report.tables.trial import recommendation
from haechi.stats.figure import Figure
from haechi.study.study import Study

TWO = ("--model", MODELS[0], "--model", MODELS[1])


@pytest.fixture
def rated(make_study) -> Study:
    study = make_study(45)
    rows: dict[str, list[Any]] = {name: [] for name in ("item", "criterion", "rater", "kind", "value")}
    chance = np.random.default_rng(3)
    for number in range(40):
        for criterion in study.rubric.criteria:
            kim = int(chance.integers(0, 2))
            lee = kim if chance.random() < 0.9 else 1 - kim
            for person, value in (("kim", kim), ("lee", lee)):
                said = (f"d{number}", criterion.key, person, "human", str(value))
                for name, one in zip(rows, said, strict=True):
                    rows[name].append(one)
    study.import_ratings(rows)
    return study


def test_a_trial_is_kept_apart_from_the_study(server, rated, haechi):
    before = haechi("score", rated.folder, "--json").json
    done = haechi("judge", rated.folder, *TWO, "--try", "--json")
    assert done.code == 0, done.err
    told = done.json["trial"]
    ways = ("", "/criterion", "/examples4")
    expected = [f"{model}{way}" for model in ("gpt-5-mini", "claude-haiku-4-5") for way in ways]
    assert [one["rater"] for one in told["variants"]] == expected
    assert told["examples"] == 4
    assert haechi("score", rated.folder, "--json").json == before
    with rated.database.read() as connection:
        assert connection.value("SELECT count(*) FROM calls") == 0
        assert connection.value("SELECT count(*) FROM item_sets") == 0
    assert "enter no figure of the study" in done.err
    asked = sum(server.paid.values())
    again = haechi("judge", rated.folder, *TWO, "--try", "--json").json["trial"]
    assert again == told, "a second time nothing is asked, and the figures are the same"
    assert sum(server.paid.values()) == asked


def test_the_figures_are_those_of_scipy(server, rated, haechi):
    server.salts = {"claude-haiku-4-5": "other"}
    told = haechi("judge", rated.folder, *TWO, "--try", "20", "--json").json["trial"]
    trial = Study(rated.folder / "trial")
    frame = trial.rated_scores().frame
    raters = [one["rater"] for one in told["variants"]]
    own = {
        r: dict(frame.filter(rater=r).select("item", told["score"]).iter_rows())
        for r in [*raters, "kim", "lee"]
    }
    items = sorted(set.intersection(*(set(own[r]) for r in raters)))
    assert told["items"] == len(items)
    people = np.array([(own["kim"][i] + own["lee"][i]) / 2 for i in items])
    apart = {r: np.abs(np.array([own[r][i] for i in items]) - people) for r in raters}
    for one in told["variants"]:
        assert one["distance"]["value"] == pytest.approx(apart[one["rater"]].mean())
        expected = scipy_stats.pearsonr(people, [own[one["rater"]][i] for i in items]).statistic
        assert one["pearson"]["value"] == pytest.approx(expected)
        with trial.database.read() as connection:
            cost = connection.value(
                "SELECT sum(cost) FROM calls WHERE rater = :rater AND item = ANY(:items)",
                rater=one["rater"],
                items=items,
            )
        assert one["dollars_per_item"]["value"] == pytest.approx(cost / len(items))
    raw = [scipy_stats.ttest_rel(apart[p["a"]], apart[p["b"]]).pvalue for p in told["pairs"]]
    known = [(p["p_corrected"], own) for p, own in zip(told["pairs"], raw, strict=True) if not np.isnan(own)]
    order = np.argsort([p for _, p in known], kind="stable")
    running = 0.0
    for place, at in enumerate(order):
        running = max(running, min(1.0, (len(known) - place) * known[at][1]))
        assert known[at][0] == pytest.approx(running)


def test_criterion_by_criterion_costs_a_call_for_each(server, rated, haechi):
    told = haechi("judge", rated.folder, "--model", MODELS[0], "--try", "12", "--json").json["trial"]
    calls = {one["rater"]: one["calls"] for one in told["variants"]}
    assert calls["gpt-5-mini/criterion"] == 3 * calls["gpt-5-mini"]


def test_both_languages_and_the_estimate_first(server, rated, haechi):
    dry = haechi("judge", rated.folder, "--model", MODELS[0], "--try", "12", "--dry-run")
    assert "gpt-5-mini/criterion" in dry.out
    assert not server.seen
    korean = haechi("--lang", "ko", "judge", rated.folder, "--model", MODELS[0], "--try", "12")
    assert "방법별 비교" in korean.out
    assert "사람과의 거리" in korean.out


def test_too_few_items_of_people_are_refused(server, make_study, haechi):
    study = make_study(5)
    done = haechi("judge", study.folder, "--model", MODELS[0], "--try")
    assert done.code == 1
    assert "collect ratings of people first" in done.err
    assert not (study.folder / "trial").exists()


@pytest.mark.parametrize(
    "more",
    [("--batch",), ("--repeat", "2"), ("--per", "criterion"), ("--then", MODELS[1]), ("--examples", "2")],
)
def test_what_a_trial_would_leave_aside_is_refused(server, rated, haechi, more):
    ran = haechi("judge", rated.folder, "--model", MODELS[0], "--try", *more)
    assert ran.code == 1
    assert f"run it without {more[0]}" in ran.err
    assert not server.paid
    assert not (rated.folder / "trial").exists()


def test_a_limit_holds_for_every_way_that_is_tried(server, rated, haechi):
    ran = haechi("judge", rated.folder, "--model", MODELS[0], "--try", "12", "--limit", "2", "--json")
    assert ran.code == 0, ran.err
    assert sum(server.paid.values()) == 2 * 3, "two calls for each of three ways"


def variant(name: str, distance: float, dollars: float | None) -> JudgingWay:
    figure = Figure(distance, 30, (distance - 0.05, distance + 0.05))
    cost = Figure(dollars, 30)
    return JudgingWay(name, 30, figure, Figure(0.5, 30), cost, Figure(1.0, 30), 30)


def told(p: float | None, dollars: tuple[float | None, float | None] = (0.01, 0.05)) -> str:
    pair = JudgingWayPair("cheap", "dear", Figure(0.08, 30, (0.01, 0.15)), p)
    variants = (variant("cheap", 0.2, dollars[0]), variant("dear", 0.12, dollars[1]))
    return " ".join(recommendation(Trial("ssa", 30, 4, variants, (pair,))))


def test_a_recommendation_says_no_more_than_the_data():
    shown = told(0.01)
    assert "cheap is further from people than dear" in shown
    assert "The cheapest of those that were not shown to be further is dear." in shown
    unknown = told(0.2)
    assert "No difference between the ways was shown." in unknown
    assert "one of up to 15" in unknown
    assert unknown.endswith("is cheap.")
    assert "none is recommended" in told(0.2, (None, 0.05))
    same = Trial(
        "ssa",
        30,
        4,
        (variant("a", 0.2, 1.0), variant("b", 0.2, 2.0)),
        (JudgingWayPair("a", "b", Figure(0.0, 30), None),),
    )
    assert recommendation(same)[0].endswith("on all 30 items their distance is the same.")
    alone = Trial("ssa", 30, 0, (variant("a", 0.2, 1.0),), ())
    assert recommendation(alone) == ["There is nothing to compare."]


def test_a_trial_measures_people_as_its_study_does(rated):
    """A decision on disputed items counted as one more person there, and items with known answers were tried."""
    known = {"id": "known", "context": "비", "response": "우산", "meta": {"attention": {"sympathy": 1}}}
    table = rated.folder / "known.jsonl"
    table.write_text(json.dumps(known), "utf-8")
    rated.add([table])
    for item in [*(f"d{number}" for number in range(40)), "known"]:
        names = [criterion.key for criterion in rated.rubric.criteria]
        said = {"item": item, "criterion": names, "rater": "head", "kind": "human", "value": "0"}
        stance = None if item == "known" else "adjudication"
        rated.import_ratings(
            pl.DataFrame({**said, "stance": [stance] * 3}, schema_overrides={"stance": pl.String})
        )
    trial = trial_study(rated, 12)
    tried = [item.id for item in trial.items()]
    assert "known" not in tried
    people = trial.rated_scores().frame
    assert set(people["rater"]) == {"kim", "lee"}
    same = rated.rated_scores().frame.filter(pl.col("item").is_in(tried))
    assert people.sort("item", "rater").equals(same.sort("item", "rater"))


def test_the_trial_of_a_study_is_made_once(rated):
    first = trial_study(rated, 12)
    assert trial_study(rated, 30).count_items() == first.count_items()
    assert trial_of(first, []).variants == ()
