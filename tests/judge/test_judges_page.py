"""AI judges started from the owner's page: the cost first, a limit, progress, an end, and a server that was started anew."""

from __future__ import annotations

import json
import re
import signal
import time
from html import unescape

import polars as pl
import pytest
from provider_server import Server, running
from provider_settings import KEYS, addresses
from starlette.testclient import TestClient

from haechi.store.raters import invite_owner
from haechi.study.study import Study
from haechi.web.app import create_app
from haechi.web.field_names import JUDGES, SETTINGS
from haechi.web.options import Options

ITEMS = 80  # more than are asked at once
MODEL = "openai:gpt-5-mini"
PAGE = "/owner/judges"


class Owner:
    """The owner of a study that is being served."""

    def __init__(self, study, lang="en"):
        self.study = study
        app = create_app(study, Options(lang=lang))
        self.client = TestClient(app, base_url="http://127.0.0.1:8000", headers={"accept": "text/html"})
        self.client.get(f"/enter/{invite_owner(study.database)}")

    def page(self, **query):
        return unescape(self.client.get(PAGE, params=query).text)

    def post(self, path=PAGE, **fields):
        proof = re.search(r'data-csrf="(\w+)"', self.client.get(PAGE).text)[1]
        return self.client.post(path, data=fields, headers={"X-Haechi-Form": proof})

    def wait(self, words):
        """Wait until the page says so."""
        deadline = time.monotonic() + 60
        while words not in (page := self.page()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert words in page
        return page


@pytest.fixture
def study(tmp_path):
    made = Study.new(tmp_path / "study", "diary-comment")
    file = tmp_path / "items.jsonl"
    items = ({"id": f"d{n}", "context": f"항목<d{n}> 비", "response": "네"} for n in range(ITEMS))
    file.write_text("\n".join(map(json.dumps, items)))
    made.add([file])
    return made


@pytest.fixture
def provider(monkeypatch):
    with running(Server()) as started:
        for name, value in (KEYS | addresses(started.url)).items():
            monkeypatch.setenv(name, value)
        yield started


def proposed(page):
    """The limit that the page proposes, as a command says it."""
    found = re.search(r'name="max_cost" value="([0-9.]+)"', page)
    return f"{float(found[1]):g}"


def test_the_cost_is_shown_before_anything_is_asked(study, provider):
    page = Owner(study).page(model=MODEL)
    assert f'<td class="n">{ITEMS}</td>' in page
    assert "Start judging" in page
    assert f"haechi judge {study.folder} --model {MODEL}" in page
    assert "sk-proj" not in page
    assert not provider.paid


def test_a_missing_key_is_named_by_its_variable_and_nothing_begins(study, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused = Owner(study).post(model=MODEL, max_cost="1")
    assert refused.status_code == 422
    assert "the environment variable OPENAI_API_KEY" in unescape(refused.text)
    assert not (study.folder / ".judging").exists()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"model": "nobody"}, "openai:MODEL"),
        ({"model": MODEL, "max_cost": "lots"}, "a number above 0"),
        ({"model": MODEL, "limit": "-1"}, "a whole number above 0"),
        ({"model": "openai:unknown", "max_cost": "1"}, "the price is unknown"),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_is_expected(study, provider, fields, says):
    refused = Owner(study).post(**fields)
    assert refused.status_code == 422
    assert says in unescape(refused.text)
    assert not provider.paid


def test_judges_are_started_followed_and_end_without_being_paid_twice(study, provider):
    owner = Owner(study)
    assert "At work" in unescape(owner.post(model=MODEL, max_cost="5").text)
    page = owner.wait("Ended")
    assert f"{ITEMS} of {ITEMS} calls" in page
    assert study.ratings().height == 3 * ITEMS
    owner.post(model=MODEL, max_cost="5")
    owner.wait("Ended")
    assert set(provider.paid.values()) == {1}


def test_two_owners_cannot_start_twice(study, provider):
    provider.may_answer = 0
    owner = Owner(study)
    owner.post(model=MODEL, max_cost="5")
    refused = owner.post(model=MODEL, max_cost="5")
    provider.may_answer = 2**62
    assert refused.status_code == 422
    assert "AI judges at work" in unescape(refused.text)
    owner.wait("Ended")


