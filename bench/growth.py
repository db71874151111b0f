"""How cost grows with the number of rows: whole commands at 10³, 10⁴ … rows, and the slope on logarithmic axes.

    python -m bench growth [--most 1000000]

A slope of 1 is cost (CPU seconds of all processes) in proportion to rows. The start of the command is in the figures,
so small sizes look flat; the slope that counts is the one between the two largest sizes.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.agree_file import CRITERIA, RATERS, write
from bench.results import Ratio, Result
from bench.runs import DATA, generate
from bench.watched import watch

HAECHI = (sys.executable, "-m", "haechi.cli.start")
Command = Callable[[int, Path], list[str]]


def main(options: list[str]) -> list[Result]:
    """Run every command at every size."""
    parser = argparse.ArgumentParser("bench growth", description=__doc__)
    parser.add_argument("--most", type=int, default=1_000_000, help="rows of the largest size")
    most = parser.parse_args(options).most
    sizes = [10**power for power in range(3, 8) if 10**power <= most]
    rows, ratios = [], []
    for name, command in COMMANDS.items():
        found = list(_measured(name, command, sizes))
        rows += [row for row, _ in found]
        (before, earlier), (after, later) = (found[-2][1], found[-1][1])
        slope = math.log(later / earlier) / math.log(after / before)
        ratios.append(Ratio(f"slope of {name}, {before:,} to {after:,} rows", slope, "<=", 1.05))
    return [
        Result(
            "Whole commands",
            ("", "rows", "seconds", "CPU s", "rows/s", "peak MB"),
            tuple(rows),
            tuple(ratios),
        )
    ]


def _measured(
    name: str, command: Command, sizes: list[int]
) -> Iterator[tuple[tuple[str, ...], tuple[int, float]]]:
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            took = watch(command(size, Path(folder)))
            figures = (
                f"{took.seconds:.1f}",
                f"{took.cpu:.1f}",
                f"{size / took.seconds:,.0f}",
                f"{took.megabytes:.0f}",
            )
            yield (name, f"{size:,}", *figures), (size, took.cpu)


def _runs(kind: str) -> Command:
    def command(rows: int, folder: Path) -> list[str]:
        files = {ending: DATA / f"runs-{rows}.{ending}" for ending in ("jsonl", "parquet")}
        generate(rows, files["jsonl"], files["parquet"])
        return [
            *HAECHI,
            "score",
            str(files[kind]),
            "--rubric",
            "hiring-agent",
            "-o",
            str(folder / "scores.parquet"),
        ]

    return command


def _agree(rows: int, folder: Path) -> list[str]:
    path = folder / "ratings.parquet"
    write(path, max(1, rows // (CRITERIA * RATERS)), "names")
    return [*HAECHI, "agree", str(path), "--json"]


COMMANDS: dict[str, Command] = {
    "score, Parquet": _runs("parquet"),
    "score, JSONL": _runs("jsonl"),
    "agree, Parquet": _agree,
}
