"""Agent runs in many files: repeats of a query are far apart, some runs fail, some payloads are damaged."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars as pl

VERDICTS = ("PERFECT", "GOOD", "PARTIAL", "FAILED", None)
SAID = ("면접을 추가했습니다.", "목록을 조회했습니다.", "어느 단계인지 선택해 주세요.", "")


def made(count: int, seed: int = 11) -> list[dict[str, Any]]:
    """Runs in random order, six or so to a query."""
    chance = random.Random(seed)
    runs = []
    for number in range(count):
        query = chance.randrange(count // 6)
        entry = {"formType": chance.choice(("ACTION", "LINK")), "planId": chance.randrange(3)}
        payload = {"assistantMessage": chance.choice(SAID), "dataUIList": [{"uiValue": entry}]}
        text = json.dumps(payload | {"responseTimeSec": round(chance.uniform(1, 40), 3)}, ensure_ascii=False)
        runs.append(
            {
                "id": f"run-{number}",
                "query_id": f"질의 {query}",
                "round": str(1 + number % 3),
                "expected_result": f"@check formType=ACTION; planId={query % 3}",
                "error": "TimeoutError" if chance.random() < 0.05 else None,
                "raw_json": text[:30] if chance.random() < 0.03 else text,
                "intent_verdict": chance.choice(VERDICTS),
                "team": chance.choice(("가", "나")),
            }
        )
    return runs


def write_parquet(runs: list[dict[str, Any]], folder: Path, files: int) -> Path:
    """Some runs to each Parquet file."""
    folder.mkdir()
    for number in range(files):
        pl.DataFrame(runs[number::files]).write_parquet(folder / f"{number:03d}.parquet")
    return folder


def write_jsonl(runs: list[dict[str, Any]], folder: Path, files: int) -> Path:
    """Some runs to each JSONL file."""
    folder.mkdir()
    for number in range(files):
        lines = (json.dumps(run, ensure_ascii=False) + "\n" for run in runs[number::files])
        (folder / f"{number:03d}.jsonl").write_text("".join(lines), "utf-8")
    return folder
