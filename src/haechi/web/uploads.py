"""Files on their way in: kept aside until the owner has confirmed how they are read."""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import threading
import time
import unicodedata
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request

from haechi.errors import HaechiError
from haechi.text import Text

_LARGEST = 512 * 1024 * 1024
_MOST_FILES = 50
_MOST_TRAYS = 50
_KEPT = 6 * 3600.0
_PIECE = 1024 * 1024
_LONGEST_NAME = 150
_STRANGE = re.compile(r'[\x00-\x1f\x7f<>:"|?*]')


@dataclass
class Tray:
    """Files that were dropped in together and are to be read in one way."""

    id: str
    what: str
    folder: Path
    files: list[Path] = field(default_factory=list)
    touched: float = field(default_factory=time.monotonic)


class Trays:
    """The trays of one study; what nobody confirms is removed after some hours, and when the server ends."""

    def __init__(self) -> None:
        self._trays: dict[str, Tray] = {}
        self._lock = threading.Lock()
        self._place: Path | None = None

    def new(self, what: str) -> Tray:
        """An empty tray."""
        with self._lock:
            self._sweep()
            if self._place is None:
                self._place = Path(tempfile.mkdtemp(prefix="haechi-files-"))
                weakref.finalize(self, shutil.rmtree, self._place, ignore_errors=True)
            name = secrets.token_urlsafe(12)
            tray = self._trays[name] = Tray(name, what, self._place / name)
            tray.folder.mkdir()
            return tray

    def get(self, name: str) -> Tray:
        """A tray that is still there."""
        tray = self._trays.get(name)
        if tray is None:
            raise HTTPException(404, "tray")
        tray.touched = time.monotonic()
        return tray

    def drop(self, name: str) -> None:
        """Remove a tray; one that is gone already is no mistake."""
        with self._lock:
            tray = self._trays.pop(name, None)
        if tray is not None:
            shutil.rmtree(tray.folder, ignore_errors=True)

    def _sweep(self) -> None:
        by_age = sorted(self._trays.values(), key=lambda tray: tray.touched)
        since = time.monotonic() - _KEPT
        for tray in by_age[: max(0, len(by_age) - _MOST_TRAYS + 1)] + [
            t for t in by_age if t.touched < since
        ]:
            self._trays.pop(tray.id, None)
            shutil.rmtree(tray.folder, ignore_errors=True)


async def receive(request: Request, tray: Tray, name: str) -> Path:
    """Write the body of a request into a tray, piece by piece; nothing of a file that did not arrive whole is kept."""
    if len(tray.files) >= _MOST_FILES:
        raise _too_much(name, Text(f"파일 {_MOST_FILES}개 초과", f"more than {_MOST_FILES} files"))
    path = await run_in_threadpool(_free_path, tray, name)
    try:
        await _write(request, path)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            expected = Text("임시 폴더의 빈 공간", "free space in the temporary folder")
            todo = Text("공간을 비운 뒤 다시 올리세요", "free some space and upload it again")
            raise HaechiError.of(path.name, error.strerror or type(error).__name__, expected, todo) from None
        raise
    tray.files.append(path)
    return path


async def _write(request: Request, path: Path) -> None:
    size, waiting = 0, bytearray()
    with path.open("wb") as file:
        write: Callable[[bytes], int] = file.write
        async for chunk in request.stream():
            size += len(chunk)
            if size > _LARGEST:
                raise _too_much(path.name, Text("512 MiB 초과", "more than 512 MiB"))
            waiting += chunk
            if len(waiting) >= _PIECE:
                await run_in_threadpool(write, bytes(waiting))
                waiting.clear()
        await run_in_threadpool(write, bytes(waiting))


def _too_much(name: str, found: Text) -> HaechiError:
    expected = Text("512 MiB 이하의 파일, 한 번에 50개까지", "files of at most 512 MiB, 50 at a time")
    todo = Text("더 큰 것은 haechi add로 넣으세요", "bring in larger ones with haechi add")
    return HaechiError.of(name, found, expected, todo)


def _free_path(tray: Tray, name: str) -> Path:
    wished = Path(safe_name(name))
    for number in range(1, _MOST_FILES + 2):
        called = wished.name if number == 1 else f"{wished.stem} ({number}){wished.suffix}"
        try:
            (tray.folder / called).touch(exist_ok=False)
        except FileExistsError:
            continue
        return tray.folder / called
    raise HTTPException(409)


def safe_name(name: str) -> str:
    """A file's own name without any folder, as it may stand on the disk and in a message.

    >>> safe_name("..\\\\..\\\\etc/평가.xlsx"), safe_name("../.."), safe_name(".env"), safe_name("a\\x00b.csv")
    ('평가.xlsx', 'file', 'env', 'ab.csv')
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    text = "".join(sign for sign in _STRANGE.sub("", last) if not "\ud800" <= sign <= "\udfff")
    plain = text.strip().lstrip(".").strip() or "file"
    stem, dot, ending = plain.rpartition(".")
    if len(plain.encode()) <= _LONGEST_NAME:
        return plain
    ending = f".{ending[:20]}" if dot else ""
    return (stem or plain).encode()[: _LONGEST_NAME - len(ending.encode())].decode("utf-8", "ignore") + ending
