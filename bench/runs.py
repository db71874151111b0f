"""Scoring of agent runs, side by side: ours, a loop on one core that does the same, and mere parsing.

    python -m bench.runs [--rows 1000000]

Every case runs in a process of its own; memory is that of the process and all its children together.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from bench.results import Ratio, Result
from bench.watched import Watched, watch

HERE = Path(__file__).parent
DATA = HERE / "data"
BATCH = 20_000
STRETCH = 8 * 1024 * 1024
BY = (("round",), ("category",))


def main(argv: list[str] | None = None) -> list[Result]:
    """Make the data if need be, and run all cases."""
    options = argparse.ArgumentParser(prog="bench.runs", description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--turns", type=int, default=3)
    options.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    given = options.parse_args(argv)
    jsonl, parquet = DATA / f"runs-{given.rows}.jsonl", DATA / f"runs-{given.rows}.parquet"
    if given.case:
        print(json.dumps(CASES[given.case](jsonl, parquet)))
        return []
    generate(given.rows, jsonl, parquet)
    # Turn by turn, so that a busy moment of the machine does not hit one case alone; the best of each counts.
    turns = [{case: measure(case, given.rows) for case in CASES} for _ in range(given.turns)]
    best = {case: min((turn[case] for turn in turns), key=lambda took: took.seconds) for case in CASES}
    return [report(given.rows, best)]


def generate(rows: int, jsonl: Path, parquet: Path) -> None:
    """Write the same runs as JSONL and as Parquet, unless they are there."""
    if parquet.exists():
        return
    import orjson
    import pyarrow as pa
    import pyarrow.parquet as pq

    from bench.synthetic import runs

    DATA.mkdir(exist_ok=True)
    stream = runs(rows)
    names = next(runs(1)).keys()
    schema = pa.schema([(name, pa.float64() if name == "latency_ms" else pa.string()) for name in names])
    unfinished = parquet.with_suffix(".part")
    with jsonl.open("wb") as lines, pq.ParquetWriter(unfinished, schema, compression="zstd") as writer:
        while batch := list(islice(stream, BATCH)):
            lines.writelines(orjson.dumps(run) + b"\n" for run in batch)
            writer.write_table(pa.Table.from_pylist(batch, schema))
    unfinished.rename(parquet)


def ours(path: Path, workers: int | None = None) -> dict[str, Any]:
    """Score a file as the command line does; on one worker it is the tuned loop that a plain one is not.

    Where the kernel is compiled (docs/decisions/0034), it is used, as for everybody.
    """
    import haechi
    from haechi.scoring.run_sources import score_run_files

    scored = 0

    def sink(batch: Any) -> None:
        nonlocal scored
        scored += len(batch)

    summary = score_run_files([path], haechi.rubric("hiring-agent"), sink, BY, workers=workers)
    return {**summary.rows()[0].as_json(), "n": scored}


def loop(path: Path) -> dict[str, Any]:
    """The plain implementation of the tests, one line after the other on one core."""
    import orjson

    import haechi

    sys.path.insert(0, str(HERE.parent / "tests" / "scoring"))
    import reference

    names = {"item": "id", "query": "query_id", "expected": "expected_result", "payload": "raw_json"}
    fields = (
        "item",
        "query",
        "error",
        "payload",
        "expected",
        "accuracy_checks",
        "latency_ms",
        "latency_class",
    )
    keys = {
        name: names.get(name, name)
        for name in (*fields, "intent_verdict", "intent_label", "round", "category")
    }

    def runs() -> Iterator[dict[str, Any]]:
        with path.open("rb") as file:
            for line in file:
                record = orjson.loads(line)
                yield {name: record[key] for name, key in keys.items()}

    return reference.summarise(reference.score_all(runs(), haechi.rubric("hiring-agent")), BY)[0]


def floor(path: Path, parse: Callable[[Path, int], int], parts: Iterable[int]) -> dict[str, Any]:
    """Only parse every payload, on all cores."""
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), multiprocessing.get_context("spawn")) as pool:
        return {"n": sum(pool.map(partial(parse, path), parts))}


def floor_of_parquet(path: Path) -> dict[str, Any]:
    """The payloads of a Parquet file, a row group at a time."""
    import pyarrow.parquet as pq

    return floor(path, parse_group, range(pq.ParquetFile(path).num_row_groups))


def parse_group(path: Path, group: int) -> int:
    """Parse the payloads of a row group and forget them."""
    import pyarrow.parquet as pq

    payloads = pq.ParquetFile(path).read_row_group(group, columns=["raw_json"], use_threads=False)["raw_json"]
    return parse_all(payloads.to_pylist())


def floor_of_jsonl(path: Path) -> dict[str, Any]:
    """The payloads of a JSONL file, each of which is inside a line that has to be parsed before."""
    return floor(path, parse_lines, range(0, path.stat().st_size, STRETCH))


def parse_lines(path: Path, start: int) -> int:
    """Parse the payloads of the lines that begin within a stretch."""
    import orjson

    with path.open("rb") as file:
        file.seek(max(0, start - 1))
        if start:
            file.readline()
        lines = []
        while file.tell() < start + STRETCH and (line := file.readline()):
            lines.append(line)
    return parse_all(orjson.loads(line)["raw_json"] for line in lines)


def parse_all(payloads: Iterable[str | None]) -> int:
    """Parse payloads, damaged or not, and count them."""
    import orjson

    count = 0
    for payload in payloads:
        count += 1
        try:
            orjson.loads(payload or "")
        except orjson.JSONDecodeError:
            continue
    return count


CASES: dict[str, Callable[[Path, Path], dict[str, Any]]] = {
    "ours from Parquet": lambda _, parquet: ours(parquet),
    "ours from JSONL": lambda jsonl, _: ours(jsonl),
    "plain loop, one core": lambda jsonl, _: loop(jsonl),
    "our loop, one core": lambda _, parquet: ours(parquet, workers=1),
    "floor from Parquet": lambda _, parquet: floor_of_parquet(parquet),
    "floor from JSONL": lambda jsonl, _: floor_of_jsonl(jsonl),
}


def measure(case: str, rows: int) -> Watched:
    """Run a case in a process of its own."""
    return watch([sys.executable, "-m", "bench.runs", "--rows", str(rows), "--case", case], HERE.parent)


def report(rows: int, results: dict[str, Watched]) -> Result:
    """The table and the ratios."""
    parquet, jsonl, plain, tuned, least, least_jsonl = (result.seconds for result in results.values())
    memory = max(results[case].megabytes for case in ("ours from Parquet", "ours from JSONL"))
    same = agree(results)
    return Result(
        f"{rows:,} runs on {len(os.sched_getaffinity(0))} cores, the best of several turns",
        ("", "seconds", "CPU s", "runs/s", "peak MB"),
        tuple(
            (
                case,
                f"{result.seconds:.1f}",
                f"{result.cpu:.1f}",
                f"{rows / result.seconds:,.0f}",
                f"{result.megabytes:.0f}",
            )
            for case, result in results.items()
        ),
        (
            Ratio("plain loop / ours from Parquet", plain / parquet, ">=", 3.0),
            Ratio("plain loop / ours from JSONL", plain / jsonl, ">=", 2.5),
            Ratio("our loop on one core / ours from Parquet", tuned / parquet, ">="),
            Ratio("ours from Parquet / its floor", parquet / least, "<=", 1.5),
            Ratio("ours from JSONL / its floor", jsonl / least_jsonl, "<=", 2.0),
            Ratio("CPU of ours from Parquet / its floor", _cpu(results, "Parquet"), "<="),
            Ratio("CPU of ours from JSONL / its floor", _cpu(results, "JSONL"), "<="),
            Ratio("peak memory of ours, MB", memory, "<=", 600.0),
        ),
        (
            "The plain loop is the readable implementation of the tests; our loop on one core is what scoring does, "
            "without other processes. The floor only parses every payload with orjson, on all cores.",
            f"All ways came to the same scores: {'yes' if same else 'NO'}.",
        ),
    )


def _cpu(results: dict[str, Watched], kind: str) -> float:
    """How much more processor time ours takes than parsing; it depends less on the neighbours than seconds do."""
    return results[f"ours from {kind}"].cpu / results[f"floor from {kind}"].cpu


def agree(results: dict[str, Watched]) -> bool:
    """Whether all ways of scoring came to the same counts, means and distributions."""
    answers = [json.loads(result.printed) for result in results.values()]
    first, *others = (answer for answer in answers if "scores" in answer)
    for other in others:
        for name, figures in first["scores"].items():
            same = other["scores"][name]
            close = math.isclose(figures["mean"], same["mean"], rel_tol=1e-9)
            if not close or figures["distribution"] != same["distribution"] or first["n"] != other["n"]:
                return False
    return True


if __name__ == "__main__":
    main()
