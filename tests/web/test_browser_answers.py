"""What becomes of an answer in a real browser when it does not belong here or is not on the scale."""

from __future__ import annotations

import json

import pytest
from benches import Bench
from browser import chromium, finish_items, in_a_browser, press, serious, served, visit, wait_saved
from desks import desk, open_desk
from visitors import DATA, FILES, Desk

from haechi.store.invitations import revoke
from haechi.study.study import Study
from haechi.web.options import Options

pytestmark = in_a_browser

MINUTES = """
id: minutes
title: {en: Minutes, ko: 분}
about: {en: Waiting, ko: 기다림}
item: reply
speakers: {user: {en: user, ko: 사용자}, assistant: {en: AI, ko: AI}}
task: {en: Judge the waiting time., ko: 기다린 시간을 평가합니다.}
criteria:
  - key: wait
    name: {en: Waiting time, ko: 기다린 시간}
    question: {en: How many minutes, ko: 몇 분인가요}
    scale:
      type: bands
      bands:
        - {range: "[0, 5]", points: 5}
        - {range: "(5, inf)", points: 0}
scores:
  - {key: total, name: {en: Total, ko: 합계}, by: sum, of: [wait]}
"""


@pytest.fixture
def two_studies(tmp_path):
    """Two studies with the same rubric and the same items."""

    def opened(name):
        study = Study.new(tmp_path / name, "diary-comment")
        study.add([DATA / FILES["diary-comment"]])
        return Desk(study, Options(lang="en"))

    return opened("a"), opened("b")


def storage(page):
    """The answers in the browser's storage, by key."""
    found = page.evaluate("Object.entries(localStorage)")
    return {key: json.loads(value) for key, value in found if value.startswith("[")}


def test_waiting_answers_go_to_their_own_study_and_to_no_other(two_studies, visit):
    first, second = two_studies
    there, here = first.rater("t1"), second.rater("t1")
    with served(first) as address:
        port = int(address.rpartition(":")[2])
        page = visit(f"{address}/enter/{there.token}")
        page.wait_for_load_state("networkidle")
    press(page, "101")
    page.wait_for_selector(".save.offline")
    with served(second, port):
        page.goto(f"{address}/enter/{here.token}")
        page.wait_for_selector(".item")
        wait_saved(page)
        assert page.locator("input[type=radio]:checked").count() == 0
        page.wait_for_load_state("networkidle")
        assert second.ratings() == []
    assert sum(len(entries) for entries in storage(page).values()) == 3
    with served(first, port):
        page.goto(f"{address}/enter/{there.token}")
        page.wait_for_selector(".item")
        wait_saved(page)
        assert storage(page) == {}
    assert [row["value"] for row in first.ratings()] == ["1", "0", "1"]
    assert second.ratings() == []


def test_answers_wait_while_something_else_is_served_at_the_address(two_studies, tmp_path, visit):
    """`haechi serve a`, then `haechi serve` of the folder: the page's address is not there, and its answers are not refused."""
    first, _ = two_studies
    rater = first.rater("t1")
    with served(first) as address:
        port = int(address.rpartition(":")[2])
        page = visit(f"{address}/enter/{rater.token}")
        page.wait_for_load_state("networkidle")
    press(page, "101")
    page.wait_for_selector(".save.offline")
    with served(Bench(tmp_path), port):
        with page.expect_response(lambda response: response.status == 404):
            pass  # sent again by itself
        page.wait_for_selector(".save.offline:has-text('3')")
        assert page.is_hidden(".kept")
        page.goto(f"{address}/enter/{rater.token}")  # the same link leads to the study in the folder
        page.wait_for_selector(".item")
        wait_saved(page)
    assert [row["value"] for row in first.ratings()] == ["1", "0", "1"]


def test_an_older_telephone_sends_its_answers_too(desk, visit):
    """Without `AbortSignal.timeout` (iOS 15) every answer waited for ever."""
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.add_init_script("delete AbortSignal.timeout")
        page.reload()
        page.wait_for_selector(".item")
        page.wait_for_load_state()
        press(page, "101")
        page.wait_for_function(
            "document.querySelectorAll('.item-pane ~ .form-pane input:checked').length === 3"
        )
        wait_saved(page)
    assert [row["value"] for row in desk.ratings()] == ["1", "0", "1"]


