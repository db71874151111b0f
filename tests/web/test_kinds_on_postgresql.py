"""Pairs and own criteria on PostgreSQL: the same figures as in a file."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from visitors import Desk

from haechi.analysis.ranking import ranking
from haechi.analysis.study_votes import study_votes
from haechi.demo import make_duels, make_own_criteria
from haechi.study.study import Study
from haechi.web.options import Options
from own_criteria import MOVING, REFUND, prompt, rubric_file, write

DATA = files("haechi.demo") / "data"


@pytest.fixture
def opened(empty_database):
    made = []

    def new(folder, rubric):
        made.append(Study.new(folder, rubric, database=empty_database))
        return made[-1]

    yield new
    for study in made:
        study.database.close()


def test_own_criteria_come_to_the_same(opened, tmp_path):
    there = opened(tmp_path / "own", DATA / "own-criteria" / "rubric.yaml")
    there.add([str(DATA / "own-criteria" / "items.jsonl")])
    there.import_ratings(str(DATA / "own-criteria" / "ratings.csv"))
    here = make_own_criteria(tmp_path)
    assert there.scores().as_json() == here.scores().as_json()
    (own,), (expected,) = there.scores().own, here.scores().own
    assert own.as_json() == expected.as_json()
    assert own.agreement_json() == expected.agreement_json()
    there.undo()
    assert there.ratings().is_empty()
    there.import_ratings(str(DATA / "own-criteria" / "ratings.csv"))
    assert there.scores().as_json() == here.scores().as_json()


def test_pairs_rank_the_same_with_their_orders(opened, tmp_path):
    there = opened(tmp_path / "duels", "diary-duel")
    there.add([str(DATA / "diary-duel" / "pairs.jsonl")])
    there.import_votes(str(DATA / "diary-duel" / "votes.csv"))
    here = make_duels(tmp_path)
    found, expected = ranking(study_votes(there)), ranking(study_votes(here))
    assert found.position == expected.position
    for one, other in zip(found.strengths.systems, expected.strengths.systems, strict=True):
        assert one.name == other.name
        assert one.strength.value == pytest.approx(other.strength.value)
    rating = {"item": [here.ratings()["item"][0]], "rater": ["kim"], "criterion": ["overall"], "value": ["a"]}
    there.import_ratings({**rating, "order": ["ab"]})
    there.undo()
    there.import_ratings({**rating, "order": ["ba"]})  # what came wrong is corrected
    assert there.ratings().filter(rater="kim")["order"].to_list() == ["ba"]


def test_the_desk_asks_each_item_its_own_list_and_shows_agreement_on_each(opened, tmp_path):
    rubric_file(tmp_path)
    study = opened(tmp_path / "there", tmp_path / "everyday.yaml")
    study.add([write(tmp_path / "items.jsonl", prompt("p1", REFUND), prompt("p2", MOVING))])
    desk = Desk(study, Options(lang="en"))
    for name in ("kim", "lee"):
        rater = desk.rater(name)
        for one in rater.get("/desk/work")["items"]:
            item = rater.get(f"/desk/items/{one['position']}")
            for field in item["groups"][0]["fields"]:
                assert rater.answer(field["name"], "1", position=one["position"]).status_code == 200
    assert sorted(study.scores().frame["own"].to_list()) == [0.0, 0.0, 3 / 7, 3 / 7]
    page = desk.owner().client.get("/owner").text
    assert "Agreement on single criteria" in page
    (row,) = re.findall(r"<tr><th scope=.row.>All raters</th>.*?</tr>", page, re.DOTALL)
    assert [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td class=.n.>(.*?)</td>", row)] == [
        "1.00",  # AC1
        "100 %",
        *("5", "2", "2"),  # criteria, items, raters
    ]
