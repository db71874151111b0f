"""Servers that are slow to let one in, that know only part of the interface, and machines that stop a run."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from typing import Any

import pytest
from provider_settings import KEYS, MODELS
from provider_worker import start

from haechi.judge.attempts import Pace
from haechi.judge.judges import judge_live, judges_of
from haechi.judge.limiter import Limiter

FORM = "response_format: 'json_schema' is not supported by this server"


def judged(study: Any, model: str, **pace: Any) -> Any:
    (judge,) = judges_of(study, [model], "rubric", "ko")
    return judge_live(study, judge, pace=Pace(at_once=8, timeout=60, first_wait=0.01, **pace))


def test_being_asked_to_wait_uses_up_no_attempt(server, make_study):
    study = make_study(3)
    server.faults.extend(["429"] * 14)
    done = judged(study, MODELS[0], attempts=2)
    assert (done.done.answered, done.done.failed, done.stopped) == (3, 0, None)


def test_a_provider_that_is_only_busy_is_given_up_and_no_item_has_failed(server, make_study):
    study = make_study(3)
    server.faults.extend(["429"] * 10_000)
    done = judged(study, MODELS[0], patience=0.2)
    assert (done.done.answered, done.done.failed) == (0, 0)
    assert "busy" in done.stopped.say("en")
    server.faults.clear()
    assert judged(study, MODELS[0]).done.answered == 3


def test_when_one_at_a_time_is_too_much_everybody_waits():
    async def run() -> None:
        limiter = Limiter(1, first_wait=0.2)
        limiter.leave(await limiter.enter(), busy=True)
        began = time.monotonic()
        await limiter.enter()
        assert time.monotonic() - began >= 0.1

    asyncio.run(run())


def refuses_forms(body: dict[str, Any]) -> str | None:
    return FORM if "response_format" in body else None


def wants_the_new_name(body: dict[str, Any]) -> str | None:
    wrong = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    return wrong if "max_tokens" in body else None


def has_a_small_window(body: dict[str, Any]) -> str | None:
    wrong = "This model's maximum context length is 8192 tokens. However, you requested 19000 tokens."
    return wrong if body["max_tokens"] > 5_000 else None


@pytest.mark.parametrize("refuses", [refuses_forms, wants_the_new_name, has_a_small_window])
def test_a_server_that_knows_only_part_of_the_interface_is_asked_in_its_own_way(
    server, make_study, refuses, monkeypatch
):
    study = make_study(6)
    server.refuses = refuses
    done = judged(study, f"openai:qwen3@{server.url}/v1")
    assert (done.done.answered, done.done.failed) == (6, 0)
    assert set(study.ratings()["status"]) == {"ok"}
    assert set(server.paid.values()) == {1}


def test_a_refusal_for_another_reason_is_told(server, make_study, haechi):
    study = make_study(2)
    server.refuses = lambda body: "the content is against our rules"
    ran = haechi("judge", study.folder, "--model", MODELS[0])
    assert ran.code == 1
    assert "2 failed: " in ran.out
    assert "against our rules" in ran.out


def test_what_is_on_its_way_is_kept_when_the_machine_says_stop(server, make_study):
    study = make_study(30)
    server.may_answer = 4
    arguments = ["judge", str(study.folder), "--model", MODELS[0], "--at-once", "8"]
    process = start(arguments, {**KEYS, "OPENAI_BASE_URL": f"{server.url}/v1"})
    while sum(server.paid.values()) < 4 or server.busiest < 8:
        assert process.is_alive()
        time.sleep(0.01)
    process_id = process.pid
    assert process_id is not None
    os.kill(process_id, signal.SIGTERM)
    time.sleep(0.3)
    server.may_answer = 2**62
    process.join(60)
    assert process.exitcode == 130
    paid = sum(server.paid.values())
    assert paid >= 8
    with study.database.read() as connection:
        kept = connection.value("SELECT count(*) FROM calls WHERE state = 'answered'")
    assert kept == paid


def test_a_run_that_the_limit_stops_says_what_would_let_it_go_on(server, make_study, haechi):
    study = make_study(4)
    ran = haechi("judge", study.folder, "--model", MODELS[0], "--max-cost", "0.01")
    assert ran.code == 1
    said = " ".join(ran.out.split())
    needed = re.search(r"raise --max-cost above ([\d.]+)", said)
    assert needed is not None, said
    enough = str(float(needed[1]) + 1)
    assert haechi("judge", study.folder, "--model", MODELS[0], "--max-cost", enough).code == 0


def test_what_a_script_does_at_sigterm_is_as_before_when_judging_has_ended(server, make_study):
    study = make_study(1)

    def heard(*_: object) -> None:
        """Save its own work."""

    before = signal.signal(signal.SIGTERM, heard)
    try:
        judged(study, MODELS[0])
        assert signal.getsignal(signal.SIGTERM) is heard
    finally:
        signal.signal(signal.SIGTERM, before)
