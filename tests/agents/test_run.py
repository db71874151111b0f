"""`haechi run` against an agent on a real port: what comes back becomes items, failures are data, nothing is asked twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest
from agent_fixtures import agent, described, study
from openpyxl import Workbook

import haechi as haechi_package
from agent_server import TOKEN
from haechi.agents.run import RunOptions, ask, plan_run
from haechi.agents.spec import agent_of
from haechi.agents.suite import read_suite
from haechi.errors import HaechiError
from haechi.judge.attempts import Pace
from haechi.study.study import Study
from processes import start_haechi

SUITE = "Query ID,질의,기대결과,카테고리,팀\nq1,공고 보여줘,@check formType=LIST,조회,A\nq2,지원자 추가,@check formType=FORM,추가,B\n"


@pytest.fixture
def suite(write) -> str:
    return str(write("suite.csv", SUITE))


def runs(study: Study) -> dict[str, dict]:
    return {item.id: {**item.content, "meta": dict(item.meta)} for item in study.items()}


def test_what_comes_back_is_scored_as_runs_from_a_file(haechi, study, agent, described, suite):
    agent.latency = 0.02
    ran = haechi(
        "run",
        study.folder,
        "--agent",
        described,
        "--suite",
        suite,
        "--rounds",
        2,
        "--agent-version",
        "1.4",
        "--json",
    )
    assert ran.code == 0, ran.err
    assert (ran.json["answered"], ran.json["failed"], ran.json["due"], ran.json["import"]) == (4, 0, 4, 1)
    found = runs(study)
    assert sorted(found) == ["q1@1.4#1/1", "q1@1.4#2/1", "q2@1.4#1/1", "q2@1.4#2/1"]
    one = found["q1@1.4#2/1"]
    assert (one["query"], one["round"], one["repeat"], one["query_text"]) == ("q1", "2", "1", "공고 보여줘")
    assert json.loads(one["payload"])["dataUIList"][0]["uiValue"]["formType"] == "LIST"
    assert one["response"] == "'공고 보여줘'에 대한 답"
    assert one["latency_ms"] >= 20
    assert one["meta"]["first_token_ms"] <= one["latency_ms"]
    assert {name: one["meta"][name] for name in ("version", "agent", "category", "팀")} == {
        "version": "1.4", "agent": "test-agent", "category": "조회", "팀": "A"
    }  # fmt: skip
    scored = haechi("score", study.folder, "--by", "version", "--json").json
    by_item = {row["item"]: row["scores"] for row in scored["items"]}
    assert by_item["q1@1.4#1/1"]["accuracy"] == 5
    assert by_item["q2@1.4#1/1"]["accuracy"] == 0
    assert {row["stability"] for row in by_item.values()} == {5}
    assert {row["latency_single"] for row in by_item.values()} == {5}, "the agent's own 1.5 seconds"
    assert {tuple(row["by"].items()) for row in scored["summary"]} == {(), (("version", "1.4"),)}


def test_the_same_again_asks_nothing_and_more_rounds_ask_the_rest(haechi, study, agent, described, suite):
    command = ("run", study.folder, "--agent", described, "--suite", suite, "--json")
    assert haechi(*command).json["answered"] == 2
    again = haechi(*command).json
    assert (again["answered"], again["answered_before"], again["import"]) == (0, 2, None)
    assert haechi(*command, "--rounds", 3, "--limit", 3).json["answered"] == 3
    assert haechi(*command, "--rounds", 3).json["answered"] == 1
    assert len(agent.bodies) == 6
    assert set(agent.answered.values()) == {1}
    assert haechi(*command, "--agent-version", "2").json["answered"] == 2, "another version is asked anew"


def test_without_a_suite_the_queries_of_the_study_are_asked(haechi, study, agent, described, suite):
    haechi("run", study.folder, "--agent", described, "--suite", suite)
    ran = haechi("run", study.folder, "--agent", described, "--agent-version", "2", "--json")
    assert ran.json["answered"] == 2
    assert runs(study)["q1@2#1/1"]["expected"] == "@check formType=LIST"


def test_an_addition_is_numbered_and_taken_back(haechi, study, agent, described, suite):
    command = ("run", study.folder, "--agent", described, "--suite", suite, "--json")
    haechi(*command)
    (step,) = haechi("history", study.folder, "--json").json["imports"]
    assert (step["what"], step["counts"], step["files"][0]["name"]) == ("items", {"asked": 2}, "suite.csv")
    assert "asked 2" in haechi("history", study.folder).out
    assert haechi("undo", study.folder, "--json").json["items"] == 2
    assert study.count_items() == 0
    assert haechi(*command).json["answered"] == 2, "what was taken back is asked anew"
    assert study.count_items() == 2


def test_failures_are_data_and_only_they_are_asked_again(haechi, study, agent, described, write):
    faults = ["500", "garbage", "empty", "list", "error", "hang", "429", "text"]
    rows = [f"f{number},질의 {number}" for number in range(len(faults))]
    suite = write("suite.csv", "id,query\n" + "\n".join(rows))
    agent.faults.extend(faults)
    command = (
        "run",
        study.folder,
        "--agent",
        described,
        "--suite",
        suite,
        "--at-once",
        1,
        "--timeout",
        1.5,
        "--json",
    )
    ran = haechi(*command).json
    assert (ran["answered"], ran["failed"]) == (2, 6), ran
    errors = {failure["item"]: failure["error"] for failure in ran["failures"]}
    assert errors["f0#1/1"] == "HTTP 500: Traceback: boom"
    assert errors["f1#1/1"].startswith("unparseable: no JSON")
    assert errors["f2#1/1"].startswith("unparseable: neither a message nor a payload")
    assert errors["f3#1/1"] == "unparseable: a JSON object is expected"
    assert errors["f4#1/1"] == '{"code":7,"text":"no such job"}'
    assert errors["f5#1/1"] == "timeout: no answer in 1.5 s"
    found = runs(study)
    assert found["f0#1/1"]["error"] == errors["f0#1/1"]
    assert found["f1#1/1"]["payload"] == "<html>Sign in</html>", "one can see what came"
    assert found["f6#1/1"]["response"] == "그냥 글", "asked again after 429"
    scores = {
        row["item"]: row["scores"]["stability"]
        for row in haechi("score", study.folder, "--json").json["items"]
    }
    assert sorted(item for item, points in scores.items() if points == 0) == sorted(errors)
    assert haechi(*command).json["due"] == 0
    retried = haechi(*command, "--retry-failed").json
    assert (retried["due"], retried["answered"], retried["failed"]) == (6, 6, 0)
    assert runs(study)["f0#1/1"]["error"] is None
    haechi("undo", study.folder)
    assert runs(study)["f0#1/1"]["error"] == errors["f0#1/1"], "the failure is back"


def test_secrets_are_sent_and_never_written(haechi, study, agent, described, suite):
    agent.faults.append("echo")
    ran = haechi("run", study.folder, "--agent", described, "--suite", suite, "--at-once", 1)
    assert ran.code == 0
    assert agent.headers[0]["authorization"] == f"Bearer {TOKEN}"
    assert runs(study)["q1#1/1"]["response"] == "key Bearer •••"
    study.database.close()
    for file in Path(study.folder).rglob("*"):
        assert file.is_dir() or TOKEN.encode() not in file.read_bytes(), file


def test_a_secret_is_known_in_every_spelling(haechi, study, agent, described, suite, monkeypatch):
    monkeypatch.setenv("AGENT_TOKEN", 'a "quoted" token')
    agent.faults.extend(["echo", "401"])
    ran = haechi("run", study.folder, "--agent", described, "--suite", suite, "--at-once", 1, "--json")
    assert ran.json["failures"][0]["error"] == "HTTP 401: no such key: Bearer •••"
    for run in runs(study).values():
        assert "quoted" not in json.dumps(run)


def test_a_key_that_is_refused_stops_before_anything_counts_as_failed(haechi, study, agent, described, suite):
    agent.faults.extend(["401"] * 2)
    ran = haechi("run", study.folder, "--agent", described, "--suite", suite, "--json")
    assert ran.code == 1
    assert ran.json["stopped"].startswith("the agent does not accept it: HTTP 401")
    assert TOKEN not in ran.out + ran.err
    assert (study.count_items(), ran.json["left"]) == (0, 2)
    assert haechi("run", study.folder, "--agent", described, "--suite", suite, "--json").json["answered"] == 2


def test_a_redirect_is_not_followed(haechi, study, agent, described, suite):
    agent.faults.append("elsewhere")
    ran = haechi("run", study.folder, "--agent", described, "--suite", suite, "--at-once", 1, "--json")
    assert ran.code == 1
    assert "a redirect to elsewhere.example" in ran.json["stopped"]
    assert study.count_items() == 0


def test_an_agent_that_is_not_there_is_no_failing_agent(haechi, study, write, suite):
    file = write("agent.yaml", "url: http://127.0.0.1:9/ask\nbody: {q: $query}")
    ran = haechi("run", study.folder, "--agent", file, "--suite", suite, "--json")
    assert ran.code == 1
    assert "unreachable" in ran.json["stopped"]
    assert study.count_items() == 0


def test_a_conversation_is_kept_over_its_turns(haechi, study, agent, described, write):
    turns = ["공고 보여줘", "두 번째 것", "그걸 닫아줘"]
    case = {
        "id": "t1",
        "turns": turns,
        "context": {"화면": "목록"},
        "expected": {"formType": "LIST"},
        "repeats": 2,
    }
    suite = write("suite.jsonl", json.dumps(case, ensure_ascii=False))
    assert (
        haechi("run", study.folder, "--agent", described, "--suite", suite, "--at-once", 1, "--json").json[
            "answered"
        ]
        == 2
    )
    first, second, third, other = agent.bodies[:4]
    assert [one["q"] for one in (first, second, third)] == turns
    assert first["about"] == {"화면": "목록"}
    assert [one["role"] for one in third["history"]] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert (
        second["session"] == third["session"][:7] + second["session"][7:] == f"theirs-{first['session'][:4]}"
    )
    assert other["session"] != first["session"], "each conversation has a session of its own"
    run = runs(study)["t1#1/1"]
    assert run["query_text"] == "\n".join(turns)
    assert (run["meta"]["turns"], run["meta"]["context"]) == (3, '{"화면": "목록"}')
    refused = haechi("run", study.folder, "--agent", described, "--agent-version", "2")
    assert refused.code == 1
    assert "give --suite FILE" in refused.err


def test_conversations_and_replies_of_other_rubrics(haechi, agent, described, write, tmp_path):
    suite = write("suite.csv", "id,질의,팀\nd1,오늘은 비가 왔다,A\nd2,시험을 망쳤다,B\n")
    for rubric, kind in (("diary-comment", "reply"), ("ubica", "dialogue")):
        study = Study.new(tmp_path / rubric, rubric)
        agent.faults.append("500")
        ran = haechi(
            "run", study.folder, "--agent", described, "--suite", suite, "--at-once", 1, "--json"
        ).json
        assert (ran["answered"], ran["failed"]) == (1, 1)
        (item,) = study.items()
        assert (item.id, item.kind, item.meta["팀"], item.meta["round"]) == ("d2#1/1", kind, "B", "1")
        said = item.content["response"] if kind == "reply" else item.content["messages"][1]["content"]
        assert said == "'시험을 망쳤다'에 대한 답"
        retried = haechi(
            "run", study.folder, "--agent", described, "--suite", suite, "--retry-failed", "--json"
        ).json
        assert (retried["answered"], study.count_items()) == (1, 2)


def test_runs_are_never_mixed_up(haechi, study, agent, described, suite, write):
    haechi("run", study.folder, "--agent", described, "--suite", suite)
    other = write("other.csv", SUITE.replace("공고 보여줘", "공고를 보여줘"))
    refused = haechi("run", study.folder, "--agent", described, "--suite", other)
    assert refused.code == 1
    assert "runs that were asked in other words" in refused.err
    file = Path(described)
    file.write_text(file.read_text("utf-8").replace("test-agent", "new-agent"), "utf-8")
    refused = haechi("run", study.folder, "--agent", described, "--suite", suite)
    assert "runs of the agent test-agent" in refused.err
    assert "--agent-version" in refused.err
    added = write("runs.csv", "Query ID,방/반복,질의,Raw JSON\nq7,1/1,안녕,{}\n")
    haechi("add", study.folder, added)
    refused = haechi(
        "run", study.folder, "--agent", described, "--suite", write("s.csv", "id,query\nq7,안녕\n")
    )
    assert "runs that were not asked by haechi run" in refused.err
    assert len(agent.bodies) == 2, "nothing was asked"


def test_openai_streams_with_times_and_tools(haechi, study, agent, suite, monkeypatch):
    port = agent.url.rpartition(":")[2]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-account-at-openai")
    monkeypatch.setenv(f"HAECHI_KEY_127_0_0_1_{port}", "the-key-of-this-address")
    ran = haechi("run", study.folder, "--agent", f"openai:qwen3@{agent.url}/v1", "--suite", suite, "--json")
    assert ran.json["answered"] == 2, ran.err
    assert {headers["authorization"] for headers in agent.headers} == {"Bearer the-key-of-this-address"}
    run = runs(study)["q1#1/1"]
    assert run["response"] == "답: 공고 보여줘"
    (tool,) = json.loads(run["payload"])["executionProcesses"]
    assert tool == {"name": "search", "arguments": {"q": "공고"}}
    assert json.loads(run["payload"])["toolOrder"] == "search"
    assert run["meta"]["first_token_ms"] + 20 < run["latency_ms"]
    agent.faults.extend(["error", "garbage"])
    ran = haechi("run", study.folder, "--agent", f"openai:qwen3@{agent.url}/v1", "--suite", suite,
                 "--agent-version", "2", "--at-once", 1, "--json")  # fmt: skip
    first, second = (one["error"] for one in ran.json["failures"])
    assert first == "the model is gone"
    assert second.startswith("unparseable: an event without JSON")


def test_an_agent_without_an_address_is_where_a_judge_of_that_name_is(
    haechi, study, agent, suite, monkeypatch
):
    """A judge `openai:MODEL` was asked at `OPENAI_BASE_URL`, an agent of that name always at OpenAI, with the same key."""
    monkeypatch.setenv("OPENAI_API_KEY", "the-key-of-the-gateway")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{agent.url}/v1")
    ran = haechi("run", study.folder, "--agent", "openai:qwen3", "--suite", suite, "--json")
    assert ran.json["answered"] == 2, ran.err
    assert {headers["authorization"] for headers in agent.headers} == {"Bearer the-key-of-the-gateway"}
    monkeypatch.delenv("OPENAI_API_KEY")
    refused = haechi("run", study.folder, "--agent", "openai:qwen3", "--suite", suite)
    assert "export OPENAI_API_KEY=" in refused.err


def test_many_at_once_and_a_rate(haechi, study, agent, described, write):
    suite = write("suite.csv", "id,query,repeats\n" + "\n".join(f"m{n},질의 {n},2" for n in range(100)))
    agent.latency = 0.3
    ran = haechi("run", study.folder, "--agent", described, "--suite", suite, "--at-once", 64, "--json")
    assert ran.json["answered"] == 200
    assert 32 < agent.busiest <= 64
    agent.latency, began = 0.0, time.monotonic()
    ran = haechi("run", study.folder, "--agent", described, "--suite", suite, "--agent-version", "2",
                 "--limit", 6, "--rate", 600, "--json")  # fmt: skip
    assert ran.json["answered"] == 6
    assert time.monotonic() - began >= 0.5, "six in a minute of six hundred take five gaps"


def test_sigterm_keeps_what_is_on_its_way(study, agent, described, write):
    suite = write("suite.csv", "id,query\n" + "\n".join(f"m{n},질의 {n}" for n in range(60)))
    agent.latency = 0.4
    process = start_haechi(
        "run", study.folder, "--agent", described, "--suite", suite, "--at-once", 4, "--json"
    )
    while len(agent.bodies) < 6:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGTERM)
    os.kill(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "the same command again does the rest" in err
    assert study.count_items() == len(agent.bodies) < 60
    with sqlite3.connect(study.folder / "study.db") as database:
        (states,) = zip(*database.execute("SELECT DISTINCT state FROM agent_calls"), strict=True)
    assert set(states) <= {"answered", "cancelled"}


def test_a_dry_run_shows_where_what_would_go(haechi, study, agent, described, suite):
    ran = haechi("run", study.folder, "--agent", described, "--suite", suite, "--rounds", 2, "--dry-run")
    assert ran.code == 0
    assert f"agent: test-agent, {agent.url}/ask" in ran.out
    assert "variables that are sent: AGENT_TOKEN" in ran.out
    assert "to ask: 4 (4 requests); 2 queries, rounds: 2" in ran.out
    assert TOKEN not in ran.out
    told = haechi("run", study.folder, "--agent", described, "--suite", suite, "--dry-run", "--json").json
    assert (told["due"], told["calls"], told["variables"]) == (2, 2, ["AGENT_TOKEN"])
    assert not agent.bodies
    assert study.count_items() == 0


def test_a_suite_is_a_workbook_too(haechi, study, agent, described, tmp_path):
    book = Workbook()
    sheet = book.active
    sheet.append(["번호", "질문", "기대 결과", "분류", "반복 횟수"])
    sheet.append([7, "공고 보여줘", "@check formType=LIST", "조회", 2])
    book.save(tmp_path / "suite.xlsx")
    ran = haechi("run", study.folder, "--agent", described, "--suite", tmp_path / "suite.xlsx", "--json")
    assert ran.json["answered"] == 2, ran.err
    assert sorted(runs(study)) == ["7#1/1", "7#1/2"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("s.csv", "id,query\nq1,\n", ["s.csv:2, query", "an empty cell", "write the query"]),
        ("s.csv", "id,text\nq1,안녕\n", ["no query", "call its column query"]),
        ("s.csv", "id,query,repeats\nq1,안녕,0\n", ["s.csv:2, repeats", "1–1000"]),
        ("s.csv", "id,query\nq1,안녕\nq1,또\n", ["s.csv:3, id", "q1 twice"]),
        ("s.jsonl", '{"id": "a", "turns": [{"role": "assistant", "content": "x"}]}\n', ["s.jsonl:1, turns"]),
        ("s.txt", "그냥 글", ["s.txt"]),
        ("s.csv", f"id,query\n{'q' * 299},안녕\n", ["at most 300 characters"]),
    ],
)
def test_a_wrong_suite_is_refused_in_words(haechi, study, described, write, name, content, words):
    ran = haechi("run", study.folder, "--agent", described, "--suite", write(name, content))
    assert ran.code == 1
    for word in words:
        assert word in ran.err


def test_postgresql_keeps_the_same(agent, described, write, tmp_path, empty_database):
    study = Study.new(tmp_path / "shared", "hiring-agent", database=empty_database)
    suite = write("suite.csv", 'id,turns\nt1,"하나\n둘"\nt2,"셋\n넷"\n')

    def run(retry: bool = False) -> tuple[int, int]:
        asked_of, wish = agent_of(described), RunOptions(read_suite(suite), suite, retry=retry)
        made = plan_run(study, asked_of, wish, kept=True)
        asked = ask(study, asked_of, wish, Pace(at_once=1, rate=6000), made)
        return asked.answered, asked.failed

    agent.faults.extend(["", "500"])
    assert run() == (1, 1)
    assert runs(study)["t1#1/1"]["error"] == "HTTP 500: Traceback: boom"
    assert run() == (0, 0)
    assert run(retry=True) == (1, 0)
    assert [step.counts for step in study.history()] == [{"asked": 2}, {"asked": 1}]
    assert study.undo().items == 1
    assert run(retry=True) == (1, 0), "the failure is in force again"
    assert runs(study)["t1#1/1"]["error"] is None
    study.database.close()


def test_from_python_a_suite_may_be_a_frame_and_the_same_call_goes_on(study, agent, described):
    notebook = haechi_package.Study(study.folder)
    suite = {
        "id": ["q1", "q2"],
        "query": ["공고 보여줘", "지원자 추가"],
        "expected": ["@check formType=LIST"] * 2,
    }
    agent.faults.extend(["500", ""])
    asked = notebook.run(described, suite, rounds=2, version="1.4", at_once=1)
    assert (asked.answered, asked.failed) == (3, 1)
    assert notebook.run(described, suite, rounds=2, version="1.4").calls == 0
    again = notebook.run(described, suite, rounds=2, version="1.4", retry_failed=True)
    assert (again.answered, again.failed, notebook.count_items()) == (1, 0, 4)
    assert set(notebook.scores().frame["accuracy"]) == {5.0}
    assert notebook.run(described, version="1.5").answered == 2, "without a suite: the queries of the study"
    with pytest.raises(HaechiError, match="rounds: found 0; expected a number above 0"):
        notebook.run(described, suite, rounds=0)