def test_a_stopped_run_keeps_its_answers_and_goes_on_after_the_server_was_started_anew(study, provider):
    provider.may_answer = 4
    first = Owner(study)
    before = signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # as for a server that a script put in the background
    try:
        first.post(model=MODEL, max_cost="5")
    finally:
        signal.signal(signal.SIGINT, before)
    first.wait(f"4 of {ITEMS} calls")
    again = Owner(Study(study.folder))  # another server, which did not start the judges
    assert "At work" in again.page()
    again.post(f"{PAGE}/stop")
    provider.may_answer = 2**62  # what is on its way is waited for
    page = again.wait("Go on")
    assert "At work" not in page
    again.post(f"{PAGE}/go-on")
    again.wait("Ended")
    assert study.ratings().filter(status="ok").height == 3 * ITEMS
    assert set(provider.paid.values()) == {1}


def test_a_second_stop_cuts_off_nothing_that_is_on_its_way(study, provider):
    provider.may_answer = 4
    owner = Owner(study)
    owner.post(model=MODEL, max_cost="5")
    owner.wait(f"4 of {ITEMS} calls")
    for _ in range(2):
        owner.post(f"{PAGE}/stop")
        time.sleep(0.5)
    assert "At work" in owner.page(), "it waits for what is on its way"
    provider.may_answer = 2**62
    owner.wait("Go on")
    owner.post(f"{PAGE}/go-on")
    owner.wait("Ended")
    assert study.ratings().filter(status="ok").height == 3 * ITEMS
    assert set(provider.paid.values()) == {1}, "no answer was lost"


def test_batches_are_priced_sent_followed_and_fetched_in_the_browser(study, provider):
    owner = Owner(study)
    now, later = owner.page(model=MODEL), owner.page(model=MODEL, way="batch")
    assert prices(later)[0] == pytest.approx(prices(now)[0] / 2, abs=1e-4)  # what a batch costs
    assert f"haechi judge {study.folder} --model {MODEL} --batch" in later
    assert not provider.batches
    provider.auto_finish = False
    owner.post(model=MODEL, max_cost="5", way="batch")
    page = owner.wait("requests sent")
    assert f"{ITEMS} requests sent, batches: 1." in page
    assert f"haechi collect {study.folder}" in page
    assert study.ratings().height == 0
    owner.post(f"{PAGE}/collect")
    assert "batches still running: 1" in owner.wait("Looked just now")
    provider.auto_finish = True
    owner.post(f"{PAGE}/collect")
    page = owner.wait(f"{ITEMS} answers fetched")
    assert "fetched</span>" in page
    assert "Fetch what is ready" not in page, "nothing is out any more"
    assert study.ratings().filter(status="ok").height == 3 * ITEMS
    assert set(provider.paid.values()) == {1}


def test_batches_can_be_stopped(study, provider):
    provider.auto_finish = False
    owner = Owner(study)
    owner.post(model=MODEL, max_cost="5", way="batch")
    owner.wait("requests sent")
    owner.post(f"{PAGE}/collect", cancel="yes")
    owner.wait("cancelled</span>")
    assert not provider.paid


def test_a_limit_stops_a_batch_before_it_is_paid(study, provider):
    owner = Owner(study)
    fits = float(least(owner.post(model=MODEL, max_cost="0.000001", way="batch")))
    assert not provider.batches
    owner.post(model=MODEL, max_cost=str(fits + 0.001), way="batch")
    assert "‘Stop before more than so many dollars’" in owner.wait("raise")
    assert "1 requests sent" in owner.page()


def least(refused):
    """The least limit that a refusal names."""
    assert refused.status_code == 422
    said = unescape(refused.text)
    assert "--max-cost" not in re.sub("(?s)<details class=.command.*?</details>|<code.*?</code>", "", said)
    return re.search(r"write ([0-9.]+) or more in ‘Stop before more than so many dollars’", said)[1]


@pytest.mark.parametrize("more", [{}, {"repeat": "2"}, {"way": "batch"}])
def test_a_limit_below_the_price_of_one_request_is_refused_before_the_start(study, provider, more):
    owner = Owner(study)
    enough = least(owner.post(model=MODEL, max_cost="0.01", **more))
    assert not (study.folder / ".judging").exists(), "nothing was begun"
    assert not provider.paid
    owner.post(model=MODEL, max_cost=enough, limit="1", **more)
    owner.wait("1 requests sent" if more.get("way") else "1 of 1 calls")


