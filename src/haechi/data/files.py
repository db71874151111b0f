"""Opening files from strangers: the encoding is found out, binary files are refused."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from haechi.errors import HaechiError
from haechi.text import Text

# A record longer than this is a damaged file, not a conversation; it also bounds memory.
LONGEST_RECORD = 64 * 1024 * 1024
_CHUNK = 1024 * 1024


BAD = "\0bad"
"""A row that could not be read holds its error under this name, so that --skip-bad can go on after it."""


class Row(NamedTuple):
    """One record of a file and where it stands."""

    place: str
    data: dict[str, Any]


class Unstored(NamedTuple):
    """A cell with a formula whose result is not in the file; where it stands."""

    cell: str


def plain_cell(cell: Any) -> Any:
    """A cell as text, number or truth value: a date as ISO 8601 writes it.

    >>> plain_cell(Decimal("1.5"))
    1.5
    """
    if isinstance(cell, Decimal):
        return float(cell) if cell.is_finite() else str(cell)
    return cell.isoformat() if hasattr(cell, "isoformat") else cell


AGAIN = Text("고친 뒤 다시 실행하세요", "correct it and run again")
"""What to do where nothing can be said but what is expected."""


def refuse(place: str, found: str | Text, expected: Text, todo: Text | None = None) -> HaechiError:
    """An error about one place of a file."""
    return HaechiError.of(place, found, expected, todo or AGAIN)


def check_exists(path: Path) -> None:
    """Refuse a path that is no readable file, or an empty one."""
    todo = Text("경로를 확인하세요", "check the path")
    if not path.exists():
        raise refuse(
            str(path), Text("파일이 없음", "no such file"), Text("있는 파일", "a file that exists"), todo
        )
    if path.is_dir():
        raise refuse(str(path), Text("폴더", "a folder"), Text("파일", "a file"), todo)
    if path.stat().st_size == 0:
        expected = Text("한 건 이상의 자료", "at least one record")
        raise refuse(str(path), Text("빈 파일", "an empty file"), expected)


def no_parquet(name: str, error: Exception) -> HaechiError:
    """The file cannot be read as Parquet: what the library says of it nobody can act on, what the machine says one can."""
    found: str | Text = Text("깨졌거나 Parquet이 아닌 파일", "a damaged file, or no Parquet")
    if isinstance(error, OSError) and error.strerror:
        found = error.strerror
    todo = Text("파일을 확인하세요", "check the file")
    return refuse(name, found, Text("Parquet 파일", "a Parquet file"), todo)


_CUT = Text("파일이 중간에서 끝남", "the file ends in the middle")


def cut_off(place: str, found: Text = _CUT) -> HaechiError:
    """The file, or what else was `found` to, ends before what stands in it does."""
    todo = Text(
        "파일을 처음부터 끝까지 다시 내보내거나 복사하세요", "export or copy the file again, all of it"
    )
    return refuse(place, found, Text("끝까지 있는 파일", "a whole file"), todo)


def too_long(place: str) -> HaechiError:
    """A line beyond the limit, which is not read into memory."""
    mebibytes = LONGEST_RECORD // _CHUNK
    found = Text(f"{mebibytes} MiB보다 긴 줄", f"a line longer than {mebibytes} MiB")
    return refuse(place, found, Text(f"{mebibytes} MiB 이하의 줄", f"a line of at most {mebibytes} MiB"))


def open_text(path: Path) -> TextIO:
    """Open a text file as UTF-8 (with or without BOM), UTF-16 with BOM, or CP949."""
    return path.open("r", encoding=encoding_of(path), newline="")


def encoding_of(path: Path) -> str:
    """Find the encoding by decoding the whole file once, a piece at a time."""
    check_exists(path)
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    failures = []
    for encoding in ("utf-8-sig", "cp949"):
        failure = _failure(path, encoding)
        if failure is None:
            return encoding
        failures.append(failure)
    if _CUT in failures:
        raise cut_off(str(path))
    expected = Text("UTF-8 또는 CP949(EUC-KR) 텍스트 파일", "a text file in UTF-8 or CP949 (EUC-KR)")
    todo = Text("파일을 UTF-8로 저장해 주세요", "save the file as UTF-8")
    raise refuse(str(path), failures[0], expected, todo)


def _failure(path: Path, encoding: str) -> Text | None:
    decoder = codecs.getincrementaldecoder(encoding)()
    position = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if (zero := chunk.find(b"\0")) >= 0:
                at = position + zero
                return Text(f"이진 파일(바이트 {at}에 NUL)", f"a binary file (NUL at byte {at})")
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                at = position + error.start
                return Text(f"바이트 {at}이(가) {encoding} 아님", f"byte {at} is not {encoding}")
            position += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _CUT
    return None


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a text file; a line beyond the limit is refused, not read into memory."""
    with open_text(path) as file:
        number = 0
        while line := file.readline(LONGEST_RECORD + 1):
            number += 1
            if len(line) > LONGEST_RECORD:
                raise too_long(f"{path.name}:{number}")
            yield number, line
