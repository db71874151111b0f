"""What the owner sees of raters while they work, and the answer that the dashboard begins with."""

from __future__ import annotations

import re

import pytest
from browser import chromium, in_a_browser, serious, served, visit
from desks import desk, open_desk

from haechi.analysis.analysis import Analysis
from haechi.data.rating import Rating
from haechi.store.desk import read_assignments
from haechi.store.ratings import append_ratings
from haechi.web.item_index import ItemIndexes, ItemQuery

FIELDS = ("sensibleness", "specificity", "sympathy")


def rate(desk, name, judge, seconds=30.0):
    """Everything is rated; `judge(item, field)` says the value."""
    rater = desk.rater(name)
    while waiting := [one["position"] for one in rater.get("/desk/work")["items"] if not one["finished"]]:
        with desk.study.database.read() as connection:
            items = {a.position: a.item for a in read_assignments(connection, name)}
        for position in waiting:
            for field in FIELDS:
                rater.answer(field, judge(items[position], field), position=position, seconds=seconds)


def row_of(page, name):
    return re.search(rf"<tr><th scope=\"row\">{name}.*?</tr>", page, re.DOTALL)[0]


def usual(item, field):
    return "1" if item.endswith("-a") else "0"


@pytest.fixture
def panel(open_desk):
    """Two careful raters; one who is quick, gives the same to everything and misses the known answers."""
    desk = open_desk(gold=True)
    known = {item.id: item.meta["attention"] for item in desk.study.items() if "attention" in item.meta}

    def careful(item, field):
        return known[item].get(field, ["1"])[0] if item in known else usual(item, field)

    rate(desk, "ann", careful)
    rate(desk, "bo", careful, 36.0)
    rate(desk, "dash", lambda item, field: "1", 3.0)
    return desk


def test_a_careless_rater_is_named_with_the_reasons_and_nobody_else(panel):
    page = panel.owner().entered.text
    dash = row_of(page, "dash")
    assert "too fast: 3 s an item, others 33 s" in dash
    assert "always the same value on each criterion, 24 items" in dash
    assert "known answers missed: 3 of 5 fit" in dash
    for name in ("ann", "bo"):
        assert "concern" not in row_of(page, name)
    assert "Look at 1 rater " in page


def test_gold_items_are_no_items_of_the_study(panel):
    page = panel.owner().entered.text
    assert "24 items" in page
    assert "24 / 24" in row_of(page, "ann")
    owner = panel.owner().client
    assert re.search(r'aria-label="ann"></progress> 24 / 24<', owner.get("/owner/raters").text), "one figure"
    assert ">attention</option>" not in owner.get("/owner/report").text, "known answers are no groups"
    assert "attention" not in panel.study.scores().frame.columns
    assert "attention" not in panel.study.meta_fields()


def test_the_answer_has_the_figures_of_the_report(panel):
    page = panel.owner().entered.text
    first = re.search(r'<section class="answer".*?</section>', page, re.DOTALL)[0]
    analysis = Analysis(panel.study)
    mean = analysis.of_kind["human"].mean
    low, high = mean.ci95
    assert f"{mean.value:.2f} [{low:.2f}, {high:.2f}]" in first
    found = analysis.raters_agreement.among["human"][analysis.rubric.main_score(analysis.names)]
    reliability = found.reported_mean[1].value
    assert f"Reliability (1 is perfect): the mean of 3 people {reliability:.2f}".replace("0.", ".") in first
    assert page.index("people") < page.index("Progress</h2>")


@pytest.mark.parametrize("who", ["adjudicator", "head"])
def test_the_next_step_follows_the_work(open_desk, who):
    desk = open_desk(overlap=2)
    assert "Invite raters" in desk.owner().entered.text
    rate(desk, "ann", usual)
    assert "Waiting for ratings of 24 items" in desk.owner().entered.text
    rate(desk, "bo", lambda item, field: "1" if item == "d01-b" else usual(item, field))
    page = desk.owner().entered.text
    assert "Decide 1 disputed item " in page
    with desk.study.database.write() as connection:
        rows = [("test", Rating("d01-b", f, who, "human", "0", stance="adjudication")) for f in FIELDS]
        append_ratings(connection, rows, desk.study.rubric.version, "test")
    owner = desk.owner()
    assert "Read the report" in owner.entered.text
    assert "Ratings from files" not in owner.entered.text, "who decided is no rater"
    index = ItemIndexes(desk.study).now()
    assert [row["item"] for row in index.rows(ItemQuery(only="decided"), 0)] == ["d01-b"]
    assert index.raters == ["ann", "bo"]


def test_agent_runs_have_the_figure_of_the_report_too(open_desk):
    desk = open_desk("hiring-agent")
    mean = Analysis(desk.study).of_kind["code"].mean
    assert f"{mean.value:.2f} [" in re.search(r"<h1 id=\"answer\">.*?</h1>", desk.owner().entered.text)[0]


@in_a_browser
@pytest.mark.parametrize("width", [390, 820, 1280])
def test_the_dashboard_fits_and_keeps_nobody_out(panel, visit, width):
    owner = panel.owner()
    with served(panel) as address:
        page = visit(
            f"{address}/enter/{owner.token}", wait=".answer", viewport={"width": width, "height": 844}
        )
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator("h1").count() == 1
