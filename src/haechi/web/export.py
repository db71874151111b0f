"""Everything of a study in one archive: ratings with their history, scores, who rated what and how long."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import orjson
import polars as pl

from haechi.data.fields import RATER_PREFIX
from haechi.data.reasons import saying
from haechi.data.writing import write_tables
from haechi.store.rater_fields import read_fields
from haechi.study.study import Study


def write_export(study: Study, target: IO[bytes]) -> None:
    """Write the archive."""
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        place = Path(folder)
        tables = {
            "ratings.csv": study.ratings(),
            "scores.csv": study.scores().frame,
            "ratings-history.csv": _table(study, "ratings", _HISTORY, "number"),
            "assignments.csv": _table(study, "assignments", _ASSIGNMENTS, "number"),
            "notes.csv": _table(study, "notes", _NOTES, "number"),
            "raters.csv": _table(study, "desk_raters", _RATERS, "name").with_columns(_said(study)),
        }
        for name, frame in tables.items():
            write_tables([frame], place / name)
            archive.write(place / name, name)
        with archive.open("items.jsonl", "w", force_zip64=True) as lines:
            for item in study.items():
                record = {"id": item.id, **item.content, "meta": item.meta}
                lines.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        archive.writestr("rubric.yaml", study.rubric_text)


_HISTORY = (
    *("number", "item", "criterion", "rater", "replicate", "value", "evidence", "status", "reason", "stance"),
    *("rubric", "arrival", "at", "replaces"),
)
_ASSIGNMENTS = ("item", "rater", "replicate", "position", "kind", "seconds", "finished", "skipped", "at")
_NOTES = ("number", "item", "rater", "replicate", "author", "kind", "text", "at")
_RATERS = ("name", "quota", "stance", "consented", "trained", "submitted", "at")
_KINDS = {
    **dict.fromkeys(("number", "replicate", "replaces", "position", "quota"), pl.Int64),
    "seconds": pl.Float64,
}


def _said(study: Study) -> list[pl.Expr]:
    """What raters say about themselves, a column for each field."""
    with study.database.read() as connection:
        fields = read_fields(connection)
    return [
        pl.col("name")
        .replace_strict(values, default=None, return_dtype=pl.String)
        .alias(RATER_PREFIX + field)
        for field, values in fields.items()
    ]


def _table(study: Study, table: str, columns: Sequence[str], key: str) -> pl.DataFrame:
    with study.database.read() as connection:
        rows = connection.rows(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {key}")
    schema = {name: _KINDS.get(name, pl.String) for name in columns}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(saying("reason")) if "reason" in columns else frame
