"""A program as the agent under test: JSON in, JSON out; whatever else it does is data."""

from __future__ import annotations

import json
import os
import sys
import time

from agent_fixtures import study

PROGRAM = """
import json, os, subprocess, sys, time
asked = json.load(sys.stdin)
query = asked["query"]
if query == "crash":
    sys.exit("no model: " + os.environ["HAECHI_KEY_AGENT"])
if query == "garbage":
    print("I think")
elif query == "hang":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    open("child", "w").write(str(child.pid))
    time.sleep(300)
elif query == "flood":
    sys.stdout.write("x" * (17 * 1024 * 1024))
else:
    turn = len([m for m in asked["messages"] if m["role"] == "user"])
    print(json.dumps({"message": f"{query} {turn} {asked['context']}", "tools": [{"name": "search"}]}))
"""


def agent_file(write, command: list[str] | None = None):
    write("agent.py", PROGRAM)
    return write("agent.yaml", json.dumps({"command": command or [sys.executable, "agent.py"]}))


def test_a_program_answers_and_fails(haechi, study, write, monkeypatch, tmp_path):
    monkeypatch.setenv("HAECHI_KEY_AGENT", "a-key-that-is-secret")
    rows = ["c1,안녕,급함", "c2,crash,", "c3,garbage,", "c4,hang,", "c5,flood,"]
    suite = write("suite.csv", "id,query,context\n" + "\n".join(rows))
    began = time.monotonic()
    ran = haechi(
        "run", study.folder, "--agent", agent_file(write), "--suite", suite, "--timeout", 4, "--json"
    ).json
    assert time.monotonic() - began < 250, "what hangs is ended, with what it has started"
    errors = {one["item"]: one["error"] for one in ran["failures"]}
    assert errors.pop("c3#1/1").startswith("unparseable: no JSON")
    assert errors == {
        "c2#1/1": "exit code 1: no model: •••",
        "c4#1/1": "timeout: no answer in 4 s",
        "c5#1/1": "unparseable: longer than 16 MiB",
    }
    item = next(item for item in study.items() if item.id == "c1#1/1")
    assert json.loads(item.content["payload"])["assistantMessage"] == "안녕 1 급함"
    assert json.loads(item.content["payload"])["executionProcesses"] == [{"name": "search"}]
    child = int((tmp_path / "child").read_text())
    assert not _lives(child)


def test_a_program_that_cannot_be_started_stops_the_run(haechi, study, write):
    file = agent_file(write, ["no-such-program-anywhere"])
    ran = haechi(
        "run", study.folder, "--agent", file, "--suite", write("s.csv", "id,query\nq1,안녕\n"), "--json"
    )
    assert ran.code == 1
    assert "a command that can be started" in ran.json["stopped"]
    assert study.count_items() == 0


def test_turns_of_a_program(haechi, study, write):
    suite = write("s.csv", 'id,turns\nt1,"하나\n둘"\n')
    assert (
        haechi("run", study.folder, "--agent", agent_file(write), "--suite", suite, "--json").json["answered"]
        == 1
    )
    (item,) = study.items()
    assert item.content["response"] == "둘 2 None"


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as file:
        return file.read().split(")")[1].split()[0] != "Z"
