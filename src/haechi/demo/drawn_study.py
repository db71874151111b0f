"""A larger tutoring study: AI judges rated everything, teachers a random part, and both can be set side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from haechi.study.study import Study

SESSIONS, DRAWN, SEED = 120, 30, 7
_JUDGES, _TEACHERS = ("gemini-2.5-flash", "claude-haiku-4-5", "gpt-5-mini"), ("teacher-1", "teacher-2")


def make_drawn(folder: Path) -> Study:
    """120 sessions with made-up item scores: three judges gave more than teachers do, two teachers rated 30 that were drawn."""
    from haechi.study.study import Study

    place = folder / "maice-qac-drawn"
    if (place / "study.yaml").exists():
        study = Study(place)
        if study.rated_by_people():
            return study
    else:
        study = Study.new(place, "maice-qac")
    scores = [criterion.score for criterion in study.rubric.criteria]
    judges, teachers = _made_up(len(scores))
    items = [f"s{number:03}" for number in range(1, SESSIONS + 1)]
    study.import_ratings(_rows(items, scores, _JUDGES, "ai", judges), create_items=True)
    draw = study.drawn() or study.draw(DRAWN, SEED)
    chosen = [items.index(item) for item in draw.item_ids]
    study.import_ratings(_rows(draw.item_ids, scores, _TEACHERS, "human", teachers[chosen]))
    return study


def _made_up(criteria: int) -> tuple[Any, Any]:
    """(sessions, raters, criteria) what judges and what teachers give, from 1 to 5."""
    random = np.random.default_rng(SEED)
    quality = random.normal(3.0, 0.7, (SESSIONS, 1, 1)) + random.normal(0, 0.4, (SESSIONS, 1, criteria))
    common = random.normal(0, 0.4, (SESSIONS, 1, 1))
    judges = 3.6 + 0.7 * (quality - 3) + common + random.normal(0, 0.5, (SESSIONS, 3, criteria))
    teachers = (
        quality + random.normal(0, 0.35, (SESSIONS, 2, 1)) + random.normal(0, 0.6, (SESSIONS, 2, criteria))
    )
    return np.clip(np.rint(judges), 1, 5), np.clip(np.rint(teachers), 1, 5)


def _rows(
    items: list[str], scores: list[str], raters: tuple[str, ...], kind: str, given: Any
) -> dict[str, list[Any]]:
    """One row for each judgement."""
    rows = [
        (item, score, rater, kind, int(given[at, who, one]))
        for at, item in enumerate(items)
        for who, rater in enumerate(raters)
        for one, score in enumerate(scores)
    ]
    names = ("item", "criterion", "rater", "kind", "value")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
