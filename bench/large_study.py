"""A study with very many agent runs: how long and how much memory the commands take.

python -m bench large_study [--rows 1000000]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.results import Ratio, Result
from bench.runs import DATA, generate
from bench.watched import watch

HAECHI = (sys.executable, "-m", "haechi.cli.start")
COMMANDS = ("add", "add again", "score", "report", "check")


def main(options: list[str]) -> list[Result]:
    """Make the data if need be, and run the commands on a study from JSONL and on one from Parquet."""
    parser = argparse.ArgumentParser("bench large_study", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    count = parser.parse_args(options).rows
    sources = [DATA / f"runs-{count}.{kind}" for kind in ("jsonl", "parquet")]
    generate(count, *sources)
    rows, most = [], 0.0
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            study = str(Path(folder) / "study")
            watch([*HAECHI, "new", study, "--rubric", "hiring-agent"])
            for name in COMMANDS:
                command = name.split()[0]
                more = {
                    "add": [str(source)],
                    "report": ["-o", str(Path(folder) / "report")],
                    "check": ["--list"],
                }
                took = watch([*HAECHI, command, study, *more.get(command, [])])
                most = max(most, took.megabytes)
                figures = (f"{took.seconds:.1f}", f"{count / took.seconds:,.0f}", f"{took.megabytes:.0f}")
                rows.append((f"{name}, {source.suffix[1:]}", *figures))
    title = f"A study of {count:,} agent runs"
    ratios = (Ratio("peak memory, MB", most, "<=", 2000.0),)
    return [Result(title, ("", "seconds", "runs/s", "peak MB"), tuple(rows), ratios)]
