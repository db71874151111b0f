"""Killed again and again, on both databases, alone and with company, politely too: nothing lost, nothing twice.

With the loops of test_killed.py these are more than 1,000 kills.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from provider_settings import MODELS
from test_killed import AT_ONCE, audit, count, finish, judge, kill, start

from haechi.store.holders import process_of
from haechi.study.study import Study

KILLS = 90
HANDS = 2 * AT_ONCE + 1 + AT_ONCE // 3
"""How many a process may lose: those on their way, those at the door, and those whose answers are being written."""


@pytest.fixture(params=["sqlite", "postgresql"])
def new_study(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Makes a study of many diaries in either database."""

    def made(items: int) -> Study:
        address = request.getfixturevalue("empty_database") if request.param == "postgresql" else None
        study = Study.new(tmp_path / "study", "diary-comment", database=address)
        file = tmp_path / "items.jsonl"
        lines = (
            json.dumps({"id": f"d{n}", "context": f"항목<d{n}> 비.", "response": "네"}) for n in range(items)
        )
        file.write_text("\n".join(lines), "utf-8")
        study.add([file])
        return study

    return made


def stop(study: Study, process: BaseProcess) -> None:
    """Ask a process to end: it ends by itself and keeps what is on its way; one that has not begun to ask has nothing to keep."""
    os.kill(process.pid or 0, signal.SIGTERM)
    process.join(60)
    with study.database.read() as connection:
        held = connection.values("SELECT holder FROM calls WHERE state = 'sent'")
    assert process.exitcode in (130, 0, -signal.SIGTERM)
    assert not any(process_of(holder) == process.pid for holder in held)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_live(server, new_study, workers):
    server.latency = 0.02
    items = KILLS * 30
    study, chance = new_study(items), random.Random(workers)
    killed = hard = 0
    while killed < KILLS:
        processes = [judge(study, server, MODELS[0]) for _ in range(workers)]
        target = sum(server.paid.values()) + chance.randrange(1, AT_ONCE * 2)
        while any(one.is_alive() for one in processes) and sum(server.paid.values()) < target:
            time.sleep(0.002)
        time.sleep(chance.random() * 0.05)
        for process in processes:
            if chance.random() < 1 / 3:
                stop(study, process)
            else:
                kill(process)
                hard += 1
            killed += 1
        if study.ratings().height >= items * 3:
            break
    finish(judge(study, server, MODELS[0]))
    audit(study, server, MODELS[0], items)
    lost = count(study, "SELECT count(*) FROM calls WHERE state = 'lost'")
    doubled = sum(server.paid.values()) - items
    print(f"{killed} ended, {hard} of them by kill -9: {lost} calls lost, {doubled} answers paid once more")
    assert lost <= hard * HANDS
    assert doubled <= hard * HANDS, "only what was on its way was paid twice"
    study.database.close()


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS[:2])
def test_batches(server, new_study, model):
    study, chance = new_study(60), random.Random(7)
    server.damage = {"expired"}  # so that there is always something to send again
    for number in range(KILLS):
        send = ("judge", str(study.folder), "--model", model, "--batch")
        process = start(server, *(("collect", str(study.folder)) if number % 2 else send))
        seen = sum(server.seen.values())
        until = time.monotonic() + 5
        while process.is_alive() and sum(server.seen.values()) == seen and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(chance.random() ** 2 * 0.1)
        kill(process)
    server.damage = set()
    for _ in range(3):
        finish(start(server, "judge", str(study.folder), "--model", model, "--batch"))
        finish(start(server, "collect", str(study.folder)))
    audit(study, server, model, 60)
    print(f"{KILLS} ended by kill -9: paid once each, {len(server.paid)} answers")
    assert set(server.paid.values()) == {1}, "a batch is never paid twice"
    study.database.close()
