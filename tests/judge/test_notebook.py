"""Judging from Python, where a loop may be running already."""

import asyncio

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


def test_prices_are_asked_for_before_anything_is_paid(server, make_study):
    study = haechi.Study(make_study(3).folder)
    with pytest.raises(HaechiError, match="unheard-of"):
        study.judge([MODELS[0], "openai:unheard-of"], max_cost=1)
    assert study.ratings().is_empty()
