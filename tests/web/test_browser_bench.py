"""The workbench in a real browser: everybody can use it, on a phone and in the dark, and rubrics are checked as they are typed."""

from __future__ import annotations

import pytest
from benches import DIARIES, Bench, bench
from browser import chromium, in_a_browser, serious, served, visit

from haechi.analysis import score_figures
from haechi.report.sections import reading
from haechi.rubrics import builtin_text

pytestmark = in_a_browser


@pytest.fixture
def filled(bench):
    """A study with items and ratings."""
    bench.make()
    ratings = "item,rater,sensibleness,specificity,sympathy\n" + "".join(
        f"d{n},{rater},{n % 2},1,{value}\n"
        for n in (1, 2, 3)
        for rater, value in (("kim", 1), ("lee", n % 2))
    )
    for content, what in ((DIARIES, "items"), (ratings, "ratings")):
        tray = bench.tray(content, f"{what}.csv", what)
        bench.post(tray, tray)
    return bench


def test_a_rubric_is_checked_as_it_is_typed_and_a_line_is_one_click_away(bench, visit):
    with served(bench) as address:
        page = visit(f"{address}/enter/{bench.home.token}", wait="main h1")
        page.goto(f"{address}/new?rubric=own")
        page.fill("textarea[name=text]", "id: mine\ntitle: x\nitem: song\n")
        page.click("[data-line='3']")
        chosen = page.evaluate(
            "(t => t.value.slice(t.selectionStart, t.selectionEnd))(document.activeElement)"
        )
        assert chosen == "item: song"
        page.click("[data-start]")
        page.wait_for_selector(".checked")
        page.check("input[value=ubica]")
        page.fill("input[name=assistant]", "루나")
        page.wait_for_selector("code:has-text('--assistant-name 루나')")
        page.click(".form-preview summary")
        page.wait_for_selector(".form-preview li:has-text('루나')")


def test_what_is_refused_is_said_on_the_page_and_what_was_typed_stays(bench, visit):
    bench.make("taken")
    with served(bench) as address:
        page = visit(f"{address}/enter/{bench.home.token}", wait="main h1")
        page.goto(f"{address}/new")
        page.fill("input[name=name]", "taken")
        page.click("form button.primary")
        page.wait_for_selector("[role=alert]")
        assert page.input_value("input[name=name]") == "taken"
        assert serious(page) == []


def test_the_report_in_the_workbench_is_sorted_and_leads_to_items(filled, visit):
    with served(filled) as address:
        page = visit(f"{address}/enter/{filled.home.token}", wait="main h1")
        refused = []
        page.on("console", lambda told: refused.append(told.text) if told.type == "error" else None)
        page.goto(f"{address}/s/diaries/owner/report/read")
        page.wait_for_selector(".sort")
        head = page.locator("thead th:has(.sort)").nth(1)
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        page.locator("figure:has(figcaption) .on-page .mark").first.click()
        link = page.locator(".picked a").first
        assert link.inner_text() in ("d1", "d2", "d3")
        link.click()
        page.wait_for_function("hash => document.querySelector(hash).open", arg=link.get_attribute("href"))
        assert refused == []


def test_of_many_items_the_report_in_the_workbench_leads_to_the_item_browser(filled, visit, monkeypatch):
    for module in (score_figures, reading):
        monkeypatch.setattr(module, "MOST_LISTED", 2)
    with served(filled) as address:
        page = visit(f"{address}/enter/{filled.home.token}", wait="main h1")
        page.goto(f"{address}/s/diaries/owner/report/read")
        page.wait_for_selector(".sort")
        page.locator("figure:has(figcaption) .on-page .mark").first.click()
        page.locator(".picked a").click()
        page.wait_for_url("**/s/diaries/owner/browse?score=*")
        page.wait_for_load_state()
        assert page.locator("[name=score]").input_value() == page.url.split("score=")[1].split("&")[0]


def test_without_the_server_it_says_so_and_what_was_typed_stays(filled, visit):
    with served(filled) as address:
        page = visit(f"{address}/enter/{filled.home.token}", wait="main h1")
        page.goto(f"{address}/s/diaries/owner/raters")
        page.fill("textarea[name=names]", "kim")
    page.click("form.fields button.primary")
    page.wait_for_selector("[role=alert]:has-text('cannot be reached')")
    assert page.input_value("textarea[name=names]") == "kim"


def test_after_a_new_start_what_was_typed_stays_and_the_new_link_lets_it_go_on(bench, visit):
    """Somebody writes a rubric for an hour, and the computer with the server is started anew."""
    text = builtin_text("diary-comment").replace("id: diary-comment", "id: mine")
    with served(bench) as address:
        port = int(address.rpartition(":")[2])
        page = visit(f"{address}/enter/{bench.home.token}", wait="main h1")
        page.goto(f"{address}/new?rubric=own")
        page.fill("input[name=name]", "mine")
        page.fill("textarea[name=text]", text)
        page.wait_for_selector(".checked")
    anew = Bench(bench.folder)
    with served(anew, port):
        page.click("form button.primary")
        page.wait_for_selector("[role=alert]:has-text('new owner')")
        assert page.input_value("textarea[name=text]") == text
        tab = page.context.new_page()
        tab.goto(f"{address}/enter/{anew.home.token}")
        tab.wait_for_selector("main h1")
        page.click("form button.primary")
        page.wait_for_selector(".drop")
    assert anew.study("mine").rubric.id == "mine"


def test_the_same_file_is_chosen_again_after_it_did_not_arrive(filled, tmp_path, visit):
    """A browser does not tell of a choice that changes nothing."""
    file = tmp_path / "more.csv"
    file.write_text(DIARIES.replace("d1", "d9"), "utf-8")
    with served(filled) as address:
        page = visit(f"{address}/enter/{filled.home.token}", wait="main h1")
        page.goto(f"{address}/s/diaries/owner/files")
        page.route("**/owner/files?*", lambda route: route.abort())
        page.check("input[value=items]")
        page.set_input_files(".drop input", str(file))
        page.wait_for_selector("[data-state]:has-text('cannot be reached')")
        assert page.evaluate("document.querySelector('.drop input').files.length") == 0
        page.unroute("**/owner/files?*")
        page.set_input_files(".drop input", str(file))
        page.wait_for_selector("table.columns")


def test_a_command_is_copied(filled, visit):
    with served(filled) as address:
        page = visit(
            f"{address}/enter/{filled.home.token}",
            wait="main h1",
            permissions=["clipboard-read", "clipboard-write"],
        )
        page.click("[data-copy]")
        page.wait_for_selector("[data-copy]:has-text('Copied')")
        assert page.evaluate("navigator.clipboard.readText()") == f"haechi serve {filled.folder}"
