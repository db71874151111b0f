"""The agent is run from the page: a suite dropped in, the agent described, what would be asked, the run, failures again."""

from __future__ import annotations

import html
import json
import sys
import time

import pytest
from benches import Bench
from browser import arrive, chromium, in_a_browser, served, visit

from agent_server import AgentServer, running
from haechi.store.agent_calls import ended_turns
from haechi.web.agent_process import AgentProcess, AgentRunOptions

SUITE = "Query ID,질의,기대결과\nq1,공고 보여줘,@check formType=LIST\nq2,지원자 추가,@check formType=FORM\n"
DESCRIPTION = """name: hiring
url: {url}/ask
body: {{q: $query, id: $id, turn: $turn, session: $session}}
answer: {{payload: data, message: data.assistantMessage, error: error}}
"""
PAGE = "/s/hiring/owner/run"


@pytest.fixture
def agent():
    with running(AgentServer()) as server:
        yield server


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path).enter()
    made.make("hiring", "hiring-agent")
    return made


def drop(bench, content, name="suite.csv"):
    headers = {"X-Haechi-Form": bench.proof(PAGE)}
    return bench.client.post(
        f"{PAGE}/suite", params={"name": name}, content=content.encode(), headers=headers
    )


def shown(bench):
    return html.unescape(bench.client.get(PAGE).text)


def ended(bench):
    """The page when the run behind it has ended."""
    until = time.monotonic() + 60
    while "At work" in (page := shown(bench)):
        assert time.monotonic() < until, page
        time.sleep(0.05)
    return page


def test_from_the_suite_to_the_failures_again(bench, agent):
    assert drop(bench, SUITE).json() == {"next": PAGE}
    described = bench.post(
        PAGE, f"{PAGE}/agent", description=DESCRIPTION.format(url=agent.url), rounds="2", version="1.4"
    )
    assert described.status_code == 200
    page = html.unescape(described.text)
    assert "To ask: 4 (4 requests); 2 queries" in page
    assert f"{agent.url}/ask" in page
    assert "haechi run" in page
    assert agent.bodies == []
    agent.faults.extend(["500"])
    bench.post(PAGE, PAGE)
    page = ended(bench)
    assert "Ended" in page
    assert "4 of 4 requests · 3 answered · 1 failed" in page
    assert "asked before: 3 answered, 1 failed" in page
    bench.post(PAGE, PAGE, retry="1")
    page = ended(bench)
    assert "1 of 1 requests · 1 answered · 0 failed" in page
    assert "There is nothing to ask" in page
    study = bench.study("hiring")
    assert study.count_items() == 4
    assert {item.meta["version"] for item in study.items()} == {"1.4"}


def test_a_limit_of_one_asks_one(bench, agent):
    drop(bench, SUITE)
    bench.post(PAGE, f"{PAGE}/agent", description=DESCRIPTION.format(url=agent.url), limit="1")
    bench.post(PAGE, PAGE)
    assert "1 of 1 requests · 1 answered" in ended(bench)
    assert len(agent.bodies) == 1


def test_a_run_that_ends_while_it_is_looked_at_is_not_said_to_have_stopped(bench, agent, write, monkeypatch):
    run = AgentProcess(bench.study("hiring"))
    run.take_suite(write("suite.csv", SUITE))
    run.keep(AgentRunOptions(), DESCRIPTION.format(url=agent.url))
    run.start()

    def after_its_end(connection, after):
        run._run._process.wait()
        return ended_turns(connection, after)

    monkeypatch.setattr("haechi.web.agent_process.ended_turns", after_its_end)
    assert run.standing().state in ("working", "ended")
    standing = run.standing()
    assert (standing.state, standing.answered) == ("ended", 2)


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        (f"command: [{sys.executable}, -c, 'print(1)']", "--allow-commands"),
        ("url: https://evil.example/x\nheaders: {A: '${HOME}'}", "HAECHI_KEY_EVIL_EXAMPLE"),
        ("url: ftp://x/y", "http://"),
        ("just words", "expected"),
        ("", "url"),
    ],
)
def test_what_a_page_must_not_do_is_refused_and_nothing_is_kept(bench, description, expected):
    drop(bench, SUITE)
    refused = bench.post(PAGE, f"{PAGE}/agent", description=description)
    assert refused.status_code == 422
    assert expected.lower() in html.unescape(refused.text).lower()
    assert not (bench.folder / "hiring" / ".running" / "wish.json").exists()
    assert bench.post(PAGE, PAGE).status_code == 422