def test_the_later_of_two_devices_holds_though_the_earlier_sends_last(desk, visit):
    rater = desk.rater()
    rater.marks()  # gives out the items
    with served(desk) as address:
        tablet, phone = (visit(f"{address}/enter/{rater.token}") for _ in range(2))
        for page in (tablet, phone):
            page.wait_for_load_state("networkidle")
        tablet.route("**/desk/answers", lambda route: route.abort())  # no connection for a while
        press(tablet, "1")
        tablet.wait_for_selector(".save.offline")
        tablet.wait_for_timeout(1100)  # moments are kept to the second
        press(phone, "0")
        wait_saved(phone)
        tablet.unroute("**/desk/answers")
        wait_saved(tablet)
        row = tablet.locator("[data-field=sensibleness]")
        row.locator(".note").wait_for(state="visible")
        assert row.locator(".note").inner_text().startswith("You answered this later on another device")
        assert row.locator("input:checked").get_attribute("value") == "0"
        assert [row["value"] for row in desk.ratings()] == ["0"]
        assert serious(tablet) == []
        tablet.locator("[data-field=sensibleness] input[value='1']").check(
            force=True
        )  # the rater has the last word
        row.locator(".note").wait_for(state="hidden")
        wait_saved(tablet)
        assert [row["value"] for row in desk.ratings()] == ["1"]


def test_what_still_waits_is_not_called_saved_when_the_page_comes_again(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.route("**/desk/answers", lambda _: None)  # never answered
        press(page, "1")
        page.wait_for_selector(".save.saving")
        page.reload()
        page.wait_for_selector(".item")
        page.wait_for_selector(".save.saving")
        page.unroute("**/desk/answers")
        page.reload()
        page.wait_for_selector(".item")
        wait_saved(page)
    assert len(desk.ratings()) == 1


def test_a_rater_does_not_adopt_the_answers_of_a_longer_name(desk, visit):
    one, other = desk.rater("t1 x"), desk.rater("t1")
    with served(desk) as address:
        port = int(address.rpartition(":")[2])
        page = visit(f"{address}/enter/{one.token}")
        page.wait_for_load_state("networkidle")
    press(page, "101")
    page.wait_for_selector(".save.offline")
    browser = page.context
    page.close()  # before it can send anything
    page = browser.new_page()
    with served(desk, port):
        page.goto(f"{address}/enter/{other.token}")
        page.wait_for_selector(".item")
        wait_saved(page)
        page.wait_for_load_state("networkidle")
        assert desk.ratings() == []
        page.click(".kept")  # told that they are there, not what they say
        assert (
            page.locator(".kept-list li").all_inner_texts()
            == [
                "Given with another link. It is sent when that link is opened; if the link was revoked, discard it.\n\nDiscard"
            ]
            * 3
        )
        page.goto(f"{address}/enter/{one.token}")
        page.wait_for_selector(".item")
        wait_saved(page)
    assert {row["rater"] for row in desk.ratings()} == {"t1 x"}
    assert len(desk.ratings()) == 3


def test_answers_of_a_revoked_link_are_shown_to_their_rater_and_sent_or_discarded(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        port = int(address.rpartition(":")[2])
        page = visit(f"{address}/enter/{rater.token}")
        page.wait_for_load_state("networkidle")
    press(page, "101")
    page.wait_for_selector(".save.offline")
    with desk.study.database.write() as connection:
        revoke(connection, "teacher-1")
    again = desk.rater()
    with served(desk, port):
        page.goto(f"{address}/enter/{again.token}")
        page.wait_for_selector(".item")
        wait_saved(page)
        assert page.inner_text(".kept") == "3 kept here"
        assert desk.ratings() == []
        page.click(".kept")
        assert "Given with a link that was revoked" in page.inner_text("dialog")
        assert serious(page) == []
        page.locator(".kept-list li").first.get_by_role("button", name="Send").click()
        wait_saved(page)
        assert page.locator("[data-field=sensibleness] input[value='1']").is_checked()
        page.click(".kept")
        page.locator(".kept-list li").first.get_by_role("button", name="Discard").click()
        page.wait_for_function("document.querySelector('.kept').innerText === '1 kept here'")
        page.reload()
        page.wait_for_selector(".item")
        page.click(".kept")
        page.locator(".kept-list li").get_by_role("button", name="Send").click()
        page.wait_for_selector(".kept", state="hidden")
        wait_saved(page)
        assert storage(page) == {}
    assert [(row["criterion"], row["value"]) for row in desk.ratings()] == [
        ("sensibleness", "1"),
        ("sympathy", "1"),
    ]


def test_answers_of_an_older_page_are_kept_shown_and_not_sent(desk, visit):
    rater = desk.rater()
    older = [
        {
            "at": 1,
            "answer": {"id": "a" * 24, "position": 1, "field": "sympathy", "status": "ok", "value": "1"},
        }
    ]
    key = "haechi  teacher-1 " + "0" * 24
    with served(desk) as address:
        page = visit(f"{address}/api/health", wait="body")
        page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, json.dumps(older)])
        page.goto(f"{address}/enter/{rater.token}")
        page.wait_for_selector(".item")
        wait_saved(page)
        page.wait_for_load_state("networkidle")
        assert desk.ratings() == []
        assert page.locator("[data-field=sympathy] input:checked").count() == 0
        assert storage(page)[key] == older
        page.click(".kept")
        assert "earlier version" in page.inner_text("dialog")
        assert serious(page) == []
        page.click("dialog .kept-list button")
        page.wait_for_selector(".kept", state="hidden")
        assert storage(page) == {}
    assert desk.ratings() == []


