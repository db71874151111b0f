"""Every rating of a judge leads back to the bytes that were sent and received, and to how the judge was asked."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import orjson
import pytest
from provider_settings import MODELS
from test_batches import send
from test_live import judged, rows

from haechi.data.judging_protocol import JudgingProtocol
from haechi.judge.judges import collect
from haechi.store.judging_protocols import all_told, asked_ways, unpack_request

ALL_MODELS = pytest.mark.parametrize("model", MODELS)


@ALL_MODELS
def test_a_rating_leads_to_the_bytes_of_its_question_and_answer(server, make_study, model):
    server.keep_bytes = True
    study = make_study(3)
    judged(study, model)
    for item, arrival in rows(study, "SELECT item, arrival FROM ratings"):
        ((request, sha, told),) = _call(study, arrival)
        sent = unpack_request(request, told)
        assert sent in server.asked, "byte by byte"
        assert f"항목<{item}>" in str(json.loads(sent))
        assert sha in {hashlib.sha256(body).hexdigest() for body in server.answers}
    assert rows(study, "SELECT count(*) FROM instructions") == [(1,)], "what is the same is kept once"


@ALL_MODELS
def test_a_batch_keeps_the_lines_that_were_sent_and_received(server, make_study, model):
    study = make_study(3)
    send(study, model)
    collect(study)
    for item, arrival in rows(study, "SELECT item, arrival FROM ratings"):
        ((request, sha, told),) = _call(study, arrival)
        line = json.loads(unpack_request(request, told))
        assert arrival in (line.get("custom_id"), line.get("key"))
        assert f"항목<{item}>" in str(line)
        ((reply,),) = rows(study, f"SELECT reply FROM calls WHERE id = '{arrival}'")
        assert hashlib.sha256(reply.encode()).hexdigest() == sha


def _call(study: Any, call: str) -> list[Any]:
    with study.database.read() as connection:
        told = all_told(connection)
        row = connection.row("SELECT request, reply_sha256, instructions FROM calls WHERE id = :id", id=call)
        return [(row.request, row.reply_sha256, told[row.instructions])]


@ALL_MODELS
def test_the_journal_says_how_a_judge_was_asked(server, make_study, model):
    study = make_study(2)
    judged(study, model)
    with study.database.read() as connection:
        (way,) = asked_ways(connection)
        told = all_told(connection)
    asking = way.asking
    assert isinstance(asking, JudgingProtocol)
    assert (asking.rubric, asking.model, asking.per, asking.lang) == (
        study.rubric.version,
        model,
        "rubric",
        "ko",
    )
    assert asking.address.startswith(server.url)
    assert asking.prompt in told
    assert asking.decoding.max_tokens == 16_000
    assert asking.price is not None
    assert (asking.sdk or "").partition(" ")[2][0].isdigit()
    assert (way.calls, way.version) == (2, model.partition(":")[2])


def test_two_servers_with_one_model_are_two_raters(server, make_study):
    study = make_study(2)
    for host in ("localhost", "127.0.0.1"):
        judged(study, f"openai:qwen3@{server.url.replace('127.0.0.1', host)}/v1")
    port = server.url.rpartition(":")[2]
    names = {rater for (rater,) in rows(study, "SELECT DISTINCT rater FROM ratings")}
    assert names == {f"qwen3@localhost:{port}", f"qwen3@127.0.0.1:{port}"}
    with study.database.read() as connection:
        addresses = {way.rater: way.asking.address for way in asked_ways(connection) if way.asking}
    assert all(name.partition("@")[2] in addresses[name] for name in names)


def test_bytes_that_are_no_text_are_kept_as_they_are():
    told = None
    body = orjson.dumps({"a": "b"}) + b"\xff\x00"
    from haechi.store.judging_protocols import pack_request

    assert unpack_request(pack_request(body, told), told) == body
