"""Writing tables: CSV for Excel, Parquet and xlsx; whole or not at all, and no cell becomes a formula."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from haechi.errors import HaechiError
from haechi.text import Text


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table in the format that the file's name asks for.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "t.csv"
    >>> write_table(pl.DataFrame({"item": ["=1+1"], "total": [3.5]}), file)
    >>> file.read_text("utf-8-sig")
    "item,total\\n'=1+1,3.5\\n"
    """
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        known = " ".join(WRITERS)
        todo = Text("파일 이름의 확장자를 바꾸세요", "change the file's extension")
        raise HaechiError.of(
            str(path), path.suffix or path.name, Text(f"다음 중 하나: {known}", f"one of {known}"), todo
        )
    with whole_file(path) as temporary:
        writer(frame, temporary)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place only when everything was written."""
    if not path.parent.is_dir():
        todo = Text("폴더를 먼저 만드세요", "make the folder first")
        raise HaechiError.of(
            str(path), Text("폴더가 없음", "no such folder"), Text("있는 폴더", "a folder that exists"), todo
        )
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _csv(frame: pl.DataFrame, path: Path) -> None:
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    # A spreadsheet runs text that starts with = + - @; an apostrophe before it keeps it text (our reader undoes it).
    dangerous = pl.col(texts).str.contains(r"^'*[=+\-@\t\r]")
    guarded = (
        frame.with_columns(pl.when(dangerous).then("'" + pl.col(texts)).otherwise(pl.col(texts)).name.keep())
        if texts
        else frame
    )
    with path.open("wb") as file:
        file.write("\ufeff".encode())
        guarded.write_csv(file)


def _parquet(frame: pl.DataFrame, path: Path) -> None:
    frame.write_parquet(path)


def _xlsx(frame: pl.DataFrame, path: Path) -> None:
    import xlsxwriter

    options = {
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "constant_memory": True,
    }
    with xlsxwriter.Workbook(str(path), options) as book:
        sheet = book.add_worksheet("scores")
        bold = book.add_format({"bold": True, "bottom": 1})
        sheet.freeze_panes(1, 1)
        for column, name in enumerate(frame.columns):
            sheet.write_string(0, column, name, bold)
            sheet.set_column(column, column, max(8, min(28, len(name) + 4)))
        for number, row in enumerate(frame.iter_rows(), start=1):
            for column, value in enumerate(row):
                if value is not None:
                    sheet.write(number, column, value)


WRITERS: dict[str, Callable[[pl.DataFrame, Path], None]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".xlsx": _xlsx,
}
