"""Data as a notebook has it: a file, several, or a data frame."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeGuard

from haechi.errors import HaechiError
from haechi.text import Text


class Frame(Protocol):
    """A data frame, of Polars, pandas or another library that Polars takes."""

    @property
    def columns(self) -> object: ...
    def __len__(self) -> int: ...


Columns = Mapping[str, Sequence[object]]
Paths = str | Path | Iterable[str | Path]


@contextmanager
def as_files(given: Paths | Frame | Columns) -> Iterator[list[str | Path]]:
    """The files that are meant; a data frame is written to one, so that it is read as any other table is.

    >>> with as_files({"item": ["d1"]}) as files:
    ...     [Path(file).name for file in files]
    ['frame.parquet']
    >>> with as_files("a.csv") as files:
    ...     files
    ['a.csv']
    """
    if isinstance(given, str | Path):
        yield [given]
    elif _is_frame(given):
        with tempfile.TemporaryDirectory(prefix="haechi-") as folder:
            file = Path(folder) / "frame.parquet"
            _write(given, file)
            try:
                yield [file]
            except HaechiError as error:
                raise error.renamed(file.name, "table") from None
    elif isinstance(given, Iterable) and (files := list(given)) and all(map(_is_path, files)):
        yield files
    else:
        raise _refused(given, type(given).__name__)


def _is_path(given: object) -> bool:
    return isinstance(given, str | Path)


def _is_frame(given: Iterable[str | Path] | Frame | Columns) -> TypeGuard[Frame | Columns]:
    return isinstance(given, Mapping) or hasattr(given, "columns")


def _write(frame: Frame | Columns, file: Path) -> None:
    import polars as pl

    try:
        pl.DataFrame(frame).write_parquet(file)  # type: ignore[arg-type]
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise _refused(frame, str(error).partition("\n")[0]) from error


def _refused(given: object, found: str) -> HaechiError:
    expected = Text(
        "파일, 또는 열마다 한 종류의 값이 있는 데이터 프레임",
        "a file, or a data frame with one kind of values per column",
    )
    todo = Text(
        "경로나 Polars·pandas 데이터 프레임을 주세요", "give a path, or a data frame of Polars or pandas"
    )
    return HaechiError.of(type(given).__name__, found, expected, todo)
