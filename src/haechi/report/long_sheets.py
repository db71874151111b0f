"""Long sheets of a workbook, written as columns: a library that takes cells one by one needs longer than all figures together.

The library writes each sheet with its head and one row; the styles of that row's cells are those of all rows. Then the row is
replaced by the others, as XML that polars has put together.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import polars as pl

_ILLEGAL = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x{FFFE}\x{FFFF}]"
_ESCAPED = r"_x([0-9A-Fa-f]{4})_"  # Excel reads it as a character
_WIDE = r"[\x{1100}-\x{10FFFF}]"  # letters that take the room of two, near enough
_LINE = 15  # points
_QUICK = 1  # cells repeat themselves: more effort takes several times as long, and saves little


def fill_sheets(
    path: Path,
    frames: Mapping[str, pl.DataFrame],
    wrapped: Mapping[str, int],
    longest: int,
    most_lines: int,
    numbers: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Put the rows of frames into the sheets of a workbook, by the names of the sheets' files (`sheet3`).

    wrapped: columns whose text goes on in the next line after so many letters; a row is as high as it needs, up to
    `most_lines`; longest: how many characters a cell can hold; numbers: columns of text in which a number is what looks like this.
    """
    if not frames:
        return
    filled = path.with_name(f"{path.name}.filled")
    with ZipFile(path) as made, ZipFile(filled, "w", ZIP_DEFLATED) as target:
        for member in made.infolist():
            frame = frames.get(Path(member.filename).stem)
            if frame is None:
                target.writestr(member, made.read(member), ZIP_DEFLATED)
                continue
            text = made.read(member).decode()
            same_date = ZipInfo(member.filename, member.date_time)
            same_date.external_attr = member.external_attr
            (row,) = re.finditer(r'<row r="2".*?</row>', text, re.DOTALL)
            styles = re.findall(r'<c r="[A-Z]+2" s="(\d+)"', row[0])
            head = re.sub(
                r'(<dimension ref="A1:[A-Z]+)\d+"', rf'\g<1>{frame.height + 1}"', text[: row.start()]
            )
            sheet = bytearray(head.encode())
            for piece in frame.with_row_index("\0row", 2).iter_slices(2_000):
                rows = _rows(piece, styles, wrapped, longest, most_lines, numbers)
                sheet += "".join(rows.to_list()).encode()
            sheet += text[row.end() :].encode()
            target.writestr(same_date, sheet, ZIP_DEFLATED, _QUICK)
    shutil.move(filled, path)


def _rows(
    frame: pl.DataFrame,
    styles: list[str],
    wrapped: Mapping[str, int],
    longest: int,
    most_lines: int,
    numbers: Mapping[str, str],
) -> pl.Series:
    """Every row as an element."""
    number = pl.col("\0row").cast(pl.String)
    columns = [(name, dtype) for name, dtype in frame.schema.items() if name != "\0row"]
    cells = [
        _cell(name, dtype, letters(place), style, number, longest, numbers.get(name))
        for place, ((name, dtype), style) in enumerate(zip(columns, styles, strict=True))
    ]
    texts = [(name, wrapped[name]) for name, dtype in columns if name in wrapped and dtype == pl.String]
    high = pl.max_horizontal(pl.lit(1), *(_lines(name, wide) for name, wide in texts)).clip(1, most_lines)
    height = (
        pl.when(high > 1).then(pl.format(' ht="{}" customHeight="1"', high * _LINE)).otherwise(pl.lit(""))
    )
    row = pl.concat_str(
        pl.lit('<row r="'), number, pl.lit('"'), height, pl.lit(">"), *cells, pl.lit("</row>")
    )
    return frame.select(row.alias("row"))["row"]


def _cell(
    name: str,
    dtype: pl.DataType,
    letter: str,
    style: str,
    number: pl.Expr,
    longest: int,
    counts: str | None = None,
) -> pl.Expr:
    """A column's cells; there is none where there is no value."""
    value = pl.col(name)
    start = pl.concat_str(pl.lit(f'<c r="{letter}'), number, pl.lit(f'" s="{style}"'))
    if dtype != pl.String:
        known = value.cast(pl.Int64 if dtype == pl.Boolean else dtype)
        known = pl.when(known.is_finite()).then(known) if dtype.is_float() else known
        return pl.concat_str(start, pl.lit("><v>"), known.cast(pl.String), pl.lit("</v></c>")).fill_null("")
    cut = (
        pl.when(value.str.len_chars() > longest).then(value.str.slice(0, longest - 1) + "…").otherwise(value)
    )
    safe = cut.str.replace_all(_ILLEGAL, "\ufffd").str.replace_all(_ESCAPED, "_x005F_x${1}_")
    for sign, name_of in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        safe = safe.str.replace_all(sign, name_of, literal=True)
    text = pl.concat_str(
        start, pl.lit(' t="inlineStr"><is><t xml:space="preserve">'), safe, pl.lit("</t></is></c>")
    )
    if counts:
        figure = pl.concat_str(start, pl.lit("><v>"), value, pl.lit("</v></c>"))
        text = pl.when(value.str.contains(counts)).then(figure).otherwise(text)
    return text.fill_null("")


def _lines(name: str, wide: int) -> pl.Expr:
    text = pl.col(name).fill_null("")
    room = text.str.len_chars().cast(pl.Int64) + text.str.count_matches(_WIDE).cast(pl.Int64)
    return (room + wide - 1) // wide


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
