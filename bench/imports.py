"""`haechi import` of a long CSV of ratings, next to reading it with Polars and inserting it with SQLite's `executemany`.

`python -m bench imports` takes a million ratings; `python -m bench imports 200000` takes that many.

The floor keeps what every rating of the file is kept with, in a table with a numbered key and written as ours is. It checks
nothing, knows no items and raters, has no index against rating twice, and nothing can be taken back.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from bench.results import Ratio, Result
from bench.watched import watch

HAECHI = (sys.executable, "-m", "haechi.cli.start")
RATINGS = 1_000_000
CRITERIA, RATERS = ("sensibleness", "specificity", "sympathy"), ("kim", "lee", "park")
FLOOR = """
import sqlite3, sys
import polars as pl
KEPT = {"replicate": 1, "status": "ok", "rubric": "0" * 12, "arrival": "0" * 32, "at": "2026-01-01T00:00:00+00:00"}
with sqlite3.connect(sys.argv[2]) as database:
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(
        "CREATE TABLE ratings (number INTEGER PRIMARY KEY, item TEXT, criterion TEXT, rater TEXT, value TEXT, "
        "replicate INTEGER, status TEXT, rubric TEXT, arrival TEXT, at TEXT, "
        "evidence TEXT, reason TEXT, stance TEXT, replaces INTEGER)"
    )
    frame = pl.read_csv(sys.argv[1], infer_schema=False)
    frame = frame.with_columns(pl.lit(value).alias(name) for name, value in KEPT.items())
    names, places = ", ".join(frame.columns), ", ".join("?" * frame.width)
    database.executemany(f"INSERT INTO ratings ({names}) VALUES ({places})", frame.iter_rows())
database.close()
"""


def main(arguments: Sequence[str] = ()) -> list[Result]:
    """Import the same table both ways, a third and a tenth of it first: what grows faster than the rows shows."""
    most = int(arguments[0]) if arguments else RATINGS
    rows, taken = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for count in (most // 10, most * 3 // 10, most):
            file, study = write(Path(folder) / f"{count}.csv", count), f"{folder}/study-{count}"
            floor = watch([sys.executable, "-c", FLOOR, str(file), f"{folder}/{count}.db"])
            watch([*HAECHI, "new", study, "--rubric", "diary-comment"])
            ours = watch([*HAECHI, "import", study, str(file), "--json"])
            each = [f"{took.cpu / count * 1e6:.1f}" for took in (floor, ours)]
            rows.append((f"{count:,}", *each, f"{ours.cpu / floor.cpu:.1f}", f"{ours.megabytes:.0f}"))
            taken[count] = ours
    few, many = taken[most // 10], taken[most]
    return [
        Result(
            "CPU of `haechi import` of a long CSV",
            ("ratings", "Polars + executemany, µs a row", "haechi import, µs a row", "ratio", "peak MB"),
            tuple(rows),
            (
                Ratio("CPU of an import to Polars + executemany", many.cpu / floor.cpu, "<=", 4),
                Ratio("slope of an import, a tenth to all", math.log10(many.cpu / few.cpu), "<=", 1.05),
                Ratio("memory at ten times the ratings", many.megabytes / few.megabytes, "<=", 1.2),
            ),
        )
    ]


def write(path: Path, count: int) -> Path:
    """A long table: three raters, three criteria."""
    cells = len(CRITERIA) * len(RATERS)
    number = pl.int_range(count, eager=True)
    table = pl.DataFrame({"n": number}).select(
        item=pl.format("diary-{}", pl.col("n") // cells),
        criterion=pl.Series(CRITERIA).gather(number % 3),
        rater=pl.Series(RATERS).gather(number // 3 % 3),
        value=pl.col("n") * 7 % 5 % 2,
    )
    table.write_csv(path)
    return path
