"""A study with very many runs keeps them as Parquet files: written aside, compared, and taken over all at once."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

import orjson

from haechi.data.item import Item
from haechi.data.progress import Advance
from haechi.errors import HaechiError
from haechi.store.clashes import repeated_ids, shared_ids
from haechi.store.connection import Connection
from haechi.store.database import Database, now
from haechi.store.holders import is_dead, new_holder
from haechi.store.items import Added, add_items, changed_item, number_addition, repeated_item
from haechi.store.run_files import FOLDER, ID, RunFile, check_files, files_in_force, read_runs
from haechi.store.staging import stage, write_runs
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

LARGE = 100_000
"""With more runs than this an empty study keeps them as Parquet files.

Up to here a database is quick enough. Beyond, rows are made when people or AI judges begin to work run by run
(`copy_runs`), and only cost before. Measured with synthetic runs of 1.3 kB: a row takes 2,007 bytes and one core adds 9,100 in a
second, 100,000 in 11 s; a file takes 54 bytes a run, every core adds 21,600 in a second, and scoring reads columns
instead of rows.
"""

_STAGING = ".adding-"
_COPY = f"{FOLDER}/"
_ANY_COPY = f"{_COPY}%"
"""A row that is the copy of a run in a file has arrived with that file."""
_COPIED_AT_ONCE, _ASKED_AT_ONCE = 5_000, 500


class _Change(NamedTuple):
    """What an addition comes to: files that are new, files that they replace, and the counts."""

    new: tuple[RunFile, ...]
    replaced: tuple[RunFile, ...]
    added: Added


def keeps_files(connection: Connection) -> bool:
    """Whether the study keeps its runs as Parquet files."""
    return connection.value("SELECT number FROM run_files LIMIT 1") is not None


def keeps_rows(connection: Connection) -> bool:
    """Whether the study keeps items as rows; one of which only ratings are known does not count, nor does a copy.

    Rows that were taken back count: they may be restored.
    """
    kept = "SELECT number FROM items WHERE kind <> 'bare' AND arrival NOT LIKE :copy LIMIT 1"
    return connection.value(kept, copy=_ANY_COPY) is not None


def copy_runs(database: Database, folder: Path, advance: Advance) -> None:
    """A row in the database for every run in files, as people and AI judges need who work run by run.

    The files stay what the study is: scores are read from them, and a row that differs is replaced. Runs are copied
    some thousand at a time; what was copied is not copied again, also after the process was killed.
    """
    with database.read() as connection:
        files, copied = files_in_force(connection, folder), _copied(connection)
    check_files(files)
    for file in files:
        mark = _COPY + file.path.name
        if copied.get(mark) == file.runs:
            continue
        runs = read_runs([file])
        while some := list(islice(runs, _COPIED_AT_ONCE)):
            with database.write_alone() as connection:
                for start in range(0, len(some), _ASKED_AT_ONCE):
                    _copy(connection, some[start : start + _ASKED_AT_ONCE], mark)
            advance(len(some))


def has_copies(connection: Connection) -> bool:
    """Whether runs in files have rows too."""
    found = "SELECT number FROM items WHERE arrival LIKE :copy LIMIT 1"
    return connection.value(found, copy=_ANY_COPY) is not None


def _copied(connection: Connection) -> dict[str, int]:
    """How many rows there are of each file."""
    counted = "SELECT arrival, count(*) AS n FROM items_in_force WHERE arrival LIKE :copy GROUP BY arrival"
    return {row.arrival: row.n for row in connection.rows(counted, copy=_ANY_COPY)}


def _copy(connection: Connection, runs: Sequence[Item], mark: str) -> None:
    copied = "SELECT id FROM items_in_force WHERE arrival = :mark AND id = ANY(:ids)"
    done = set(connection.values(copied, mark=mark, ids=[run.id for run in runs]))
    fresh = [run for run in runs if run.id not in done]
    add_items(connection, ((mark, run) for run in fresh), mark, replace=True)
    moved = "UPDATE items SET arrival = :mark WHERE id = ANY(:ids)"
    connection.execute(moved, mark=mark, ids=[run.id for run in fresh])


def add_runs(
    database: Database,
    folder: Path,
    paths: Sequence[Path],
    replace: bool,
    skip_bad: bool,
    advance: Advance,
) -> Added:
    """Add the runs of files to a study that keeps Parquet files, all or none."""
    arrival = uuid.uuid4().hex
    (folder / FOLDER).mkdir(exist_ok=True)
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with _aside(folder / FOLDER) as aside:
        files, problems = stage(paths, aside, workers, advance, skip_bad)
        if not files and not problems:
            found, expected = Text("실행 없음", "no runs"), Text("한 건 이상의 실행", "at least one run")
            raise HaechiError.of(str(paths[0]), found, expected, Text("파일을 확인하세요", "check the file"))
        source = ", ".join(path.name for path in paths)
        _refuse_twice(source, files)
        while True:
            with database.read() as connection:
                known = files_in_force(connection, folder)
            check_files(known)
            change = _compare(files, known, replace, source, aside)
            change.added.skipped.extend(problems)
            with database.write_alone() as connection:
                # Another process may have added meanwhile; then everything is compared again.
                if files_in_force(connection, folder) == known:
                    _take_over(connection, folder, change, arrival)
                    number_addition(connection, arrival, paths, change.added)
                    return change.added


def _refuse_twice(source: str, files: list[RunFile]) -> None:
    found = repeated_ids(files)
    if found:
        raise HaechiError(tuple(repeated_item(source, identifier) for identifier in found))


def _compare(
    files: Sequence[RunFile], known: Sequence[RunFile], replace: bool, source: str, aside: Path
) -> _Change:
    """What is new among staged runs, what is there already, and what differs."""
    added, same = Added(backing="parquet"), {file.sha256 for file in known}
    fresh = [file for file in files if file.sha256 not in same]
    added.unchanged = sum(file.runs for file in files) - sum(file.runs for file in fresh)
    outdated: list[pl.Series] = []
    new = {file.path: file for file in fresh}
    for file, ids in shared_ids(fresh, known):
        differs = _differing(file, ids, known)
        if len(differs) and not replace:
            raise HaechiError(tuple(changed_item(source, one) for one in differs.head(20).to_list()))
        same_ids = ids.filter(~ids.is_in(differs.implode()))
        added.unchanged += len(same_ids)
        added.replaced += len(differs)
        outdated.append(differs)
        rest = _without(file, same_ids, aside)
        new.pop(file.path)
        if rest is not None:
            new[rest.path] = rest
    added.new = sum(file.runs for file in new.values()) - added.replaced
    replaced, successors = _superseded(known, outdated, aside)
    return _Change((*successors, *new.values()), replaced, added)


def _differing(file: RunFile, ids: pl.Series, known: Sequence[RunFile]) -> pl.Series:
    """The ids among these whose run is not the same as the one that is there."""
    import polars as pl

    own = {item.id: item.digest for item in read_runs([file], ids.to_list())}
    differs = [item.id for item in read_runs(known, list(own)) if own[item.id] != item.digest]
    return pl.Series(differs, dtype=pl.String)


def _superseded(
    known: Sequence[RunFile], outdated: list[pl.Series], aside: Path
) -> tuple[tuple[RunFile, ...], tuple[RunFile, ...]]:
    """The files that hold runs which are replaced, and what takes their place: the same without those runs."""
    import polars as pl

    from haechi.data.parquet import scan

    gone = pl.concat(outdated) if outdated else pl.Series(dtype=pl.String)
    if gone.is_empty():
        return (), ()
    touched = [
        file
        for file in known
        if scan(file.path).filter(pl.col(ID).is_in(gone.implode())).select(pl.len()).collect().item()
    ]
    rest = [_without(file, gone, aside) for file in touched]
    return tuple(touched), tuple(file for file in rest if file is not None)


def _without(file: RunFile, ids: pl.Series, aside: Path) -> RunFile | None:
    if ids.is_empty():
        return file
    left_out = set(ids.to_list())
    kept = (item for item in read_runs([file]) if item.id not in left_out)
    return write_runs(kept, aside / f"rest-{file.path.stem}.parquet")


def _take_over(connection: Connection, folder: Path, change: _Change, arrival: str) -> None:
    """Move the files to their places and put them on record, while no other process can do the same."""
    if keeps_rows(connection):
        found = Text("데이터베이스에 항목이 있음", "items in the database")
        expected = Text("항목을 한곳에 보관하는 스터디", "a study that keeps its items in one place")
        raise HaechiError.of(str(folder), found, expected, Text("다시 실행하세요", "run it again"))
    on_record = set(connection.values("SELECT name FROM run_files"))
    for stray in (folder / FOLDER).glob("*.parquet"):  # of a process that ended between here and the commit
        if stray.name not in on_record:
            stray.unlink()
    for file in change.replaced:
        theirs = "UPDATE run_files SET replaced = :at, replaced_by = :arrival WHERE name = :name"
        connection.execute(theirs, at=now(), arrival=arrival, name=file.path.name)
    for file in change.new:
        name = f"{file.sha256[:32]}.parquet"
        if name in on_record:  # of runs that are no longer in force, and may be again
            name = f"{file.sha256[:32]}-{arrival}.parquet"
        _settle(file.path, folder / FOLDER / name)
        connection.execute(
            """INSERT INTO run_files (name, runs, sha256, fields, at, arrival)
            VALUES (:name, :runs, :sha256, :fields, :at, :arrival)""",
            arrival=arrival,
            name=name,
            runs=file.runs,
            sha256=file.sha256,
            fields=orjson.dumps(file.fields).decode(),
            at=now(),
        )


def _settle(source: Path, target: Path) -> None:
    """Move a file for good: its bytes and its name are on the disk before the record of it is."""
    _flush(source)
    source.replace(target)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        _flush(target.parent)


def _flush(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """A folder to write in; what processes that are gone have left there is removed.

    It says in its name whose it is: from the first moment that it is there, others can tell whether its process lives.
    """
    for left in folder.glob(f"{_STAGING}*"):
        if is_dead(unquote(left.name.removeprefix(_STAGING)), held_until=0.0, moment=0.0):
            shutil.rmtree(left, ignore_errors=True)
    made = folder / f"{_STAGING}{quote(new_holder(), safe='')}"
    made.mkdir()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
