"""The item browser: what it finds, in which order, with which figures; and in a real browser."""

from __future__ import annotations

import random
import re
import shutil

import polars as pl
import pytest
from browser import arrive, chromium, in_a_browser, serious, served, visit
from desks import open_desk
from visitors import DATA, FILES, Desk

from haechi.data.rating import Rating
from haechi.demo import make_studies
from haechi.report.numbers import number
from haechi.scoring.panel import panel_means
from haechi.store.ratings import append_ratings
from haechi.study.study import Study
from haechi.web.item_index import ONLY, SORTS, ItemIndexes, ItemQuery
from haechi.web.item_order import ItemOrder
from haechi.web.options import Options


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The four demo studies, made once; a test that writes copies one."""
    return {
        study.rubric.id: study.folder for study in make_studies(tmp_path_factory.mktemp("browse") / "demo")
    }


@pytest.fixture(scope="module")
def maice(folders):
    return Desk(Study(folders["maice-qac"]), Options(lang="en"))


@pytest.fixture
def owner(maice):
    return maice.owner()


def listed(owner, query=""):
    """The ids and scores of the list, in its order."""
    page = owner.client.get(f"/owner/browse{query}").text
    found = re.findall(
        r'<span class="score">(.*?)</span>\s*<span class="what"><b dir="auto">(.*?)</b>', page, re.DOTALL
    )
    return [(item, re.sub("<[^>]+>", "", score).strip()) for score, item in found]


def test_the_scores_of_the_list_are_those_of_haechi_score(maice, owner):
    rows = pl.concat(maice.study.scores().batches(["item", "rater", "total"]))
    means = dict(panel_means(rows, ["total"], ["item"]).iter_rows())
    shown = dict(listed(owner))
    assert shown == {item: number(mean) if mean is not None else "–" for item, mean in means.items()}
    by_score = [item for item, _ in sorted(means.items(), key=lambda one: one[1])]
    assert [means[item] for item, _ in listed(owner, "?sort=score")] == [means[item] for item in by_score]
    assert listed(owner, "?sort=-score")[0][0] == by_score[-1]


def test_items_are_found_by_words_fields_raters_and_scores(owner):
    everything = [item for item, _ in listed(owner)]
    assert len(everything) == 12
    assert [item for item, _ in listed(owner, "?q=정적분의 활용")] == ["s07"]
    assert [item for item, _ in listed(owner, "?q=S07")] == ["s07"]
    q4 = listed(owner, "?meta.level=Q4")
    assert 0 < len(q4) < 12
    assert listed(owner, "?meta.level=Q4&meta.mode=agent") != q4
    assert listed(owner, "?meta.nothing=1") == []
    assert listed(owner, "?rater=nobody") == []
    assert len(listed(owner, "?rater=teacher-1")) == 12
    low, high = 20.0, 35.0
    assert all(low <= float(score) <= high for _, score in listed(owner, f"?low={low}&high={high}"))
    assert listed(owner, "?only=unrated") == []
    assert len(listed(owner, "?only=unfounded")) == 8


def test_the_most_disputed_come_first_as_on_the_dashboard(owner):
    dashboard = owner.client.get("/owner").text
    widths = re.findall(r'owner/items/\d+">(\w+)</a>.*?value="([\d.]+)"', dashboard, re.DOTALL)
    found = owner.client.get("/owner/browse?only=disputed&sort=-disagreement").text
    shares = re.findall(r"disputed (\d+) %", found)
    widest = sorted((float(width) for _, width in widths), reverse=True)
    assert [int(share) / 100 for share in shares] == pytest.approx(widest, abs=0.0055)


def test_all_ratings_stand_beside_the_text_with_their_quotes_marked(owner):
    page = owner.client.get("/owner/browse?item=7").text
    quotes = set(re.findall(r'data-quote="(q\d+)"', page))
    marks = {name for names in re.findall(r'data-marks="([^"]+)"', page) for name in names.split()}
    assert quotes
    assert quotes == marks
    for rater in ("teacher-1", "teacher-2", "gpt-5-mini"):
        assert rater in page
    unfounded = owner.client.get("/owner/browse?only=unfounded").text
    assert 'class="unfounded"' in unfounded


def test_a_decision_is_seen_and_can_be_looked_for(folders, tmp_path):
    shutil.copytree(folders["diary-comment"], tmp_path / "copy")
    desk = Desk(Study(tmp_path / "copy"), Options(lang="en"))
    owner = desk.owner()
    assert listed(owner, "?only=decided") == []
    page = owner.client.get("/owner/items/1").text
    proof = re.search(r'data-csrf="(\w+)"', page)[1]
    body = {"item": 1, "field": "sympathy", "value": "1", "reason": "공감이 있음"}
    assert (
        owner.client.post("/owner/decisions", json=body, headers={"X-Haechi-Form": proof}).status_code == 200
    )
    assert len(listed(owner, "?only=decided")) == 1
    assert "공감이 있음" in owner.client.get("/owner/browse?item=1").text


@pytest.mark.parametrize("rubric", ["ubica", "diary-comment", "maice-qac", "hiring-agent"])
def test_items_without_a_single_rating_are_browsed(open_desk, rubric):
    owner = open_desk(rubric).owner()
    page = owner.client.get("/owner/browse?only=unrated")
    assert page.status_code == 200
    assert re.search(r"(\d+) of \1 items", page.text)


def test_a_study_of_judges_alone_is_browsed(folders, tmp_path):
    study = Study.new(tmp_path / "ai", "maice-qac")
    ratings = Study(folders["maice-qac"]).ratings().filter(kind="ai")
    study.add([DATA / FILES["maice-qac"]])
    study.import_ratings(ratings.select("item", "criterion", "rater", "kind", "value", "evidence"))
    owner = Desk(study, Options(lang="ko")).owner()
    assert len(listed(owner, "?sort=score")) == 12
    assert "gpt-5-mini" in owner.client.get("/owner/browse?item=1").text


@pytest.mark.parametrize(
    "query",
    ["?item=99999999999", "?page=0", "?page=999999", "?page=-1", "?low=nan&high=inf", "?sort=nothing", "?q=" + "가" * 300, "?q=%00'\"<b>"],
)  # fmt: skip
def test_odd_addresses_are_answered(owner, query):
    answer = owner.client.get(f"/owner/browse{query}")
    assert answer.status_code in (200, 404)
    assert "<b>" not in answer.text.replace('<b dir="auto">', "")


def test_raters_and_strangers_are_kept_out(maice):
    assert maice.rater().client.get("/owner/browse").status_code in (401, 403)


def test_what_comes_new_is_seen_at_once(folders, tmp_path):
    shutil.copytree(folders["diary-comment"], tmp_path / "copy")
    study = Study(tmp_path / "copy")
    owner = Desk(study, Options(lang="en")).owner()
    before = dict(listed(owner))
    item = next(iter(before))
    rows = {"item": [item], "criterion": ["sympathy"], "rater": ["new"], "kind": ["human"], "value": ["1"]}
    study.import_ratings(pl.DataFrame(rows))
    assert [found for found, _ in listed(owner, "?rater=new")] == [item]


@in_a_browser
def test_by_keyboard_and_with_an_address_that_can_be_sent(maice, visit):
    with served(maice) as address:
        page = visit(f"{address}/enter/{maice.owner().token}", wait="main")
        page.click("text=Items")
        arrive(page, ".browse")
        page.keyboard.press("/")
        page.keyboard.type("수학")
        page.keyboard.press("Enter")
        page.wait_for_url("**/owner/browse?q=*")
        assert page.url.endswith("?q=%EC%88%98%ED%95%99")
        page.select_option("select[name=sort]", "-score")
        page.wait_for_url("**sort=-score*")
        names = page.locator(".list .what b").all_inner_texts()
        assert page.inner_text(".detail h2") == names[0]
        page.keyboard.press("j")
        page.wait_for_url("**item=*")
        assert page.inner_text(".detail h2") == names[1]
        shared = page.url
        page.keyboard.press("k")
        page.wait_for_function(
            "name => document.querySelector('.detail h2').innerText === name", arg=names[0]
        )
        other = visit(f"{address}/enter/{maice.owner().token}", wait="main")
        other.goto(shared)
        assert other.inner_text(".detail h2") == names[1]
        assert other.locator(".list .what b").all_inner_texts() == names


@in_a_browser
def test_a_piece_of_evidence_leads_to_its_words_and_the_source_can_be_seen(maice, visit):
    with served(maice) as address:
        page = visit(f"{address}/enter/{maice.owner().token}", wait="main")
        page.goto(f"{address}/owner/browse?item=7")
        first = page.locator("[data-quote]").first
        quote = re.search(r"'(.+?)'", first.locator(".quoted").inner_text(), re.DOTALL)[1]
        first.locator(".find").click()
        found = "".join(page.locator("mark.found").all_inner_texts())
        assert re.sub(r"\W", "", quote)[:6] in re.sub(r"\W", "", found)
        page.keyboard.press("r")
        assert page.get_attribute(".as-written", "aria-pressed") == "true"
        assert page.locator(".content math:visible").count() == 0
        assert "\\(" in page.inner_text(".content") or "$" in page.inner_text(".content")


def test_the_state_of_a_study_is_told_without_reading_its_items(maice):
    """Every page asks for it: over 100,000 items, reading them took ten times as long as the page."""
    from haechi.store.items import NEWEST

    with maice.study.database.read() as connection:
        plan = [row.detail for row in connection.rows(f"EXPLAIN QUERY PLAN {NEWEST}")]
    assert any("bare_items" in step for step in plan)
    assert "SCAN items" not in plan


def test_ratings_of_a_run_that_the_form_does_not_ask_for_are_shown(tmp_path):
    study = Study.new(tmp_path / "qa", "hiring-agent")
    study.add(
        {
            "item_id": ["r1"],
            "query_id": ["q1"],
            "expected": ["1) 답변이 <친절>한가"],
            "raw_json": ['{"assistantMessage": "네"}'],
        }
    )
    given = {"accuracy": "4.5", "accuracy.답변이 <친절>한가": "0", "intent_label": "VIEW", "intent": "GOOD"}
    study.import_ratings(
        {"item": ["r1"] * 4, "rater": ["kim"] * 4, "criterion": list(given), "value": list(given.values())}
    )
    page = Desk(study, Options(lang="en")).owner().client.get("/owner/browse?item=1").text
    questions = page.split('<section class="card question')[1:]
    shown = {
        re.search("<h3>(.*?)</h3>", one)[1]: re.search('class="value" dir="auto">(.*?)<', one)[1]
        for one in questions
    }
    assert shown == {
        "Intent": "GOOD",
        "Accuracy": "4.5",
        "Accuracy: 답변이 &lt;친절&gt;한가": "0",
        "Intent label": "VIEW",
    }


@pytest.mark.parametrize(("rubric", "pieces"), [("maice-qac", 100), ("ubica", 100), ("diary-comment", 1)])
def test_an_index_that_is_kept_up_says_what_a_new_one_says(folders, tmp_path, monkeypatch, rubric, pieces):
    """After every few new ratings: of people, of judges with quotes, decisions, corrections."""
    monkeypatch.setattr("haechi.web.item_index._PIECES", pieces)
    shutil.copytree(folders[rubric], tmp_path / "study")
    study = Study(tmp_path / "study")
    kept, dice = ItemIndexes(study), random.Random(7)
    first = kept.now()._base
    names, items = list(study.rubric.rateables), [item.id for item in study.items()]
    choices = {
        name: [choice.value for choice in one.scale.choices(lambda text: text.ko)]
        for name, one in study.rubric.rateables.items()
    }
    for turn in range(6):
        assert_same(kept.now(), ItemIndexes(study).now())
        rows = []
        for item in dice.sample(items, 3):
            who = dice.choice([("new-person", "human"), ("new-judge", "ai"), ("adjudicator", "human")])
            for name in dice.sample([name for name in names if choices[name]], 2):
                quote = "메시지[1]에서 '없는 말'" if who[1] == "ai" else None
                value = dice.choice([*choices[name], None])
                status = {"status": "missing", "reason": "?"} if value is None else {}
                stance = "adjudication" if who[0] == "adjudicator" else None
                rows.append(("test", Rating(item, name, *who, value, quote, stance=stance, **status)))
        with study.database.write() as connection:
            append_ratings(connection, rows, study.rubric.version, f"turn-{turn}", correct=True)
    last = kept.now()
    assert_same(last, ItemIndexes(study).now())
    assert last._base is first, "most of it is as it was"
    assert last._newer.items


def test_what_is_on_no_page_that_is_looked_at_waits_for_the_one_that_wants_it(folders, tmp_path, monkeypatch):
    monkeypatch.setattr("haechi.web.item_index.PAGE", 2)
    monkeypatch.setattr("haechi.web.item_index._WAITING", 2)
    shutil.copytree(folders["diary-comment"], tmp_path / "study")
    study = Study(tmp_path / "study")
    kept = ItemIndexes(study)
    shown = [row["item"] for row in kept.now().rows(ItemQuery(), 0)]
    others = [item.id for item in study.items() if item.id not in shown]

    def rate(who, *items):
        rows = [("test", Rating(item, "sympathy", who, "human", "0")) for item in items]
        with study.database.write() as connection:
            append_ratings(connection, rows, study.rubric.version, who)
        return kept.now()

    index, (one, two, three, *_) = kept.now(), others
    before = index.rows(ItemQuery(), 0)
    looks = {
        "sorted": lambda: index.rows(ItemQuery(sort="score"), 0),
        "its page": lambda: index.rows(ItemQuery(), 1),
        "the item": lambda: index.scores_of(one),
        "too many wait": lambda: rate("many", two, three),
    }
    for who, look in looks.items():
        assert rate(who, one) is index
        assert index.rows(ItemQuery(), 0) == before
        assert who in index.raters
        assert index._waiting == {one}
        look()
        assert not index._waiting
    rate("last", shown[0])
    assert index.rows(ItemQuery(), 0)[0]["raters"] == before[0]["raters"] + 1
    assert_same(index, ItemIndexes(study).now())


def test_an_order_that_is_kept_up_is_the_one_that_sorting_gives(monkeypatch):
    dice = random.Random(3)
    figures = [dice.choice([None, -1.0, 0.0, 0.5, 0.5, 2.0]) for _ in range(60)]
    frames = [pl.DataFrame({"score": figures, "apart": figures, "missing": range(60)})]
    orders = {sort: ItemOrder(frames[0], sort) for sort in ("score", "-score", "-apart", "-missing")}
    for changed in ([7], [59, 0], dice.sample(range(60), 20)):
        for row in changed:
            figures[row] = dice.choice([None, -3.0, 0.5, 2.0])
        frames.append(pl.DataFrame({"score": figures, "apart": figures, "missing": range(60)}))
        for order in orders.values():
            order.change(changed)
    with monkeypatch.context() as patch:
        patch.setattr("numpy.argsort", None)  # single rows are moved, nothing is sorted anew
        kept = {sort: order.of(frames[-1]).to_list() for sort, order in orders.items()}
    assert kept == {sort: ItemOrder(frames[-1], sort).of(frames[-1]).to_list() for sort in orders}


def assert_same(kept, new):
    assert (kept.scores, kept.main, kept.raters, len(kept)) == (new.scores, new.main, new.raters, len(new))
    wishes = [ItemQuery(score=name, sort=sort) for name in new.scores for sort in SORTS]
    wishes += [ItemQuery(only=only) for only in ONLY] + [ItemQuery(rater=name) for name in new.raters]
    wishes += [ItemQuery(only=only, sort=sort) for only in ("missing", "disputed") for sort in SORTS]
    for wanted in wishes:
        other = new.rows(wanted, 0)
        assert rounded(kept.rows(wanted, 0)) == rounded(other), wanted
        assert len(kept.find(wanted)) == len(new.find(wanted)), wanted
        for row in other[:5]:
            assert kept.scores_of(row["item"]) == new.scores_of(row["item"])


def rounded(rows):
    """A sum over other items may end in another last digit."""
    return [{k: round(v, 9) if isinstance(v, float) else v for k, v in row.items()} for row in rows]
