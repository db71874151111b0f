"""Results that are short, or no results at all: what was paid is fetched again, never asked again."""

from __future__ import annotations

from typing import Any

import pytest
from provider_settings import MODELS
from test_batches import assert_all_judged_once, rows, send

from haechi.judge.judges import collect, judge_live, judges_of

RESULTS = r"GET .*(/content|/anthropic-results/.*|:download)$"
STATE = r"GET .*/batches/[^/]+$"
LIST = r"GET .*/batches$"
CREATE = r"POST .*(/batches|:batchGenerateContent)$"
UPLOAD = r"POST .*/files$"
ALL_MODELS = pytest.mark.parametrize("model", MODELS)
TYPES = pytest.mark.parametrize("page_type", ["text/html", "text/plain", "application/json"])


def assert_open(study: Any, model: str, left: int) -> None:
    """The batch is open, and what it lacks is asked in no way."""
    assert rows(study, "SELECT state FROM batches WHERE remote IS NOT NULL") == [("submitted",)]
    assert rows(study, "SELECT count(*) FROM calls WHERE state = 'sent'") == [(left,)]
    assert send(study, model).requests == 0
    (judge,) = judges_of(study, [model])
    assert judge_live(study, judge).done.calls == 0


@ALL_MODELS
def test_half_of_the_results_is_kept_and_the_rest_is_fetched_later(server, make_study, haechi, model):
    study = make_study(30)
    send(study, model)
    server.cut = RESULTS
    ran = haechi("collect", study.folder)
    arrived = study.ratings().height // 3
    assert 10 < arrived < 20, "about half of the bytes"
    assert ran.code == 1
    assert "incomplete" in ran.out
    assert f"{arrived} of 30 lines" in ran.err
    assert_open(study, model, 30 - arrived)
    assert f"{arrived} of 30 lines" in haechi("collect", study.folder).err, "as often as one likes"
    server.cut = ""
    again = haechi("judge", study.folder, "--model", model, "--batch")
    assert "0 requests sent" in again.out
    assert rows(study, "SELECT state FROM batches WHERE remote IS NOT NULL") == [("collected",)]
    assert_all_judged_once(study, server, 30)
    assert set(server.paid.values()) == {1}


def test_it_is_said_in_korean(server, make_study, haechi, monkeypatch):
    monkeypatch.setenv("HAECHI_LANG", "ko")
    study = make_study(3)
    send(study, MODELS[0])
    server.page, server.page_type = RESULTS, "application/octet-stream"
    assert "결과 3줄 중 0줄만 받았습니다" in haechi("collect", study.folder).err
    done = haechi("collect", study.folder, "--json").json["batches"][0]
    assert (done["state"], done["says"]) == ("incomplete", "결과 3줄 중 0줄만 받았습니다")


@ALL_MODELS
@TYPES
@pytest.mark.parametrize("asked", [RESULTS, STATE], ids=["results", "state"])
def test_a_login_page_is_no_result(server, make_study, haechi, model, asked, page_type):
    study = make_study(3)
    send(study, model)
    server.page, server.page_type = asked, page_type
    ran = haechi("collect", study.folder)
    assert ran.code == 1
    assert "haechi collect" in ran.err
    assert_open(study, model, 3)
    server.page = ""
    assert [one.state for one in collect(study)] == ["collected"]
    assert_all_judged_once(study, server, 3)
    assert set(server.paid.values()) == {1}


@ALL_MODELS
@TYPES
def test_a_login_page_in_place_of_a_receipt_leads_to_no_second_batch(server, make_study, model, page_type):
    study = make_study(3)
    server.page, server.page_type = CREATE, page_type
    sent = send(study, model)
    assert (sent.requests, len(server.batches)) == (3, 1)
    collect(study)
    assert_all_judged_once(study, server, 3)
    assert set(server.paid.values()) == {1}


