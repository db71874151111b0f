"""kill -9 at any moment: nothing that was answered and kept is lost or asked again."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path
from subprocess import Popen

import pytest
from agent_fixtures import agent, described, study

from agent_server import AgentServer
from haechi.study.study import Study
from processes import start_haechi

AT_ONCE, TURNS = 8, 2


def kill_often(
    study: Study, agent: AgentServer, described: str, suite: Path, cases: int, kills: int, seed: int
) -> None:
    chance = random.Random(seed)
    agent.latency = 0.03
    command = [
        "run",
        str(study.folder),
        "--agent",
        described,
        "--suite",
        str(suite),
        "--at-once",
        str(AT_ONCE),
    ]
    for _ in range(kills):
        before = len(agent.bodies)
        process = start_haechi(*command)
        target = before + chance.randrange(1, AT_ONCE * 3)
        while process.poll() is None and len(agent.bodies) < target:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.05)
        kept = answers(study)
        process.kill()
        process.communicate()
        assert kept <= answers(study), "what was kept stays"
    finish(start_haechi(*command))
    audit(study, agent, cases)


def finish(process: Popen[str]) -> None:
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err


def answers(study: Study) -> set[tuple[str, int]]:
    with study.database.read() as connection:
        rows = connection.rows("SELECT item, turn FROM agent_calls WHERE state = 'answered'")
    return {(row.item, row.turn) for row in rows}


def audit(study: Study, agent: AgentServer, cases: int) -> None:
    """Every turn was kept once, and was asked no more often than it was kept or is known as lost."""
    with study.database.read() as connection:
        rows = connection.rows("SELECT item, turn, state FROM agent_calls")
    kept = Counter((row.item, row.turn) for row in rows if row.state == "answered")
    lost = Counter((row.item, row.turn) for row in rows if row.state == "lost")
    assert {row.state for row in rows} <= {"answered", "lost"}
    assert len(kept) == cases * TURNS
    assert set(kept.values()) == {1}
    for turn, times in Counter((body["id"], body["turn"]) for body in agent.bodies).items():
        assert times <= 1 + lost[turn], f"{turn} was asked {times} times"
    assert study.count_items() == cases
    for item in study.items():
        assert item.content["error"] is None
        assert item.content["response"].startswith("'둘")


@pytest.fixture
def suite(write):
    def made(cases: int) -> Path:
        rows = (f'k{number},"하나 {number}\n둘 {number}"' for number in range(cases))
        return write("suite.csv", "id,turns\n" + "\n".join(rows))

    return made


def test_killed_while_asking(study, agent, described, suite):
    kill_often(study, agent, described, suite(20), 20, kills=2, seed=3)


@pytest.mark.slow
def test_killed_fifty_times_while_asking(study, agent, described, suite):
    kill_often(study, agent, described, suite(400), 400, kills=50, seed=5)


def test_two_processes_ask_everything_once(study, agent, described, suite):
    agent.latency = 0.05
    command = ("run", study.folder, "--agent", described, "--suite", suite(30), "--at-once", 4)
    for process in [start_haechi(*command) for _ in range(2)]:
        finish(process)
    finish(start_haechi(*command))  # what the one left to the other, which was quicker
    audit(study, agent, 30)
    assert len(agent.bodies) == 30 * TURNS
