"""Adding dialogues, next to the least that could be done: parsing every line and inserting it into SQLite.

    python -m bench items [--most 100000]

The floor reads the same file with orjson and inserts with `executemany`; it checks nothing, hashes nothing and keeps no history.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from pathlib import Path

import orjson

from bench.results import Ratio, Result
from bench.watched import Watched, watch

HAECHI = (sys.executable, "-m", "haechi.cli.start")
TURNS = 8
WORDS = [
    "오늘",
    "날씨",
    "도함수",
    "문제",
    "설명",
    "어떻게",
    "풀어요",
    "네",
    "그렇다면",
    "먼저",
    "미분",
    "계수를",
    "구해",
    "봅시다",
    "감사합니다",
]
FLOOR = """
import sqlite3, sys, orjson
def rows():
    with open(sys.argv[1], "rb") as file:
        for line in file:
            item = orjson.loads(line)
            yield item["id"], orjson.dumps(item["messages"]).decode(), orjson.dumps(item["meta"]).decode()
with sqlite3.connect(sys.argv[2]) as connection:
    connection.execute("CREATE TABLE items (id TEXT UNIQUE, content TEXT, meta TEXT)")
    connection.executemany("INSERT INTO items VALUES (?, ?, ?)", rows())
"""


def main(options: list[str]) -> list[Result]:
    """Add at a tenth of the size and at the size, and the floor at the size."""
    parser = argparse.ArgumentParser("bench items", description=__doc__)
    parser.add_argument("--most", type=int, default=100_000, help="dialogues of the larger size")
    most = parser.parse_known_args(options)[0].most
    with tempfile.TemporaryDirectory() as folder:
        few, many = (_added(Path(folder), count) for count in (most // 10, most))
        floor = watch([sys.executable, "-c", FLOOR, str(_file(Path(folder), most)), f"{folder}/floor.db"])
    rows = (
        _row("haechi add", most // 10, few),
        _row("haechi add", most, many),
        _row("orjson and executemany", most, floor),
    )
    ratios = (
        Ratio(f"CPU of add to the floor, {most:,} dialogues", many.cpu / floor.cpu, "<=", 4.0),
        Ratio(
            f"slope of add, {most // 10:,} to {most:,} dialogues", math.log10(many.cpu / few.cpu), "<=", 1.05
        ),
        Ratio("memory at ten times the dialogues", many.megabytes / few.megabytes, "<=", 1.2),
    )
    return [
        Result(
            f"Adding dialogues of {TURNS} messages",
            ("", "dialogues", "CPU s", "µs each", "peak MB"),
            rows,
            ratios,
        )
    ]


def _added(folder: Path, count: int) -> Watched:
    study = folder / f"study{count}"
    watch([*HAECHI, "new", str(study), "--rubric", "ubica"])
    return watch([*HAECHI, "add", str(study), str(_file(folder, count)), "--json"])


def _file(folder: Path, count: int) -> Path:
    file = folder / f"dialogues{count}.jsonl"
    if not file.exists():
        chance = random.Random(1)
        with file.open("wb") as out:
            for number in range(count):
                texts = (" ".join(chance.choices(WORDS, k=chance.randint(5, 30))) for _ in range(TURNS))
                said = [
                    {"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)
                ]
                out.write(
                    orjson.dumps({"id": f"d{number}", "messages": said, "meta": {"mode": "agent"}}) + b"\n"
                )
    return file


def _row(name: str, count: int, took: Watched) -> tuple[str, ...]:
    return name, f"{count:,}", f"{took.cpu:.1f}", f"{took.cpu / count * 1e6:.0f}", f"{took.megabytes:.0f}"
