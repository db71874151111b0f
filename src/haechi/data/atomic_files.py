"""Files and folders that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from haechi.errors import HaechiError
from haechi.text import Text


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place only when everything was written.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with whole_file(file) as temporary:
    ...     _ = temporary.write_text("all of it")
    >>> [one.name for one in file.parent.iterdir()]
    ['note.txt']
    """
    if not path.parent.is_dir():
        todo = Text("폴더를 먼저 만드세요", "make the folder first")
        expected = Text("있는 폴더", "a folder that exists")
        raise HaechiError.of(str(path), Text("폴더가 없음", "no such folder"), expected, todo)
    temporary = temporary_name(path)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A temporary folder that takes the place of `path`, and of what is there, when everything was written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary, before = temporary_name(path), temporary_name(path)
    temporary.mkdir()
    try:
        yield temporary
        if path.exists():
            path.rename(before)
        temporary.rename(path)
        shutil.rmtree(before, ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A whole folder where there is none yet, or an empty one; what is there is not touched."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        expected = Text("없거나 빈 폴더", "a folder that is not there yet, or empty")
        todo = Text("다른 이름을 고르거나 비우세요", "choose another name, or empty it")
        raise HaechiError.of(str(path), Text("이미 있음", "it is there already"), expected, todo)
    with whole_folder(path) as temporary:
        yield temporary


def temporary_name(path: Path) -> Path:
    """A name beside a path that nobody else has: another machine may write the same to the same disk."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}")
