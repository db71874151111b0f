"""The code rater: agent runs from a file or a study, scored without anybody's help."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from haechi.data import Item, items_of, read_rows
from haechi.data.files import Row, check_exists
from haechi.data.names import META_PREFIX, PAYLOAD_FIELDS, RUN_FIELDS, name_fields
from haechi.data.sources import KINDS, Source
from haechi.errors import HaechiError

if TYPE_CHECKING:
    import polars as pl

    from haechi.rubrics.model import Missing, Rubric
    from haechi.scoring.runs.parts import Part
    from haechi.scoring.runs.pipeline import Sink


class KeptFile(Protocol):
    """A file of runs that a study keeps."""

    @property
    def path(self) -> Path: ...


class RunStudy(Protocol):
    """What scoring needs to know of a study of runs; `haechi.Study` has it."""

    def run_files(self) -> Sequence[KeptFile]: ...
    def items(self) -> Iterator[Item]: ...
    def ratings(self) -> pl.DataFrame: ...


def score_run_file(
    path: Source,
    rubric: Rubric,
    sink: Sink,
    by: tuple[tuple[str, ...], ...] = (),
    missing: Missing | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """Score the agent runs of a file; see `score_run_files`."""
    return score_run_files([path], rubric, sink, by, missing, workers)


def score_run_files(
    paths: Sequence[Source],
    rubric: Rubric,
    sink: Sink,
    by: tuple[tuple[str, ...], ...] = (),
    missing: Missing | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """Score the agent runs of files as one set; JSONL and Parquet on all cores, in memory that does not grow.

    `sink` gets the scored batches in the order of the files; the summary rows are returned.
    """
    from haechi.scoring.runs.pipeline import score_runs

    def score(slowly: Collection[Source]) -> list[dict[str, Any]]:
        parts = (part for path in paths for part in run_parts(path, _kept(by), path in slowly))
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


def run_parts(path: Source, keep: tuple[str, ...], slowly: bool = False) -> Iterator[Part]:
    """The parts of one file of runs; one that is neither JSONL in UTF-8 nor Parquet is read here, row by row."""
    from haechi.scoring.runs.columns import Reading
    from haechi.scoring.runs.jsonl import line_parts
    from haechi.scoring.runs.parquet import slice_parts
    from haechi.scoring.runs.parts import row_parts

    reading = Reading(run_names, run_shape, keep)
    if isinstance(path, str):
        return slice_parts(path, reading)
    check_exists(path)
    kind = path.suffix.lower()
    if kind == ".parquet":
        return slice_parts(path, reading)
    if kind == ".jsonl" and not slowly:
        return line_parts(path, reading)
    return row_parts(_rows(_items(path), keep), keep)


def movable_parts(path: Source, keep: tuple[str, ...], slowly: bool = False) -> Iterator[Part]:
    """As `run_parts`, but every part is small to send: what cannot be divided is read where it is measured."""
    splittable = isinstance(path, str) or path.suffix.lower() in KINDS
    if splittable and not slowly:
        return run_parts(path, keep)
    return iter([WholeFile(Path(path), keep)])


@dataclass(frozen=True)
class WholeFile:
    """A part of runs: a file that is read from beginning to end."""

    path: Path
    keep: tuple[str, ...]

    def batches(self) -> Iterator[pl.DataFrame]:
        """The runs in order."""
        from haechi.scoring.runs.parts import row_parts

        check_exists(self.path)
        for part in row_parts(_rows(_items(self.path), self.keep), self.keep):
            yield part.frame


def score_run_items(
    items: Iterable[Item],
    rubric: Rubric,
    sink: Sink,
    by: tuple[tuple[str, ...], ...] = (),
    missing: Missing | None = None,
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """Score agent runs that are items already, for instance those of a study.

    >>> import haechi
    >>> run = {"query": "q1", "error": "TimeoutError"}
    >>> summary = score_run_items([Item("q1-1", "run", run, {})], haechi.rubric("hiring-agent"), lambda _: None)
    >>> summary[0]["scores"]["stability"]["mean"]
    0.0
    """
    from haechi.scoring.runs.parts import row_parts
    from haechi.scoring.runs.pipeline import score_runs

    keep = _kept(by)
    return score_runs(row_parts(_rows(items, keep), keep), rubric, sink, by, missing, workers)


def score_study_runs(
    study: RunStudy, rubric: Rubric, sink: Sink, fields: Mapping[str, str], missing: Missing | None = None
) -> None:
    """Score the agent runs of a study, from its Parquet files or its database, in bounded memory.

    fields: meta fields that are carried along, and the columns that `sink` finds them in.
    """
    from haechi.scoring.runs.columns import Reading
    from haechi.scoring.runs.measure import KEPT
    from haechi.scoring.runs.parquet import slice_parts
    from haechi.scoring.runs.parts import row_parts
    from haechi.scoring.runs.pipeline import score_runs

    keep = {META_PREFIX + field: column for field, column in fields.items()}
    files = study.run_files()
    parts: Iterator[Part]
    if files:
        reading = Reading(_file_names, _file_shape, tuple(keep))
        parts = (part for file in files for part in slice_parts(file.path, reading))
    else:
        rows = (_row(item) | _prefixed(item.meta) for item in study.items() if item.kind == "run")
        parts = row_parts(rows, tuple(keep))
    names = {KEPT + column: shown for column, shown in keep.items()}
    score_runs(parts, rubric, lambda batch: sink(batch.rename(names)), missing=missing)


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
    return _row(item)


def _rows(items: Iterable[Item], keep: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    return ({name: item.meta.get(name) for name in keep} | _row(item) for item in items)


def _row(item: Item) -> dict[str, Any]:
    return {**item.content, "item": item.id, "meta": item.meta}


def _items(path: Path) -> Iterator[Item]:
    for _, item in items_of(read_rows(path), "run"):
        if isinstance(item, HaechiError):
            raise item
        yield item


def _kept(by: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """What is grouped by, other than the fields that every run has."""
    return tuple(dict.fromkeys(name for names in by for name in names if name not in _OWN))


_OWN = ("query", "round", "category", "tool_class", "label")
