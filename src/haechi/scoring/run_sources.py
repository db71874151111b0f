"""The code rater: agent runs from files or a study in parts, scored without anybody's help."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from haechi.data.files import Row, check_exists
from haechi.data.item import Item
from haechi.data.names import META_PREFIX, PAYLOAD_FIELDS, RUN_FIELDS, name_fields, plain_text
from haechi.data.shapes import items_of
from haechi.data.sources import KINDS, Source
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError
from haechi.frozen import frozen

if TYPE_CHECKING:
    import polars as pl

    from haechi.rubrics.model import Missing, Rubric
    from haechi.scoring.run_pipeline import Sink
    from haechi.scoring.runs.parts import RunPart
    from haechi.scoring.summary import Summary


def score_run_files(
    paths: Sequence[Source],
    rubric: Rubric,
    sink: Sink,
    by: tuple[tuple[str, ...], ...] = (),
    missing: Missing | None = None,
    workers: int | None = None,
    carried: tuple[str, ...] = (),
    read_as: TableReading = AS_FOUND,
) -> Summary:
    """Score the agent runs of files as one set; JSONL and Parquet on all cores, in memory that does not grow.

    `sink` gets the scored batches in the order of the files; their summary is returned. `carried` are fields that are
    kept with the runs beside those that they are grouped by. read_as: how the files are to be read.
    """
    from haechi.scoring.run_pipeline import score_runs

    def score(slowly: Collection[Source]) -> Summary:
        keep = (*_kept(by), *carried)
        parts = (part for path in paths for part in run_parts(path, keep, path in slowly, read_as))
        return score_runs(parts, rubric, sink, by, missing, workers)

    return in_any_encoding(score)


Result = TypeVar("Result")


def in_any_encoding(attempt: Callable[[Collection[Source]], Result]) -> Result:
    """Try with all files taken for UTF-8, then with those that are not given as files to be read slowly.

    Nothing is lost by starting again: scores are written after everything was measured.
    """
    from haechi.scoring.runs.jsonl import OtherEncodingError

    slowly: set[Source] = set()
    while True:
        try:
            return attempt(slowly)
        except OtherEncodingError as error:
            slowly.add(error.args[0])


def run_parts(
    path: Source, keep: tuple[str, ...], slowly: bool = False, read_as: TableReading = AS_FOUND
) -> Iterator[RunPart]:
    """The parts of one file of runs; one that is neither JSONL in UTF-8 nor Parquet is read here, row by row, and so is
    one of which somebody says how it is to be read."""
    from haechi.scoring.runs.columns import RunReading
    from haechi.scoring.runs.jsonl import line_parts
    from haechi.scoring.runs.parquet import slice_parts

    keep = _without_own(keep)
    reading = RunReading(run_names, run_shape, keep)
    if isinstance(path, str):
        return slice_parts(path, reading)
    check_exists(path)
    kind = path.suffix.lower() if read_as == AS_FOUND else ""
    if kind == ".parquet":
        return slice_parts(path, reading)
    if kind == ".jsonl" and not slowly:
        return line_parts(path, reading)
    return item_parts(run_items(path, read_as), keep)


def movable_parts(path: Source, keep: tuple[str, ...], slowly: bool = False) -> Iterator[RunPart]:
    """As `run_parts`, but every part is small to send: what cannot be divided is read where it is measured."""
    keep = _without_own(keep)
    splittable = isinstance(path, str) or path.suffix.lower() in KINDS
    if splittable and not slowly:
        return run_parts(path, keep)
    return iter([WholeFile(Path(path), keep)])


@frozen
class WholeFile:
    """A part of runs: a file that is read from beginning to end."""

    path: Path
    keep: tuple[str, ...]

    def batches(self) -> Iterator[pl.DataFrame]:
        """The runs in order."""
        check_exists(self.path)
        for part in item_parts(run_items(self.path), self.keep):
            yield from part.batches()


def item_parts(items: Iterable[Item], keep: tuple[str, ...]) -> Iterator[RunPart]:
    """The parts of agent runs that are items already.

    >>> [part.frame["item"].to_list() for part in item_parts([Item("q1-1", "run", {"query": "q1"}, {})], ())]
    [['q1-1']]
    """
    from haechi.scoring.runs.parts import row_parts

    return row_parts(_rows(items, keep), keep)


def stored_parts(files: Sequence[Path], items: Iterable[Item], keep: tuple[str, ...]) -> Iterator[RunPart]:
    """The parts of the runs that a study keeps: those of its own Parquet files, then those that are items.

    keep: the meta fields that are carried along, with the prefix that they have in such a file.
    """
    from haechi.scoring.runs.columns import RunReading
    from haechi.scoring.runs.parquet import slice_parts
    from haechi.scoring.runs.parts import row_parts

    reading = RunReading(_file_names, _file_shape, keep)
    for file in files:
        yield from slice_parts(file, reading)
    yield from row_parts((run_row(item) | _prefixed(item.meta) for item in items if item.kind == "run"), keep)


def _file_names(keys: Sequence[str]) -> Mapping[str, str] | None:
    """The fields of a study's own file; what is to be grouped by stands in columns there, not in `meta`."""
    names = run_names(keys)
    return None if names is None else {name: key for name, key in names.items() if name != "meta"}


