"""Runs from a JSONL file, in parts that begin and end with a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import polars as pl

from haechi.errors import HaechiError
from haechi.scoring.runs.columns import Reading, Record, keys_of, runs_of, shaped
from haechi.text import Text

BYTES = 16 * 1024 * 1024
LONGEST_LINE = 64 * 1024 * 1024
_MANY_SHAPES = 100


class OtherEncodingError(Exception):
    """The file is not UTF-8; a reader that finds out encodings has to read it."""


@dataclass(frozen=True)
class LinesPart:
    """The lines within a stretch of bytes."""

    path: Path
    start: int
    stop: int
    reading: Reading

    def batches(self) -> Iterator[pl.DataFrame]:
        """One batch, since the stretch is short."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            lines = file.read(self.stop - self.start).split(b"\n")
        if self.start == 0:
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        numbers = [number for number, line in enumerate(lines) if line and not line.isspace()]
        records = [self._record(number, lines[number]) for number in numbers]
        quick = self._quick(records)
        yield self._slow(numbers, records) if quick is None else quick

    def _record(self, number: int, line: bytes) -> Record:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            try:
                line.decode()
            except UnicodeDecodeError:
                raise OtherEncodingError(self.path) from None
            raise self._refuse(number, str(error)) from None
        if type(record) is not dict:
            raise self._refuse(number, type(record).__name__)
        return record

    def _quick(self, records: list[Record]) -> pl.DataFrame | None:
        shapes = set(map(tuple, records))
        keys = keys_of(shapes, self.reading) if len(shapes) < _MANY_SHAPES else None
        if not keys:
            return None
        raw = {field: [record.get(key) for record in records] for field, key in keys.items()}
        return runs_of(raw, self.reading)

    def _slow(self, numbers: list[int], records: list[Record]) -> pl.DataFrame:
        before = self._lines_before()
        places = (f"{self.path.name}:{before + number + 1}" for number in numbers)
        return shaped(zip(places, records, strict=True), self.reading)

    def _lines_before(self) -> int:
        """Counted only when a line must be named, since it means reading all that is before."""
        count, left = 0, self.start
        with self.path.open("rb") as file:
            while left and (chunk := file.read(min(BYTES, left))):
                count += chunk.count(b"\n")
                left -= len(chunk)
        return count

    def _refuse(self, number: int, found: str) -> HaechiError:
        return _refuse(f"{self.path.name}:{self._lines_before() + number + 1}", found)


def line_parts(path: Path, reading: Reading) -> Iterator[LinesPart]:
    """The parts of a JSONL file; a line beyond the limit is refused before it is read into memory."""
    size = path.stat().st_size
    start = 0
    with path.open("rb") as file:
        while start < size:
            file.seek(min(start + BYTES, size))
            overhang = file.readline(LONGEST_LINE)
            if len(overhang) == LONGEST_LINE:
                place = f"{path.name}:{LinesPart(path, start + BYTES, size, reading)._lines_before() + 1}"
                mebibytes = LONGEST_LINE // 1024 // 1024
                raise _refuse(place, f"> {mebibytes} MiB")
            stop = file.tell()
            yield LinesPart(path, start, stop, reading)
            start = stop


def _refuse(place: str, found: str) -> HaechiError:
    mebibytes = LONGEST_LINE // 1024 // 1024
    expected = Text(
        f"{mebibytes} MiB 이하의 JSON 객체 {{…}}", f"a JSON object {{…}} of at most {mebibytes} MiB"
    )
    return HaechiError.of(place, found, expected, Text("고친 뒤 다시 실행하세요", "correct it and run again"))
