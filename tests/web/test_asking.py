"""The desk asks people only what matters: items drawn with known chances, until the mean is known as closely as wanted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from html import unescape

import numpy as np
import polars as pl
import pytest
from test_settings import save
from visitors import Desk

from haechi import stats
from haechi.cli.start import main
from haechi.errors import HaechiError
from haechi.store.desk_settings import read_desk_settings
from haechi.study.study import Study
from haechi.web.adaptive_desk import check_goal, goal_of
from haechi.web.options import Options

FIELDS = ("sensibleness", "specificity", "sympathy")
ITEMS = [f"d{at:03}" for at in range(100)]


def met(seed: int, share: np.ndarray, raters: int) -> np.ndarray:
    """(items, raters, criteria) met or not."""
    return (np.random.default_rng(seed).random((len(ITEMS), raters, 3)) < share[:, None, None]).astype(int)


QUALITY = np.random.default_rng(5).beta(1, 0.6, len(ITEMS))
PEOPLE, JUDGES = met(6, QUALITY, 1)[:, 0], met(7, 0.3 + 0.7 * QUALITY, 3)
TRUTH = PEOPLE.mean()


def judged(folder, database=None) -> Study:
    study = Study.new(folder, "diary-comment", database=database)
    study.add(
        {"id": ITEMS, "context": [f"일기 {item}" for item in ITEMS], "response": ["그랬군요"] * len(ITEMS)}
    )
    rows = [
        {
            "item": item,
            "criterion": field,
            "rater": f"judge-{judge}",
            "kind": "ai",
            "value": int(JUDGES[at, judge, one]),
        }
        for at, item in enumerate(ITEMS)
        for judge in range(3)
        for one, field in enumerate(FIELDS)
    ]
    study.import_ratings(pl.DataFrame(rows))
    return study


def rate_until_nothing_is_left(desk: Desk, *names: str) -> None:
    """Raters take turns; each gives what people give for the item, which the test knows and they do not."""
    raters, count = {name: desk.rater(name) for name in names}, 0
    while sum(_rate(desk, name, rater) for name, rater in raters.items()):
        count += 1
        assert count < len(ITEMS)


def _rate(desk: Desk, name: str, rater) -> bool:
    waiting = [one["position"] for one in rater.get("/desk/work")["items"] if not one["finished"]]
    for position in waiting[:1]:
        with desk.study.database.read() as connection:
            item = connection.value(
                "SELECT item FROM assignments WHERE rater = :name AND position = :position",
                name=name,
                position=position,
            )
        for field, value in zip(FIELDS, PEOPLE[ITEMS.index(item)], strict=True):
            assert rater.answer(field, str(value), position=position).status_code == 200
    return bool(waiting)


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> Desk:
    study = judged(tmp_path_factory.mktemp("asking") / "diaries")
    desk = Desk(study, Options(given={"until": "mean3=±0.1", "seed": 3}, lang="en"))
    rate_until_nothing_is_left(desk, "ann", "bo")
    return desk


def test_it_stops_when_the_mean_is_known_and_not_before(asked):
    found = asked.study.scores().human["mean3"]
    assert found.these_items.details["reached"]
    assert found.these_items.details["half_width"] <= 0.1
    assert found.these_items.ci95[0] < TRUTH < found.these_items.ci95[1]
    assert 20 <= found.n_human < len(ITEMS)
    late = asked.rater("cho")
    assert late.get("/desk/work")["items"] == []


def test_every_draw_is_kept_with_its_chance_and_the_estimate_uses_them(asked):
    draw = asked.study.drawn()
    assert (draw.how, draw.items, draw.goal) == ("until", 100, "mean3=±0.1")
    assert len(set(draw.item_ids)) == len(draw.drawn)
    assert all(0.3 / 100 <= chance <= 1 for _, chance in draw.drawn)
    assert (
        len({round(chance * (100 - at), 6) for at, (_, chance) in enumerate(draw.drawn)}) > 10
    )  # not all alike
    chances = dict(
        zip(draw.item_ids, stats.inclusion_of_draws([one for _, one in draw.drawn], 100), strict=True)
    )
    asked_for = asked.study.rated_by_people()
    people = np.where([item in asked_for for item in ITEMS], PEOPLE.mean(axis=1), np.nan)
    probability = [chances.get(item, np.nan) for item in ITEMS]
    expected = stats.human_scale_mean(people, JUDGES.mean(axis=2), probability, (0, 1))
    found = asked.study.scores().human["mean3"]
    assert found.mean.value == pytest.approx(
        expected.mean.value, abs=0.02
    )  # of two raters, whose severities are levelled


def test_nobody_is_asked_about_what_somebody_rated(asked):
    with asked.study.database.read() as connection:
        items = connection.values("SELECT item FROM assignments WHERE kind = 'item'")
        raters = connection.rows("SELECT rater, count(*) FROM assignments GROUP BY rater")
    assert len(items) == len(set(items))
    counts = dict(raters)
    assert abs(counts["ann"] - counts["bo"]) <= 3


def test_the_owner_reads_how_far_it_is_and_what_it_saved(asked):
    page = asked.owner().client.get("/owner", headers={"accept": "text/html"}).text
    assert "The goal is reached" in page
    assert "people would have had to rate" in page
    assert "Had people rated everything" in page
    assert "Waiting for" not in page


def test_before_the_first_figure_the_page_says_so(tmp_path):
    desk = Desk(judged(tmp_path / "diaries"), Options(given={"until": "mean3=±0.1"}, lang="en"))
    assert (
        "the first figure comes after 20 items"
        in desk.owner().client.get("/owner", headers={"accept": "text/html"}).text
    )


def test_a_new_start_goes_on_with_the_same_draw(tmp_path):
    study = judged(tmp_path / "diaries")
    first = Desk(study, Options(given={"until": "mean3=±0.1"}, lang="en"))
    rater = first.rater("ann")
    for _ in range(3):
        _rate(first, "ann", rater)
    before = study.drawn()
    again = Desk(Study(study.folder), Options(given={"until": "mean3=±0.1"}, lang="en"))
    _rate(again, "ann", again.rater("ann"))
    after = again.study.drawn()
    assert after.number == before.number
    assert after.drawn[: len(before.drawn)] == before.drawn


def test_the_goal_is_chosen_in_the_browser_too(tmp_path):
    desk = Desk(judged(tmp_path / "diaries"), Options(lang="en"))
    owner = desk.owner()
    refused = save(owner, until="nothing=±0.1")
    assert refused.status_code == 422
    assert "one of sensibleness" in refused.text
    assert "correct ‘Ask until it is known so closely’" in unescape(refused.text)
    assert "--until" not in refused.text
    assert save(owner, until=goal_of(desk.study.rubric)).status_code == 200, "what is proposed can be had"
    assert save(owner, until="mean3=±0.1").status_code == 200
    with desk.study.database.read() as connection:
        assert read_desk_settings(connection).until == "mean3=±0.1"
    assert len(desk.rater("ann").get("/desk/work")["items"]) == 2


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("mean3", "SCORE=±HALF"),
        ("mean3=wide", "SCORE=±HALF"),
        ("men3=±1", "one of"),
        ("mean3=±0.5", "less than 0.5"),
        ("mean3=±0", "more than 0"),
    ],
)
def test_a_goal_that_makes_no_sense_is_refused(tmp_path, goal, said):
    with pytest.raises(HaechiError, match=said):
        check_goal(judged(tmp_path / "diaries"), goal)


def test_without_judges_there_is_nothing_to_help(tmp_path, capsys):
    study = Study.new(tmp_path / "diaries", "diary-comment")
    assert main(["serve", str(study.folder), "--until", "mean3=±0.1", "--lang", "en"]) == 1
    assert "haechi judge" in capsys.readouterr().err


def test_drawn_items_come_before_all_others(tmp_path):
    study = judged(tmp_path / "diaries")
    drawn = set(study.draw(5, seed=2).item_ids)
    desk = Desk(study, Options(lang="en"))
    desk.rater("ann").get("/desk/work")
    with study.database.read() as connection:
        first = connection.values(
            "SELECT item FROM assignments WHERE rater = 'ann' ORDER BY position LIMIT 5"
        )
    assert set(first) == drawn
    assert study.random_part().how == "drawn"


def test_what_the_desk_gave_out_in_its_own_order_is_a_random_part(tmp_path):
    study = judged(tmp_path / "diaries")
    desk = Desk(study, Options(lang="en"))
    rater = desk.rater("ann")
    for _ in range(12):
        _rate(desk, "ann", rater)
    assert study.random_part().how == "desk"
    assert study.scores().human["mean3"].mean.value is not None


def test_postgresql_draws_and_stops_as_well(empty_database, tmp_path):
    study = judged(tmp_path / "diaries", empty_database)
    desk = Desk(study, Options(given={"until": "mean3=±0.2"}, lang="en"))
    rate_until_nothing_is_left(desk, "ann", "bo")
    found = study.scores().human
    assert found.part.how == "until"
    assert found["mean3"].these_items.details["reached"]
    study.declare_drawn("the desk drew them")
    assert study.random_part().how == "declared"
    study.draw(10, seed=1)
    assert study.random_part().how == "drawn"
    study.database.close()


def test_two_who_ask_at_once_get_different_items(empty_database, tmp_path):
    study = judged(tmp_path / "diaries", empty_database)
    desk = Desk(study, Options(given={"until": "mean3=±0.1"}, lang="en"))
    raters = [desk.rater(f"rater-{at}") for at in range(6)]
    with ThreadPoolExecutor(6) as pool:
        assert all(len(found["items"]) == 2 for found in pool.map(lambda one: one.get("/desk/work"), raters))
    assert len(set(study.drawn().item_ids)) == 12
    study.database.close()
