"""What a billion runs would take: a simulation of the cluster path from constants that are measured on one core.

`python -m bench scale` prints the tables of docs/scale.md from bench/scale_constants.json;
`python -m bench scale --measure` measures the constants anew (a few minutes, 100,000 runs) and writes that file.
"""

from __future__ import annotations

import heapq
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from haechi.scoring.runs.parquet import PART
from haechi.scoring.runs.partitions import buckets_for, parts_to_a_partition

CONSTANTS = Path(__file__).with_name("scale_constants.json")
SEED = 20261116

# Assumed, not measured: what a department or a cloud has. Change them here and print the tables again.
NETWORK = 1.25e9  # bytes a second between two machines (10 Gbit/s)
CORES_TO_A_MACHINE = 16
DISK = 2e9  # bytes a second of the shared disk, all machines together
DOLLARS_PER_CORE_HOUR = 0.05
SPREAD = 0.25  # standard deviation of the time of a task, as a share of it
HOURS_BETWEEN_FAILURES = 50.0  # of one core: preempted, killed, out of memory
SECONDS_TO_RESTART = 30.0


@dataclass(frozen=True)
class Plan:
    """How much there is of everything for a number of runs."""

    runs: int
    partitions: int
    buckets: int
    tasks: int
    input_bytes: float
    measures_bytes: float
    shuffle_bytes: float
    output_bytes: float


def plan(runs: int, repeats: int, known: dict[str, float], scattered: bool) -> Plan:
    """The partitions and the bytes of a job; `scattered` repeats of a query all lie in different partitions."""
    parts = -(-runs // PART)
    partitions = -(-parts // parts_to_a_partition(parts))
    buckets = buckets_for(parts)
    queries = runs / repeats
    # A query's counts leave every partition in which it occurs, and its ratios go back there.
    places = queries * (min(repeats, partitions) if scattered else 1)
    shuffle = places * (known["counts_bytes_per_query"] + known["ratios_bytes_per_query"])
    shuffle += runs * 8  # the hashes of the ids, which must be unique
    return Plan(
        runs,
        partitions,
        buckets,
        2 * partitions + buckets + 2 * partitions * buckets,
        runs * known["parquet_bytes_per_run"],
        runs * known["measures_bytes_per_run"],
        shuffle,
        runs * known["output_bytes_per_run"],
    )


def simulate(job: Plan, cores: int, known: dict[str, float], seed: int = SEED) -> tuple[float, int]:
    """Seconds from start to end, and how many workers failed meanwhile."""
    chance = random.Random(seed)
    moved = NETWORK * -(-cores // CORES_TO_A_MACHINE)
    each = job.runs / job.partitions / 1e6
    overhead = known["seconds_per_task"]
    first, failures = _stage(
        chance, job.partitions, each * known["measure_seconds_per_million"], cores, overhead
    )
    first = max(first, (job.input_bytes + job.measures_bytes) / DISK)
    shuffle = max(2 * job.partitions * job.buckets * overhead, job.shuffle_bytes / moved)
    per_bucket = job.runs / job.buckets / 1e6 * known["compare_seconds_per_million"]
    middle, more = _stage(chance, job.buckets, per_bucket, cores, overhead)
    last, most = _stage(chance, job.partitions, each * known["score_seconds_per_million"], cores, overhead)
    last = max(last, (job.measures_bytes + job.output_bytes) / DISK)
    return first + shuffle + middle + last, failures + more + most


def _stage(
    chance: random.Random, tasks: int, seconds: float, cores: int, overhead: float
) -> tuple[float, int]:
    """Tasks given out one after the other to whoever is free; a failure costs the task and the restart."""
    free = [(0.0, core) for core in range(cores)]
    end, failures = 0.0, 0
    rate = 1 / (HOURS_BETWEEN_FAILURES * 3600)
    for number in range(tasks):
        at, core = heapq.heappop(free)
        at = max(at, number * overhead)
        needed = seconds * max(0.3, chance.gauss(1, SPREAD))
        while (fails := chance.expovariate(rate)) < needed:
            at += fails + SECONDS_TO_RESTART
            failures += 1
        heapq.heappush(free, (at + needed, core))
        end = max(end, at + needed)
    return end, failures


def tables(known: dict[str, float]) -> str:
    """The tables of docs/scale.md."""
    lines = ["| measured on one core, synthetic runs | |", "|---|---:|"]
    lines += [f"| {_WORDS[name]} | {value:,.4g} |" for name, value in known.items() if name in _WORDS]
    lines += [
        "",
        "| runs | partitions × buckets | tasks | Parquet–JSONL, GB | put aside, GB | shuffle, GB | output, GB |",
    ]
    lines += ["|---:|---:|---:|---:|---:|---:|---:|"]
    for runs in (10**7, 10**8, 10**9):
        near, far = (plan(runs, 5, known, scattered) for scattered in (False, True))
        sizes = (near.measures_bytes, near.shuffle_bytes, far.shuffle_bytes, near.output_bytes)
        aside, least, most, out = (f"{size / 1e9:,.1f}" for size in sizes)
        given = f"{near.input_bytes / 1e9:,.1f}–{runs * known['jsonl_bytes_per_run'] / 1e9:,.0f}"
        cut = f"{near.partitions:,} × {near.buckets}"
        lines.append(f"| {runs:,} | {cut} | {near.tasks:,} | {given} | {aside} | {least}–{most} | {out} |")
    lines += [
        "",
        "| runs | cores | minutes | core-hours | US$ | failed workers |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for runs in (10**7, 10**8, 10**9):
        for cores in (16, 64, 256, 1024):
            job = plan(runs, 5, known, scattered=True)
            seconds, failures = simulate(job, cores, known)
            hours = seconds / 3600 * cores
            cost = f"{hours * DOLLARS_PER_CORE_HOUR:,.2f}"
            lines.append(
                f"| {runs:,} | {cores:,} | {seconds / 60:,.1f} | {hours:,.1f} | {cost} | {failures} |"
            )
    return "\n".join(lines)


_WORDS = {
    "parquet_bytes_per_run": "bytes of a run in Parquet (zstd)",
    "jsonl_bytes_per_run": "bytes of a run in JSONL",
    "measure_seconds_per_million": "first pass from Parquet, core-seconds per million runs",
    "measure_jsonl_seconds_per_million": "first pass from JSONL, core-seconds per million runs",
    "score_seconds_per_million": "second pass with writing, core-seconds per million runs",
    "compare_seconds_per_million": "comparing repeats, core-seconds per million runs",
    "measures_bytes_per_run": "bytes of a run put aside between the passes",
    "output_bytes_per_run": "bytes of a run in the output",
    "counts_bytes_per_query": "bytes of counts that a query sends from a partition",
    "ratios_bytes_per_query": "bytes of ratios that come back",
    "seconds_per_task": "seconds of the scheduler per task",
}


def main(arguments: Sequence[str] = ()) -> None:
    """Print the tables, from constants that are measured first if that is asked for."""
    if "--measure" in arguments:
        from bench.scale_constants import measured

        CONSTANTS.write_text(json.dumps(measured(), indent=2) + "\n", "utf-8")
    print(tables(json.loads(CONSTANTS.read_text("utf-8"))))


if __name__ == "__main__":
    main(sys.argv[1:])