def test_a_run_without_room_for_one_more_request_says_so_instead_of_going_on(study, provider):
    owner = Owner(study)
    enough = least(owner.post(model=MODEL, max_cost="0.01"))
    owner.post(model=MODEL, max_cost=enough)
    page = owner.wait("Go on")
    assert "raise ‘Stop before more than so many dollars’ above" in page
    with study.database.read() as connection:
        before = connection.value("SELECT count(*) FROM calls")
    assert least(owner.post(f"{PAGE}/go-on")) == enough
    with study.database.read() as connection:
        assert connection.value("SELECT count(*) FROM calls") == before


def test_the_limit_that_is_proposed_lets_at_least_one_request_leave(study, provider):
    dear = {"model": "openai:gpt-5", "max_tokens": "200000", "limit": "1"}
    owner = Owner(study)
    proposed = re.search(r'name="max_cost" value="([0-9.]+)"', owner.page(**dear))[1]
    assert float(proposed) > 1
    owner.post(max_cost=proposed, **dear)
    owner.wait("1 of 1 calls")


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_the_names_of_fields_are_those_that_the_page_shows(study, provider, lang):
    owner = Owner(study, lang)
    page = owner.page(model=MODEL)
    assert [name.say(lang) for name in JUDGES.values() if name.say(lang) not in page] == []
    settings = unescape(owner.client.get("/owner/settings").text)
    shown = [name for option, name in SETTINGS.items() if not option.startswith("--talk")]
    assert [name.say(lang) for name in shown if name.say(lang) not in settings] == []


def test_a_judge_without_batches_says_so_before_anything_begins(study, provider):
    page = Owner(study).page(model="local:smollm2", way="batch")
    assert "live judging" in page
    refused = Owner(study).post(model="local:smollm2", way="batch")
    assert refused.status_code == 422


def prices(page):
    """Likely cost and most, as the table of estimates says."""
    return [float(found.replace(",", "")) for found in re.findall(r"<td class=\"n\">\$([0-9.,]+)</td>", page)]


def test_how_judges_are_asked_is_chosen_on_the_page_and_said_as_a_command(study, provider):
    owner = Owner(study)
    chosen = {
        "model": MODEL,
        "per": "criterion",
        "prompt_lang": "en",
        "seed": "7",
        "effort": "low",
        "max_tokens": "900",
        "limit": "3",
    }
    page = owner.page(**chosen)
    limit = proposed(page)
    words = "--per criterion --prompt-lang en --seed 7 --reasoning-effort low --max-tokens 900"
    assert f"haechi judge {study.folder} --model {MODEL} --limit 3 --max-cost {limit} {words}<" in page
    assert f"haechi judge {study.folder} --model {MODEL} --limit 3 {words} --dry-run<" in page
    assert '<input type="hidden" name="per" value="criterion">' in page
    provider.bodies = []
    owner.post(max_cost="5", **chosen)
    owner.wait("Ended")
    assert len(provider.bodies) == 3
    assert {body["max_completion_tokens"] for body in provider.bodies} == {900}
    assert {body["reasoning_effort"] for body in provider.bodies} == {"low"}


@pytest.fixture
def rated(study):
    """The study with what two people said of 30 of its items."""
    rows = [
        {"item": f"d{n}", "criterion": name, "rater": rater, "kind": "human", "value": str((n + place) % 2)}
        for n in range(30)
        for place, name in enumerate(study.rubric.rateables)
        for rater in ("kim", "lee")
    ]
    study.import_ratings(pl.DataFrame(rows))
    return study


def test_ways_of_judging_are_tried_apart_and_shown_side_by_side(rated, provider):
    owner = Owner(rated)
    chosen = {"model": MODEL, "way": "try", "trial": "12"}
    page = owner.page(**chosen)
    assert f"haechi judge {rated.folder} --model {MODEL} --max-cost {proposed(page)} --try 12<" in page
    owner.post(max_cost="5", **chosen)
    page = owner.wait("Ended")
    assert "Ways of judging" in page
    assert "distance from people" in page
    assert "60 of 60 calls" in page, "12 items as a whole, by each of 3 criteria, and with examples"
    assert {row["kind"] for row in rated.ratings().to_dicts()} == {"human"}


