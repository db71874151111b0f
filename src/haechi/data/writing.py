"""Writing tables: CSV for Excel, Parquet and xlsx; whole or not at all, and no cell becomes a formula."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl

from haechi.data.atomic_files import whole_file
from haechi.data.parquet import write_pieces
from haechi.errors import HaechiError
from haechi.text import Text

_FORMULA = r"^'*[=+\-@\t\r]"


def write_tables(frames: Iterable[pl.DataFrame], path: Path) -> None:
    """Write the pieces of one table in the format that the file's name asks for.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "t.csv"
    >>> write_tables([pl.DataFrame({"item": ["=1+1"], "total": [3.5]})], file)
    >>> file.read_text("utf-8-sig")
    "item,total\\n'=1+1,3.5\\n"
    """
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        known = " ".join(WRITERS)
        todo = Text("파일 이름의 확장자를 바꾸세요", "change the file's extension")
        expected = Text(f"다음 중 하나: {known}", f"one of {known}")
        raise HaechiError.of(str(path), path.suffix or path.name, expected, todo)
    with whole_file(path) as temporary:
        writer(frames, temporary)


def _csv(frames: Iterable[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as file:
        file.write("\ufeff".encode())
        for number, frame in enumerate(frames):
            _guarded(frame).write_csv(file, include_header=number == 0)


def _guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """A spreadsheet runs text that starts with = + - @; an apostrophe keeps it text (our reader takes it off)."""
    # No reader takes a file with a NUL in it for text.
    texts = pl.selectors.string().str.replace_all("\0", "\ufffd", literal=True)
    guarded = frame.with_columns(
        pl.when(texts.str.contains(_FORMULA)).then("'" + texts).otherwise(texts).name.keep()
    )
    names = {name: f"'{name}" for name in frame.columns if re.match(_FORMULA, name)}
    return guarded.rename(names) if names else guarded


def _parquet(frames: Iterable[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as file:  # polars takes no name that is not UTF-8
        write_pieces(frames, file)


MOST_ROWS = 1_048_575
"""Rows that Excel shows below the head."""


def _xlsx(frames: Iterable[pl.DataFrame], path: Path) -> None:
    import xlsxwriter

    text_stays_text = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(str(path), {**text_stays_text, "constant_memory": True}) as book:
        sheet = book.add_worksheet("scores")
        bold = book.add_format({"bold": True, "bottom": 1})
        sheet.freeze_panes(1, 1)
        number = 0
        for frame in frames:
            if not number:
                for column, name in enumerate(frame.columns):
                    sheet.write_string(0, column, name, bold)
                    sheet.set_column(column, column, max(8, min(28, len(name) + 4)))
            if number + frame.height > MOST_ROWS:
                found = Text(f"{MOST_ROWS:,}줄보다 많음", f"more than {MOST_ROWS:,} rows")
                expected = Text("엑셀 시트 하나에 들어가는 표", "a table that fits into an Excel sheet")
                todo = Text(".csv나 .parquet으로 쓰세요", "write .csv or .parquet")
                raise HaechiError.of(".xlsx", found, expected, todo)
            for row in frame.iter_rows():
                number += 1
                for column, value in enumerate(row):
                    if value is not None:
                        sheet.write(number, column, value)


WRITERS: dict[str, Callable[[Iterable[pl.DataFrame], Path], None]] = {
    ".csv": _csv,
    ".parquet": _parquet,
    ".xlsx": _xlsx,
}
