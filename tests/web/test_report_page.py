"""A report's page in a real browser: readable by everyone, on a phone, on paper, without network."""

from __future__ import annotations

import pytest
from browser import chromium, in_a_browser, serious

from haechi.analysis.analysis import Analysis
from haechi.report.folder import write_report

pytestmark = in_a_browser


@pytest.fixture(scope="module")
def pages(demo, tmp_path_factory):
    folder, names = tmp_path_factory.mktemp("pages"), ("hiring-agent", "maice-qac")
    for name in names:
        write_report(Analysis(demo / name), folder / name)
    return {name: f"file://{folder}/{name}/report.html" for name in names}


@pytest.fixture
def visit(chromium):
    contexts = []

    def opened(address, **settings):
        contexts.append(chromium.new_context(**settings))
        page = contexts[-1].new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        assert asked == [address]
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["hiring-agent", "maice-qac"])
def test_nothing_on_the_page_keeps_readers_out(visit, pages, name, scheme):
    """In the dark nothing but the colours is another."""
    rules = ["color-contrast"] if scheme == "dark" else []
    assert serious(visit(pages[name], color_scheme=scheme), rules) == []


def test_on_a_phone_the_page_does_not_move_sideways_and_plots_keep_their_letters(visit, pages):
    page = visit(pages["maice-qac"], viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # What is drawn for a phone fits without being moved, with letters of 12.5 of its 360 units.
    assert page.locator("figure .on-page .chart").first.is_hidden()
    for chart in page.locator("figure .on-phone .chart").all():
        box = chart.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["width"] * 12.5 / 360 > 11
    assert page.evaluate(
        "[...document.querySelectorAll('figure')].every(it => it.scrollWidth <= it.clientWidth)"
    )


def test_on_paper_every_plot_has_its_table(visit, pages):
    page = visit(pages["maice-qac"])
    tables = page.locator("details.figures table")
    assert tables.count() >= 5
    assert not any(tables.nth(index).is_visible() for index in range(tables.count()))
    page.emulate_media(media="print")
    assert all(tables.nth(index).bounding_box()["height"] > 20 for index in range(tables.count()))


def test_paper_has_every_finding_in_dark_ink_and_not_every_item(visit, pages):
    page = visit(pages["maice-qac"], color_scheme="dark")
    assert page.locator(".only-page").is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".only-page").is_hidden()
    assert all(one.bounding_box()["height"] > 10 for one in page.locator(".more .findings li").all())
    names = ("--ink", "--good", "--caution", "--problem", "--s1", "--s2")
    read = (
        "names => names.map(name => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"
    )
    assert page.evaluate(read, names) == ["#000", "#1a7f4b", "#9a6200", "#b3261e", "#1f5fbf", "#bc5006"]


def test_before_paper_heads_are_words_alone_and_items_open_without_their_ratings(visit, pages):
    page = visit(pages["maice-qac"])
    page.wait_for_load_state()
    buttons, words = page.locator("thead button").count(), page.locator("thead").all_text_contents()
    assert buttons > 20
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("thead button").count() == 0, "Chromium prints a head with a button only once"
    assert page.locator("thead").all_text_contents() == words
    assert page.locator("details.passage:not([open])").count() == 0
    assert page.locator("details.rated[open]").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("thead button").count() == buttons
    head = page.locator("thead th:has(button)").nth(1)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"


def test_links_of_findings_lead_to_items_that_unfold(visit, pages):
    page = visit(pages["maice-qac"])
    page.locator("details.more > summary").click()
    link = page.locator(".findings a.item").first
    link.click()
    target = page.locator(link.get_attribute("href"))
    assert target.count() == 1
    assert target.locator("dd").first.is_visible(), "the link has opened it"
