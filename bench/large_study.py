"""A study with very many agent runs: how long and how much memory `haechi add` and `haechi score` take.

    python -m bench.large_study [--rows 1000000]

Memory is the peak of the command and all its children together.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.runs import DATA, generate, memory_of

LIMIT = 2000.0


def command(*arguments: object) -> tuple[float, float]:
    """Run a command; seconds and peak megabytes."""
    start, peak = time.perf_counter(), 0.0
    whole = [sys.executable, "-m", "haechi.cli.start", *map(str, arguments)]
    with subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, memory_of(process.pid))
            time.sleep(0.05)
    if process.returncode:
        raise RuntimeError(f"{arguments[0]} failed")
    return time.perf_counter() - start, peak


def main(argv: list[str] | None = None) -> int:
    """Make the data if need be, run all commands, print the table; 1 if one takes too much memory."""
    options = argparse.ArgumentParser(prog="bench.large_study", description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    rows = options.parse_args(argv).rows
    sources = [DATA / f"runs-{rows}.{kind}" for kind in ("jsonl", "parquet")]
    if not sources[1].exists():
        generate(rows, *sources)
    print(f"{rows:,} runs\n\n{'':28}{'seconds':>9}{'runs/s':>12}{'peak MB':>9}")
    most = 0.0
    for source in sources:
        with tempfile.TemporaryDirectory() as folder:
            study = Path(folder) / "study"
            command("new", study, "--rubric", "hiring-agent")
            for name in ("add", "add again", "score"):
                more = () if name == "score" else (source,)
                seconds, peak = command(name.split()[0], study, *more)
                most = max(most, peak)
                print(f"{name + ', ' + source.suffix:28}{seconds:9.1f}{rows / seconds:12,.0f}{peak:9.0f}")
    print(
        f"\npeak memory, MB {most:10.0f}   target <= {LIMIT:g}   {'reached' if most <= LIMIT else 'missed'}"
    )
    return 0 if most <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
