"""Text as its author saw it, in a real browser: mathematics, Markdown, the switch to the source, quotations of both."""

from __future__ import annotations

import json

import pytest
from browser import chromium, in_a_browser, serious, served, step_by_key, visit, wait_saved
from desks import open_desk

pytestmark = in_a_browser

ANSWER = r"""## 최솟값 😀

**"완전제곱식"**으로 고치면 $x^2-4x+5=(x-2)^2+1$이고, 책은 $5입니다.

$$\begin{aligned} f(x) &= (x-2)^2 \\ &+ 1 \end{aligned}$$

| $x$ | 값 |
|---|---|
| 2 | `최솟값` |

$\unknown{x}$는 그대로 <img src=x onerror="window.hacked=1">"""


@pytest.fixture
def desk(open_desk, tmp_path):
    items = tmp_path / "items.jsonl"
    talk = [{"role": "user", "content": "최솟값이 뭐예요?"}, {"role": "assistant", "content": ANSWER}]
    items.write_text(json.dumps({"id": "s1", "messages": talk}, ensure_ascii=False), "utf-8")
    return open_desk("maice-qac", items)


SELECT = """([from, to]) => {
    // Selects from the beginning of one word on the page to the end of another, as a mouse would.
    const body = document.querySelectorAll(".bubble")[1].querySelector(".prose");
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    let text = "", nodes = [];
    while (walker.nextNode()) { nodes.push([text.length, walker.currentNode]); text += walker.currentNode.data; }
    const place = (at, end) => {
        const [begin, node] = nodes.filter(([begin]) => (end ? begin < at : begin <= at)).at(-1);
        return [node, at - begin];
    };
    const range = document.createRange();
    range.setStart(...place(text.indexOf(from), false));
    range.setEnd(...place(text.indexOf(to) + to.length, true));
    document.getSelection().removeAllRanges();
    document.getSelection().addRange(range);
}"""


def quoted(page, start, end):
    """The evidence that a selection puts into the form."""
    page.evaluate("for (const box of document.querySelectorAll('.evidence textarea')) box.value = ''")
    page.evaluate(SELECT, [start, end])
    page.click(".quote-button")
    return page.input_value(".field.current .evidence textarea")


def test_an_answer_is_set_as_its_author_saw_it_and_nothing_of_it_runs(desk, visit):
    with served(desk) as address:
        page = visit(f"{address}/enter/{desk.rater().token}")
        answer = page.locator(".bubble").nth(1)
        assert answer.locator(".heading").inner_text() == "최솟값 😀"
        assert answer.locator("strong").first.inner_text() == '"완전제곱식"'
        assert answer.locator("math").count() == 3
        assert answer.locator("mtable mtr").count() == 2
        assert answer.locator("td code").inner_text() == "최솟값"
        assert answer.locator(".as-source").inner_text() == r"$\unknown{x}$"
        assert answer.locator("img").count() == 0
        assert "$5입니다" in answer.inner_text()
        assert page.evaluate("window.hacked") is None
        assert answer.locator("math").first.bounding_box()["height"] > 10
        assert serious(page) == []


@pytest.mark.parametrize("raw", [False, True])
def test_a_quotation_is_the_source_whether_text_is_set_or_not(desk, visit, raw):
    with served(desk) as address:
        page = visit(f"{address}/enter/{desk.rater().token}")
        if raw:
            page.click(".as-written")
        assert quoted(page, "완전제곱식", "완전제곱식") == "message[1]: '완전제곱식'"
        whole = quoted(page, "고치면", "책은")
        assert whole == "message[1]: '고치면 $x^2-4x+5=(x-2)^2+1$이고, 책은'"
        assert quoted(page, "😀", "완전") == "message[1]: '😀 **\"완전'"
        page.keyboard.press("Escape")
        page.click(".field.current .choice >> nth=0")
        wait_saved(page)
    assert desk.ratings()[-1]["evidence"] == "message[1]: '😀 **\"완전'"


def test_a_formula_is_quoted_whole_and_found_again_in_the_source(desk, visit):
    from haechi.prompt.evidence import Transcript, check

    with served(desk) as address:
        page = visit(f"{address}/enter/{desk.rater().token}")
        said = quoted(page, "4", "1이고")  # begins inside the formula
        assert said == "message[1]: '$x^2-4x+5=(x-2)^2+1$이고'"
        assert check(said, Transcript(("", ANSWER))).status == "verified"


def test_the_switch_to_the_source_is_remembered(desk, visit):
    with served(desk) as address:
        page = visit(f"{address}/enter/{desk.rater().token}")
        assert page.get_attribute(".as-written", "aria-pressed") == "false"
        page.click(".as-written")
        assert "## 최솟값" in page.inner_text(".bubble >> nth=1")
        page.reload()
        page.wait_for_selector(".item")
        assert page.get_attribute(".as-written", "aria-pressed") == "true"
        assert page.locator("math").count() == 0
        assert serious(page) == []


def test_an_item_that_looks_the_same_either_way_has_no_switch(open_desk, visit):
    plain = open_desk("diary-comment")
    with served(plain) as address:
        page = visit(f"{address}/enter/{plain.rater().token}")
        assert page.locator(".as-written").count() == 0


def test_the_owner_reads_the_same(desk, visit):
    with served(desk) as address:
        page = visit(f"{address}/enter/{desk.owner().token}", wait="main")
        page.goto(f"{address}/owner/items/1")
        page.wait_for_selector(".content math")
        assert page.locator(".content .heading").inner_text() == "최솟값 😀"
        assert serious(page) == []


def test_an_agent_run_is_read_in_words_cards_and_times(open_desk, visit):
    runs = open_desk("hiring-agent")
    with served(runs) as address:
        page = visit(f"{address}/enter/{runs.rater().token}")
        while "@check" in page.inner_text(".item") or not page.locator(".ui-card").count():
            step_by_key(page, "n")
        assert "of a UI entry is" in page.inner_text(".expected")
        assert page.locator(".ui-card .tag").first.inner_text()
        assert page.inner_text(".tools-used h3").endswith(" s")
        assert page.locator(".payload").get_attribute("open") is None
        assert serious(page) == []
        page.goto(f"{address}/enter/{runs.owner().token}")
        page.goto(f"{address}/owner/items/1")
        page.wait_for_selector(".content .ui-card")
        assert "of a UI entry is" in page.inner_text(".content .expected")
        assert serious(page) == []
