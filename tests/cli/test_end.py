"""A command that ends at once has said everything, told its code, and left nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import haechi.demo

RUNS = Path(haechi.demo.__file__).parent / "data" / "hiring-agent" / "runs.csv"
ENDING = """
import atexit, sys
from haechi.cli.start import start
from haechi.scoring import batches
batches._FEW = 0  # so that scores wait on disk
atexit.register(lambda: print("the end"))
start()
"""


def ended(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", ENDING, *map(str, arguments)],
        env={**os.environ, "TMPDIR": str(folder), "HAECHI_LANG": "en"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_all_is_said_and_nothing_stays_behind(tmp_path):
    ran = ended(tmp_path, "score", RUNS, "--rubric", "hiring-agent")
    assert ran.returncode == 0, ran.stderr
    assert "overall" in ran.stdout
    assert ran.stdout.endswith("the end\n")
    assert list(tmp_path.iterdir()) == []


def test_the_code_is_told(tmp_path):
    assert ended(tmp_path, "score", tmp_path / "none.csv", "--rubric", "hiring-agent").returncode == 1
    assert ended(tmp_path, "score").returncode == 2


def test_output_that_nobody_reads_to_its_end_is_no_failure(tmp_path):
    command = [
        sys.executable,
        "-c",
        "from haechi.cli.start import start; start()",
        "rubrics",
        "show",
        "maice-qac",
    ]
    table = [*command[:3], "score", RUNS, "--rubric", "hiring-agent"]
    for one in (command, table):
        with subprocess.Popen(list(map(str, one)), stdout=subprocess.PIPE, cwd=tmp_path) as running:
            assert running.stdout is not None
            running.stdout.close()
        assert running.returncode == 0, one
