"""The desk in a real browser: by keyboard, with several raters, offline, with hostile texts, on a phone."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from browser import (
    arrive,
    chromium,
    finish_items,
    in_a_browser,
    press,
    serious,
    served,
    tap_form,
    tap_value,
    visit,
    wait_fetched,
    wait_saved,
    wait_until,
)
from desks import desk, open_desk

pytestmark = in_a_browser


@pytest.mark.parametrize(
    ("rubric", "keys", "ratings_per_item"),
    [
        ("ubica", "432154321", 9),
        ("diary-comment", "101", 3),
        ("maice-qac", "1" * 32, 32),
        ("hiring-agent", "4", 1),
    ],
)
def test_each_instrument_by_keyboard_from_link_to_ratings(open_desk, visit, rubric, keys, ratings_per_item):
    desk = open_desk(rubric)
    rater = desk.rater(quota=3)
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        finish_items(page, list(keys), 3)
        page.wait_for_selector(".finished h2")
        wait_saved(page)
    ratings = desk.ratings()
    by_item = Counter(row["item"] for row in ratings if row["criterion"] != "no_mathematical_content")
    expected = [ratings_per_item] * 3
    if rubric == "maice-qac":  # twelve elements of an unanswered session are unmet by rule
        expected = [20 if item == "s11" else 32 for item in by_item]
    assert list(by_item.values()) == expected
    assert {row["rater"] for row in ratings} == {"teacher-1"}


def test_the_whole_list_is_finished_and_every_answer_is_there(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        finish_items(page, ["1", "0", "1"], 24)
        page.wait_for_selector(".finished h2")
        wait_saved(page)
    assert len(desk.ratings()) == 72  # 24 comments × 3 criteria


def test_a_study_with_failed_runs_is_finished(open_desk, visit):
    """35 of the 40 runs are asked; the others failed, and a rule says everything about them."""
    desk = open_desk("hiring-agent")
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        assert page.inner_text(".top .count") == "1 of 35"
        for _ in range(35):  # the verdict, and the lines of its expectation that code leaves open
            lines = page.locator("[data-field^='accuracy.line_']").count()
            finish_items(page, ["4", *["1"] * lines], 1)
        page.wait_for_selector(".finished h2")
        wait_saved(page)
        page.reload()
        page.wait_for_selector(".finished h2")
        page.click(".bottom button >> nth=0")  # back to the last item, and forward again
        page.wait_for_selector(".item")
        page.click(".bottom .primary")
        page.wait_for_selector(".finished h2")
    assert sum(row["criterion"] == "intent" for row in desk.ratings()) == 35


def test_a_run_shows_question_expectation_and_answer(open_desk, visit):
    desk = open_desk("hiring-agent")
    rater = desk.rater()
    asked = {item.content["query_text"]: item.content for item in desk.study.items()}
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        query, answer = page.locator(".item .part .prose").all_inner_texts()[:2]
        assert answer == asked[query]["response"]
        page.click(".as-written")
        assert page.locator(".item .part .prose").nth(1).inner_text() == asked[query]["expected"]


def test_hangul_mode_does_not_break_the_keys(desk, visit):
    """In Hangul mode the J key says ㅓ; its place on the keyboard counts."""
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.locator("body").evaluate(
            "(body, key) => body.dispatchEvent(new KeyboardEvent('keydown', {...key, bubbles: true}))",
            {"key": "ㅓ", "code": "KeyJ"},
        )
        assert page.locator(".field.current").get_attribute("data-field") == "specificity"


def test_undo_takes_back_the_last_answer(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        press(page, "10")
        page.keyboard.press("u")
        wait_saved(page)
        assert page.locator(".field.current").get_attribute("data-field") == "specificity"
        page.keyboard.press("Control+z")
        wait_saved(page)
    assert {row["status"] for row in desk.ratings()} == {"missing"}


def test_a_reload_goes_on_where_it_stopped(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        finish_items(page, ["1", "1", "1"], 2)
        press(page, "0")
        wait_saved(page)
        text = page.inner_text(".item")
        page.reload()
        page.wait_for_selector(".item")
        assert page.inner_text(".item") == text
        assert page.inner_text(".top .count").startswith("3")
        assert page.locator(".field.current").get_attribute("data-field") == "specificity"
        assert page.locator("[data-field=sensibleness] input[value='0']").is_checked()


def test_evidence_by_selection_and_by_message_number(open_desk, visit):
    desk = open_desk("ubica")
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.locator(".bubble[data-index='1'] .prose").select_text()
        quoted = " ".join(page.locator(".bubble[data-index='1'] .prose").inner_text().split())
        page.keyboard.press("q")
        page.click(".bubble[data-index='0'] .index")
        press(page, "k")  # back to the first question, from wherever the click went
        page.locator("[data-field=situational_consistency] input[value='4']").check(force=True)
        wait_saved(page)
        # Sent some time after the last letter.
        evidence = f"message[1]: '{quoted}' message[0]"
        wait_until(page, lambda: desk.ratings()[0]["evidence"] == evidence)
    assert desk.ratings()[0]["evidence"] == evidence


def test_a_long_text_stands_in_pieces_and_is_quoted_word_for_word(open_desk, visit, write):
    """One run of 100,000 Korean letters takes a browser many seconds to break into lines."""
    text = "".join(f"{n}번째 낱말{chr(10) if n % 97 == 0 else '  '}" for n in range(10_000)) + r"\(x^2\) 끝"
    messages = [{"role": "user", "content": "안녕"}, {"role": "assistant", "content": text}]
    path = write("long.jsonl", json.dumps({"id": "h1", "messages": messages}))
    desk = open_desk("ubica", items=path)
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        prose = page.locator(".bubble[data-index='1'] .prose .plain")  # too long to be set
        assert prose.evaluate("element => element.textContent") == text
        lengths = prose.evaluate(
            "element => Array.from(element.childNodes, (node) => node.textContent.length)"
        )
        assert max(lengths) < 600
        # From the fourth letter of one piece to the fifth of the one after the next: what lies between is quoted.
        prose.evaluate("""element => {
            const [from, , to] = Array.from(element.childNodes).slice(3);
            getSelection().setBaseAndExtent(from.firstChild, 4, to.firstChild, 5);
        }""")
        start = sum(lengths[:3]) + 4
        quoted = " ".join(text[start : sum(lengths[:5]) + 5].split())
        press(page, "q4")
        wait_saved(page)
        wait_until(page, lambda: bool(desk.ratings()[0]["evidence"]))
    assert desk.ratings()[0]["evidence"] == f"message[1]: '{quoted}'"


def test_cannot_judge_with_a_reason_by_keyboard(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.keyboard.press("x")
        page.keyboard.type("일기가 잘려 있음")
        page.keyboard.press("Escape")
        wait_saved(page)
    row = desk.ratings()[0]
    assert (row["status"], row["reason"], row["value"]) == ("missing", "일기가 잘려 있음", None)


def test_a_floor_greys_out_and_fills_what_follows(open_desk, visit):
    desk = open_desk("maice-qac", seed=3)
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        page.keyboard.press("f")
        wait_saved(page)
        fixed = page.locator(".field.fixed")
        assert fixed.count() == 12
        assert page.locator(".field.fixed input[value='0']:checked").count() == 12
        assert page.inner_text("output[data-score=B]") == "3 / 15"
        press(page, "1" * 20)
        wait_saved(page)
        assert page.inner_text(".totals dd") == "28 / 40"  # 15 + 3 + 10
    assert desk.study.scores().frame["total"].to_list() == [28]


def test_three_raters_at_once_share_the_items_fairly(open_desk, visit):
    desk = open_desk(overlap=2)
    raters = [desk.rater(f"teacher-{n}", quota=4) for n in range(3)]
    with served(desk) as address:
        pages = [visit(f"{address}/enter/{rater.token}") for rater in raters]
        for _ in range(4):
            for page in pages:
                finish_items(page, ["1", "0", "1"], 1)
        for page in pages:
            wait_saved(page)
    per_item = Counter(row["item"] for row in desk.ratings() if row["criterion"] == "sympathy")
    # the first two share their four items, so that the third begins four others
    assert sorted(per_item.values()) == [1, 1, 1, 1, 2, 2, 2, 2]


def test_answers_given_offline_are_sent_later_in_order_and_once(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        wait_fetched(page, 3)
        page.context.set_offline(True)
        finish_items(page, ["1", "1", "0"], 3)
        page.wait_for_selector(".save.offline")
        assert desk.ratings() == []
        page.context.set_offline(False)
        wait_saved(page)
    rows = desk.ratings()
    assert [row["criterion"] for row in rows] == ["sensibleness", "specificity", "sympathy"] * 3
    assert [row["value"] for row in rows] == ["1", "1", "0"] * 3


def test_a_server_restarted_in_the_middle_loses_and_doubles_nothing(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        port = int(address.rpartition(":")[2])
        page = visit(f"{address}/enter/{rater.token}")
        wait_fetched(page, 3)
        finish_items(page, ["1", "0", "1"], 1)
    finish_items(page, ["0", "0", "1"], 2)
    page.wait_for_selector(".save.offline")
    with served(desk, port):
        wait_saved(page)
    assert len(desk.ratings()) == 9
    with desk.study.database.read() as connection:
        assert connection.value("SELECT count(*) FROM ratings") == 9


HOSTILE = [
    "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">",
    "</textarea></div><style>*{display:none}</style> {{ 7 * 7 }} ${7*7} %s",
    "\u202eright to left\u202c \u2066isolate\u2069 عربي עברית",
    "긴 글 " * 25_000 + "끝",
    "👩‍👩‍👧‍👦 🇰🇷 \u0000 \u200b zero",
    r"\(\frac{-b \pm \sqrt{b^2-4ac}}{2a}\) \[ \int_0^1 x\,dx \] $$\alpha$$",
]


def test_a_hostile_transcript_stays_text(open_desk, visit, write):
    messages = [{"role": "user" if n % 2 else "assistant", "content": text} for n, text in enumerate(HOSTILE)]
    path = write("hostile.jsonl", json.dumps({"id": "h1", "messages": messages}))
    desk = open_desk("ubica", items=path)
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        assert page.locator(".bubble .prose :is(script, style, img, iframe, a, form)").count() == 0
        page.click(".as-written")
        shown = page.locator(".bubble .prose")
        for n, text in enumerate(HOSTILE):
            assert shown.nth(n).evaluate("element => element.textContent") == text
        assert page.title() != "taken"
        assert page.locator(".item script, .item img, .item style, .item iframe").count() == 0
        page.locator(".bubble[data-index='0'] .prose").select_text()
        page.keyboard.press("q")
        page.keyboard.press("4")
        wait_saved(page)
        page.reload()
        page.wait_for_selector(".item")
        assert page.title() != "taken"
    assert HOSTILE[0] in desk.ratings()[0]["evidence"]


def test_the_phone_shows_one_side_at_a_time_and_fits(open_desk, visit):
    desk = open_desk("ubica")
    rater = desk.rater()
    phone = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}", **phone)
        assert page.locator(".item").is_visible()
        assert not page.locator(".form").is_visible()
        tap_form(page)
        assert page.locator(".form").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        tap_value(page, "situational_consistency", "5")
        wait_saved(page)
    assert desk.ratings()[0]["value"] == "5"


def test_english_and_korean(desk, visit):
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        assert page.inner_text(".save") == "Saved"
        page.click("nav a[lang=ko]")
        page.wait_for_selector("html[lang=ko] .item")
        assert page.inner_text(".save") == "저장됨"
        assert "합리성" in page.inner_text(".form")


def test_behind_a_proxy_under_a_sub_path(open_desk, visit):
    desk = open_desk(base="/rating/desk")
    rater = desk.rater()
    with served(desk) as address:
        page = visit(f"{address}/enter/{rater.token}")
        finish_items(page, ["1", "0", "1"], 1)
        wait_saved(page)
    assert len(desk.ratings()) == 3


def test_a_guest_answers_the_public_survey_once(open_desk, visit):
    desk = open_desk("ubica", public_survey=True)
    with served(desk) as address:
        page = visit(f"{address}/survey", wait="form")
        assert serious(page) == []
        page.click("form .primary")
        page.wait_for_selector(".item")
        press(page, "543215432")
        page.locator("[data-field=comment] textarea").fill("고맙습니다 <b>!</b>")
        page.keyboard.press("Control+Enter")
        page.click(".finished .primary")
        page.wait_for_selector(".message h1:has-text('고맙습니다')")
        assert "고맙습니다" in page.inner_text(".message")
    rows = {row["criterion"]: row["value"] for row in desk.ratings()}
    assert len(rows) == 10
    assert rows["comment"] == "고맙습니다 <b>!</b>"


def test_the_owner_decides_a_disputed_item(open_desk, visit):
    desk = open_desk(overlap=2)  # begun items are completed first: both see the same
    raters = [desk.rater(name, quota=2) for name in ("teacher-1", "teacher-2")]
    for rater, value in zip(raters, "10", strict=True):
        for item in rater.state["work"]["items"]:
            for field in ("sensibleness", "specificity", "sympathy"):
                rater.answer(field, value, position=item["position"], evidence="<script>alert(1)</script>")
    owner = desk.owner()
    with served(desk) as address:
        page = visit(f"{address}/enter/{owner.token}", wait=".dashboard")
        assert serious(page) == []
        page.locator(".disputed-list a").first.click()
        arrive(page, "main.case")
        assert serious(page) == []
        row = page.locator("[data-field=sympathy]")
        row.locator("select").select_option("1")
        row.locator("textarea").fill("마음을 읽어 줌")
        row.locator("textarea").blur()
        page.wait_for_function("() => document.querySelector('.save').textContent === 'Decision saved'")
        page.reload()
        assert row.locator("textarea").input_value() == "마음을 읽어 줌"
    decided = [row for row in desk.ratings() if row["rater"] == "adjudicator"]
    assert [(row["value"], row["evidence"]) for row in decided] == [("1", "마음을 읽어 줌")]
