"""Judging that goes on: stored replies read again, and a run over very many items that begins where the last one ended.

    python -m bench judging_again [--items 100000] [--replies 10000]

Replies: from their text to values on the scale, next to `orjson.loads` of the same text; both keep what they read.
Resume: CPU seconds of `haechi judge` from the start of the process until its first request arrives at the server, in a study
of which half is judged, with its journal.
"""

from __future__ import annotations

import argparse
import csv
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from bench.judge import a_study
from bench.results import Ratio, Result

RUBRICS = ("diary-comment", "maice-qac", "ubica")
EVIDENCE = "메시지[{}]에서 '그래서 꼭짓점을 먼저 구했어요'라고 답해 스스로 설명했음"
TICKS = os.sysconf("SC_CLK_TCK")


def replies(rubric: Any, count: int) -> list[str]:
    """Answers as they are asked for, each in other words."""
    made = []
    for number in range(count):
        said: dict[str, Any] = {}
        for place, rateable in enumerate(
            one for one in rubric.rateables.values() if one.criterion is not None
        ):
            choices = rateable.scale.value_schema().get("enum")
            words = EVIDENCE.format(number + place)
            node = {"evidence": words, "value": choices[number % len(choices)]} if choices else words
            if rateable.element is None:
                said[rateable.criterion.key] = node
            else:
                said.setdefault(rateable.criterion.key, {})[rateable.element.key] = node
        made.append(orjson.dumps(said).decode())
    return made


def reading(count: int) -> Result:
    """The time that reading takes."""
    import haechi
    from haechi.prompt.reply import parse

    rows, floors, taken = [], 0.0, 0.0
    for name in RUBRICS:
        rubric = haechi.rubric(name)
        texts = replies(rubric, count)
        assert parse(texts[0], rubric).state == "complete"
        floor = _least(lambda some=texts: [orjson.loads(text) for text in some])
        ours = _least(lambda some=texts, of=rubric: [parse(text, of) for text in some])
        floors, taken = floors + floor, taken + ours
        each = (f"{one / count * 1e6:.1f}" for one in (floor, ours))
        rows.append((name, str(len(rubric.rateables)), *each, f"{ours / floor:.1f}"))
    head = ("", "values", "orjson.loads, µs a reply", "haechi, µs a reply", "ratio")
    ratio = Ratio("reading replies of all three again / orjson.loads", taken / floors, "<=", 3)
    return Result(f"{count:,} stored replies of each instrument read again", head, tuple(rows), (ratio,))


def _least(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(5):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def half_judged(folder: Path, count: int) -> None:
    """A study of that many diaries; half of them have the ratings of a judge, and calls in the journal."""
    from haechi.store.journal import write_calls

    study = a_study(folder, count)
    table = folder / "ratings.csv"
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("item", "criterion", "rater", "kind", "value"))
        for number in range(count // 2):
            rows.writerows((f"d{number}", name, "gpt-5-mini", "ai", 1) for name in study.rubric.rateables)
    study.import_ratings([table])
    (reply,) = replies(study.rubric, 1)
    call = {
        "rater": "gpt-5-mini",
        "model": "openai:gpt-5-mini",
        "way": "live",
        "state": "answered",
        "reply": reply,
    }
    call |= {"at": "2026-01-01T00:00:00+00:00", "version": "gpt-5-mini", "output_tokens": 200, "cost": 0.001}
    with study.database.write() as connection:
        write_calls(connection, [{"id": f"{n:032x}", "item": f"d{n}", **call} for n in range(count // 2)])
    study.database.close()


def until_first_request(folder: Path) -> float:
    """CPU seconds of a process until it asks."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        here = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        environment = {**os.environ, "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": here}
        command = [
            sys.executable,
            "-m",
            "haechi.cli.start",
            "judge",
            str(folder / "study"),
            "--model",
            "openai:gpt-5-mini",
        ]
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        server.settimeout(300)
        try:
            asking, _ = server.accept()
            with asking:
                asking.recv(1)
                fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        finally:
            process.kill()
            process.wait()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resuming(count: int) -> Result:
    """How soon a run goes on."""
    with tempfile.TemporaryDirectory() as folder:
        half_judged(Path(folder), count)
        taken = [until_first_request(Path(folder)) for _ in range(3)]
    rows = tuple((f"{number}", f"{one:.2f}") for number, one in enumerate(taken, 1))
    ratio = Ratio("CPU seconds until the first request", min(taken), "<=", 1)
    title = f"A run over {count:,} items of which half are judged"
    return Result(title, ("start", "CPU seconds until the first request"), rows, (ratio,))


def main(options: Sequence[str] = ()) -> list[Result]:
    """Measure both."""
    parser = argparse.ArgumentParser(prog="bench.judging_again", description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--replies", type=int, default=10_000)
    chosen = parser.parse_known_args(list(options))[0]
    return [reading(chosen.replies), resuming(chosen.items)]
