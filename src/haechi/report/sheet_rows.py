"""The rows of a workbook's sheets, written as columns: a library that takes cells one by one needs longer than all figures together.

The library makes each sheet with its head and one row; the styles of that row's cells are those of all rows. Then the row is
replaced by the others, as XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from math import isfinite
from pathlib import Path
from typing import IO
from unicodedata import east_asian_width
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import polars as pl

from haechi.frozen import frozen
from haechi.report.words import shortened

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")  # Excel reads it as a character
_LINE = 15  # points
_QUICK = 1  # cells repeat themselves: more effort takes several times as long, and saves little
_ROWS = 2_000  # at a time
Value = str | int | float | None


@frozen
class SheetCells:
    """How the cells of a sheet are written.

    wrapped: columns whose text goes on in the next line after so many letters; a row is as high as it needs, up to
    `most_lines`; longest: how many characters a cell can hold; numbers: columns of text in which a number is what looks like this.
    """

    wrapped: Mapping[str, int]
    longest: int
    most_lines: int
    numbers: Mapping[str, re.Pattern[str]]


def fill_sheets(made: IO[bytes], path: Path, frames: Mapping[str, pl.DataFrame], cells: SheetCells) -> None:
    """Write a workbook with the rows of frames in its sheets, by the names of the sheets' files (`sheet3`)."""
    with ZipFile(made) as source, ZipFile(path, "w", ZIP_DEFLATED) as target:
        for member in source.infolist():
            frame = frames.get(Path(member.filename).stem)
            if frame is None:
                target.writestr(member, source.read(member), ZIP_DEFLATED)
                continue
            text = source.read(member).decode()
            same_date = ZipInfo(member.filename, member.date_time)
            same_date.external_attr = member.external_attr
            (row,) = re.finditer(r'<row r="2".*?</row>', text, re.DOTALL)
            styles = re.findall(r'<c r="[A-Z]+2" s="(\d+)"', row[0])
            head = re.sub(
                r'(<dimension ref="A1:[A-Z]+)\d+"', rf'\g<1>{frame.height + 1}"', text[: row.start()]
            )
            sheet = bytearray(head.encode())
            for first in range(0, frame.height, _ROWS):
                sheet += _rows(frame[first : first + _ROWS], first + 2, styles, cells).encode()
            sheet += text[row.end() :].encode()
            target.writestr(same_date, sheet, ZIP_DEFLATED, _QUICK)


def _rows(frame: pl.DataFrame, first: int, styles: Sequence[str], cells: SheetCells) -> str:
    """Every row as an element, the first with the number `first`."""
    columns = {name: frame[name].to_list() for name in frame.columns}
    numbers = [*map(str, range(first, first + frame.height))]
    parts: list[Iterable[str]] = [repeat('<row r="'), numbers, _heights(columns, frame.height, cells)]
    for place, (name, style) in enumerate(zip(columns, styles, strict=True)):
        start, values = f'<c r="{letters(place)}', columns[name]
        number = cells.numbers.get(name)
        # Most values stand in a column many times.
        ends = {value: _end(value, style, cells.longest, number) for value in dict.fromkeys(values)}
        if all(ends.values()):
            parts += [repeat(start), numbers, map(ends.__getitem__, values)]
        elif any(ends.values()):
            known = map(ends.__getitem__, values)
            parts.append([start + row + end if end else "" for row, end in zip(numbers, known, strict=True)])
    parts.append(repeat("</row>"))
    return "".join(chain.from_iterable(zip(*parts, strict=False)))


def _heights(columns: Mapping[str, Sequence[Value]], rows: int, cells: SheetCells) -> list[str]:
    """How the element of every row goes on: not every program makes a row as high as its wrapped text."""
    high = [1] * rows
    for name, wide in cells.wrapped.items():
        if name in columns:
            values = columns[name]
            lines = {value: -(-text_room(str(value or "")) // wide) for value in dict.fromkeys(values)}
            high = [*map(max, high, map(lines.__getitem__, values))]
    said = {1: '">'} | {
        lines: f'" ht="{_LINE * lines}" customHeight="1">' for lines in range(2, cells.most_lines + 1)
    }
    return [said[min(lines, cells.most_lines)] for lines in high]


def _end(value: Value, style: str, longest: int, number: re.Pattern[str] | None) -> str:
    """A cell but for its place; there is none where there is no value.

    >>> _end(0.5, "3", 99, None), _end(None, "3", 99, None), _end("4", "3", 99, re.compile("^[0-9]$"))
    ('" s="3"><v>0.5</v></c>', '', '" s="3"><v>4</v></c>')
    >>> _end("a < b", "1", 99, None)
    '" s="1" t="inlineStr"><is><t xml:space="preserve">a &lt; b</t></is></c>'
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        return f'" s="{style}"><v>{value + 0}</v></c>' if isfinite(value) else ""
    if number and number.match(value):
        return f'" s="{style}"><v>{value}</v></c>'
    text = _ESCAPED.sub(r"_x005F_x\1_", _ILLEGAL.sub("\ufffd", shortened(value, longest)))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'" s="{style}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


class _Widths(dict[str, bool]):
    """Which letters take the room of two."""

    def __missing__(self, letter: str) -> bool:
        self[letter] = wide = east_asian_width(letter) in "WF"
        return wide


_IS_WIDE = _Widths().__getitem__


def text_room(text: str) -> int:
    """How much room a text takes; a Korean letter takes twice that of a Latin one.

    >>> text_room("haechi"), text_room("해치")
    (6, 4)
    """
    return len(text) + (0 if text.isascii() else sum(map(_IS_WIDE, text)))


def letters(place: int) -> str:
    """The name of a column, the first being 0.

    >>> letters(0), letters(25), letters(26), letters(701), letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    name, place = "", place + 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(65 + rest) + name
    return name
