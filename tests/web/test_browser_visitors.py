"""Participants, closed links and shared computers in a real browser."""

from __future__ import annotations

import pytest
from browser import arrive, chromium, in_a_browser, press, serious, served, visit, wait_fetched, wait_saved
from desks import desk, open_desk

from haechi.store.invitations import revoke

pytestmark = in_a_browser


def test_a_revoked_rater_stops_at_once_and_sees_what_was_not_saved(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        press(page, "1")
        wait_saved(page)
        wait_fetched(page, 7)  # what is still being fetched would find the closed link first
        with desk.study.database.write() as connection:
            revoke(connection, "teacher-1")
        press(page, "0")
        page.wait_for_selector(".closed")
        said = page.inner_text(".closed")
        assert "owner closed this link" in said
        assert "Answers that could not be saved: 1" in said
        assert page.locator(".item, .form-pane").count() == 0
        assert serious(page) == []
        page.keyboard.press("1")
        assert (
            page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('haechi waiting')).length")
            == 1
        )
        for address_of_it in (
            f"{address}/desk",
            f"{address}/enter/{rater.token}",
        ):  # and when it is opened again
            page.goto(address_of_it)
            page.wait_for_selector("[data-kept]:visible")
            said = page.inner_text("main")
            assert "This link was closed" in said
            assert "Answers that could not be saved: 1" in said
            assert "Item 1 · Specificity: 0" in said
            assert serious(page) == []
        other = desk.rater("teacher-2")
        with desk.study.database.write() as connection:
            revoke(connection, "teacher-2")
        page.goto(f"{address}/enter/{other.token}")  # another link says nothing of these
        arrive(page, "main h1")
        assert page.is_hidden("[data-kept]")
    assert len(desk.ratings()) == 1


def test_two_desks_on_one_host_keep_their_raters(open_desk, visit):
    first, second = open_desk("diary-comment"), open_desk("ubica")
    with served(first) as one, served(second) as other:
        page = visit(f"{one}/enter/{first.rater().token}")
        page.goto(f"{other}/enter/{second.rater().token}")
        page.wait_for_selector(".item")
        page.goto(f"{one}/desk")
        page.wait_for_selector(".item")
        press(page, "1")
        wait_saved(page)
    assert (len(first.ratings()), len(second.ratings())) == (1, 0)


def test_the_next_participant_at_the_same_computer(open_desk, visit):
    desk = open_desk("ubica", public_survey=True)
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form")
        for _ in range(2):
            page.click("form .primary")
            page.wait_for_selector(".item")
            press(page, "543215432")
            page.keyboard.press("Enter")
            page.click(".finished .primary")
            page.wait_for_selector("text=고맙습니다")
            assert serious(page) == []
            page.click("form button")
            page.wait_for_selector("text=참여는 자유")
    assert len({row["rater"] for row in desk.ratings()}) == 2


def test_nobody_leaves_before_their_answers_are_sent(open_desk, visit):
    """The next person's page may not send what waits here, so it would never arrive."""
    desk = open_desk("ubica", public_survey=True)
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form")
        page.click("form .primary")
        page.wait_for_selector(".item")
        page.route("**/survey/desk/answers", lambda route: route.abort())
        press(page, "5")
        page.wait_for_selector(".save.offline")
        page.click(".top nav button:last-child")
        page.click("dialog.leaving .quiet")
        page.wait_for_selector("dialog.leaving:has-text('보내지 못한 답')")
        page.unroute("**/survey/desk/answers")
        wait_saved(page)
        page.click("dialog.leaving .quiet")
        page.wait_for_selector("text=참여는 자유")
    assert [row["value"] for row in desk.ratings()] == ["5"]


def test_a_kiosk_makes_way_for_the_next_person_by_itself(open_desk, visit):
    desk = open_desk("ubica", public_survey=True, kiosk=True)
    with served(desk) as address:
        page = visit(f"{address}/api/health", wait="body")
        page.clock.install()
        page.goto(f"{address}/survey")
        page.click("form .primary")
        page.wait_for_selector(".item")
        press(page, "5")
        wait_saved(page)
        page.clock.run_for(125_000)  # nobody touches anything
        page.wait_for_selector("dialog.leaving")
        page.click("dialog.leaving .primary")
        page.wait_for_selector("dialog.leaving", state="detached")
        page.clock.run_for(125_000)
        page.wait_for_selector("dialog.leaving")
        page.clock.run_for(32_000)
        page.click(".consent form .quiet")  # for somebody new
        arrive(page, "text=저장하지 않았습니다")
        page.clock.run_for(16_000)
        page.click(".consent .primary")
        page.wait_for_selector(".item")
        assert page.locator(".item input:checked").count() == 0
    assert len({row["rater"] for row in desk.ratings()}) == 1
