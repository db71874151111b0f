"""Deciding on disputed items: whom the owner sees, what is in dispute, and that no decision is lost."""

from __future__ import annotations

import re
import shlex
from html import unescape

import pytest
from browser import arrive, chromium, in_a_browser, serious, served, visit
from desks import desk, open_desk

from haechi.cli.start import main
from haechi.data.rating import Rating
from haechi.store.ratings import append_ratings
from haechi.web.dashboard import Watch
from haechi.web.rules import RubricRules

pytestmark = in_a_browser
ITEM = "s01"
FIELD = "A1_math_expertise.concept_accuracy"
OTHER = "A1_math_expertise.curriculum_hierarchy"


def given(desk, rows):
    """Ratings of one session: (rater, kind, criterion, value, replicate)."""
    ratings = [
        (
            "test",
            Rating(ITEM, criterion, rater, kind, value, evidence="메시지[0]에서 '등차수열'", replicate=again),
        )
        for rater, kind, criterion, value, again in rows
    ]
    with desk.study.database.write() as connection:
        append_ratings(connection, ratings, desk.study.rubric.version, "test")


@pytest.fixture
def session(open_desk):
    """A session with three AI judges and two teachers, who differ on one element; a judge differs from itself on another."""
    desk = open_desk("maice-qac")
    kinds = {"gpt": "ai", "claude": "ai", "gemini": "ai", "kim": "human", "lee": "human"}
    fields = [name for name in desk.study.rubric.rateables if name.startswith("A1_") and "." in name]
    rows = [(name, kind, field, "1", 1) for name, kind in kinds.items() for field in fields]
    rows[rows.index(("kim", "human", FIELD, "1", 1))] = ("kim", "human", FIELD, "0", 1)
    given(desk, [*rows, ("gpt", "ai", OTHER, "0", 2)])
    return desk


def case_of(owner):
    return re.search(r"/owner/items/\d+", owner.entered.text)[0]


def question(page, field):
    return re.search(rf'<details[^>]*data-field="{re.escape(field)}".*?</details>', page, re.DOTALL)[0]


def test_people_stand_before_ai_judges_and_a_row_that_agrees_is_not_disputed(session):
    owner = session.owner()
    page = owner.client.get(case_of(owner)).text
    assert re.findall(r'class="kind (\w+)"', question(page, FIELD)) == ["human", "human", "ai", "ai", "ai"]
    assert "disputed" in question(page, FIELD)
    assert "disputed" not in question(page, OTHER)  # only one judge's second judgement differs, from its own


def test_what_follows_from_a_stated_floor_is_shown_and_can_be_in_dispute(session):
    floor, field = session.study.rubric.floors[0].key, "B1_learner_customization.level_based_approach"
    given(session, [("kim", "human", floor, "1", 1), ("lee", "human", field, "1", 1)])
    owner = session.owner()
    row = question(owner.client.get(case_of(owner)).text, field)
    assert "disputed" in row
    assert "by the floor" in row


def decide(owner, body):
    address = case_of(owner)
    proof = re.search(r'data-csrf="(\w+)"', owner.client.get(address).text)[1]
    return owner.post("/owner/decisions", {"item": int(address.rsplit("/", 1)[1]), **body}, proof)


def test_names_are_hidden_until_everything_in_dispute_is_decided(session):
    owner = session.owner()
    hidden = owner.client.get(case_of(owner)).text
    assert not [name for name in ("kim", "lee", "gpt", "claude", "gemini") if name in hidden]
    said = decide(owner, {"field": FIELD, "value": "1", "reason": "용어가 정확함"}).json()
    assert said == {"saved": True, "decided": True}
    shown = owner.client.get(case_of(owner)).text
    assert all(name in shown for name in ("kim", "lee", "gpt", "claude", "gemini"))


def test_a_decision_can_be_withdrawn_and_stays_in_the_history(session):
    owner = session.owner()
    decide(owner, {"field": FIELD, "value": "1", "reason": "용어가 정확함"})
    assert "decided" in owner.client.get("/owner").text
    assert decide(owner, {"field": FIELD, "value": None}).json() == {"saved": True, "decided": False}
    assert 'class="state open">decided' not in owner.client.get("/owner").text
    page = owner.client.get(case_of(owner)).text
    assert "용어가 정확함" not in page
    assert "kim" not in page
    with session.study.database.read() as connection:
        query = "SELECT value, status, reason FROM ratings WHERE rater = 'adjudicator' ORDER BY number"
        kept = [tuple(row) for row in connection.rows(query)]
    assert kept == [("1", "ok", None), (None, "missing", "withdrawn by the owner")]
    assert decide(owner, {"field": FIELD, "value": "0", "reason": "다시 보니 부정확함"}).status_code == 200


