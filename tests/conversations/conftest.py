"""Conversations through the real command line: a file goes in, and what the study holds is looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from haechi.study.study import Study


class Heard:
    """What `haechi add` did with a file, and the conversations that are in the study now."""

    def __init__(self, ran: Any, folder: Path) -> None:
        self.ran, self.code = ran, ran.code
        self.items = list(Study(folder).items())

    @property
    def json(self) -> Any:
        return json.loads(self.ran.out)

    @property
    def said(self) -> list[str]:
        """Every message as `role name: text`."""
        return [
            " ".join(filter(None, (m["role"], m.get("name")))) + f": {m['content']}"
            for item in self.items
            for m in item.content["messages"]
        ]

    @property
    def error(self) -> dict[str, str]:
        (error,) = self.json["error"]
        return error


@pytest.fixture
def add(haechi: Callable[..., Any], tmp_path: Path) -> Callable[..., Heard]:
    """Add a file to a new study of dialogues."""
    number = 0

    def added(name: str, content: str | bytes, *options: object) -> Heard:
        nonlocal number
        number += 1
        folder = tmp_path / f"study{number}"
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        assert haechi("new", folder, "--rubric", "ubica").code == 0
        return Heard(haechi("add", folder, file, *options, "--json"), folder)

    return added