def _file_shape(place: str, record: dict[str, Any]) -> Mapping[str, Any]:
    known = {name: value for name, value in record.items() if not name.startswith(META_PREFIX)}
    row = run_shape(place, known)
    return {**row, "meta": _prefixed(row["meta"])}


def _prefixed(meta: Mapping[str, Any]) -> dict[str, Any]:
    return {META_PREFIX + field: value for field, value in meta.items()}


def run_names(keys: Sequence[str]) -> Mapping[str, str] | None:
    """The key of each field of a run; None when parts of the payload stand beside it and must be collected.

    >>> run_names(("Query ID", "Raw JSON"))
    {'query': 'Query ID', 'payload': 'Raw JSON'}
    """
    known, rest = name_fields({key: key for key in keys}, RUN_FIELDS)
    beside, _ = name_fields(rest, PAYLOAD_FIELDS)
    return None if beside or "payload" not in known else known


def run_shape(place: str, record: dict[str, Any]) -> Mapping[str, Any]:
    """A run from any record.

    >>> run_shape("runs.jsonl:1", {"queryId": 7, "방/반복": "2/1", "payload": {}})["item"]
    '7#2/1'
    """
    _, item = next(items_of([Row(place, record)], "run"))
    if isinstance(item, HaechiError):
        raise item
    return run_row(item)


def _rows(items: Iterable[Item], keep: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    return ({name: item.meta.get(name) for name in keep} | run_row(item) for item in items)


def run_row(item: Item) -> dict[str, Any]:
    """A run as a row of `RUN_SCHEMA`; checks that were joined to it later come before its own.

    >>> run_row(Item("r1", "run", {"query": "q1"}, {"accuracy_checks": "@check a=1"}))["accuracy_checks"]
    '@check a=1'
    """
    joined = {name: item.meta[name] for name in ("accuracy_checks",) if item.meta.get(name)}
    joined |= {"version": plain_text(item.meta.get("version")) or None}
    return {**item.content, **joined, "item": item.id, "meta": item.meta}


def run_items(path: Path, read_as: TableReading = AS_FOUND) -> Iterator[Item]:
    """The runs of a file as items, as `haechi add` takes them; the first record that is none is refused."""
    from haechi.data.item_files import (
        items_in,  # and all that knows columns, which no process that measures needs
    )
    from haechi.data.reading_notes import ReadingNotes

    check_exists(path)
    for _, item in items_in(path, "run", ReadingNotes(reading=read_as)):
        if isinstance(item, HaechiError):
            raise item
        yield item


def _kept(by: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """What is grouped by, other than the fields that every run has."""
    return _without_own(dict.fromkeys(name for names in by for name in names))


def _without_own(fields: Iterable[str]) -> tuple[str, ...]:
    """The fields that have no column of their own among those of a run."""
    return tuple(name for name in fields if name not in _OWN)


_OWN = ("query", "round", "category", "version", "tool_class", "label")
