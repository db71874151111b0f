"""Live judging through the real SDKs, with everything that goes wrong on the way."""

from __future__ import annotations

import json
import random
import threading
from typing import Any

import pytest
from provider_faults import FAULTS
from provider_settings import KEYS, MODELS

from haechi.errors import HaechiError
from haechi.judge.attempts import Pace
from haechi.judge.budget import Budget
from haechi.judge.estimates import estimate
from haechi.judge.judges import calls_due, judge_live, judges_of
from haechi.store.due_items import due_items
from haechi.study.study import Study

QUICK = Pace(at_once=8, timeout=60, first_wait=0.01)


def rows(study: Study, query: str) -> list[Any]:
    with study.database.read() as connection:
        return [tuple(row) for row in connection.rows(query)]


def judged(study: Study, model: str, **more: Any) -> Any:
    (judge,) = judges_of(study, [model], more.pop("per", "rubric"), more.pop("lang", "ko"))
    return judge_live(study, judge, pace=more.pop("pace", QUICK), **more)


@pytest.mark.parametrize("model", MODELS[:2])
def test_many_at_once_go_through_the_proxy_of_the_environment(server, make_study, monkeypatch, model):
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://provider.invalid/v1")
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("HAECHI_PLAIN_HTTP", "1")
    server.latency = 0.2
    study = make_study(60)
    assert judged(study, model, pace=Pace(at_once=20)).done.answered == 60
    assert server.busiest > 8
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("rubric", ["diary-comment", "maice-qac"])
def test_every_item_is_judged_once_and_a_second_run_asks_nothing(server, make_study, model, rubric):
    study = make_study(5, rubric)
    done = judged(study, model)
    assert (done.done.answered, done.done.failed, done.stopped) == (5, 0, None)
    assert set(server.paid.values()) == {1}
    assert set(study.ratings()["status"]) == {"ok"}
    assert study.ratings().height == 5 * len(study.rubric.rateables)
    assert judged(study, model).done.calls == 0
    assert sum(server.paid.values()) == 5
    kept = rows(
        study, "SELECT model, version, prompt, input_tokens, output_tokens, seconds, cost, state FROM calls"
    )
    for reference, version, prompt, tokens_in, tokens_out, seconds, cost, state in kept:
        assert reference == model
        assert version == model.partition(":")[2]
        assert len(prompt) == 16
        assert tokens_in > 100
        assert tokens_out > 10
        assert seconds > 0
        assert cost > 0
        assert state == "answered"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_outlived(server, make_study, model, fault):
    study = make_study(2)
    server.faults.extend([fault, fault])
    patience = 1.0 if fault == "drip" else 60.0
    done = judged(study, model, pace=Pace(at_once=8, timeout=patience, first_wait=0.01))
    assert (done.done.answered, done.done.failed) == (2, 0)
    assert set(study.ratings()["status"]) == {"ok"}
    attempts = sum(count for (count,) in rows(study, "SELECT attempts FROM calls"))
    # Two calls, two faults. A slow drip is given up after a second, and a busy machine may need more attempts then.
    assert attempts >= 4 if fault == "drip" else attempts == 4


@pytest.mark.parametrize("model", MODELS)
def test_a_storm_of_faults_loses_nothing(server, make_study, model):
    study = make_study(40)
    chance = random.Random(1)
    server.faults.extend(chance.choice([*FAULTS[:5], *FAULTS[6:], "", "", ""]) for _ in range(80))
    done = judged(study, model, pace=Pace(at_once=16, timeout=2, first_wait=0.01, attempts=30))
    assert (done.done.answered, done.done.failed) == (40, 0)
    assert study.ratings().height == 40 * 3


def test_a_busy_provider_is_asked_less_at_once(server, make_study):
    study = make_study(60)
    server.latency = 0.02
    server.faults.extend([""] * 20 + ["429"] * 10)
    judged(study, MODELS[0], pace=Pace(at_once=32, first_wait=0.01))
    assert server.busiest <= 32
    assert set(study.ratings()["status"]) == {"ok"}


@pytest.mark.parametrize("model", MODELS)
def test_only_what_a_reply_left_out_is_asked_again(server, make_study, model):
    study = make_study(3, "maice-qac")
    server.odd = {"d1": "partial", "d2": "once-empty"}
    done = judged(study, model)
    assert done.done.rejudge == {}
    assert set(study.ratings()["status"]) == {"ok"}
    asked = {item: [parts for (paid, parts) in server.paid if paid == item] for item in ("d0", "d1", "d2")}
    assert len(asked["d0"]) == 1
    assert asked["d1"][-1] == "C2_learning_support", "only the criterion whose last element was cut off"
    assert server.paid["d2", asked["d0"][0]] == 2, "an empty reply is asked again whole"


