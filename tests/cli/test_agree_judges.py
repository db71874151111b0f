"""`haechi agree --judges --rasch --labels`, and who answers at random."""

from __future__ import annotations

import csv

import numpy as np
import pytest


@pytest.fixture
def ratings(tmp_path):
    """A table of ratings by people and judges; one of the people rolls dice."""

    def write(name, values, kinds):
        path = tmp_path / name
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["item", "rater", "kind", "value"])
            for rater, kind in kinds.items():
                rows.writerows([f"i{i}", rater, kind, int(value)] for i, value in enumerate(values[rater]))
        return path

    return write


KINDS = {"ann": "human", "bo": "human", "dice": "human", "gpt": "ai", "claude": "ai"}


def panel(binary=False):
    random = np.random.default_rng(21)
    true = random.normal(size=90)
    values = {name: np.clip(np.rint(3 + 1.2 * true + random.normal(0, 0.5, 90)), 1, 5) for name in KINDS}
    values["dice"] = random.integers(1, 6, 90)
    return {name: own >= 3 for name, own in values.items()} if binary else values


def test_a_rater_who_answers_at_random_is_named(haechi, ratings):
    table = ratings("scores.csv", panel(), KINDS)
    told = haechi("agree", table, "--scale", "1-5", "--json").json
    found = {one["rater"]: one["with_others"] for one in told["raters"]}
    assert {name: one["flag"] for name, one in found.items()} == dict.fromkeys(KINDS) | {"dice": "random"}
    assert found["dice"]["p"] < 0.05
    assert found["ann"]["correlation"]["value"] > 0.5
    assert "judges" not in told
    assert "dice goes with nobody" in haechi("agree", table, "--scale", "1-5").out
    assert "무작위로 답한 것으로 보입니다" in haechi("agree", table, "--scale", "1-5", "--lang", "ko").out


def test_judges_of_scores(haechi, ratings):
    table = ratings("scores.csv", panel(), KINDS)
    told = haechi("agree", table, "--scale", "1-5", "--judges", "--rasch", "--json").json["judges"]
    found = told["criteria"]["overall"]
    assert 1 <= found["effective"]["value"] <= 2
    assert found["effective"]["ci95"][0] <= found["effective"]["value"] <= found["effective"]["ci95"][1]
    assert found["panels"]["searched"] == "all"
    assert len(found["panels"]["panels"]) == 3
    assert found["panels"]["held_out"]["value"] < 1
    assert "accuracy" not in found
    rasch = told["rasch"]
    assert [one["name"] for one in rasch["raters"]] == list(KINDS)
    assert sum(one["measure"]["value"] for one in rasch["raters"]) == pytest.approx(0, abs=1e-9)
    assert len(rasch["items"]) == 90
    assert all(1 <= one["fair_average"] <= 5 for one in rasch["items"])
    assert rasch["raters"][2]["outfit"] > 1.3  # the dice
    for lang, words in (("en", "These 2 judges are worth"), ("ko", "명 몫입니다")):
        ran = haechi("agree", table, "--scale", "1-5", "--judges", "--rasch", "--lang", lang)
        assert ran.code == 0
        assert words in ran.out


def test_judges_of_yes_or_no(haechi, ratings):
    table = ratings("met.csv", panel(binary=True), KINDS)
    told = haechi("agree", table, "--scale", "0,1", "--judges", "--labels", "--json").json["judges"]
    gpt, claude = told["criteria"]["overall"]["accuracy"]
    assert (gpt["rater"], claude["rater"]) == ("gpt", "claude")
    assert gpt["sensitivity"]["value"] > 0.7
    assert gpt["corrected"]["ci95"][0] < gpt["corrected"]["value"] < gpt["corrected"]["ci95"][1]
    labels = told["labels"]["overall"]
    assert sum(labels["shares"]) == pytest.approx(1)
    assert labels["confusion"]["ann"][1][1] > labels["confusion"]["dice"][1][1]
    shown = haechi("agree", table, "--scale", "0,1", "--judges", "--labels", "--lang", "ko").out
    assert "민감도" in shown
    assert "참 1 → 1" in shown


def test_elements_that_nobody_rated_have_no_labels(haechi, write):
    """Ratings of whole scores leave the elements of these scores without any."""
    rows = [f"s{n},A1,{rater},{1 + n % 5}" for n in range(6) for rater in ("ann", "bo")]
    table = write("scores.csv", "\n".join(["item,criterion,rater,value", *rows]))
    ran = haechi("agree", table, "--rubric", "maice-qac", "--elements", "--labels", "--json")
    assert ran.code == 0
    found = ran.json["judges"]["labels"].values()
    assert {one["why"] for one in found} == {"there is no rating with a value"}


def test_without_people_nothing_is_said_about_judges(haechi, demo):
    ran = haechi("agree", demo / "diary-comment", "--judges")
    assert (ran.code, "there must be both" in ran.out) == (0, True)


def test_the_report_has_the_section(haechi, demo, tmp_path):
    haechi("report", demo / "maice-qac", "-o", tmp_path / "out", "--lang", "ko")
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "## AI 평가자를 측정 도구로 보면" in page
    assert "명 몫입니다" in page
