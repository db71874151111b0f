"""A command watched while it runs: seconds, CPU seconds, and the memory of it and all its children together."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Watched:
    """What a command took, and what it printed."""

    seconds: float
    cpu: float
    megabytes: float
    printed: str


def watch(command: Sequence[str], folder: Path | None = None) -> Watched:
    """Run a command to its end; one that fails is an error."""
    start, used = time.perf_counter(), _cpu_seconds()
    with tempfile.TemporaryFile(
        "w+"
    ) as output:  # a pipe that nobody reads would fill up and stop the command
        process = subprocess.Popen(command, stdout=output, cwd=folder)
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, _memory_of(process.pid))
            time.sleep(0.05)
        seconds = time.perf_counter() - start
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
        output.seek(0)
        return Watched(seconds, _cpu_seconds() - used, peak, output.read())


def _cpu_seconds() -> float:
    """What all processes started from here and ended since have used; less sensitive to neighbours than time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory_of(process: int) -> float:
    """Resident megabytes of a process and its children; those that end meanwhile count nothing."""
    try:
        resident = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        threads = list(Path(f"/proc/{process}/task").iterdir())
        children = [child for thread in threads for child in (thread / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return resident * os.sysconf("SC_PAGE_SIZE") / 1e6 + sum(_memory_of(int(child)) for child in children)
