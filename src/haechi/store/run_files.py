"""Agent runs in Parquet files: the format, and the study's record of its files.

The columns have names that every reader of runs knows, so that a file of a study can also be scored, opened or shared by
itself. `meta` is exact, as JSON; a column `meta.FIELD` beside it holds a field as text, to group by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from haechi.data.item import Item
from haechi.data.names import META_PREFIX
from haechi.errors import HaechiError
from haechi.store.connection import Connection
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

FOLDER = "runs"
COLUMNS = {
    "query": "query_id",
    "round": "round",
    "repeat": "repeat",
    "query_text": "query",
    "expected": "expected_result",
    "category": "category",
    "response": "response",
    "error": "error",
    "payload": "raw_json",
    "accuracy_checks": "accuracy_checks",
    "latency_ms": "latency_ms",
    "latency_class": "latency_class",
    "intent_verdict": "intent_verdict",
    "intent_label": "intent_label",
}
"""The column of each part of a run's content."""

ID, META = "item_id", "meta"
_OWN = ("query", "round", "category")  # meta fields that have a column already
_MOST_FIELDS = 100  # more are kept in `meta` alone: a file is not made of a thousand columns
_BATCH = 8192


class RunFile(NamedTuple):
    """A file of runs: where it is, how many runs, its hash, and the meta fields that have a column."""

    path: Path
    runs: int
    sha256: str
    fields: tuple[str, ...]


def files_in_force(connection: Connection, folder: Path) -> list[RunFile]:
    """The files that hold the study's runs, in order."""
    query = "SELECT name, runs, sha256, fields FROM run_files_in_force ORDER BY number"
    return [
        RunFile(folder / FOLDER / row.name, row.runs, row.sha256, tuple(orjson.loads(row.fields)))
        for row in connection.rows(query)
    ]


def check_files(files: Iterable[RunFile]) -> None:
    """Refuse to go on without a file that the study has on record."""
    for file in files:
        if not file.path.exists():
            found = Text("실행 파일이 없음", "a file of runs is missing")
            expected = Text(f"실행 {file.runs:,}건의 Parquet 파일", f"a Parquet file with {file.runs:,} runs")
            todo = Text("백업에서 되살리세요", "restore it from a backup")
            raise HaechiError.of(str(file.path), found, expected, todo)


def table_of(runs: Sequence[Item], fields: Collection[str]) -> pl.DataFrame:
    """Runs as columns."""
    import polars as pl

    columns: dict[str, list[Any]] = {ID: [item.id for item in runs]}
    for part, name in COLUMNS.items():
        columns[name] = [item.content.get(part) for item in runs]
    columns[META] = [orjson.dumps(item.meta, option=orjson.OPT_SORT_KEYS).decode() for item in runs]
    for field in fields:
        columns[META_PREFIX + field] = [_text(item.meta.get(field)) for item in runs]
    kinds = dict.fromkeys(columns, pl.String()) | {COLUMNS["latency_ms"]: pl.Float64()}
    return pl.DataFrame(columns, schema=kinds)


def meta_fields(items: Iterable[Item]) -> dict[str, None]:
    """The meta fields of runs, in the order of their first appearance, without those that are columns anyway."""
    return dict.fromkeys(field for item in items for field in item.meta if field not in _OWN)


def columns_for(fields: tuple[str, ...]) -> tuple[str, ...]:
    """The fields that get a column of their own; none if there are too many."""
    return fields if len(fields) <= _MOST_FIELDS else ()


def read_runs(files: Iterable[RunFile], ids: Collection[str] | None = None) -> Iterator[Item]:
    """The runs of files, one after the other; with `ids` only those."""
    import polars as pl

    from haechi.data.parquet import pieces, scan

    wanted = None if ids is None else pl.Series(list(ids), dtype=pl.String)
    parts = [ID, META, *COLUMNS.values()]
    for file in files:
        if wanted is None:
            for piece in pieces(file.path, _BATCH, parts):
                yield from map(_item, piece.iter_rows(named=True))
        else:
            of_file = scan(file.path).filter(pl.col(ID).is_in(wanted.implode()))
            yield from map(_item, of_file.select(parts).collect().iter_rows(named=True))


def known_ids(files: Iterable[RunFile], ids: Collection[str]) -> set[str]:
    """Which of these ids the files hold."""
    import polars as pl

    from haechi.data.parquet import scan

    if not ids:
        return set()
    wanted = pl.Series(list(ids), dtype=pl.String).implode()
    found: set[str] = set()
    for file in files:
        of_file = scan(file.path).select(ID).filter(pl.col(ID).is_in(wanted))
        found.update(of_file.collect()[ID].to_list())
    return found


def hash_of(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _item(row: dict[str, Any]) -> Item:
    content = {part: row[name] for part, name in COLUMNS.items()}
    return Item(row[ID], "run", content, orjson.loads(row[META]))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
