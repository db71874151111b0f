"""Small studies with ratings that a test chooses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from haechi.study.study import Study

Ratings = Mapping[str, Mapping[str, Mapping[str, object]]]
"""item → rater → criterion → value; a rater whose name begins with "ai" is an AI judge."""


def diary_study(folder: Path, ratings: Ratings, meta: Mapping[str, Mapping[str, str]] | None = None) -> Path:
    """A study of diary comments; items are only as good as their ids."""
    study = Study.new(folder, "diary-comment")
    items = [
        {
            "id": item,
            "context": f"일기 {item}",
            "response": f"코멘트 {item}",
            "meta": (meta or {}).get(item, {}),
        }
        for item in ratings
    ]
    rows = [
        {
            "item": item,
            "rater": rater,
            "kind": "ai" if rater.startswith("ai") else "human",
            "criterion": criterion,
            **_cell(value),
        }
        for item, given in ratings.items()
        for rater, values in given.items()
        for criterion, value in values.items()
    ]
    (folder / "items.jsonl").write_text("\n".join(map(json.dumps, items)), "utf-8")
    (folder / "ratings.json").write_text(json.dumps(rows), "utf-8")
    study.add([folder / "items.jsonl"])
    study.import_ratings([folder / "ratings.json"])
    return folder


def _cell(value: object) -> dict[str, object]:
    if isinstance(value, tuple):
        return {"value": value[0], "evidence": value[1]}
    return {"value": value}


def votes(sensible: object, specific: object, sympathetic: object) -> dict[str, object]:
    """The three votes of one rater."""
    return {"sensibleness": sensible, "specificity": specific, "sympathy": sympathetic}
