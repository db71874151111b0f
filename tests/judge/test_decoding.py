"""Everything that decides a rating is set, sent where the provider takes it, kept, and its change is named."""

from __future__ import annotations

import hashlib
import json

import pytest
from provider_settings import KEYS, MODELS
from test_live import rows

ALL_MODELS = pytest.mark.parametrize("model", MODELS)
SENT = {
    MODELS[0]: {"temperature": 0.2, "seed": 7, "reasoning_effort": "low", "max_completion_tokens": 900},
    MODELS[1]: {"temperature": 0.2, "max_tokens": 900},
    MODELS[2]: {
        "temperature": 0.2,
        "seed": 7,
        "maxOutputTokens": 900,
        "thinkingConfig": {"thinkingLevel": "LOW"},
    },
}


def options(model: str) -> list[str]:
    wished = ["--temperature", "0.2", "--reasoning-effort", "low", "--max-tokens", "900"]
    return wished if model == MODELS[1] else [*wished, "--seed", "7"]


@ALL_MODELS
@pytest.mark.parametrize("more", [(), ("--batch",)], ids=["live", "batch"])
def test_what_is_set_is_sent_and_kept(server, make_study, haechi, model, more):
    server.keep_bytes = True
    study = make_study(1)
    assert haechi("judge", study.folder, "--model", model, *options(model), *more).code == 0
    haechi("collect", study.folder)
    (way,) = haechi("calls", study.folder, "--json").json["ways"]
    seed = None if model == MODELS[1] else 7
    given = {"temperature": 0.2, "seed": seed, "effort": "low", "max_tokens": 900, "logprobs": None}
    assert way["asking"]["decoding"] == given
    file = study.folder / "calls.jsonl"
    haechi("calls", study.folder, "-o", file)
    (call,) = map(json.loads, file.read_text("utf-8").splitlines())
    sent = json.loads(call["request"])
    body = sent.get("body") or sent.get("params") or sent.get("request") or sent
    found = json.loads(
        json.dumps(body.get("generationConfig", body)).replace("thinking_level", "thinkingLevel")
    )
    assert {name: found.get(name) for name in SENT[model]} == SENT[model]
    if model == MODELS[1]:
        assert found["output_config"]["effort"] == "low"


@ALL_MODELS
def test_what_is_not_set_is_not_sent(server, make_study, haechi, model):
    server.keep_bytes = True
    study = make_study(1)
    haechi("judge", study.folder, "--model", model)
    sent = b"".join(server.asked)
    for name in (b"temperature", b"seed", b"effort", b"thinking"):
        assert name not in sent


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_what_a_provider_does_not_take_is_refused_before_anything_is_asked(
    server, make_study, haechi, monkeypatch, lang
):
    monkeypatch.setenv("HAECHI_LANG", lang)
    study = make_study(1)
    refused = haechi("judge", study.folder, "--model", MODELS[1], "--seed", "7")
    assert refused.code == 1
    assert "--seed" in refused.err
    assert "--temperature, --reasoning-effort" in refused.err
    assert not server.seen


def test_a_model_that_refuses_a_setting_says_so_at_once(server, make_study, haechi):
    server.refuses = lambda asked: "Unsupported value: 'temperature'" if "temperature" in asked else None
    study = make_study(30)
    told = haechi("judge", study.folder, "--model", MODELS[0], "--temperature", "0", "--at-once", "2")
    assert told.code == 1
    assert "--temperature" in told.out
    assert sum(server.seen.values()) < 10, "the others are not asked in vain"
    assert not study.ratings().height


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_a_change_inside_a_study_is_named(server, make_study, haechi, monkeypatch, tmp_path, lang):
    monkeypatch.setenv("HAECHI_LANG", lang)
    study = make_study(4)
    first = haechi("judge", study.folder, "--model", MODELS[0], "--limit", "2")
    assert "temperature" not in first.err
    second = haechi("judge", study.folder, "--model", MODELS[0], "--temperature", "0")
    words = "지정 안 함(2건) → 0.0(이번)" if lang == "ko" else "not set (2 calls) → 0.0 (now)"
    assert words in second.err
    words = words.replace("(이번)", "(2건)").replace("(now)", "(2 calls)")
    assert words in haechi("agree", study.folder).err
    (change,) = haechi("agree", study.folder, "--json").json["judge_changes"]
    assert (change["what"], [one["value"] for one in change["values"]]) == ("temperature", [None, 0.0])
    haechi("report", study.folder, "-o", tmp_path / "out")
    assert words in (tmp_path / "out" / "report.md").read_text("utf-8")
    assert words in haechi("calls", study.folder).out


@ALL_MODELS
@pytest.mark.parametrize("more", [(), ("--batch",)], ids=["live", "batch"])
def test_a_stranger_can_follow_every_rating_to_the_bytes(server, make_study, haechi, model, more):
    server.keep_bytes = True
    study = make_study(5)
    haechi("judge", study.folder, "--model", model, *more)
    haechi("collect", study.folder)
    file = study.folder / "calls.jsonl"
    told = haechi("calls", study.folder, "-o", file)
    assert "5 calls" in told.out
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    given = {(line["item"], one["criterion"]): one["value"] for line in lines for one in line["ratings"]}
    assert given == {(i, c): v for i, c, v in rows(study, "SELECT item, criterion, value FROM ratings")}
    for line in lines:
        assert f"항목<{line['item']}>" in str(json.loads(line["request"]))
        assert hashlib.sha256(line["request"].encode()).hexdigest() == line["request_sha256"]
        assert hashlib.sha256(line["reply"].encode()).hexdigest() == line["reply_sha256"]
        assert all(one["in_force"] for one in line["ratings"])
        if not more:
            assert line["request"].encode() in server.asked
            assert line["reply"].encode() in server.answers
    assert not any(key in file.read_text("utf-8") for key in KEYS.values())


def test_a_study_without_judges_has_no_calls(make_study, haechi):
    study = make_study(1)
    assert haechi("calls", study.folder).out == "No AI judge was asked.\n"
    assert haechi("calls", study.folder, "--json").json["ways"] == []
