"""Descriptions of agents come from strangers: what is wrong is named by its line, and a key leaves for its host only."""

from __future__ import annotations

import pytest

from haechi.agents.spec import agent_of
from haechi.errors import HaechiError

HERE = "url: http://127.0.0.1:8000/ask\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: x\n", ["agent.yaml:1", "either `url:` or `command:`"]),
        (HERE + "command: [python]\n", ["both or neither"]),
        (HERE + "methd: POST\n", ["agent.yaml:2, methd", "unknown key methd"]),
        (HERE + "answer:\n  message: a..b\n", ["agent.yaml:3, answer.message", "a path such as"]),
        (HERE + "body: {q: $question}\n", ["agent.yaml:2, body", "$question", "$query"]),
        ("url: ftp://example.com/\n", ["agent.yaml:1, url", "http://"]),
        ("url: https://$query.example.com/\n", ["whose host has no $"]),
        ("url: https://${HOST}/ask\n", ["whose host has no $"]),
        ("url: https://key@example.com/\n", ["whose host has no $ or @"]),
        ("url: http://[::1/\n", ["agent.yaml:1, url"]),
        (
            HERE + "body: {question: '{{query}}'}\n",
            ["agent.yaml:2, body", "no place for the query", "$query or $messages"],
        ),
        (HERE + "message: answer\n", ["agent.yaml:2, message", "stand below answer"]),
        ("command: []\n", ["at least 1 entries"]),
        ("a: [\n", ["agent.yaml:2", "YAML"]),
        ("", ["agent.yaml:1", "an empty file"]),
        (HERE + "headers: {X: ${NOT_SET}}\n", ["agent.yaml"]),
        (HERE + "headers: {X: '${NOT_SET}'}\n", ["environment variable NOT_SET", "export NOT_SET"]),
        (
            HERE + "headers: {X: '${OPENAI_API_KEY}'}\n",
            ["a key for another host", "HAECHI_KEY_127_0_0_1_8000"],
        ),
        (HERE + "body: {k: '${HAECHI_KEY_EXAMPLE_COM}', q: $query}\n", ["a key for another host"]),
        (HERE + "headers: {X: '${BROKEN}'}\n", ["${BROKEN}", "a line break or a control character"]),
        ("url: http://agent.example.com/\nheaders: {X: '${TEAM}'}\n", ["sent unencrypted", "https://"]),
    ],
)
def test_a_wrong_description_is_refused_in_words(write, monkeypatch, text, words):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret")
    monkeypatch.setenv("HAECHI_KEY_EXAMPLE_COM", "secret-secret")
    monkeypatch.setenv("TEAM", "hiring-team-1")
    monkeypatch.setenv("BROKEN", "secret-of-two\nlines")
    with pytest.raises(HaechiError) as raised:
        agent_of(str(write("agent.yaml", text)))
    for word in words:
        assert word in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a: 1\n" * 300_000])
def test_a_file_that_is_none_is_refused(write, content):
    with pytest.raises(HaechiError, match="at most 1 MiB"):
        agent_of(str(write("agent.yaml", content)))


def test_its_own_key_may_leave(write, monkeypatch):
    monkeypatch.setenv("HAECHI_KEY_AGENT_EXAMPLE_COM", "secret-secret")
    text = "url: https://agent.example.com/a\nheaders: {Authorization: 'Bearer ${HAECHI_KEY_AGENT_EXAMPLE_COM}'}\n"
    about = agent_of(str(write("agent.yaml", text))).about
    assert about == {
        "agent": "agent",
        "at": "https://agent.example.com/a",
        "variables": ["HAECHI_KEY_AGENT_EXAMPLE_COM"],
    }
