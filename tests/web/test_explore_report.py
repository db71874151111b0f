"""The report in a browser: tables are sorted and searched, links open what is folded, and all is there without a script."""

from __future__ import annotations

import pytest
from browser import chromium, in_a_browser, serious, visit

from haechi.analysis.analysis import Analysis
from haechi.demo import make_studies
from haechi.report.folder import write_report
from haechi.text import choose_language

pytestmark = in_a_browser


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """The address of a demo study's report."""
    folder = tmp_path_factory.mktemp("reports")
    studies = {study.name: study for study in make_studies(folder / "demo")}

    def made(name: str, lang: str = "ko") -> str:
        out = folder / f"{name}-{lang}"
        if not out.exists():
            choose_language(lang)
            write_report(Analysis(studies[name]), out)
            choose_language(None)
        return (out / "report.html").as_uri()

    return made


def test_a_table_is_sorted_by_a_click_and_by_the_keyboard(page_of, visit):
    page = visit(page_of("maice-qac"), wait=".sort")
    table = page.locator("table", has=page.locator("caption", has_text="QAC 체크리스트")).first
    head = table.locator("thead th").nth(2)
    means = "cells => cells.map(cell => parseFloat(cell.textContent))"
    head.locator("button").click()
    down = table.locator("tbody tr td:nth-child(3)").evaluate_all(means)
    assert down == sorted(down, reverse=True)
    head.locator("button").press("Enter")
    up = table.locator("tbody tr td:nth-child(3)").evaluate_all(means)
    assert up == sorted(down)
    assert head.get_attribute("aria-sort") == "ascending"


def test_a_long_table_is_searched(page_of, visit):
    page = visit(page_of("diary-comment"), wait=".filter")
    place = page.locator(".filter:has(+ output)").first
    place.fill("d03")
    rows = page.locator(".filter + output + .wide tbody").first.locator("tr:not([hidden])")
    assert 0 < rows.count() < 24
    assert all("d03" in text for text in rows.all_inner_texts())


def test_a_link_of_a_finding_opens_its_item(page_of, visit):
    page = visit(page_of("hiring-agent"), wait=".findings")
    link = page.locator(".findings a.item").first
    target = page.locator(link.get_attribute("href"))
    assert target.get_attribute("open") is None
    link.click()
    page.wait_for_function("hash => document.querySelector(hash).open", arg=link.get_attribute("href"))


def test_points_of_charts_say_their_values(page_of, visit):
    page = visit(page_of("maice-qac", "en"), wait=".chart")
    told = page.locator(".chart g > title").all_text_contents()
    assert any(text.startswith("A1 Mathematical expertise: 3.69 [2.96, 4.26]") for text in told)


def test_a_click_on_a_bar_leads_to_its_items(page_of, visit):
    page = visit(page_of("maice-qac", "en"), wait=".sort")
    bar = page.locator(
        ".on-page .mark", has=page.locator("title", has_text="A1 Mathematical expertise: 1 × 6")
    )
    bar.click()
    picked = page.locator(".picked")
    assert picked.locator("p").inner_text() == "A1 Mathematical expertise: 1 × 6 (10 %)"
    listed = picked.locator("a").all_inner_texts()
    assert len(listed) == len(set(listed)) == len(bar.get_attribute("data-items").split())
    with_one = page.evaluate(
        """names => names.every(name => [...document.querySelectorAll("details.passage")].some(
            one => one.querySelector("summary b").textContent === name && one.textContent.includes("A1")))""",
        listed,
    )
    assert with_one
    link = picked.locator("a").first
    link.click()
    page.wait_for_function("hash => document.querySelector(hash).open", arg=link.get_attribute("href"))
    picked.locator("button").click()
    assert picked.count() == 0


def test_a_point_is_found_with_the_keyboard(page_of, visit):
    page = visit(page_of("maice-qac", "en"), wait=".sort")
    figure = page.locator("figure", has=page.locator("figcaption", has_text="AI against people"))
    figure.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert figure.locator(".mark.at").count() == 1
    told = figure.locator(".mark.at title").text_content()
    item = told.partition(" — ")[2]
    assert page.locator(".picked a").all_inner_texts() == [item]


def test_a_mean_of_the_profile_leads_to_its_items_and_enter_to_the_first(page_of, visit):
    page = visit(page_of("ubica", "en"), wait=".sort")
    figure = page.locator("figure", has=page.locator("figcaption", has_text="Profile of the criteria"))
    figure.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".picked a").count() == 14
    page.keyboard.press("Enter")
    first = page.locator(".picked a").first
    assert first.evaluate("link => link === document.activeElement")
    page.keyboard.press("Enter")
    page.wait_for_function("hash => document.querySelector(hash).open", arg=first.get_attribute("href"))
    first.focus()
    page.keyboard.press("Escape")
    assert page.locator(".picked").count() == 0
    assert figure.evaluate("figure => figure === document.activeElement")


def test_a_finger_beside_a_dot_finds_it(page_of, visit):
    page = visit(page_of("ubica", "en"), wait=".sort", viewport={"width": 390, "height": 844}, has_touch=True)
    figure = page.locator("figure", has=page.locator("figcaption", has_text="Distribution of Overall"))
    dot = figure.locator(".on-phone .mark:has(circle)").first
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    page.touchscreen.tap(box["x"] - 8, box["y"] + box["height"] / 2)
    assert page.locator(".picked a").count() == 1


def test_without_a_script_the_items_of_every_mark_are_listed(page_of, chromium):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_of("ubica", "en"))
    listed = page.locator("figure:has-text('Profile of the criteria') + .leads")
    assert not listed.locator("li").first.is_visible()
    listed.locator("summary").click()
    assert listed.locator("li").count() == 9
    row = listed.locator("li").first
    assert row.locator("a").count() == 5
    assert row.inner_text().endswith("… (+9)")
    assert page.locator(row.locator("a").first.get_attribute("href")).count() == 1
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["ubica", "hiring-agent"])
def test_the_report_fits_and_keeps_nobody_out(page_of, visit, name, width):
    page = visit(page_of(name), wait=".answer", viewport={"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    hidden = (
        "[...document.querySelectorAll('figure')].filter(one => one.scrollWidth > one.clientWidth).length"
    )
    assert page.evaluate(hidden) == 0
    if (name, width) != ("hiring-agent", 1280):  # which test_report_page.py looks through, light and dark
        assert serious(page) == []


OUTSIDE = """() => [...document.querySelectorAll("svg.chart")].filter(one => one.getClientRects().length).flatMap(svg => {
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    return [...svg.querySelectorAll("text")].filter(text => {
        const box = text.getBBox();
        return box.x < -1 || box.x + box.width > width + 1 || box.y < -1 || box.y + box.height > height + 1;
    }).map(text => text.textContent);
})"""


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("name", ["hiring-agent", "maice-qac"])
def test_no_word_of_a_chart_is_cut_off(page_of, visit, name, lang):
    page = visit(page_of(name, lang), wait=".answer")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(OUTSIDE) == []


def test_everything_is_there_without_a_script(page_of, chromium):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_of("maice-qac"))
    assert page.locator(".answer").inner_text().startswith("총점(8–40점): 25.00")
    assert page.locator("table").count() > 10
    assert page.locator(".filter").count() == 0
    context.close()
