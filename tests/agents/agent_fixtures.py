"""An agent on a real port, its description, and studies to run it in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_server import TOKEN, AgentServer, running
from haechi.study.study import Study

DESCRIPTION = """
name: test-agent
url: {url}/ask
headers: {{Authorization: "Bearer ${{AGENT_TOKEN}}"}}
body: {{q: $query, id: $id, turn: $turn, session: $session, history: $messages, about: $context}}
answer: {{payload: data, message: data.assistantMessage, session: session, error: error}}
"""


@pytest.fixture
def agent() -> Iterator[AgentServer]:
    with running(AgentServer()) as server:
        yield server


@pytest.fixture
def described(agent: AgentServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The description of the agent, in a file."""
    monkeypatch.setenv("AGENT_TOKEN", TOKEN)
    file = tmp_path / "agent.yaml"
    file.write_text(DESCRIPTION.format(url=agent.url), "utf-8")
    return str(file)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.new(tmp_path / "hiring", "hiring-agent")
