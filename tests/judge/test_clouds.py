"""Azure, Bedrock, Vertex and OpenRouter, through the clients that their makers wrote, against the test server."""

from __future__ import annotations

from typing import Any

import pytest
from clouds import CLOUDS, SECRETS, environment
from provider_faults import FAULTS
from test_batches import assert_all_judged_once
from test_live import judged, rows

from haechi.judge.judges import judge_live, judges_of

ALL_CLOUDS = pytest.mark.parametrize("model", CLOUDS)
PATHS = {
    "azure": "/openai/deployments/judge/chat/completions?api-version=2024-10-21",
    "bedrock": "/model/anthropic.claude-haiku-4-5-20251001-v1:0/invoke",
    "vertex:gemini": "/projects/a-project/locations/europe-west4/publishers/google/models/gemini-2.5-flash:generateContent",
    "vertex:claude": "/v1/projects/a-project/locations/europe-west4/publishers/anthropic/models/claude-haiku-4-5:rawPredict",
    "openrouter": "/api/v1/chat/completions",
}


@pytest.fixture
def server(server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "OPENAI_API_VERSION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment(server.url, tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-account")
    server.keep_headers = server.keep_bytes = True
    return server


@ALL_CLOUDS
def test_every_item_is_judged_once_under_a_name_of_its_own(server, make_study, haechi, model):
    study = make_study(12)
    done = judged(study, model)
    provider, _, name = model.partition(":")
    assert done.rater == f"{name}@{provider}"
    assert done.done.answered == 12
    assert judged(study, model).done.calls == 0
    assert_all_judged_once(study, server, 12)
    assert set(server.paid.values()) == {1}
    path = next(path for start, path in PATHS.items() if model.startswith(start))
    assert any(asked.endswith(path) for asked in server.paths)
    assert "org-of-the-account" not in str(server.headers)
    ((version,),) = rows(study, "SELECT DISTINCT version FROM calls")
    assert version == name
    haechi("calls", study.folder, "-o", study.folder / "calls.jsonl")
    told = (study.folder / "calls.jsonl").read_text("utf-8")
    assert not any(secret in told for secret in SECRETS.values())
    assert told.count('"reply_sha256":"') == 12


@ALL_CLOUDS
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "drip"])
def test_faults_are_outlived(server, make_study, model, fault):
    study = make_study(4)
    server.faults.extend([fault, "", fault])
    assert judged(study, model).done.answered == 4
    assert_all_judged_once(study, server, 4)


@ALL_CLOUDS
def test_the_right_key_goes_to_the_right_place(server, make_study, model):
    judged(make_study(1), model)
    asked = [headers for headers in server.headers if "api/v1/models" not in str(headers)][-1]
    provider = model.partition(":")[0]
    sent = {
        "azure": ("api-key", SECRETS["AZURE_OPENAI_API_KEY"]),
        "bedrock": ("authorization", f"Bearer {SECRETS['AWS_BEARER_TOKEN_BEDROCK']}"),
        "vertex": ("authorization", "Bearer token-of-the-account"),
        "openrouter": ("authorization", f"Bearer {SECRETS['OPENROUTER_API_KEY']}"),
    }
    name, value = sent[provider]
    assert asked[name] == value
    assert not any(secret in str(asked) for secret in SECRETS.values() if secret not in value)


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("azure:judge", "AZURE_OPENAI_ENDPOINT"),
        ("azure:judge", "AZURE_OPENAI_API_KEY"),
        ("bedrock:anthropic.claude-haiku-4-5", "AWS_REGION"),
        ("vertex:gemini-2.5-flash", "GOOGLE_CLOUD_PROJECT"),
        ("openrouter:openai/gpt-5-mini", "OPENROUTER_API_KEY"),
    ],
)
def test_what_is_missing_is_named(server, make_study, haechi, monkeypatch, model, variable, lang):
    monkeypatch.setenv("HAECHI_LANG", lang)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.delenv(variable)
    told = haechi("judge", make_study(1).folder, "--model", model)
    assert told.code == 1
    assert variable in told.err
    assert not server.seen


