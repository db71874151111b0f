"""`haechi import` of a long CSV of ratings, next to reading it with Polars and inserting it with SQLite's `executemany`.

`python -m bench imports` takes a million ratings; `python -m bench imports 200000` takes that many.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from bench.results import Ratio, Result
from haechi.study import Study

RATINGS = 1_000_000
CRITERIA, RATERS = ("sensibleness", "specificity", "sympathy"), ("kim", "lee", "park")


def main(arguments: Sequence[str] = ()) -> list[Result]:
    """Import the same table both ways, half of it first: what grows faster than the rows shows."""
    most = int(arguments[0]) if arguments else RATINGS
    rows, ratio = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for count in (most // 2, most):
            file = write(Path(folder) / f"{count}.csv", count)
            plain = _seconds(lambda file=file: insert(file))  # type: ignore[misc]
            study = Study.new(Path(folder) / f"study-{count}", "diary-comment")
            ours = _seconds(lambda file=file, study=study: study.import_ratings([file]))  # type: ignore[misc]
            ratio = ours / plain
            each = [f"{seconds / count * 1e6:.1f}" for seconds in (plain, ours)]
            rows.append((f"{count:,}", *each, f"{ratio:.1f}"))
    head = ("ratings", "Polars + executemany, µs a row", "haechi import, µs a row", "ratio")
    return [
        Result(
            "CPU of `haechi import` of a long CSV",
            head,
            tuple(rows),
            (Ratio("CPU of an import to Polars + executemany", ratio, "<=", 4),),
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


def insert(file: Path) -> None:
    """What an import costs at least: no rule is checked, and nothing can be taken back."""
    with sqlite3.connect(file.with_suffix(".db")) as database:
        database.execute("CREATE TABLE ratings (item TEXT, criterion TEXT, rater TEXT, value TEXT)")
        frame = pl.read_csv(file, infer_schema=False)
        database.executemany("INSERT INTO ratings VALUES (?, ?, ?, ?)", frame.iter_rows())


def _seconds(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before
