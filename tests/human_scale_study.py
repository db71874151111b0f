"""A study in which three AI judges rated everything, 5 of 40 too high, and two teachers can rate what they are asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from haechi.study.study import Study

JUDGES, TEACHERS = ("gemini", "claude", "gpt"), ("teacher-1", "teacher-2")


def sessions(items: int = 120, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Totals of teachers and of judges."""
    random = np.random.default_rng(seed)
    quality = random.normal(24, 5, (items, 1))
    people = quality + random.normal(0, 3, (items, 2)) + [0.5, -0.5]
    judges = 29 + 0.7 * (quality - 24) + random.normal(0, 2, (items, 1)) + random.normal(0, 2, (items, 3))
    return np.clip(np.rint(people), 8, 40), np.clip(np.rint(judges), 8, 40)


def judged_study(folder: Path, items: int = 120) -> Study:
    """All items with the judges' totals; the modes take turns."""
    study = Study.new(folder, "maice-qac")
    ids = ids_of(items)
    study.add(
        {
            "id": ids,
            "messages": [
                [{"role": "user", "content": f"질문 {item}"}, {"role": "assistant", "content": "답"}]
                for item in ids
            ],
            "mode": ["agent" if at % 2 else "freepass" for at in range(items)],
        }
    )
    study.import_ratings(totals(ids, sessions(items)[1], JUDGES, "ai"))
    return study


def ids_of(items: int) -> list[str]:
    """The ids of the items."""
    return [f"s{at:03}" for at in range(items)]


def totals(items: list[str], given: np.ndarray, raters: tuple[str, ...], kind: str) -> pl.DataFrame:
    """Ratings of the total, one row each."""
    return pl.DataFrame(
        [
            {"item": item, "criterion": "total", "rater": rater, "kind": kind, "value": float(row[at])}
            for item, row in zip(items, given, strict=True)
            for at, rater in enumerate(raters)
        ]
    )


def rate(study: Study, items: list[str], teachers: tuple[str, ...] = TEACHERS) -> None:
    """Let the teachers rate some items."""
    everything = ids_of(study.count_items())
    people = sessions(len(everything))[0]
    at = [everything.index(item) for item in items]
    study.import_ratings(totals(items, people[at][:, : len(teachers)], teachers, "human"))
