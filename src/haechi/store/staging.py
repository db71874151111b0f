"""Staging: large files become files of runs in a folder that nobody else looks at, on all cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from haechi.cluster.runner import Processes
from haechi.data.item import Item
from haechi.data.progress import Advance
from haechi.data.shapes import items_of
from haechi.data.splits import Split, splits_of
from haechi.errors import HaechiError, Problem, unique_problems
from haechi.frozen import frozen
from haechi.store.run_files import RunFile, columns_for, hash_of, meta_fields, read_runs, table_of

SIZE = 12
"""How much goes into a file: some hundred thousand runs, so that ten million are a hundred files."""
_ROWS = 8_192


class Staged(NamedTuple):
    """A file of runs that is written and not yet part of the study; None if there was no good run."""

    file: RunFile | None
    problems: tuple[Problem, ...]


def stage(
    paths: Iterable[Path], folder: Path, workers: int, advance: Advance, skip_bad: bool
) -> tuple[list[RunFile], list[Problem]]:
    """Write the runs of files into `folder`; unless `skip_bad`, the first bad rows are raised."""
    every = (split for path in paths for split in splits_of(path))
    tasks = (_Task(part, folder / f"{number:06d}.parquet") for number, part in enumerate(_parts(every)))
    files: list[RunFile] = []
    problems: list[Problem] = []
    for staged in Processes(workers, worth=2).run(_Task.run, tasks):
        problems += staged.problems
        if problems and not skip_bad:
            raise HaechiError(unique_problems(problems))
        if staged.file is not None:
            files.append(staged.file)
            advance(staged.file.runs)
    return files, problems


def _parts(every: Iterable[Split]) -> Iterator[tuple[Split, ...]]:
    part: list[Split] = []
    for split in every:
        part.append(split)
        if sum(one.size for one in part) >= SIZE:
            yield tuple(part)
            part = []
    if part:
        yield tuple(part)


@frozen
class _Task:
    part: tuple[Split, ...]
    target: Path

    def run(self) -> Staged:
        """Write one file; bad rows are noted, so that those after them are read too."""
        problems: list[Problem] = []
        try:
            file = write_runs(self._items(problems), self.target)
        except HaechiError as error:
            return Staged(None, error.problems)
        return Staged(file, tuple(problems))

    def _items(self, problems: list[Problem]) -> Iterator[Item]:
        for split in self.part:
            for _, item in items_of(split.rows(), "run"):
                if isinstance(item, HaechiError):
                    problems.extend(item.problems)
                else:
                    yield item


def write_runs(items: Iterable[Item], target: Path) -> RunFile | None:
    """Write one file of runs, a group of rows at a time; None if there are none."""
    stream = iter(items)
    first = list(islice(stream, _ROWS))
    if not first:
        return None
    found = meta_fields(first)

    def watched() -> Iterator[Item]:
        yield from first
        for item in stream:
            found.update(meta_fields([item]))
            yield item

    fields = tuple(found)
    runs = _write(watched(), target, columns_for(fields))
    if (
        tuple(found) != fields
    ):  # later runs have further fields: the file is written once more, with all of them
        irregular = target.replace(target.with_suffix(".once"))
        fields = tuple(found)
        once = RunFile(irregular, runs, "", ())
        _write(read_runs([once]), target, columns_for(fields))
        irregular.unlink()
    return RunFile(target, runs, hash_of(target), columns_for(fields))


def _write(items: Iterator[Item], target: Path, fields: tuple[str, ...]) -> int:
    from haechi.data.parquet import write_pieces

    tables = (table_of(runs, fields) for runs in iter(lambda: list(islice(items, _ROWS)), []))
    with target.open("wb") as file:
        return write_pieces(tables, file, "zstd", _ROWS)