def test_credentials_that_are_none_are_told(server, make_study, haechi, monkeypatch, write):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(write("empty.json", "{}")))
    told = haechi("judge", make_study(1).folder, "--model", "vertex:gemini-2.5-flash")
    assert told.code == 1
    assert "gcloud auth application-default login" in told.err
    assert not server.paid


def test_bedrock_is_signed_with_an_account(server, make_study, monkeypatch):
    pytest.importorskip("boto3")
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-aws-account")
    study = make_study(2)
    assert judged(study, CLOUDS[1]).done.answered == 2
    signed = [headers["authorization"] for headers in server.headers]
    assert all(one.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") for one in signed)
    assert all("/eu-west-1/bedrock/aws4_request" in one for one in signed)
    assert "secret-of-the-aws-account" not in str(server.headers)


def test_an_azure_address_of_ones_own_has_its_own_key(server, make_study, monkeypatch):
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://other.openai.azure.com")
    monkeypatch.setenv(f"HAECHI_KEY_127_0_0_1_{server.url.rpartition(':')[2]}", "own-key-of-this-address")
    judged(make_study(1), f"azure:judge@{server.url}")
    assert {headers["api-key"] for headers in server.headers} == {"own-key-of-this-address"}
    assert SECRETS["AZURE_OPENAI_API_KEY"] not in str(server.headers)


def test_azure_takes_batches(server, make_study, haechi):
    study = make_study(5)
    assert "5 requests sent" in haechi("judge", study.folder, "--model", CLOUDS[0], "--batch").out
    assert haechi("collect", study.folder).code == 0
    assert_all_judged_once(study, server, 5)
    assert set(server.paid.values()) == {1}


@pytest.mark.parametrize("model", CLOUDS[1:])
def test_the_others_say_that_they_do_not(server, make_study, haechi, model):
    told = haechi("judge", make_study(1).folder, "--model", model, "--batch")
    assert told.code == 1
    assert "--batch" in told.err
    assert not server.paid


@pytest.mark.parametrize("model", [CLOUDS[1], CLOUDS[3]])
def test_claude_without_structured_output_is_asked_without(server, make_study, model):
    def refuse(asked: dict[str, Any]) -> str | None:
        return "output_config.format: Extra inputs are not permitted" if "output_config" in asked else None

    server.refuses = refuse
    study = make_study(6)
    assert judged(study, model).done.answered == 6
    assert set(server.paid.values()) == {1}


def test_what_a_server_can_do_is_found_out_once_and_remembered(server, make_study):
    server.models = [{"id": "qwen3", "max_model_len": 8192}]
    seen: list[dict[str, Any]] = []

    def refuse(asked: dict[str, Any]) -> str | None:
        seen.append(asked)
        return "response_format is not supported" if "response_format" in asked else None

    server.refuses = refuse
    study = make_study(4)
    model = f"openai:qwen3@{server.url}/v1"
    assert judged(study, model).done.answered == 4
    assert max(asked["max_tokens"] for asked in seen) < 8192
    ((known,),) = rows(study, "SELECT dialect FROM servers")
    assert '"form_name":"text"' in known
    assert '"window":8192' in known
    seen.clear()
    (judge,) = judges_of(study, [model], "criterion")
    judge_live(study, judge)
    assert seen
    assert not any("response_format" in asked for asked in seen), "it is not asked in vain again"
    assert server.seen["GET /v1/models"] == 1


def test_what_openrouter_says_it_charged_is_what_it_cost(server, make_study):
    study = make_study(2)
    done = judged(study, "openrouter:some/model-without-a-price")
    assert (done.done.cost, done.done.without_price) == (pytest.approx(2 * 0.0123), 0)
    assert rows(study, "SELECT cost FROM calls") == [(0.0123,), (0.0123,)]
