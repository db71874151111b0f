"""A study of agent runs: code measures all, an AI judge gives every verdict, and two people can rate what they are asked for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from haechi.study.study import Study

VERDICTS = ("FAILED", "RELATED_BUT_WRONG", "WEAK", "PARTIAL", "GOOD", "PERFECT")
PEOPLE = ("kim", "lee")
_CHECKS = 4


@dataclass(frozen=True)
class Given:
    """What everybody would give, run by run: verdicts in points, and what people give for accuracy."""

    failed: np.ndarray
    query: np.ndarray
    passed: np.ndarray
    judge: np.ndarray
    people: np.ndarray
    accuracy: np.ndarray


def given(runs: int = 160, seed: int = 5) -> Given:
    """An AI judge that is about a point too kind, and checks that pass more often than people are content."""
    random = np.random.default_rng(seed)
    failed, query = random.random(runs) < 0.12, random.integers(0, runs // 3, runs)
    quality = random.normal(3.0, 0.8, runs) + random.normal(0, 0.4, runs // 3)[query]
    passed = np.clip(np.rint(2.6 + 0.6 * (quality - 3) + random.normal(0, 0.7, runs)), 0, _CHECKS)
    people = quality[:, None] + random.normal(0, 0.6, (runs, 2))
    accuracy = 2.6 + 0.7 * (passed - 2.6)[:, None] + random.normal(0, 0.6, (runs, 2))
    judge = quality + 1.0 + random.normal(0, 0.5, runs)
    found = [np.clip(np.rint(one), 0, 5).astype(int) for one in (judge, people, accuracy)]
    return Given(failed, query, passed.astype(int), *found)


def ids_of(runs: int) -> list[str]:
    """The ids of the runs."""
    return [f"r{at:03}" for at in range(runs)]


def judged_runs(folder: Path, runs: int = 160, seed: int = 5) -> Study:
    """All runs with the verdicts of the judge; rounds take turns."""
    study, known = Study.new(folder, "hiring-agent"), given(runs, seed)
    keys = [f"k{at}" for at in range(_CHECKS)]
    entries = [{key: "yes" if at < n else "no" for at, key in enumerate(keys)} for n in known.passed]
    payloads = [{"assistantMessage": "추가했습니다", "dataUIList": [{"uiValue": one}]} for one in entries]
    ids = ids_of(runs)
    study.add(
        pl.DataFrame(
            {
                "Item ID": ids,
                "Query ID": [f"q{at}" for at in known.query],
                "질의": "전형을 추가해줘",
                "기대결과": "@check " + "; ".join(f"{key}=yes" for key in keys),
                "방/반복": [f"{at % 2 + 1}/{at}" for at in range(runs)],
                "오류": ["Timeout" if one else "" for one in known.failed],
                "Raw JSON": [json.dumps(one, ensure_ascii=False) for one in payloads],
                "latency_ms": 4000,
            }
        )
    )
    ran = [item for item, failed in zip(ids, known.failed, strict=True) if not failed]
    verdicts = [VERDICTS[point] for point in known.judge[~known.failed]]
    rows = {"item": ran, "criterion": "intent", "rater": "gpt", "kind": "ai", "value": verdicts}
    study.import_ratings(pl.DataFrame(rows))
    return study


def rate_runs(study: Study, items: list[str], accuracy: bool = True, seed: int = 5) -> None:
    """Let both people rate some runs, those left out that failed: nobody is asked about them."""
    ids = ids_of(study.count_items())
    known, rows = given(len(ids), seed), []
    for at in sorted(ids.index(item) for item in items):
        for who, name in enumerate(PEOPLE) if not known.failed[at] else ():
            asked = {"intent": VERDICTS[known.people[at, who]]}
            asked |= {"accuracy": str(known.accuracy[at, who])} if accuracy else {}
            rows += [
                {"item": ids[at], "criterion": key, "rater": name, "kind": "human", "value": value}
                for key, value in asked.items()
            ]
    study.import_ratings(pl.DataFrame(rows))