@pytest.mark.parametrize("model", MODELS)
def test_refusals_and_windows_are_reasons_not_zeros(server, make_study, model):
    study = make_study(4)
    server.odd = {"d1": "refusal", "d2": "context", "d3": "fenced"}
    done = judged(study, model)
    assert sorted(done.done.rejudge) == ["d1", "d2"]
    assert done.stopped is None
    status = dict(study.ratings().select("item", "status").unique().iter_rows())
    assert status == {"d0": "ok", "d1": "error", "d2": "error", "d3": "ok"}
    reasons = dict(study.ratings().filter(status="error").select("item", "reason").unique().iter_rows())
    assert "too long" in reasons["d2"]
    server.odd = {}
    again = judged(study, model)
    assert (again.done.answered, again.done.rejudge) == (2, {})
    assert set(study.ratings()["status"]) == {"ok"}


def test_a_judge_whose_every_request_failed_is_no_success(server, make_study, haechi):
    study = make_study(2)
    server.odd = {"d0": "refusal", "d1": "refusal"}
    ran = haechi("judge", study.folder, "--model", MODELS[0])
    assert ran.code == 1
    assert "✗ gpt-5-mini: 2 calls — 0 answered, 0 partial, 2 failed" in " ".join(ran.out.split())
    server.odd = {"d1": "refusal"}
    ran = haechi("judge", study.folder, "--model", MODELS[0])
    assert ran.code == 1
    assert "! gpt-5-mini: 2 calls — 1 answered, 0 partial, 1 failed" in " ".join(ran.out.split())
    assert "1 failed: the model refused" in " ".join(ran.out.split())
    server.odd = {}
    assert haechi("judge", study.folder, "--model", MODELS[0]).code == 0


def test_a_transcript_beyond_the_window_is_refused_not_cut(server, make_study, write):
    study = make_study(1)
    long = json.dumps({"id": "long", "context": "항목<long> " + "비가 왔다. " * 120_000, "response": "네"})
    study.add([write("long.jsonl", long)])
    judged(study, "anthropic:claude-haiku-4-5")
    reason = study.ratings().filter(item="long")["reason"][0]
    assert "200,000" in reason
    assert "nothing was cut" in reason
    assert not any(item == "long" for item, _ in server.paid)


