"""The rubric comes first and is the same for every item, byte for byte; what the providers' caches save is counted."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import orjson
import pytest
from provider_settings import MODELS

from haechi.judge import judges
from haechi.judge.attempts import Pace
from haechi.judge.budget import Budget
from haechi.judge.chunks import claim
from haechi.judge.estimates import estimate
from haechi.judge.judges import judge_live, judges_of
from haechi.judge.providers.base import Request
from haechi.judge.providers.money import CacheSavings, Price
from haechi.judge.providers.prices import Prices

ONE_BY_ONE = Pace(at_once=1, timeout=60, first_wait=0.01)


def judged(study: Any, model: str, **more: Any) -> Any:
    (judge,) = judges_of(study, [model], more.pop("per", "rubric"), more.pop("lang", "ko"))
    return judge_live(study, judge, pace=ONE_BY_ONE, **more)


def items_last(body: dict[str, Any]) -> tuple[bytes, bytes]:
    """What stands before the user's message in a request, as its provider reads it, and that message."""
    if "contents" in body:
        before, user = [body["generationConfig"], body["systemInstruction"]], body["contents"]
    elif "system" in body:
        before, user = [body["output_config"], body["system"]], body["messages"]
    else:
        before, user = [body["response_format"], body["messages"][0]], body["messages"][1:]
    assert len(user) == 1
    return orjson.dumps(before), orjson.dumps(user)


@pytest.mark.parametrize("per", ["rubric", "criterion"])
@pytest.mark.parametrize("rubric", ["diary-comment", "maice-qac", "ubica"])
@pytest.mark.parametrize("model", MODELS)
def test_what_is_common_to_items_is_one_prefix(server, make_study, model, rubric, per):
    server.bodies = []
    study = make_study(4, rubric)
    counted = sum(criterion.scale.counted for criterion in study.rubric.criteria)
    parts = counted if per == "criterion" else 1
    judged(study, model, per=per)
    sent = [items_last(body) for body in server.bodies]
    prefixes = [before for before, _ in sent]
    assert len(set(prefixes)) == parts
    changes = sum(one != two for one, two in pairwise(prefixes))
    assert changes == parts - 1, "all items of a part are asked one after the other, while the cache is warm"
    for before, user in sent:
        assert b"\xed\x95\xad\xeb\xaa\xa9<" not in before, "nothing of an item stands before it"
        assert b"\xed\x95\xad\xeb\xaa\xa9<" in user


def test_anthropic_is_told_what_to_keep_live_and_in_batches(server, make_study):
    server.bodies = []
    study = make_study(2)
    judged(study, MODELS[1])
    (judge,) = judges_of(study, [MODELS[1]])
    client = judge.model.client()
    line = json.loads(client.line(Request("r1", "rubric", "item", {}, 10)))
    for body in (*server.bodies, line["params"]):
        (block,) = body["system"]
        assert block["cache_control"] == {"type": "ephemeral"}
        assert "cache_control" not in json.dumps(body["messages"])


# 10 items of one system prompt of S characters (S // 2 tokens at the test server); the first one fills the cache.
@pytest.mark.parametrize("model", MODELS)
def test_what_the_cache_saved_is_counted_to_the_cent(server, make_study, haechi, model):
    server.caches = set()
    study = make_study(10)
    (judge,) = judges_of(study, [model])
    system, _ = judge.request("", next(iter(study.items())), None)
    tokens, price = len(system.system) // 2, judge.price
    assert price is not None
    done = haechi("judge", study.folder, "--model", model, "--at-once", "1")
    written = (price.cache_write - price.input) if price.cache_write is not None else 0.0
    expected = (9 * tokens * (price.input - price.cached) - tokens * written) / 1e6
    with study.database.read() as connection:
        ((saved, cached, wrote, cost),) = connection.rows(
            "SELECT sum(saved_by_cache), sum(cached_tokens), sum(cache_write_tokens), sum(cost) FROM calls"
        )
        ((input_tokens, output_tokens),) = connection.rows(
            "SELECT sum(input_tokens), sum(output_tokens) FROM calls"
        )
    assert saved == pytest.approx(expected)
    assert cached == 9 * tokens
    assert wrote == (tokens if "anthropic" in model else None)
    without = (input_tokens * price.input + output_tokens * price.output) / 1e6
    assert cost + saved == pytest.approx(without), "what it cost and what it saved is what it would have cost"
    assert f"cache saved ${expected:,.4f}" in done.out


