"""Agents by name, as they are given on the command line."""

from __future__ import annotations

from pathlib import Path

from haechi.agents.command import CommandAgent
from haechi.agents.description import read_description
from haechi.agents.http import HttpAgent, chat_agent
from haechi.agents.reply import Agent
from haechi.errors import HaechiError
from haechi.judge.providers.keys import mask
from haechi.judge.providers.models import parse_model, talking_models, talks
from haechi.text import Text


def agent_of(spec: str) -> Agent:
    """The agent that is meant: `openai:MODEL[@URL]`, or a description in a YAML file.

    >>> agent_of("agent.txt")
    Traceback (most recent call last):
    ...
    haechi.errors.HaechiError: --agent: agent.txt — 필요한 값: openai:모델[@주소] 또는 에이전트를 설명한 YAML 파일. 해결 방법: docs/running-agents.ko.md의 예를 보고 --agent를 고치세요
    """
    path = Path(spec)
    if path.suffix.lower() in (".yaml", ".yml"):
        description = read_description(path)
        name = description.name or path.stem
        if description.command is not None:
            return CommandAgent(name, description, path.resolve().parent)
        return HttpAgent(name, description)
    if talks(spec):
        return chat_agent(parse_model(spec))
    named = talking_models()
    expected = Text(
        f"{named.ko} 또는 에이전트를 설명한 YAML 파일",
        f"{named.say('en')}, or a YAML file that describes the agent",
    )
    todo = Text(
        "docs/running-agents.ko.md의 예를 보고 --agent를 고치세요",
        "see the examples in docs/running-agents.md and correct --agent",
    )
    raise HaechiError.of("--agent", mask(spec[:200]), expected, todo)
