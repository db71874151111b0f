"""A dataset folder as Hugging Face reads it: items, ratings and scores as Parquet, the rubric, and a card."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import orjson
import polars as pl
import yaml

from haechi.data.atomic_files import new_folder
from haechi.data.item import Item
from haechi.data.writing import write_tables
from haechi.export.evaluations import ExportResult
from haechi.scoring.runs.consistency import REPEATED
from haechi.scoring.runs.points import in_words
from haechi.study.study import Study
from haechi.version import __version__

_ITEMS = 10_000
_MESSAGES = pl.List(pl.Struct({"role": pl.String, "name": pl.String, "content": pl.String}))
_SCHEMA: dict[str, pl.DataType | type[pl.String]] = {
    "id": pl.String,
    "kind": pl.String,
    "messages": _MESSAGES,
    "context": pl.String,
    "response": pl.String,
    "content": pl.String,
    "meta": pl.String,
}


def write_dataset(study: Study, out: Path) -> ExportResult:
    """Write the folder; `datasets.load_dataset(OUT, "ratings")` reads it."""
    scored = study.scores().checked()
    with new_folder(out) as folder:
        data = folder / "data"
        data.mkdir()
        write_tables(_items(study), data / "items.parquet")
        ratings = Study.ratings(study)
        write_tables([ratings], data / "ratings.parquet")
        told = [in_words(name) for name in scored.names]
        rows = (frame.drop(REPEATED, strict=False).with_columns(told) for frame in scored.batches())
        write_tables(rows, data / "scores.parquet")
        (folder / "rubric.json").write_bytes(orjson.dumps(study.rubric.as_json()))
        (folder / "README.md").write_text(_card(study, ratings, len(scored)), "utf-8")
    files = ("README.md", "rubric.json", *(f"data/{name}.parquet" for name in ("items", "ratings", "scores")))
    return ExportResult(
        files, {"items": study.count_items(), "ratings": ratings.height, "scores": len(scored)}
    )


def _items(study: Study) -> Iterator[pl.DataFrame]:
    items, last = study.items(), False
    while not last:
        some = [_row(item) for item in islice(items, _ITEMS)]
        last = len(some) < _ITEMS
        yield pl.DataFrame(some, schema=_SCHEMA)


def _row(item: Item) -> dict[str, object]:
    content = item.content
    messages = [
        {"role": m["role"], "name": m.get("name"), "content": m["content"]}
        for m in content.get("messages", ())
    ]
    return {
        "id": item.id,
        "kind": item.kind,
        "messages": messages or None,
        "context": content.get("context") or content.get("query_text"),
        "response": content.get("response"),
        "content": orjson.dumps(content).decode(),
        "meta": orjson.dumps(item.meta).decode(),
    }


def _card(study: Study, ratings: pl.DataFrame, rows: int) -> str:
    rubric = study.rubric
    head = {
        "pretty_name": study.name,
        "tags": ["evaluation", "rubric", "haechi"],
        "configs": [
            {"config_name": name, "data_files": f"data/{name}.parquet"} | ({"default": True} if first else {})
            for name, first in (("ratings", True), ("items", False), ("scores", False))
        ],
    }
    raters = ratings.group_by("kind").agg(pl.col("rater").n_unique()).sort("kind")
    counts = ", ".join(f"{kind} {n}" for kind, n in raters.iter_rows()) or "–"
    lines = [
        "---",
        yaml.safe_dump(head, allow_unicode=True, sort_keys=False).strip(),
        "---",
        f"# {study.name}",
        "",
        f"{rubric.title.ko} · {rubric.title.en}",
        "",
        f"- rubric: `{rubric.reference}` (`rubric.json`)",
        f"- items: {study.count_items():,}; ratings in force: {ratings.height:,}; rows of scores: {rows:,}",
        f"- raters by kind: {counts}",
        f"- written by haechi {__version__}",
        "",
        "`ratings` has one row per judgement: a value, or a status with its reason; a missing value is never 0. `scores` are made from",
        "the ratings by the rubric's arithmetic. `items` holds what was judged; `content` and `meta` are JSON.",
        "",
    ]
    return "\n".join(lines)