def test_the_saving_is_said_in_korean_and_for_batches(server, make_study, haechi):
    server.caches = set()
    study = make_study(10)
    haechi("judge", study.folder, "--model", MODELS[0], "--batch")
    done = haechi("--lang", "ko", "collect", study.folder)
    assert "캐시로 $" in done.out
    assert "배치로 $" in done.out
    with study.database.read() as connection:
        ((cost, batch),) = connection.rows("SELECT sum(cost), sum(saved_by_batch) FROM calls")
    assert batch == pytest.approx(cost), "a batch costs half: it saved as much as it cost"


def test_without_a_cache_nothing_is_said(server, make_study, haechi):
    done = haechi("judge", make_study(2).folder, "--model", MODELS[0])
    assert "saved" not in done.out


def test_the_limit_counts_with_what_filling_the_cache_costs():
    request = Request("r1", "x" * 2_000_000, "", {}, max_tokens=0)
    dear = Price(input=1, output=0, cached=0.1, cache_write=1.25)
    plain = Price(input=1, output=0)
    budget = Budget(1.0)
    assert budget.bound(request, dear) == pytest.approx(1.25 * budget.bound(request, plain))


def test_odd_counts_never_save_more_than_there_was():
    price = Price(input=1, output=1, cached=0.1, cache_write=1.25)
    odd = {"input": 10, "cached": 50, "cache_write": 50, "output": 0}
    assert price.cost(odd) == pytest.approx(10 * 0.1 / 1e6)
    assert price.saved({"output": 5}) == CacheSavings()
    assert price.cost({"output": 5}) is None


# The first answers have 4,000 tokens of output each (most of them thinking), where the rule of thumb says 180.
def test_an_estimate_is_made_anew_from_the_first_answers(server, make_study, haechi):
    server.caches = set()
    study = make_study(20)
    (judge,) = judges_of(study, [MODELS[0]])
    before = estimate(study, judge)
    assert (before.answers, before.cached) == (0, 0.0)
    judge_live(study, judge, limit=5, pace=ONE_BY_ONE)
    with study.database.write() as connection:
        connection.execute("UPDATE calls SET output_tokens = 4000, reasoning_tokens = 3800")
    after = estimate(study, judge)
    assert (after.calls, after.answers, after.output_tokens) == (15, 5, 15 * 4000)
    price = Prices.read().of(judge.model)
    assert price is not None
    fresh = (1 - after.cached) * after.input_tokens * price.input + after.cached * after.input_tokens * 0.025
    assert after.cached > 0.5
    assert after.cost == pytest.approx((fresh + after.output_tokens * 2.0) / 1e6, rel=1e-4)
    told = haechi("judge", study.folder, "--model", MODELS[0], "--dry-run")
    assert "as in its 5 answers so far" in told.err


def test_while_judging_the_first_answers_foretell_the_cost(server, make_study, haechi):
    study = make_study(60)
    done = haechi("judge", study.folder, "--model", MODELS[0], "--max-cost", "0.05", "--at-once", "1")
    assert "by the first 10 answers, 60 will cost about $" in done.err


def test_what_leaves_while_it_is_counted_counts_once(make_study, monkeypatch):
    study = make_study(3)
    (judge,) = judges_of(study, [MODELS[0]])
    count, budget = judges.count_due, Budget()

    def meanwhile(connection, question, kind):
        found = count(connection, question, kind)
        with study.database.write_alone() as other:
            budget.join(other)
            assert len(claim(other, judge, question, 0, 1, budget).asks) == 1
        return found

    monkeypatch.setattr(judges, "count_due", meanwhile)
    assert judges.calls_left(study, judge) == 3
