"""`haechi agree FILE.parquet` on a long table: seconds and memory of the whole command.

`python -m bench agree_file` takes 30 million rows (1,000,000 items × 10 criteria × 3 raters), once with whole
numbers and once with names as item ids; `python -m bench agree_file 100000` takes that many items.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.results import Result
from bench.watched import watch

ITEMS, CRITERIA, RATERS = 1_000_000, 10, 3
STEP = 100_000


def main(arguments: Sequence[str] = ()) -> list[Result]:
    """Write the tables, run the command on each."""
    items = int(arguments[0]) if arguments else ITEMS
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for ids in ("whole numbers", "names"):
            path = Path(folder) / "ratings.parquet"
            write(path, items, ids)
            took = watch([sys.executable, "-m", "haechi.cli.start", "agree", str(path), "--json"])
            rows.append(
                (ids, f"{items * CRITERIA * RATERS:,}", f"{took.seconds:.1f}", f"{took.megabytes:.0f}")
            )
    return [Result("`haechi agree FILE.parquet`", ("item ids", "rows", "seconds", "peak MB"), tuple(rows))]


def write(path: Path, items: int, ids: str) -> None:
    """A long table: raters who see the same quality and are off by one point now and then."""
    random = np.random.default_rng(7)
    criteria = pa.array([f"criterion-{i}" for i in range(CRITERIA)])
    raters = pa.array([f"rater-{i}" for i in range(RATERS)])
    writer = None
    for start in range(0, items, STEP):
        size = min(STEP, items - start)
        rows = size * CRITERIA * RATERS
        number = np.repeat(np.arange(start, start + size), CRITERIA * RATERS)
        quality = np.repeat(random.integers(1, 6, size * CRITERIA), RATERS)
        slip = random.integers(-1, 2, rows) * (random.random(rows) < 0.4)
        names = pa.array([f"session-{i}" for i in range(start, start + size)])
        table = pa.table(
            {
                "item": pa.array(number) if ids == "whole numbers" else names.take(pa.array(number - start)),
                "criterion": criteria.take(pa.array(np.tile(np.repeat(np.arange(CRITERIA), RATERS), size))),
                "rater": raters.take(pa.array(np.tile(np.arange(RATERS), size * CRITERIA))),
                "value": np.clip(quality + slip, 1, 5).astype(np.float64),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