@ALL_MODELS
@TYPES
def test_a_batch_is_not_taken_for_lost_because_of_a_login_page(server, make_study, model, page_type):
    study = make_study(3)
    send(study, model)
    with study.database.write() as connection:
        connection.execute("UPDATE batches SET state = 'sending', remote = NULL, held_until = 0")
        connection.execute("UPDATE batches SET at = '2020-01-01T00:00:00', submitted_at = NULL")
    for asked in (LIST, RESULTS) if model.startswith("anthropic") else (LIST,):
        server.page, server.page_type = asked, page_type
        assert [one.state for one in collect(study)] == ["unknown"]
        assert send(study, model).requests == 0
    server.page = ""
    assert [one.state for one in collect(study)] == ["collected"]
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2]])
@TYPES
def test_an_upload_that_a_login_page_answers_is_not_sent(server, make_study, model, page_type):
    study = make_study(3)
    server.page, server.page_type = UPLOAD, page_type
    assert "could not be sent" in send(study, model).stopped.en
    server.page = ""
    assert send(study, model).requests == 3


@ALL_MODELS
def test_what_a_batch_could_not_process_is_due_again(server, make_study, model):
    study = make_study(9)
    server.damage = {"unprocessed"}
    send(study, model)
    (news,) = collect(study)
    # Requests 0, 3 and 6 have no line, and the provider says so.
    assert (news.state, news.done.answered, news.done.failed, news.problem) == ("collected", 6, 3, None)
    server.damage = set()
    assert send(study, model).requests == 3
    collect(study)
    assert_all_judged_once(study, server, 9)
    assert set(server.paid.values()) == {1}


@ALL_MODELS
def test_what_it_did_process_is_fetched_before_it_is_closed(server, make_study, model):
    study = make_study(11)
    server.damage = {"unprocessed"}
    send(study, model)
    server.cut = RESULTS  # of seven lines
    (news,) = collect(study)
    assert (news.state, news.done.failed) == ("incomplete", 0)
    assert_open(study, model, 11 - news.done.answered)
    server.cut = ""
    (news,) = collect(study)
    assert (news.state, news.done.failed) == ("collected", 4)
    assert study.ratings().filter(status="ok").height == 7 * 3


@ALL_MODELS
@pytest.mark.parametrize(("damage", "arrived"), [("no-lines", 0), ("cut-at-line-end", 3)])
def test_the_count_of_the_provider_shows_what_a_cut_between_lines_hides(
    server, make_study, haechi, model, damage, arrived
):
    study = make_study(9)
    server.damage = {"unprocessed", damage}
    send(study, model)
    ran = haechi("collect", study.folder)
    assert ran.code == 1
    assert f"{arrived} of 6 lines" in ran.err
    assert_open(study, model, 9 - arrived)
    assert set(server.paid.values()) == {1}


@ALL_MODELS
@pytest.mark.parametrize("more", [set(), {"unprocessed"}], ids=["whole", "expired"])
def test_a_line_with_nothing_but_an_id_is_no_result(server, make_study, haechi, model, more):
    study = make_study(9)
    server.damage = {"bare", *more}
    send(study, model)
    sent = 6 if more else 9
    ran = haechi("collect", study.folder)
    assert ran.code == 1
    assert f"{sent - 2} of {sent} lines" in ran.err
    assert_open(study, model, 9 - (sent - 2))
    (done,) = haechi("collect", study.folder, "--give-up", "--json").json["batches"]
    assert (done["state"], done["failed"]) == ("collected", 9 - (sent - 2))


@ALL_MODELS
def test_what_never_comes_can_be_given_up(server, make_study, haechi, model):
    study = make_study(6)
    server.damage = {"missing"}
    send(study, model)
    assert "5 of 6 lines" in haechi("collect", study.folder, "--cancel").err, "nothing is running"
    assert_open(study, model, 1)
    (done,) = haechi("collect", study.folder, "--give-up", "--json").json["batches"]
    assert (done["state"], done["failed"]) == ("collected", 1)
    assert send(study, model).requests == 1
