"""The constants behind docs/scale.md, measured in one process with one polars thread; CPU time, not the clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RUNS = 100_000
PARTITIONS = 4
TASKS = 5_000


def measured() -> dict[str, float]:
    """Measure in a fresh process, since polars reads the number of its threads when it is imported."""
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
    command = [sys.executable, "-m", "bench.scale_constants"]
    ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return found


def _measure() -> dict[str, float]:
    import pickle

    import haechi
    from bench.runs import generate
    from haechi.scoring.distributed_scores import Job, score_partition
    from haechi.scoring.run_sources import movable_parts
    from haechi.scoring.runs.measure import LabelRules
    from haechi.scoring.runs.partitions import compare_repeats, measure_partition, partitions_of

    rubric = haechi.rubric("hiring-agent")
    million = RUNS / 1e6
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        jsonl, parquet = folder / "runs.jsonl", folder / "runs.parquet"
        generate(RUNS, jsonl, parquet)
        rules = LabelRules.of(rubric.run)
        lines = partitions_of(list(movable_parts(jsonl, ())), folder / "lines", PARTITIONS)
        slices = partitions_of(list(movable_parts(parquet, ())), folder / "slices", PARTITIONS)
        measure_partition(slices[-1], rules, 2)  # warm
        from_jsonl, _ = _timed(lambda: [measure_partition(one, rules, 2) for one in lines])
        from_parquet, pieces = _timed(lambda: [measure_partition(one, rules, 2) for one in slices[:-1]])
        pieces.append(measure_partition(slices[-1], rules, 2))
        compare, compared = _timed(lambda: [compare_repeats([p[b] for p in pieces]) for b in range(2)])
        (folder / "out").mkdir()
        job = Job(rubric, rubric.missing, (("round",), ("category",)), (), "en", folder / "out")
        score, _ = _timed(
            lambda: [score_partition(one, [c[n] for c in compared], job) for n, one in enumerate(slices)]
        )
        timed = (
            sum(len(p.items) for some in pieces[:-1] for p in some) / 1e6
        )  # the last one was for warming up
        queries = sum(p.counts["query"].n_unique() for some in pieces for p in some)
        counts = sum(len(pickle.dumps(p.counts, protocol=5)) for some in pieces for p in some)
        ratios = sum(len(pickle.dumps(r, protocol=5)) for c in compared for r in c[:-1])
        return {
            "parquet_bytes_per_run": parquet.stat().st_size / RUNS,
            "jsonl_bytes_per_run": jsonl.stat().st_size / RUNS,
            "measure_seconds_per_million": from_parquet / timed,
            "measure_jsonl_seconds_per_million": from_jsonl / million,
            "score_seconds_per_million": score / million,
            "compare_seconds_per_million": compare / million,
            "measures_bytes_per_run": _bytes(folder / "slices") / RUNS,
            "output_bytes_per_run": _bytes(folder / "out") / RUNS,
            "counts_bytes_per_query": counts / queries,
            "ratios_bytes_per_query": ratios / queries,
            "seconds_per_task": _seconds_per_task(),
        }


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _seconds_per_task() -> float:
    """The scheduler's share of a task that does nothing but hand on a piece; it and the client live here."""
    from haechi.cluster.engine import connected

    with connected("local") as engine:
        start = time.process_time()
        (giver,) = engine.map(list, [range(TASKS)])
        engine.wait([pieces[0] for pieces in engine.transpose([giver], TASKS)])
        return (time.process_time() - start) / TASKS


if __name__ == "__main__":
    print(json.dumps(_measure()))
