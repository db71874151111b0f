"""A command of ours in a process of its own, which outlives the page and the server; what it says is a file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import orjson

from haechi.data.atomic_files import whole_file
from haechi.errors import HaechiError
from haechi.store.holders import new_holder, process_of
from haechi.text import Text, language

RunState = Literal["working", "ended", "broken"]
"""How a run stands: at work, ended with a result, or broken off."""
_LONGEST = 1_000_000
_BEGUN, _HOLDER = "run.json", "holder"


class Background:
    """One command after the other, each with its result in one file of a folder.

    What was begun is a file there too, so that a server that is started anew, or another one, knows it. working: the
    holders that are at work on it, whoever started them.
    """

    def __init__(self, folder: Path, name: str, working: Callable[[], Collection[str]] = lambda: ()) -> None:
        self._folder, self._said, self._notes = folder, folder / f"{name}.json", folder / f"{name}.txt"
        self._begun, self._working = folder / _BEGUN, working
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def begun(self) -> dict[str, Any]:
        """What was noted of the newest run as it began; nothing if there was none."""
        return {name: value for name, value in read_json(self._begun).items() if name != _HOLDER}

    @property
    def holder(self) -> str:
        """The process of the newest run as a holder; empty if that was never noted."""
        return str(read_json(self._begun).get(_HOLDER, ""))

    @property
    def running(self) -> bool:
        """Whether a command that this server started is at work."""
        return self._process is not None and self._process.poll() is None

    @property
    def is_working(self) -> bool:
        """Whether the newest run is at work, whoever started it."""
        return self.running or bool(self._working())

    @property
    def result(self) -> dict[str, Any]:
        """What the last command said; nothing before its end."""
        return {} if self.running else read_json(self._said)

    def outcome(self) -> tuple[RunState, dict[str, Any]]:
        """How the newest run stands, with its result once it has ended; asked first, whatever else is read is then all there."""
        if self.is_working:
            return "working", {}
        result = self.result
        return "ended" if result else "broken", result

    def check_idle(self, place: str, found: Text, expected: Text) -> None:
        """Refuse a second run beside one that is at work."""
        if self.is_working:
            todo = Text("끝나기를 기다리거나 멈추세요", "wait for the end, or stop what is at work")
            raise HaechiError.of(place, found, expected, todo)

    def begin(self, about: Mapping[str, Any], *words: str) -> None:
        """Start a run, and note what it is about and which process does it."""
        write_json(self._begun, about)
        write_json(self._begun, {**about, _HOLDER: new_holder(self.start(*words))})

    def start(self, *words: str) -> int:
        """Start a command with `--json`, whose words are in the language of who starts it; gives the number of its process."""
        self._folder.mkdir(exist_ok=True)
        self._said.unlink(missing_ok=True)
        with self._said.open("wb") as said, self._notes.open("wb") as notes:
            self._process = subprocess.Popen(  # noqa: S603 - no shell
                [sys.executable, "-m", "haechi.cli.start", *words, "--json", "--lang", language()],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=notes,
                start_new_session=True,  # Ctrl-C of the server is not meant for it
            )
        # Somebody has to hear of its end, or it stays in the list of processes.
        threading.Thread(target=self._process.wait, daemon=True).start()
        return self._process.pid

    def stop(self) -> None:
        """End a run in order, whoever started it: what is on its way comes back and is kept, and a second stop cuts nothing off."""
        if self._process is not None and self.running:
            self._process.terminate()
            return
        for holder in self._working():
            if (process := process_of(holder)) is not None:
                with suppress(ProcessLookupError):  # it has just come to its end
                    os.kill(process, signal.SIGTERM)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write an object; whoever reads sees the former one or all of the new one."""
    path.parent.mkdir(exist_ok=True)
    with whole_file(path) as temporary:
        temporary.write_bytes(orjson.dumps(value))


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file; nothing where there is no file, or not yet all of it."""
    try:
        with path.open("rb") as file:
            found = orjson.loads(file.read(_LONGEST))
    except (OSError, orjson.JSONDecodeError):
        return {}
    return found if isinstance(found, dict) else {}
