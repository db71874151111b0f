"""A command of ours in a process of its own, which outlives the page and the server; what it says is a file."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from haechi.data.atomic_files import whole_file
from haechi.text import language

_LONGEST = 1_000_000
# A server that a script started in the background ignores Ctrl-C, and so would what it starts.
_START = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from haechi.cli.start import start
start()
"""


class Background:
    """One command after the other, each with its result in one file of a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._said, self._notes = folder, folder / f"{name}.json", folder / f"{name}.txt"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether a command that this server started is at work."""
        return self._process is not None and self._process.poll() is None

    @property
    def process(self) -> int | None:
        """The number of the process that this server started last."""
        return None if self._process is None else self._process.pid

    @property
    def result(self) -> dict[str, Any]:
        """What the last command said; nothing before its end."""
        return {} if self.running else read_json(self._said)

    def start(self, *words: str) -> None:
        """Start a command with `--json`, whose words are in the language of who starts it."""
        self._folder.mkdir(exist_ok=True)
        self._said.unlink(missing_ok=True)
        with self._said.open("wb") as said, self._notes.open("wb") as notes:
            self._process = subprocess.Popen(  # noqa: S603 - no shell
                [sys.executable, "-c", _START, *words, "--json", "--lang", language()],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=notes,
                start_new_session=True,  # Ctrl-C of the server is not meant for it
            )
        # Somebody has to hear of its end, or it stays in the list of processes.
        threading.Thread(target=self._process.wait, daemon=True).start()

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        if self._process is not None and self.running:
            self._process.send_signal(signal.SIGINT)


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
