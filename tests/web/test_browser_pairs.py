"""Two answers side by side in a real browser: blind, in the drawn order, by the arrow keys."""

from __future__ import annotations

from importlib.resources import files

import pytest
from browser import chromium, in_a_browser, serious, served, visit, wait_saved
from visitors import Desk

from haechi.data.pair_order import shown_order
from haechi.store.desk import read_assignments
from haechi.store.display_order import read_shown
from haechi.study.study import Study
from haechi.web.options import Options

pytestmark = in_a_browser


@pytest.fixture
def desk(tmp_path):
    study = Study.new(tmp_path / "duels", "diary-duel")
    study.add([str(files("haechi.demo") / "data" / "diary-duel" / "pairs.jsonl")])
    return Desk(study, Options(lang="ko"))


def test_a_pair_is_judged_with_arrows_and_kept_of_its_own_sides(desk, visit):
    rater = desk.rater("kim")
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        with desk.study.database.read() as connection:
            first = read_assignments(connection, "kim")[0]
        item = next(iter(desk.study.items([first.item])))
        straight = shown_order(item.id, "kim") == "ab"
        left, right = (item.content[f"response_{side}"] for side in ("ab" if straight else "ba"))
        shown = page.locator(".side-by-side .part .prose")
        assert [text.strip() for text in shown.all_inner_texts()] == [left, right]
        boxes = [shown.nth(n).bounding_box() for n in (0, 1)]
        assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]  # beside each other, not below
        for name in ("누리", "가람", "한별"):
            assert name not in page.inner_text("body")
        assert serious(page) == []
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("=")
        wait_saved(page)
        page.reload()
        page.wait_for_selector(".side-by-side")
    kept = {row["criterion"]: row["value"] for row in desk.ratings()}
    assert kept == {"overall": "a" if straight else "b", "warmth": "tie"}
    with desk.study.database.read() as connection:
        assert read_shown(connection) == [(item.id, "kim", 1, "ab" if straight else "ba")]


def test_what_was_chosen_stands_where_it_was_chosen_when_the_page_comes_again(desk, visit):
    raters = [desk.rater(name) for name in ("kim", "lee", "park", "choi")]
    orders = set()
    for rater, name in zip(raters, ("kim", "lee", "park", "choi"), strict=True):
        assert rater.get("/desk/work")["items"]
        state = rater.get("/desk/items/1")
        assert [part["name"] for part in state["view"]["parts"]] == ["일기", "코멘트 A", "코멘트 B"]
        assert rater.answer("overall", "b").status_code == 200
        assert rater.get("/desk/items/1")["answers"]["overall"]["value"] == "b"  # as this rater sees it
        with desk.study.database.read() as connection:
            place = read_assignments(connection, name)[0]
        orders.add(shown_order(place.item, name))
    assert orders == {"ab", "ba"}
    assert {row["value"] for row in desk.ratings()} == {"a", "b"}


def test_on_a_phone_the_two_stand_below_each_other(desk, visit):
    rater = desk.rater("kim")
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}", viewport={"width": 390, "height": 800})
        shown = page.locator(".side-by-side .part")
        boxes = [shown.nth(n).bounding_box() for n in (0, 1)]
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
