"""Everything of a study in one archive: ratings with their history, scores, who rated what and how long."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import orjson
import polars as pl
import sqlalchemy as sa

from haechi.data.writing import write_tables
from haechi.store.tables import assignments, desk_raters, ratings, rubrics
from haechi.study import Study


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
            "ratings-history.csv": _table(study, ratings, [column.name for column in ratings.c]),
            "assignments.csv": _table(
                study,
                assignments,
                ["item", "rater", "replicate", "position", "kind", "seconds", "finished", "at"],
            ),
            "raters.csv": _table(
                study, desk_raters, ["name", "quota", "stance", "consented", "trained", "at"]
            ),
        }
        for name, frame in tables.items():
            write_tables([frame], place / name)
            archive.write(place / name, name)
        with archive.open("items.jsonl", "w", force_zip64=True) as lines:
            for item in study.items():
                record = {"id": item.id, **item.content, "meta": item.meta}
                lines.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        with study.database.read() as connection:
            query = sa.select(rubrics.c.text).where(rubrics.c.version == study.rubric.version)
            archive.writestr("rubric.yaml", connection.execute(query).scalar_one())


def _table(study: Study, table: sa.Table, names: Sequence[str]) -> pl.DataFrame:
    kinds: dict[type[Any], Any] = {
        sa.Text: pl.String,
        sa.Integer: pl.Int64,
        sa.BigInteger: pl.Int64,
        sa.Float: pl.Float64,
    }
    schema = {name: kinds[type(table.c[name].type)] for name in names}
    query = sa.select(*(table.c[name] for name in names)).order_by(*list(table.primary_key.columns))
    with study.database.read() as connection:
        rows = [tuple(row) for row in connection.execute(query)]
    return pl.DataFrame(rows, schema=schema, orient="row")