def test_an_answer_that_does_not_belong_is_shown_as_refused_and_kept(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        item = rater.marks()["item"]
        wrong = {
            "id": "b" * 24,
            **rater.marks(),
            "rubric": "older",
            "field": "sympathy",
            "status": "ok",
            "value": "1",
        }
        key = f"haechi waiting {wrong['study']} {wrong['link']} " + "0" * 24
        kept = json.dumps([{"at": 1, "answer": {**wrong, "item": item, "position": 1}}])
        page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, kept])
        for _ in range(2):  # also after another reload, and without being sent again
            page.reload()
            page.wait_for_selector(".save.refused")
            page.wait_for_selector("[data-field=sympathy] .refusal:visible")
            assert "another rubric version" in page.inner_text("[data-field=sympathy] .refusal")
            assert page.inner_text(".save") == "1 not saved"
        assert desk.ratings() == []
        page.locator("[data-field=sympathy] input[value='0']").check(force=True)
        wait_saved(page)
        assert storage(page) == {}
    assert [row["value"] for row in desk.ratings()] == ["0"]


@pytest.mark.parametrize("typed", ["abc", "-3", "3,5"])
def test_a_refused_number_stays_in_its_field_with_the_reason(write, tmp_path, visit, typed):
    study = Study.new(tmp_path / "minutes", write("minutes.yaml", MINUTES))
    lines = (json.dumps({"id": f"d{n}", "context": "비", "response": "네"}) for n in range(2))
    study.add([write("items.jsonl", "\n".join(lines))])
    desk = Desk(study, Options(lang="en"))
    rater = desk.rater()
    with served(desk) as address:
        sent = []
        page = visit(f"{address}/enter/{rater.token}")
        page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
        number = page.locator("[data-field=wait] input.words")
        number.fill(typed)
        page.wait_for_selector("[data-field=wait] .refusal:visible")
        assert page.inner_text("[data-field=wait] .refusal") == "Not saved: Please enter a number, 0 or more"
        page.wait_for_selector(".save.refused")
        assert number.input_value() == typed
        assert number.get_attribute("aria-invalid") == "true"
        assert page.evaluate("document.querySelector('.top progress').value") == 0
        assert page.inner_text(".open-count") == "1 left"
        assert serious(page) == []
        assert len(sent) == 1
        page.reload()
        page.wait_for_selector("[data-field=wait] .refusal:visible")
        assert number.input_value() == typed
        page.wait_for_selector(".save.refused")
        assert len(sent) == 1
        number.fill("7")
        wait_saved(page)
        page.wait_for_selector("[data-field=wait] .refusal", state="hidden")
        assert page.evaluate("document.querySelector('.top progress').value") == 1
        # what was saved before a refusal still holds
        number.fill(typed)
        page.wait_for_selector(".save.refused")
        page.get_by_role("button", name="Undo").click()
        wait_saved(page)
        assert number.input_value() == "7"
    assert [row["value"] for row in desk.ratings()] == ["7"]
