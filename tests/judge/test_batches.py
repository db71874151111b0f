"""Batches: sent once, found again, collected in any order and state."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from provider_settings import MODELS, addresses

from haechi.judge import batch as sending
from haechi.judge.budget import Budget
from haechi.judge.judges import collect, judge_in_batches, judge_live, judges_of
from haechi.judge.providers import anthropic, gemini, openai
from haechi.judge.providers.base import Limits
from haechi.study.study import Study

CLIENTS = {"openai": openai.OpenAI, "anthropic": anthropic.Anthropic, "gemini": gemini.Gemini}


def rows(study: Study, query: str) -> list[Any]:
    with study.database.read() as connection:
        return [tuple(row) for row in connection.rows(query)]


def send(study: Study, model: str, **more: Any) -> Any:
    (judge,) = judges_of(study, [model])
    return judge_in_batches(study, judge, **more)


def assert_all_judged_once(study: Study, server: Any, count: int) -> None:
    assert study.ratings().height == count * 3
    assert set(study.ratings()["status"]) == {"ok"}
    assert rows(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == [(0,)]
    assert len(server.paid) == count


@pytest.mark.parametrize("model", MODELS)
def test_sent_once_collected_once(server, make_study, model):
    study = make_study(7)
    server.auto_finish = False
    sent = send(study, model)
    assert (sent.requests, len(sent.batches)) == (7, 1)
    assert send(study, model).requests == 0, "what is out is not sent again"
    (judge,) = judges_of(study, [model])
    assert judge_live(study, judge).done.calls == 0, "nor asked live"
    assert [news.state for news in collect(study)] == ["running"]
    server.auto_finish = True
    (news,) = collect(study)
    assert (news.state, news.done.answered) == ("collected", 7)
    assert news.done.cost == pytest.approx(sum(cost for (cost,) in rows(study, "SELECT cost FROM calls")))
    assert collect(study) == []
    assert send(study, model).requests == 0
    assert_all_judged_once(study, server, 7)
    assert set(server.paid.values()) == {1}


def test_machines_are_told_what_was_sent_and_what_came_back(server, haechi, make_study):
    study = make_study(3)
    sent = haechi("judge", study.folder, "--model", "openai:gpt-5-mini", "--batch", "--json")
    assert sent.code == 0, sent.err
    (one,) = sent.json["submitted"]
    assert set(one) == {"rater", "batches", "requests", "stopped"}
    assert (one["rater"], len(one["batches"]), one["requests"], one["stopped"]) == ("gpt-5-mini", 1, 3, None)
    (news,) = haechi("collect", study.folder, "--json").json["batches"]
    counts = {"requests": 3, "answered": 3, "partial": 0, "failed": 0, "repaired": 0, "rejudge": []}
    assert {name: news[name] for name in counts} == counts
    assert set(news) == {"batch", "rater", "state", "paid_now", "saved", "says", *counts}
    assert haechi("collect", study.folder, "--json").json == {"batches": []}


@pytest.mark.parametrize("model", MODELS)
def test_a_batch_costs_half(server, make_study, model):
    study = make_study(2)
    send(study, model)
    collect(study)
    (judge,) = judges_of(study, [model])
    kept = rows(study, "SELECT input_tokens, output_tokens, cost FROM calls")
    for tokens_in, tokens_out, cost in kept:
        assert judge.price is not None
        live = (tokens_in * judge.price.input + tokens_out * judge.price.output) / 1e6
        assert cost == pytest.approx(live / 2)


@pytest.mark.parametrize("model", MODELS)
def test_damaged_results_are_taken_as_far_as_they_go_and_the_rest_is_sent_again(server, make_study, model):
    study = make_study(9)
    server.damage = {"duplicate", "expired", "garbage"}
    send(study, model)
    (news,) = collect(study)
    # Of nine, requests 0, 3 and 6 expire.
    assert (news.done.answered, news.done.failed) == (6, 3)
    frame = study.ratings()
    assert set(frame.filter(status="error")["reason"].is_null()) == {False}
    server.damage = set()
    assert send(study, model).requests == 3, "only what failed is sent again"
    collect(study)
    assert_all_judged_once(study, server, 9)


@pytest.mark.parametrize("model", MODELS)
def test_batches_are_split_by_count_and_by_bytes(server, make_study, model, monkeypatch):
    client = CLIENTS[model.partition(":")[0]]
    study = make_study(10)
    monkeypatch.setattr(client, "limits", Limits(4, 10**9))
    assert len(send(study, model).batches) == 3
    assert [len(batch.lines) for batch in server.batches.values()] == [4, 4, 2]
    server.batches.clear()
    (judge,) = judges_of(study, [f"{model}-other"])
    with study.database.read() as connection:
        from haechi.store.due_items import due_items

        due = due_items(connection, judge.questions(1)[0], "reply", 0, 1)
    one = len(judge.model.client().line(judge.request("x" * 32, due[0].item, None)[0]))
    monkeypatch.setattr(client, "limits", Limits(1000, one * 3 + 100))
    judge_in_batches(study, judge)
    assert [len(batch.lines) for batch in server.batches.values()] == [3, 3, 3, 1]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that wait a second and a half for an answer."""
    monkeypatch.setattr(
        "haechi.judge.providers.models.Model.client", lambda self, timeout=1.5: _connect(self, timeout)
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.usefixtures("impatient")
def test_a_submission_that_was_accepted_but_timed_out_is_found_not_repeated(server, make_study, model):
    study = make_study(5)
    server.batch_faults.append("accept-then-hang")
    sent = send(study, model)
    assert len(server.batches) == 1, "it is not sent again"
    assert (sent.requests, sent.stopped) == (5, None)
    collect(study)
    assert_all_judged_once(study, server, 5)
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.usefixtures("impatient")
def test_a_submission_that_timed_out_and_is_listed_late_is_not_sent_again(server, make_study, model):
    study = make_study(5)
    server.batch_faults.append("accept-then-hang")
    server.lists = False
    sent = send(study, model)
    assert sent.requests == 0
    assert "not known whether it arrived" in sent.stopped.en
    listing = threading.Timer(1.0, setattr, (server, "lists", True))
    listing.start()
    news = collect(study)
    listing.join()
    assert [one.state for one in news] == ["collected"]
    assert len(server.batches) == 1, "it is not sent again"
    assert_all_judged_once(study, server, 5)
    assert set(server.paid.values()) == {1}


@pytest.mark.usefixtures("impatient")
def test_what_never_arrived_is_sent_again_when_it_had_time_to_be_listed(
    server, make_study, haechi, monkeypatch
):
    study = make_study(5)
    server.batch_faults.append("refuse-first")
    assert send(study, MODELS[0]).requests == 0
    monkeypatch.setattr("haechi.judge.lost_batches.LATE", 1.0)
    again = haechi("judge", study.folder, "--model", MODELS[0], "--batch")
    assert "never sent" in again.out
    assert "5 requests sent, batches: 1" in again.out
    collect(study)
    assert_all_judged_once(study, server, 5)


@pytest.mark.parametrize("model", MODELS)
def test_what_certainly_did_not_arrive_is_due_at_once(server, make_study, haechi, model, monkeypatch):
    study = make_study(2)
    for name, value in addresses("http://127.0.0.1:9").items():
        monkeypatch.setenv(name, value)
    sent = send(study, model)
    assert "could not be sent" in sent.stopped.en
    assert rows(study, "SELECT state FROM batches") == [("failed",)]
    for name, value in addresses(server.url).items():
        monkeypatch.setenv(name, value)
    server.rejects = True
    assert haechi("judge", study.folder, "--model", model, "--batch").code == 1
    server.rejects = False
    assert rows(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == [(0,)]
    assert send(study, model).requests == 2
    collect(study)
    assert_all_judged_once(study, server, 2)


def _connect(model: Any, timeout: float) -> Any:
    module = {"openai": openai, "anthropic": anthropic, "gemini": gemini}[model.provider]
    return module.connect(model.name, model.url, timeout)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("arrived", [True, False])
def test_a_batch_whose_id_was_never_recorded_is_found_by_its_mark(
    server, make_study, model, arrived, monkeypatch
):
    study = make_study(5)

    async def dies(self: Any, identifier: str, path: Any, count: int) -> None:
        if arrived:
            await self._client.submit(path, identifier)
        raise KeyboardInterrupt

    monkeypatch.setattr(sending.BatchRun, "_send", dies)
    with pytest.raises(KeyboardInterrupt):
        send(study, model)
    monkeypatch.undo()
    for name, value in _environment(server).items():
        monkeypatch.setenv(name, value)
    assert rows(study, "SELECT state, remote FROM batches") == [("sending", None)]
    assert collect(study) == [], "its process lives: it may still be sending"
    with study.database.write() as connection:
        connection.execute("UPDATE batches SET held_until = 0")
    monkeypatch.setattr("haechi.judge.lost_batches.LATE", 1.0)
    news = collect(study)
    if arrived:
        assert [(one.state, one.done.answered) for one in news] == [("collected", 5)]
    else:
        assert [one.state for one in news] == ["never sent"]
        assert send(study, model).requests == 5
        collect(study)
    assert_all_judged_once(study, server, 5)
    assert set(server.paid.values()) == {1}


def _environment(server: Any) -> dict[str, str]:
    from provider_settings import KEYS, addresses

    return KEYS | addresses(server.url) | {"HAECHI_LANG": "en"}


def test_an_unrecorded_batch_that_may_be_running_is_waited_for(server, make_study, monkeypatch):
    study = make_study(3)
    server.auto_finish = False
    send(study, "anthropic:claude-haiku-4-5")
    with study.database.write() as connection:
        connection.execute("UPDATE batches SET state = 'sending', remote = NULL, held_until = 0")
    (news,) = collect(study)
    assert news.state == "unknown"
    assert send(study, "anthropic:claude-haiku-4-5").requests == 0, (
        "nothing is paid twice while one cannot know"
    )
    server.auto_finish = True
    assert [one.state for one in collect(study)] == ["collected"]
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("model", MODELS)
def test_cancelling_frees_the_items(server, make_study, haechi, model):
    study = make_study(4)
    server.auto_finish = False
    send(study, model)
    done = haechi("collect", study.folder, "--cancel", "--json")
    assert done.code == 0
    assert done.json["batches"][0]["state"] in ("cancelled", "collected")
    assert rows(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == [(0,)]
    server.auto_finish = True
    assert send(study, model).requests == 4
    collect(study)
    assert_all_judged_once(study, server, 4)


def test_the_cost_line_holds_for_batches_too(server, make_study):
    study = make_study(30)
    sent = send(study, "anthropic:claude-haiku-4-5", budget=Budget(0.2))
    assert sent.stopped is not None
    assert 0 < sent.bound <= 0.2
    # At half price a call can cost at most a little more than 16,000 × 5 / 2 dollars per million = 0.04.
    assert sent.requests == 4
    collect(study)
    assert sum(cost for (cost,) in rows(study, "SELECT cost FROM calls")) <= 0.2


def test_the_command_line_sends_collects_and_continues(server, make_study, haechi):
    study = make_study(6)
    server.damage = {"expired"}
    models = [word for model in MODELS for word in ("--model", model)]
    assert [
        one["requests"]
        for one in haechi("judge", study.folder, *models, "--batch", "--json").json["submitted"]
    ] == [6] * 3
    server.damage = {"expired"}
    again = haechi("judge", study.folder, *models, "--batch", "--json").json["submitted"]
    assert [one["requests"] for one in again] == [2] * 3, (
        "the same command collects and sends only what expired"
    )
    server.damage = set()
    done = haechi("collect", study.folder, "--json").json["batches"]
    assert [one["answered"] for one in done] == [2] * 3
    assert study.ratings().height == 6 * 3 * 3
    assert set(study.ratings()["status"]) == {"ok"}
    assert "No batch is out." in haechi("collect", study.folder).out


@pytest.mark.parametrize("model", MODELS)
def test_a_line_separator_inside_an_answer_does_not_tear_it_apart(server, make_study, model):
    study = make_study(4)
    server.odd = {"d1": "odd-characters", "d3": "odd-characters"}
    send(study, model)
    (news,) = collect(study)
    assert (news.done.answered, news.done.failed) == (4, 0)
    assert any("\u2028" in evidence for evidence in study.ratings()["evidence"])
    assert_all_judged_once(study, server, 4)


def test_a_judge_that_cannot_be_reached_keeps_no_other_from_being_collected(
    server, make_study, haechi, monkeypatch
):
    study = make_study(3)
    for model in MODELS:
        send(study, model)
    key = _environment(server)["ANTHROPIC_API_KEY"]
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    done = haechi("collect", study.folder, "--json")
    assert done.code == 1
    assert {one["rater"]: one["state"] for one in done.json["batches"]} == {
        "gpt-5-mini": "collected",
        "claude-haiku-4-5": "unknown",
        "gemini-2.5-flash": "collected",
    }
    assert "ANTHROPIC_API_KEY" in done.err
    assert send(study, MODELS[0]).requests == 0
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    assert [one.state for one in collect(study)] == ["collected"]
    assert set(server.paid.values()) == {3}, "each of the three judges was paid once for each item"


@pytest.mark.parametrize("model", MODELS)
def test_cancelling_what_has_ended_fetches_it(server, make_study, haechi, model):
    study = make_study(3)
    send(study, model)
    (done,) = haechi("collect", study.folder, "--cancel", "--json").json["batches"]
    assert (done["state"], done["answered"]) == ("collected", 3)
    assert not any("cancel" in path for path in server.seen)


REFUSED = {
    MODELS[0]: lambda body: body.get("response_format", {}).get("type") == "json_schema",
    MODELS[1]: lambda body: "format" in body.get("output_config", {}),
}
WORDS = {
    MODELS[0]: "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    MODELS[1]: "output_config.format: structured outputs are not supported by this model",
}


@pytest.mark.parametrize("model", MODELS[:2])
def test_what_a_model_refuses_in_one_batch_the_next_does_without(server, make_study, haechi, model):
    answer = server.answer

    def picky(provider, body, path=""):
        if not REFUSED[model](body):
            return answer(provider, body, path)
        server.wires[provider].schema_of(body)
        return 400, {"error": {"message": WORDS[model], "type": "invalid_request_error"}}

    server.answer, server.auto_finish = picky, False
    study = make_study(6)
    send = ("judge", study.folder, "--model", model, "--batch")
    haechi(*send, "--limit", "3")
    haechi(*send)  # two batches that are asked alike, and refused alike
    server.auto_finish = True
    said = haechi("collect", study.folder)
    assert "what the model refuses is known now" in said.err
    assert study.ratings()["status"].to_list() == ["error"] * 18
    haechi(*send)
    haechi("collect", study.folder)
    assert_all_judged_once(study, server, 6)
    assert set(server.paid.values()) == {1}
    if model == MODELS[0]:  # one step plainer, not two, although two batches were refused
        lines = [line for batch in server.batches.values() for line in batch.lines]
        assert lines[-1]["body"]["response_format"] == {"type": "json_object"}
