"""Keys and addresses: what belongs to OpenAI goes to OpenAI only; an address has a key of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from provider_server import Server, running
from provider_settings import KEYS, MODELS
from test_live import rows

from haechi.judge.providers.keys import variable_of

OWN = "own-key-of-this-address"
ACCOUNT = {
    "OPENAI_API_KEY": KEYS["OPENAI_API_KEY"],
    "OPENAI_ORG_ID": "org-of-the-account",
    "OPENAI_PROJECT_ID": "project-of-the-account",
    "OPENAI_ADMIN_KEY": "admin-key-of-the-account",
    "OPENAI_CUSTOM_HEADERS": "X-Team: team-of-the-account\nauthorization: Bearer token-of-the-account",
}
WAYS = pytest.mark.parametrize("more", [(), ("--batch",)], ids=["live", "batch"])


@pytest.fixture
def server(server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    server.keep_headers = True
    return server


@pytest.fixture
def elsewhere(server: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address that is not on this machine; a proxy leads it to our server."""
    monkeypatch.setenv("HTTP_PROXY", server.url)
    return "openai:qwen3@http://models.invalid/v1"


def port(server: Any) -> str:
    return server.url.rpartition(":")[2]


def judge_and_collect(haechi: Any, study: Any, model: str, more: tuple[str, ...]) -> None:
    assert haechi("judge", study.folder, "--model", model, *more).code == 0
    assert haechi("collect", study.folder).code == 0
    assert set(study.ratings()["status"]) == {"ok"}


def authorizations(server: Any) -> set[str | None]:
    return {headers.get("authorization") for headers in server.headers}


@WAYS
def test_an_address_gets_nothing_of_the_account_at_openai(server, make_study, haechi, more):
    judge_and_collect(haechi, make_study(2), f"openai:qwen3@{server.url}/v1", more)
    assert authorizations(server) == {"Bearer none"}
    sent = str(server.headers).lower()
    assert "of-the-account" not in sent
    assert KEYS["OPENAI_API_KEY"] not in sent
    assert "openai-organization" not in sent


@WAYS
def test_an_address_gets_its_own_key(server, make_study, haechi, monkeypatch, tmp_path, more):
    monkeypatch.setenv(f"HAECHI_KEY_127_0_0_1_{port(server)}", OWN)
    judge_and_collect(haechi, make_study(2), f"openai:qwen3@{server.url}/v1", more)
    assert authorizations(server) == {f"Bearer {OWN}"}
    assert "of-the-account" not in str(server.headers)
    assert not any(OWN.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@WAYS
def test_the_address_in_the_variable_of_the_sdk_gets_the_account(
    server, make_study, haechi, monkeypatch, more
):
    monkeypatch.delenv("OPENAI_CUSTOM_HEADERS")
    judge_and_collect(haechi, make_study(2), "openai:gpt-5-mini", more)
    assert authorizations(server) == {f"Bearer {KEYS['OPENAI_API_KEY']}"}
    assert {headers["openai-organization"] for headers in server.headers} == {ACCOUNT["OPENAI_ORG_ID"]}


@pytest.mark.parametrize("lang", ["en", "ko"])
@WAYS
def test_a_server_that_wants_a_key_is_told_with_its_variable(
    server, make_study, haechi, monkeypatch, more, lang
):
    monkeypatch.setenv("HAECHI_LANG", lang)
    server.rejects = True
    study = make_study(1)
    for model, variable in (
        (f"openai:qwen3@{server.url}/v1", f"HAECHI_KEY_127_0_0_1_{port(server)}"),
        ("openai:gpt-5-mini", "OPENAI_API_KEY"),
    ):
        refused = haechi("judge", study.folder, "--model", model, *more)
        assert refused.code == 1
        assert variable in "".join((refused.out + refused.err).split())


@WAYS
def test_an_address_that_looks_alike_does_not_get_the_key(
    server, elsewhere, make_study, haechi, monkeypatch, more
):
    monkeypatch.setenv("HAECHI_PLAIN_HTTP", "1")
    monkeypatch.setenv("HAECHI_KEY_API_MODELS_INVALID", OWN)
    judge_and_collect(haechi, make_study(2), "openai:qwen3@http://api-models.invalid/v1", more)
    assert authorizations(server) == {"Bearer none"}


@pytest.fixture
def proxy(server: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A proxy for everything that keeps what passes it."""
    with running(Server(keep_headers=True)) as started:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, started.url)
            monkeypatch.setenv(name.lower(), started.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield started


@WAYS
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_what_is_for_this_machine_passes_no_proxy(server, proxy, make_study, haechi, monkeypatch, host, more):
    address = f"http://{host}:{port(server)}/v1"
    monkeypatch.setenv(variable_of(address), OWN)
    judge_and_collect(haechi, make_study(2), f"openai:qwen3@{address}", more)
    assert not proxy.seen
    assert authorizations(server) == {f"Bearer {OWN}"}


@WAYS
@pytest.mark.parametrize("model", MODELS)
def test_a_redirect_leads_neither_the_key_nor_the_question_away(server, make_study, haechi, model, more):
    study = make_study(2)
    with running(Server(keep_headers=True)) as other:
        server.leads_to = other.url
        told = haechi("judge", study.folder, "--model", model, *more)
        assert told.code == 1
        assert "redirects to another address" in told.out + told.err
        assert not other.seen
    assert not any(key in str(other.headers) for key in KEYS.values())


@pytest.mark.parametrize("model", MODELS)
def test_results_may_lie_elsewhere_but_the_key_does_not_go_there(server, make_study, haechi, model):
    study = make_study(2)
    assert haechi("judge", study.folder, "--model", model, "--batch").code == 0
    with running(Server(keep_headers=True)) as other:
        server.leads_to = other.url
        haechi("collect", study.folder)
        assert other.seen, "a download may be led away"
        sent = str(other.headers)
    assert not any(key in sent for key in (*KEYS.values(), *ACCOUNT.values()))


@WAYS
def test_a_key_is_not_sent_in_the_clear(server, elsewhere, make_study, haechi, monkeypatch, more):
    study = make_study(2)
    monkeypatch.setenv("HAECHI_KEY_MODELS_INVALID", OWN)
    refused = haechi("judge", study.folder, "--model", elsewhere, *more)
    assert refused.code == 1
    assert "HAECHI_PLAIN_HTTP=1" in refused.err
    assert not server.seen
    monkeypatch.setenv("HAECHI_PLAIN_HTTP", "1")
    judge_and_collect(haechi, study, elsewhere, more)
    assert authorizations(server) == {f"Bearer {OWN}"}


def test_nor_is_it_when_results_are_fetched(server, elsewhere, make_study, haechi, monkeypatch):
    study = make_study(2)
    assert haechi("judge", study.folder, "--model", elsewhere, "--batch").code == 0, "without a key it may"
    monkeypatch.setenv("HAECHI_KEY_MODELS_INVALID", OWN)
    server.seen.clear()
    refused = haechi("collect", study.folder)
    assert (refused.code, "HAECHI_PLAIN_HTTP=1" in refused.err) == (1, True)
    assert not server.seen
    assert rows(study, "SELECT state FROM batches") == [("submitted",)]