def test_a_wrong_key_stops_the_run_and_says_so(server, make_study, haechi):
    study = make_study(30)
    server.faults.extend(["401"] * 30)
    done = haechi("judge", study.folder, "--model", MODELS[0])
    assert done.code == 1
    assert "a valid API key" in done.out
    assert sum(server.seen.values()) < 30, "it does not try all items with a wrong key"
    assert rows(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == [(0,)]
    server.faults.clear()
    assert haechi("judge", study.folder, "--model", MODELS[0]).code == 0
    assert study.ratings().height == 90


def test_no_key_is_named_before_anything_is_sent(server, make_study, haechi, monkeypatch):
    study = make_study(1)
    for name in KEYS:
        monkeypatch.delenv(name)
    for model, variable in zip(MODELS, KEYS, strict=True):
        done = haechi("judge", study.folder, "--model", model)
        assert done.code == 1
        assert variable in done.err


def test_repeats_and_granularity_are_kept_apart(server, make_study):
    study = make_study(2)
    judged(study, MODELS[0], repeat=3)
    assert sorted(study.ratings()["replicate"].unique()) == [1, 2, 3]
    assert sum(server.paid.values()) == 6
    judged(study, MODELS[0], per="criterion")
    assert sum(server.paid.values()) == 6 + 2 * 3
    assert sorted(study.ratings()["rater"].unique()) == ["gpt-5-mini", "gpt-5-mini/criterion"]
    assert {part for (part,) in rows(study, "SELECT DISTINCT part FROM calls")} == {
        "",
        "sensibleness",
        "specificity",
        "sympathy",
    }


def test_the_cost_line_is_never_crossed(server, make_study, haechi):
    study = make_study(30)
    (judge,) = judges_of(study, [MODELS[1]])
    # A call costs less than a cent here, but could cost 8: 16,000 tokens out at 5 dollars per million, and its prompt.
    budget = Budget(0.15)
    done = judge_live(study, judge, budget=budget, pace=QUICK)
    assert done.stopped is not None
    assert 0 < done.done.cost <= 0.15
    paid = sum(cost for (cost,) in rows(study, "SELECT cost FROM calls WHERE cost IS NOT NULL"))
    assert paid == pytest.approx(done.done.cost)
    with study.database.read() as connection:
        assert budget.spent(connection) == (pytest.approx(paid), 0, 0)
    assert rows(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == [(0,)]
    rest = judge_live(study, judge, pace=QUICK)
    assert done.done.calls + rest.done.calls == 30
    unknown = haechi("judge", study.folder, "--model", "openai:gpt-99", "--max-cost", "1")
    assert unknown.code == 1
    assert "the price is unknown" in unknown.err


def test_paid_now_and_recorded_are_kept_apart(server, make_study, haechi):
    study = make_study(3)
    first = haechi("judge", study.folder, "--model", MODELS[0], "--json").json
    again = haechi("judge", study.folder, "--model", MODELS[0], "--json").json
    assert first["paid_now"] > 0
    assert again["paid_now"] == 0
    assert again["recorded"]["gpt-5-mini"]["cost"] == pytest.approx(first["paid_now"])


def test_a_dry_run_asks_nothing_and_prices_what_is_left(server, make_study, haechi, write):
    study = make_study(10)
    models = [word for model in (*MODELS, "openai:gpt-99") for word in ("--model", model)]
    done = haechi("judge", study.folder, *models, "--dry-run", "--json").json["judges"]
    assert [one["calls"] for one in done] == [10] * 4
    assert done[0]["batch_cost"] == pytest.approx(done[0]["cost"] / 2)
    assert done[3]["cost"] is None
    assert not server.seen
    (study.folder / "prices.yaml").write_text(
        "as_of: 2026-11-01\nmodels: {openai:gpt-99: {input: 1, output: 2}}\n"
    )
    own = estimate(study, judges_of(study, ["openai:gpt-99"])[0])
    assert own.cost == pytest.approx((own.input_tokens + 2 * own.output_tokens) / 1e6)


def test_two_processes_share_the_work(server, make_study):
    study = make_study(60)
    server.latency = 0.01
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(judged(study, MODELS[0]))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(result.done.answered for result in results) == 60
    assert set(server.paid.values()) == {1}, "no item is judged twice"


def test_a_compatible_server_needs_no_key_and_has_no_known_price(server, make_study, monkeypatch):
    study = make_study(2)
    monkeypatch.delenv("OPENAI_API_KEY")
    done = judged(study, f"openai:qwen3:8b@{server.url}/v1")
    assert (done.rater, done.done.answered, done.done.without_price) == (
        f"qwen3:8b@{server.url.removeprefix('http://')}",
        2,
        2,
    )


@pytest.mark.parametrize(
    "spec", ["gpt-5", "openai:", "mistral:x", "openai:x@http://key@host/v1", "gemini:x@http://h/v1"]
)
def test_a_misspelled_model_is_refused(make_study, spec):
    with pytest.raises(HaechiError, match="correct --model"):
        judges_of(make_study(1), [spec])


def test_keys_are_written_nowhere(server, make_study, haechi, tmp_path):
    study = make_study(6)
    server.keep_headers = True
    server.faults.extend(["400", "500", "401"])
    shown = []
    for model in MODELS:
        for more in ((), ("--batch",)):
            done = haechi("judge", study.folder, "--model", model, *more, "--json")
            shown.append(done.out + done.err)
        server.faults.extend(["400", "401"])
    sent = str(server.headers)
    assert all(key in sent for key in KEYS.values()), "the server did get the keys"
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for key in KEYS.values():
        assert key.encode() not in written
        assert not any(key in text for text in shown)


def test_limit_and_progress_count(server, make_study):
    study = make_study(10)
    (judge,) = judges_of(study, [MODELS[0]])
    assert calls_due(study, judge) == 10
    assert judged(study, MODELS[0], limit=4).done.calls == 4
    assert calls_due(study, judge) == 6


@pytest.mark.parametrize("model", MODELS)
def test_odd_characters_in_an_answer_are_no_reason_to_pay_again(server, make_study, model):
    study = make_study(2)
    server.odd = {"d1": "odd-characters"}
    assert judged(study, model).done.answered == 2
    assert set(study.ratings()["status"]) == {"ok"}
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("fault", ["truncated", "disconnect"])
def test_the_cost_line_counts_what_may_have_been_paid_without_an_answer(server, make_study, fault):
    study = make_study(6)
    (judge,) = judges_of(study, [MODELS[0]])
    with study.database.read() as connection:
        (due,) = due_items(connection, judge.questions(1)[0], "reply", 0, 1)
    request, _ = judge.request("x", due.item, None)
    bound = Budget(1.0).bound(request, judge.price)
    server.faults.extend([fault] * 100)
    one_by_one = Pace(at_once=1, timeout=60, first_wait=0.01)
    done = judge_live(study, judge, budget=Budget(bound * 4.5), pace=one_by_one)
    assert done.stopped is not None
    assert "--max-cost" in done.stopped.en
    # The server answered, and would charge for, every request whose answer was lost on the way: four fit in.
    assert sum(server.paid.values()) == 4
