"""What a rater may do without losing anything or getting stuck."""

from __future__ import annotations

import pytest
from browser import (
    chromium,
    finish_items,
    in_a_browser,
    press,
    serious,
    served,
    step_by_key,
    tap_form,
    tap_value,
    visit,
    wait_saved,
)
from desks import desk, open_desk

pytestmark = in_a_browser
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_study_and_rater_are_named_and_the_page_has_one_heading_and_one_main(desk, visit):
    rater = desk.rater("김 선생님")
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        assert page.locator("h1").all_inner_texts() == ["diary-comment"]
        assert "김 선생님" in page.inner_text("header")
        assert page.locator("main").count() == 1
        assert page.locator("main .item-pane, main .form-pane").count() == 2


def test_evidence_written_before_a_value_is_there_after_going_on_and_after_a_reload(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        box = page.locator("[data-field=sensibleness] .evidence textarea")
        press(page, "e")
        box.fill("문장이 자연스러움")
        page.keyboard.press("Escape")
        step_by_key(page, "np")
        assert page.inner_text(".top .count").startswith("1 ")
        assert box.input_value() == "문장이 자연스러움"
        page.reload()
        page.wait_for_selector(".item")
        assert box.input_value() == "문장이 자연스러움"
        assert box.is_visible()
        press(page, "1")
        wait_saved(page)
        page.reload()
        page.wait_for_selector(".item")
        assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('haechi drafts'))") == []
    assert [(row["value"], row["evidence"]) for row in desk.ratings()] == [("1", "문장이 자연스러움")]


def test_a_server_in_trouble_is_named_and_not_asked_again_and_again(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        asked = []
        page.route("**/desk/state", lambda route: (asked.append(1), route.fulfill(status=500, body="{}")))
        page.reload()
        page.wait_for_selector("#desk button:visible")
        page.wait_for_timeout(300)
        assert len(asked) == 1
        assert "could not be loaded" in page.inner_text("#desk")
        assert serious(page) == []
        page.unroute("**/desk/state")
        page.click("#desk button")
        page.wait_for_selector(".item")


def test_the_last_page_sums_up_and_leads_on(open_desk, visit):
    desk = open_desk()
    rater = desk.rater(quota=3)
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        step_by_key(page, "n")  # the first item is left open
        assert page.inner_text(".top .count").startswith("2 ")
        finish_items(page, "111", 1)
        press(page, "111")
        page.keyboard.press("Enter")  # the list goes on where it is open
        page.wait_for_function("() => document.querySelector('.top .count').innerText.startsWith('1 ')")
        press(page, "000")
        wait_saved(page)
        page.reload()
        page.wait_for_selector(".finished h2")
        assert "All done" in page.inner_text(".finished")
        assert page.locator(".finished dd").first.inner_text() == "3"
        assert page.inner_text(".top .count") == "3 of 3"
        assert serious(page) == []
        page.click("text=Look at items again")
        page.click(".list button >> nth=1")
        page.wait_for_selector(".item")
        step_by_key(page, "np")
        assert page.inner_text(".top .count") == "2 of 3"
    assert len(desk.ratings()) == 9


def test_undo_can_be_reached_on_a_phone(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}", **PHONE)
        tap_form(page)
        tap_value(page, "sensibleness", "1")
        wait_saved(page)
        page.tap("button[aria-label=Undo]")
        page.wait_for_function("() => !document.querySelector('[data-field=sensibleness] input:checked')")
        wait_saved(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [(row["value"], row["reason"]) for row in desk.ratings()] == [(None, "cleared by the rater")]


def test_keys_of_one_sign_can_be_switched_off(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        press(page, "?")
        page.uncheck(".keys-switch input")
        assert serious(page) == []
        page.keyboard.press("Escape")
        press(page, "1nxu")
        assert page.inner_text(".top .count").startswith("1 ")
        assert page.locator("input:checked").count() == 0
        page.click("[data-field=sensibleness] [data-value='1']")
        wait_saved(page)
        page.click("text=Shortcuts")
        page.check(".keys-switch input")
        page.keyboard.press("Escape")
        press(page, "n")
        page.wait_for_function("() => document.querySelector('.top .count').innerText.startsWith('2 ')")
    assert len(desk.ratings()) == 1


def test_the_guide_comes_first_and_once_for_a_study(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.evaluate("localStorage.removeItem('haechi help')")
        page.add_init_script("localStorage.removeItem('haechi help')")
        page.goto(f"{address}/desk")
        guide = page.wait_for_selector("dialog[open]").inner_text()
        assert "A good comment" in guide
        assert guide.index("A good comment") < guide.index("Shortcuts")


def test_focus_is_no_choice_and_tools_stand_at_the_current_row_only(open_desk, visit):
    desk = open_desk("maice-qac")
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        assert page.evaluate("document.activeElement.matches('fieldset')")
        shown = "[...document.querySelectorAll('.tools')].filter(it => getComputedStyle(it).visibility === 'visible').length"
        assert page.evaluate(shown) == 1
        before = page.locator(".field >> nth=2").bounding_box()
        page.click(".field >> nth=1 >> [data-value='1']")
        assert page.evaluate(shown) == 1
        assert page.locator(".field >> nth=2").bounding_box() == before  # nothing moves under the pointer


POINTS = """
id: warmth
title: {ko: 따뜻함, en: Warmth}
about: {ko: 답이 얼마나 따뜻한지 묻습니다., en: How warm an answer is.}
item: reply
speakers: {user: {ko: 사용자, en: user}, assistant: {ko: 모델, en: model}}
task: {ko: 답을 읽고 점수를 고르세요., en: Read the answer and choose a point.}
criteria:
  - key: warmth
    name: {ko: 따뜻함, en: Warmth}
    question: {ko: '얼마나 따뜻합니까?', en: 'How warm is it?'}
    scale: {type: likert, anchors: {0: 차가움, 1: '1', 2: '2', 3: '3', 4: '4', 5: 보통, 6: '6', 7: '7', 8: '8', 9: '9', 10: 따뜻함}}
"""


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
def test_eleven_points_stand_in_one_row(tmp_path, write, visit, screen):
    from visitors import Desk

    from haechi.study.study import Study
    from haechi.web.options import Options

    study = Study.new(tmp_path / "warm", write("warmth.yaml", POINTS))
    study.add([write("items.jsonl", '{"id": "a", "context": "비", "response": "네"}')])
    desk = Desk(study, Options(lang="en"))
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}", **screen)
        if screen:
            tap_form(page)
        boxes = [one.bounding_box() for one in page.locator(".choice").all()]
        assert len(boxes) == 11
        assert len({round(box["y"]) for box in boxes}) == 1
        assert all(box["width"] >= 24 and box["height"] >= 40 for box in boxes)
        page.locator(".choice >> nth=10").click()
        page.wait_for_selector(".choice input:checked", state="attached")
        wait_saved(page)
    assert desk.ratings()[0]["value"] == "10"


def test_the_english_interface_has_no_korean_of_ours(open_desk, visit):
    desk = open_desk("ubica")
    rater = desk.rater("reader")
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.click(".bubble .index >> nth=0")
        said = page.input_value(".field.current .evidence textarea")
        assert said == "message[0]"
        words = page.evaluate(
            """() => [...document.querySelectorAll('header, footer, .form-pane')].map(it => it.innerText).join(' ')"""
        )
    names = ("해치", "루나", "시청자", "한국어")
    for name in names:
        words = words.replace(name, "")
    assert [sign for sign in words if "가" <= sign <= "힣"] == []
