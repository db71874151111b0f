"""Studies to judge, and the server that stands for the providers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from server import Server, running

from haechi.study import Study

KEYS = {
    "OPENAI_API_KEY": "sk-proj-secretsecret0001",
    "ANTHROPIC_API_KEY": "sk-ant-secretsecret0002",
    "GEMINI_API_KEY": "AIzaSecretSecretSecretSecret0003",
}
MODELS = ("openai:gpt-5-mini", "anthropic:claude-haiku-4-5", "gemini:gemini-2.5-flash")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The three providers on this machine; the SDKs find them by their own environment variables."""
    with running(Server()) as started:
        for name, value in (KEYS | addresses(started.url)).items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
        yield started


def addresses(url: str) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_BASE_URL": url,
        "GOOGLE_GEMINI_BASE_URL": f"{url}/google",
    }


@pytest.fixture
def make_study(tmp_path: Path) -> Callable[..., Study]:
    """A study of diaries whose texts carry their ids."""

    def made(count: int, rubric: str = "diary-comment") -> Study:
        study = Study.new(tmp_path / "study", rubric)
        file = tmp_path / "items.jsonl"
        with file.open("w") as out:
            for number in range(count):
                talk = [
                    {"role": "user", "content": f"항목<d{number}> 도함수?"},
                    {"role": "assistant", "content": "네"},
                ]
                reply = {"context": f"항목<d{number}> 비가 왔다.", "response": "우산은 챙기셨어요?"}
                content = {"messages": talk} if study.rubric.item == "dialogue" else reply
                out.write(json.dumps({"id": f"d{number}", **content}) + "\n")
        study.add([file])
        return study

    return made
