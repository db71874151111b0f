"""A folder that is there whole or not at all."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from haechi.errors import HaechiError
from haechi.text import Text


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A temporary folder beside `path` that takes its name when everything was written; what is there is not touched."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        expected = Text("없거나 빈 폴더", "a folder that is not there yet, or empty")
        todo = Text("다른 이름을 고르거나 비우세요", "choose another name, or empty it")
        raise HaechiError.of(str(path), Text("이미 있음", "it is there already"), expected, todo)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    temporary.mkdir()
    try:
        yield temporary
        if path.exists():
            path.rmdir()
        temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