def test_a_strong_judge_is_asked_where_the_others_are_apart(rated, provider):
    owner = Owner(rated)
    models = [MODEL, "openai:gpt-5-nano"]
    page = owner.page(model=models, then="openai:gpt-5", examples="4")
    assert "--examples 4 --then openai:gpt-5<" in page
    assert page.count('<th scope="row">openai:gpt-5') == 3, "what it takes at most is estimated too"
    owner.post(model=models, then="openai:gpt-5", examples="4", max_cost="50")
    owner.wait("Ended")
    asked = rated.ratings().filter(kind="ai").group_by("rater").agg(pl.col("item").n_unique()).rows()
    counts = {rater.split("+")[0].split(" ")[0]: items for rater, items in asked}
    assert len(asked) == 3, asked
    assert counts["gpt-5"] < ITEMS - 4, counts


def test_how_fast_judges_are_asked_and_when_again_is_chosen_on_the_page(rated, provider):
    owner = Owner(rated)
    pace = {"at_once": "2", "rate": "6000", "timeout": "45"}
    again = {"then": "openai:gpt-5", "apart": "0.6", "random_part": "0.5"}
    chosen = {"model": [MODEL, "openai:gpt-5-nano"], **again, **pace}
    page = owner.page(**chosen)
    words = "--then openai:gpt-5 --apart 0.6 --random-part 0.5 --at-once 2 --rate 6000 --timeout 45<"
    assert words in page
    assert all(f'<input type="hidden" name="{name}" value="{said}">' in page for name, said in pace.items())
    assert "<details open>" in page
    owner.post(max_cost="50", **chosen)
    owner.wait("Ended")
    strong = rated.ratings().filter(pl.col("rater") == "gpt-5")["item"].n_unique()
    assert strong == ITEMS // 2, "the first judges say the same, and of what they agree on half is drawn"
    assert "<details>" in owner.page(model=MODEL)


def test_a_judge_is_audited_apart_and_what_moves_it_is_shown(study, provider):
    owner = Owner(study)
    chosen = {"model": MODEL, "way": "audit", "trial": "20"}
    page = owner.page(**chosen)
    assert f"haechi judge {study.folder} --model {MODEL} --max-cost {proposed(page)} --audit 20<" in page
    assert "Start the audit" in page
    owner.post(max_cost="5", **chosen)
    page = owner.wait("Ended")
    assert "change in points" in page
    assert "in the folder audit" in page
    calls = int(re.search(r"([\d,]+) of [\d,]+ calls", page)[1].replace(",", ""))
    assert calls > 20 * 5, "every item with several changes"
    assert study.ratings().is_empty()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"way": "audit", "repeat": "2"}, "run it without ‘Times per item’"),
        ({"way": "audit", "then": "openai:gpt-5"}, "run it without ‘Judge asked again where they are apart’"),
        ({"apart": "2"}, "a number from 0 to 1"),
        ({"timeout": "0"}, "a number above 0"),
        ({"at_once": "many"}, "a whole number above 0"),
        ({"temperature": "3"}, "a number from 0 to 2"),
        ({"seed": "x"}, "a number from 0 to"),
        ({"then": "openai:gpt-5"}, "two or more ‘Judge’"),
        ({"examples": "2"}, "rated"),
        ({"way": "try"}, "at least 10"),
        ({"seed": "7", "model": "anthropic:claude-haiku-4-5"}, "run again without ‘Seed’"),
    ],
)
def test_a_way_of_judging_that_cannot_be_is_refused_before_anything_is_asked(study, provider, fields, says):
    owner = Owner(study)
    whole = {"model": MODEL, **fields}
    assert says in owner.page(**whole)
    refused = owner.post(max_cost="1", **whole)
    assert refused.status_code == 422
    assert says in unescape(refused.text)
    assert not provider.paid


def test_what_was_paid_at_an_unknown_price_is_unknown_and_not_nothing(study, provider):
    owner = Owner(study)
    owner.post(model="openai:unpriced", limit="2")
    page = owner.wait("Ended")
    assert "2 of 2 calls" in page
    assert "paid unknown" in page
