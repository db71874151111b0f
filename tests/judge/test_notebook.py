"""Judging from Python, where a loop may be running already."""

import asyncio
import signal
import threading
import time

import pytest
from provider_settings import MODELS

import haechi
from haechi.errors import HaechiError


def test_judging_in_a_notebook_whose_loop_is_running(server, make_study):
    study = haechi.Study(make_study(3).folder)

    async def cell() -> int:
        (done,) = study.judge(MODELS[0])
        return done.done.answered

    assert asyncio.run(cell()) == 3
    assert study.judge([MODELS[0]])[0].done.answered == 0
    assert set(study.ratings()["status"]) == {"ok"}


def test_judging_in_a_notebook_is_stopped_and_continued(server, make_study):
    study = haechi.Study(make_study(3).folder)
    server.may_answer = 0

    async def cell() -> None:
        study.judge(MODELS[0])

    def stop() -> None:
        while not server.seen:
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # as a notebook does
        server.may_answer = 2**62

    loop = asyncio.new_event_loop()  # which, unlike that of asyncio.run, leaves an interruption to Python
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests side by side ignore it
    threading.Thread(target=stop).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        signal.signal(signal.SIGINT, before)
        loop.close()
    study.judge(MODELS[0])
    assert sorted(study.ratings()["item"].unique()) == ["d0", "d1", "d2"]
    assert set(study.ratings()["status"]) == {"ok"}


def test_prices_are_asked_for_before_anything_is_paid(server, make_study):
    study = haechi.Study(make_study(3).folder)
    with pytest.raises(HaechiError, match="unheard-of"):
        study.judge([MODELS[0], "openai:unheard-of"], max_cost=1)
    assert study.ratings().is_empty()


def test_what_decides_an_answer_is_set_kept_and_a_change_is_told(server, make_study):
    server.bodies = []
    study = haechi.Study(make_study(3).folder)
    study.judge(MODELS[0], limit=1, temperature=0.0, seed=7, reasoning_effort="low", max_tokens=900)
    (body,) = server.bodies
    sent = {name: body[name] for name in ("temperature", "seed", "reasoning_effort", "max_completion_tokens")}
    assert sent == {"temperature": 0.0, "seed": 7, "reasoning_effort": "low", "max_completion_tokens": 900}
    with pytest.warns(UserWarning, match="temperature changed, 0.0 \\(1 call\\) → 1.5 \\(now\\)"):
        study.judge(MODELS[0], limit=1, temperature=1.5, seed=7, reasoning_effort="low", max_tokens=900)
    assert [one["what"] for one in study.agree().as_json()["judge_changes"]] == ["temperature"]


@pytest.mark.parametrize(
    "given", [{"temperature": 3.0}, {"seed": -1}, {"reasoning_effort": "huge"}, {"max_tokens": 0}]
)
def test_a_setting_that_no_provider_takes_is_refused_before_anything_is_asked(server, make_study, given):
    study = haechi.Study(make_study(1).folder)
    with pytest.raises(HaechiError, match=next(iter(given)).removeprefix("reasoning_")):
        study.judge(MODELS[0], **given)
    assert not server.seen
