"""Every item's own list at the desk: answered by keys, finished when all of it is, shown and decided by the owner."""

from __future__ import annotations

import pytest
from browser import chromium, in_a_browser, press, served, visit, wait_saved
from visitors import Desk

from haechi.rubrics.catalog import builtin_ids
from haechi.study.study import Study
from haechi.web.options import Options
from own_criteria import MOVING, REFUND, own_study


@pytest.fixture
def desk(tmp_path):
    return Desk(own_study(tmp_path), Options(lang="ko"))


def questions(rater):
    shown = {p["position"]: rater.get(f"/desk/items/{p['position']}") for p in rater.state["work"]["items"]}
    return {position: item["groups"][0]["fields"] for position, item in shown.items()}


def test_an_item_is_done_when_its_list_is(desk):
    rater = desk.rater()
    asked = questions(rater)
    assert sorted(map(len, asked.values())) == [2, 3]
    for position, fields in asked.items():
        for place, field in enumerate(fields, 1):
            done = rater.answer(field["name"], "1", position=position).json()["finished"]
            assert done is (place == len(fields))
    assert sorted(desk.study.scores().frame["own"].to_list()) == [0.0, 3 / 7]


def test_a_criterion_of_another_item_is_refused(desk):
    rater = desk.rater()
    (one, fields), (other, _) = questions(rater).items()
    assert rater.answer(fields[0]["name"], "1", position=other).status_code == 422
    assert rater.answer(fields[0]["name"], "2", position=one).status_code == 422


def test_the_owner_sees_what_everybody_said_to_each_criterion(desk):
    rater = desk.rater()
    for position, fields in questions(rater).items():
        rater.answer(fields[0]["name"], "1", position=position, evidence="'이렇게 하세요'")
    owner = desk.owner()
    pages = [owner.client.get(f"/owner/browse?item={number}").text for number in (1, 2)]
    for page, criteria in zip(pages, (REFUND, MOVING), strict=True):
        assert f"항목별 기준: {criteria[0]['criterion']}" in page
    case = owner.client.get("/owner/items/1").text
    assert all(one["criterion"] in case for one in REFUND)


@pytest.mark.parametrize("rubric", builtin_ids())
def test_every_instrument_has_a_desk(tmp_path, rubric):
    """Whether or not something is known beforehand to practise on: of criteria that items bring, nothing is."""
    opened = Desk(Study.new(tmp_path / rubric, rubric), Options(given={"training": True}, lang="en"))
    assert opened.owner().client.get("/owner").status_code == 200


@in_a_browser
def test_in_the_browser_by_keys_alone(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.wait_for_selector("[data-field^='own.line_']")
        count = page.locator("[data-field^='own.line_']").count()
        for _ in range(count):
            press(page, "1")
            page.keyboard.press("Enter")
        wait_saved(page)
    assert len(desk.ratings()) == count
