"""Runs from the lines of a JSONL file, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import polars as pl

from haechi.data.files import LONGEST_RECORD, refuse
from haechi.data.json_files import parse_json
from haechi.data.splits import LineSplit, cut_lines
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.scoring.runs.columns import FieldKeys, RunReading, RunRecord, keys_of, runs_of, shape_runs
from haechi.scoring.runs.quick_lines import read_lines
from haechi.text import Text

_MANY_SHAPES = 100
_MEBIBYTES = LONGEST_RECORD // 1024 // 1024
_RECORD = Text(f"{_MEBIBYTES} MiB 이하의 JSON 객체 {{…}}", f"a JSON object {{…}} of at most {_MEBIBYTES} MiB")


class OtherEncodingError(Exception):
    """The file is not UTF-8; a reader that finds out encodings has to read it."""


@frozen
class LinesPart:
    """The runs in some lines."""

    lines: LineSplit
    reading: RunReading

    def batches(self) -> Iterator[pl.DataFrame]:
        """One batch, since the lines are few."""
        runs = read_lines(self.lines.block(), self.reading)
        if runs is None:
            runs = self._regular()
        yield self._slow() if runs is None else runs

    def _regular(self) -> pl.DataFrame | None:
        """The runs, if all records are regular."""
        known: dict[tuple[str, ...], FieldKeys | None] = {}
        rows = []
        for number, line in self.lines.lines():
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
        first = self.lines.before + 1
        records = (
            (f"{self.lines.path.name}:{first + number}", self._record(number, line))
            for number, line in self.lines.lines()
        )
        return shape_runs(records, self.reading)

    def _record(self, number: int, line: bytes) -> RunRecord:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            try:
                text = line.decode()
            except UnicodeDecodeError:
                raise OtherEncodingError(self.lines.path) from None
            parse_json(text, self._place(number), _RECORD)
            raise self._refuse(number, str(error)) from None
        if type(record) is not dict:
            raise self._refuse(number, type(record).__name__)
        return record

    def _refuse(self, number: int, found: str) -> HaechiError:
        return refuse(self._place(number), found, _RECORD)

    def _place(self, number: int) -> str:
        return f"{self.lines.path.name}:{self.lines.before + number + 1}"


def line_parts(path: Path, reading: RunReading) -> Iterator[LinesPart]:
    """The parts of a JSONL file."""
    return (LinesPart(lines, reading) for lines in cut_lines(path))
