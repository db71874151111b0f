"""Runs from a JSONL file, in parts that begin and end with a line."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import polars as pl

from haechi.errors import HaechiError
from haechi.scoring.runs.columns import Keys, Reading, Record, keys_of, runs_of, shaped
from haechi.text import Text

BYTES = 8 * 1024 * 1024
BUFFER = 256 * 1024
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
        quick = self._quick()
        yield self._slow() if quick is None else quick

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines that are not empty with their numbers, one after the other, since fresh memory is slow."""
        with self.path.open("rb", BUFFER) as file:
            file.seek(self.start)
            if self.start == 0 and file.read(len(BOM_UTF8)) != BOM_UTF8:
                file.seek(0)
            left = self.stop - file.tell()
            for number, line in enumerate(file):
                left -= len(line)
                if not line.isspace():
                    yield number, line
                if left <= 0:
                    return

    def _quick(self) -> pl.DataFrame | None:
        """The runs, if all records are regular."""
        known: dict[tuple[str, ...], Keys | None] = {}
        rows = []
        for number, line in self._lines():
            record = self._record(number, line)
            shape = tuple(record)
            if shape not in known:
                known[shape] = keys_of(shape, self.reading)
            keys = known[shape]
            if keys is None or len(known) > _MANY_SHAPES:
                return None
            rows.append(tuple(map(record.get, keys)))
        return runs_of(zip(*rows, strict=True), self.reading) if rows else None

    def _slow(self) -> pl.DataFrame:
        before = self._lines_before()
        records = (
            (f"{self.path.name}:{before + number + 1}", self._record(number, line))
            for number, line in self._lines()
        )
        return shaped(records, self.reading)

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
