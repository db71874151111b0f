"""Prompts are made when they are needed: however many items wait, only those on their way are in memory."""

from __future__ import annotations

import gc
import json
from itertools import count
from typing import Any

import pytest
from provider_settings import MODELS

from haechi.judge.attempts import Pace
from haechi.judge.judges import judge_in_batches, judge_live, judges_of
from haechi.judge.providers.base import Request
from haechi.judge.providers.openai import OpenAI
from haechi.judge.records import JudgingTotals

ITEMS = 200
COUNTED = 50  # looking through all objects takes a moment: one request of so many is enough


def requests_alive() -> int:
    return sum(isinstance(thing, Request) for thing in gc.get_objects())


@pytest.fixture
def study(make_study) -> Any:
    gc.collect()  # requests of other tests are not ours
    return make_study(ITEMS)


def test_live(server, study):
    """The server stops answering after every 50: what is alive then does not depend on who is how fast."""
    (judge,) = judges_of(study, [MODELS[0]])
    server.may_answer = COUNTED
    alive: list[int] = []

    def advance(done: JudgingTotals) -> None:
        if done.calls == server.may_answer:
            alive.append(requests_alive())
            server.may_answer += COUNTED

    done = judge_live(study, judge, pace=Pace(at_once=8), advance=advance)
    assert done.done.answered == ITEMS
    assert len(alive) == ITEMS // COUNTED
    # All that was answered is recorded: 8 are on their way, 3 are about to leave, 32 are claimed and wait.
    assert 0 < max(alive) <= 8 + 3 + 32


def test_batches(server, study, monkeypatch):
    (judge,) = judges_of(study, [MODELS[0]])
    alive: list[int] = []
    write = OpenAI.line
    written = count(1)

    def counted(self: OpenAI, request: Request) -> bytes:
        if next(written) % COUNTED == 0:
            alive.append(requests_alive())
        return write(self, request)

    monkeypatch.setattr(OpenAI, "line", counted)
    assert judge_in_batches(study, judge).requests == ITEMS
    assert len(alive) == ITEMS // COUNTED
    assert max(alive) <= 2, "one is written while the next is made"
    (batch,) = server.batches.values()
    assert len({json.dumps(line) for line in batch.lines}) == ITEMS