@pytest.mark.parametrize("agent", ["{}/evil.yaml", "../evil.yml", "anthropic:x", "http://x", "openai"])
def test_an_address_is_never_a_file_of_the_server(bench, tmp_path, agent):
    touched = tmp_path / "touched"
    (tmp_path / "evil.yaml").write_text(f"command: [touch, {touched}]", "utf-8")
    drop(bench, SUITE)
    refused = bench.post(PAGE, f"{PAGE}/agent", agent=agent.format(tmp_path))
    assert refused.status_code == 422
    assert bench.post(PAGE, PAGE).status_code == 422
    wish = bench.folder / "hiring" / ".running" / "wish.json"
    wish.write_text(
        json.dumps({"agent": f"{tmp_path}/evil.yaml"}), "utf-8"
    )  # by hand, or by an older version
    assert bench.post(PAGE, PAGE).status_code == 422
    assert not touched.exists()


def test_a_program_is_run_where_the_server_was_told_so(tmp_path):
    bench = Bench(tmp_path, commands=True).enter()
    bench.make("hiring", "hiring-agent")
    drop(bench, SUITE)
    code = "import json; json.load(open(0)); print(json.dumps({'assistantMessage': 'ok'}))"
    bench.post(PAGE, f"{PAGE}/agent", description=f'command: ["{sys.executable}", "-c", "{code}"]')
    bench.post(PAGE, PAGE)
    assert "2 of 2 requests · 2 answered · 0 failed" in ended(bench)


def test_a_suite_that_cannot_be_read_is_said_and_the_former_one_stays(bench):
    drop(bench, SUITE)
    refused = drop(bench, "Query ID,질의\nq1,\n", "bad.csv")
    assert refused.status_code == 422
    assert "suite.csv" in shown(bench)
    bench.post(PAGE, f"{PAGE}/without-suite")
    assert "suite.csv" not in shown(bench)


def test_an_agent_that_is_not_there_is_said_and_a_run_can_be_stopped(bench, agent):
    drop(bench, SUITE)
    bench.post(PAGE, f"{PAGE}/agent", description=DESCRIPTION.format(url="http://127.0.0.1:9"))
    bench.post(PAGE, PAGE)
    page = ended(bench)
    assert "unreachable" in page
    assert bench.study("hiring").count_items() == 0
    agent.latency = 0.3
    bench.post(
        PAGE, f"{PAGE}/agent", description=DESCRIPTION.format(url=agent.url), rounds="100", at_once="1"
    )
    bench.post(PAGE, PAGE)
    assert bench.post(PAGE, PAGE).status_code == 422, "one run at a time"
    while not agent.bodies:
        time.sleep(0.02)
    bench.post(PAGE, f"{PAGE}/stop")
    page = ended(bench)
    assert "starting again asks only what is left" in page
    items = bench.study("hiring").count_items()
    assert 0 < items == len(agent.bodies), "what was on its way was kept"


def test_what_a_run_says_is_in_the_language_of_who_started_it(bench):
    drop(bench, SUITE)
    bench.post(PAGE, f"{PAGE}/agent", description=DESCRIPTION.format(url="http://127.0.0.1:9"))
    bench.client.get("/language/ko")
    bench.post(PAGE, PAGE)
    until = time.monotonic() + 60
    while "끝남" not in (page := shown(bench)):
        assert time.monotonic() < until, page
        time.sleep(0.05)
    assert "에이전트가 받지 않음" in page


@in_a_browser
def test_in_the_browser_a_file_is_chosen_and_progress_comes_by_itself(bench, agent, visit, tmp_path):
    file = tmp_path / "질의 모음.csv"
    file.write_text(SUITE, "utf-8")
    with served(bench) as address:
        page = visit(f"{address}/enter/{bench.home.token}", wait="main h1")
        page.goto(address + PAGE)
        page.set_input_files(".drop input", str(file))
        arrive(page, "strong:has-text('질의 모음.csv')")
        page.fill("textarea[name=description]", DESCRIPTION.format(url=agent.url))
        page.click("text=See what would be asked")
        page.wait_for_selector("text=To ask: 2 (2 requests)")
        page.click("button:text-is('Start')")
        page.wait_for_selector("text=2 of 2 requests · 2 answered", timeout=60_000)
        page.wait_for_selector("text=Ended", timeout=60_000)