def test_the_command_on_the_page_decides_as_the_page_does(session, tmp_path, capsys):
    owner = session.owner()
    said = unescape(
        re.search(r'<code class="wrapped">(.+?)</code>', owner.client.get(case_of(owner)).text)[1]
    )
    table = tmp_path / "decisions.csv"
    table.write_text(f"item,criterion,value,evidence\n{ITEM},{FIELD},1,용어가 정확함\n", "utf-8")
    _, name, study, file, *options = shlex.split(said)
    assert (name, study, file) == ("import", session.study.name, table.name)
    assert main([name, str(session.study.folder), str(table), *options]) == 0, capsys.readouterr().err
    decided = question(owner.client.get(case_of(owner)).text, FIELD)
    assert 'class="state open">decided' in decided
    assert "용어가 정확함" in decided


def test_a_value_without_a_reason_is_named_and_does_not_vanish(session, visit):
    owner = session.owner()
    with served(session) as address:
        page = visit(f"{address}/enter/{owner.token}", wait=".dashboard")
        page.click(".disputed-list a")
        arrive(page, "main.case")
        row = page.locator(f"[data-field='{FIELD}']")
        row.locator("select").select_option("1")
        assert "write a reason" in row.locator(".pending").inner_text()
        page.goto(f"{address}/owner")
        page.click(".disputed-list a")
        kept = "name => document.querySelector(`[data-field='${name}'] select`)?.value === '1'"
        page.wait_for_function(kept, arg=FIELD)  # the page brings it back when its script has run
        assert "write a reason" in row.locator(".pending").inner_text()
        row.locator("textarea").fill("용어가 정확함")
        row.locator("textarea").blur()
        arrive(page, "main[data-decided=yes]")
        assert "kim" in page.inner_text(".given >> nth=0")
        assert not row.locator(".pending").is_visible()
        row.locator(".withdraw").click()
        arrive(page, "main[data-decided=no]")
        assert row.locator("textarea").input_value() == ""
        assert serious(page) == []
    assert [row["value"] for row in session.ratings() if row["rater"] == "adjudicator"] == [None]


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_every_rating_and_the_decision_are_in_sight_at_every_width(session, visit, width):
    owner = session.owner()
    with served(session) as address:
        page = visit(
            f"{address}/enter/{owner.token}", wait=".dashboard", viewport={"width": width, "height": 844}
        )
        page.click(".disputed-list a")
        arrive(page, "main.case")
        row = page.locator(f"[data-field='{FIELD}']")
        row.scroll_into_view_if_needed()
        boxes = [one.bounding_box() for one in row.locator(".given li, .decision").all()]
        assert len(boxes) == 6
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= width for box in boxes)
        for i, one in enumerate(boxes):  # nothing covers anything
            for other in boxes[i + 1 :]:
                apart = (
                    one["x"] + one["width"] <= other["x"] + 1 or other["x"] + other["width"] <= one["x"] + 1
                )
                assert (
                    apart
                    or one["y"] + one["height"] <= other["y"] + 1
                    or other["y"] + other["height"] <= one["y"] + 1
                )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_next_case_needs_no_figures_anew(session):
    """Of 100,000 items they take seconds, after every decision."""
    watch = Watch(session.study, RubricRules(session.study.rubric))
    figures = watch.look().figures
    given(session, [("owner's decision", "human", FIELD, "1", 1)])
    assert watch.disputed() == (ITEM,)
    assert watch.look().figures is not figures  # the dashboard is as of now


def test_figures_that_take_long_are_kept_a_while_and_the_page_says_of_when_they_are(session):
    watch = Watch(session.study, RubricRules(session.study.rubric), kept=lambda cost: cost + 1e6)
    first = watch.look()
    assert first.figures_of is None
    given(session, [("park", "human", FIELD, "0", 1)])
    later = watch.look()
    assert later.figures is first.figures
    assert later.figures_of is not None
