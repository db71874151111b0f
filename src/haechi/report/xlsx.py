"""Excel workbooks written by columns: cells become text in polars, not one by one in Python.

The parts and their order are those of ECMA-376 (SpreadsheetML). Text is written as text, so no cell can become
a formula, a link or a number; the same tables make the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Self
from unicodedata import east_asian_width
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

import polars as pl

from haechi.errors import HaechiError
from haechi.report.words import shortened
from haechi.text import Text

MOST_ROWS = 1_048_575
"""Rows that Excel shows below the head."""
_LONGEST_CELL = 32_767
_LARGEST = 2**31  # Excel does not open a sheet that needs the 64-bit kind of zip
_PIECE = 2_000
_LEVEL = 3  # a third less time than the usual 6, for a sixth more room
_WIDEST, _MOST_LINES, _PAGE = 40, 8, 320
_SAMPLE = 200

_HEAD, _NUMBER, _WHOLE, _PLAIN, _WORDS, _NOTE = range(1, 7)
"""Places in `_STYLES`."""
_TOP = '<alignment vertical="top"/>'
_STYLES = (
    '<numFmts count="0"/>'
    '<fonts count="3"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font><font><i/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '<fill><patternFill patternType="solid"><fgColor rgb="FFE8EEF7"/><bgColor indexed="64"/></patternFill></fill></fills>'
    '<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>'
    '<border><left/><right/><top/><bottom style="thin"><color auto="1"/></bottom><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="2" borderId="1" xfId="0" applyFont="1" applyFill="1" applyBorder="1" '
    'applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>'
    f'<xf numFmtId="2" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1">{_TOP}</xf>'
    f'<xf numFmtId="3" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1">{_TOP}</xf>'
    f'<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1">{_TOP}</xf>'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1">'
    '<alignment horizontal="left" vertical="top" wrapText="1" indent="1"/></xf>'
    '<xf numFmtId="0" fontId="2" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
)
_CONTROLS = {chr(code): f"_x{code:04X}_" for code in (*range(9), *range(11, 32), 0xFFFE, 0xFFFF)}
_OPEN_TEXT, _CLOSE_TEXT = '<is><t xml:space="preserve">', "</t></is>"
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | _CONTROLS

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_MADE = "2000-01-01T00:00:00Z"


class Workbook:
    """A workbook of tables, written as they come; complete when the block ends.

    >>> import tempfile, openpyxl
    >>> file = Path(tempfile.mkdtemp()) / "t.xlsx"
    >>> with Workbook(file) as book:
    ...     book.add("scores", [pl.DataFrame({"item": ["=1+1"], "total": [3.5]})])
    >>> list(openpyxl.load_workbook(file)["scores"].values)
    [('item', 'total'), ('=1+1', 3.5)]
    """

    def __init__(self, path: Path, title: str = "") -> None:
        self._path, self._title = path, title
        self._zip = ZipFile(path, "w", ZIP_DEFLATED, compresslevel=_LEVEL)
        self._sheets: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            for name, content in _about(self._title, self._sheets).items():
                with self._zip.open(name, "w") as file:
                    file.write((_XML + content).encode())
        self._zip.close()

    def add(
        self,
        name: str,
        pieces: Iterable[pl.DataFrame],
        wrapped: Mapping[str, int] | None = None,
        note: str = "",
    ) -> None:
        """Add a sheet with the pieces of one table below each other, and a note below them.

        The columns in `wrapped` hold long text: they are as wide as it says, and their rows as high as needed.
        """
        tables = iter(pieces)
        first = next(tables, pl.DataFrame())
        columns = {column.name: _width(column, wrapped or {}) for column in first}
        with self._zip.open(f"xl/worksheets/sheet{len(self._sheets) + 1}.xml", "w") as file:
            file.write(_before(columns, first=not self._sheets).encode())
            rows = size = 0
            for table in chain([first], tables) if columns else ():
                for piece in table.iter_slices(_PIECE):
                    size += file.write(_rows(piece, rows + 2, wrapped or {}))
                    rows += piece.height
                    self._fits(rows, size)
            below = rows + (2 if columns else 1)
            if note:
                file.write(f'<row r="{below}">{_text_cell("A", below, note, _NOTE)}</row>'.encode())
            file.write(_after(columns, rows).encode())
        self._sheets[name] = f"$A$1:${_letters(len(columns) - 1)}${rows + 1}" if rows else ""

    def _fits(self, rows: int, size: int) -> None:
        if rows > MOST_ROWS or size > _LARGEST:
            expected = Text(f"{MOST_ROWS:,}줄, 2 GB까지", f"at most {MOST_ROWS:,} rows and 2 GB")
            found = Text(
                f"Excel 시트에 다 들어가지 않는 표({rows:,}줄)",
                f"a table too large for an Excel sheet ({rows:,} rows)",
            )
            todo = Text(".csv나 .parquet로 쓰세요", "write .csv or .parquet instead")
            raise HaechiError.of(self._path.name, found, expected, todo)


def room(text: str) -> int:
    """How much room a text takes; a Korean letter takes twice that of a Latin one.

    >>> room("abc"), room("해치")
    (3, 4)
    """
    return len(text) + (0 if text.isascii() else sum(east_asian_width(letter) in "WF" for letter in text))


def _width(column: pl.Series, wrapped: Mapping[str, int]) -> int:
    """Wide enough for the head and the first values, within reason."""
    if column.name in wrapped:
        return wrapped[column.name]
    texts = column.head(_SAMPLE).drop_nulls().to_list() if column.dtype == pl.String else []
    return max(9, min(_WIDEST, max(map(room, [column.name + "   ", *texts])) + 2))


def _before(columns: Mapping[str, int], first: bool) -> str:
    """What stands above the rows, and the head."""
    fit = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>' if sum(columns.values()) <= _PAGE else ""
    pane = '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>'
    chosen = ' tabSelected="1"' if first else ""
    view = f'<sheetView{chosen} workbookViewId="0">{pane if columns else ""}</sheetView>'
    widths = "".join(
        f'<col min="{number}" max="{number}" width="{width + 0.71:.2f}" customWidth="1"/>'
        for number, width in enumerate(columns.values(), 1)
    )
    head = "".join(_text_cell(_letters(number), 1, name, _HEAD) for number, name in enumerate(columns))
    return (
        f'{_XML}<worksheet xmlns="{_MAIN}">{fit}<sheetViews>{view}</sheetViews><sheetFormatPr defaultRowHeight="15"/>'
        + (f'<cols>{widths}</cols><sheetData><row r="1">{head}</row>' if columns else "<sheetData>")
    )


def _after(columns: Mapping[str, int], rows: int) -> str:
    """What stands below the rows; for print, landscape on A4, as wide as a page unless that is too small to read."""
    choice = f'<autoFilter ref="A1:{_letters(len(columns) - 1)}{rows + 1}"/>' if rows else ""
    margins = '<pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/>'
    long = ' fitToHeight="0"' if sum(columns.values()) <= _PAGE else ""
    page = f'<pageSetup paperSize="9"{long} orientation="landscape"/>'
    return f"</sheetData>{choice}{margins}{page}</worksheet>"


def _rows(table: pl.DataFrame, start: int, wrapped: Mapping[str, int]) -> bytes:
    """The rows of a table, the first of them with the number `start`."""
    place = pl.int_range(start, start + table.height, eager=True).cast(pl.String)
    cells = [_cells(column, place, _letters(n), column.name in wrapped) for n, column in enumerate(table)]
    parts = [
        pl.lit('<row r="'),
        place,
        pl.lit('"'),
        _heights(table, wrapped),
        pl.lit(">"),
        *cells,
        pl.lit("</row>"),
    ]
    made: str = pl.select(pl.concat_str(parts, ignore_nulls=True).str.join("")).item()
    return made.encode()


def _cells(column: pl.Series, place: pl.Series, letters: str, wrap: bool) -> pl.Series:
    """The cells of a column; nothing where there is no value."""
    style, kind, opening, closing = _PLAIN, "", "<v>", "</v>"
    if column.dtype.is_float():
        style, value = _NUMBER, column.set(~column.is_finite(), None).cast(pl.String)
    elif column.dtype.is_integer():
        style, value = _WHOLE, column.cast(pl.String)
    else:
        style, kind, opening, closing = _WORDS if wrap else _PLAIN, ' t="inlineStr"', _OPEN_TEXT, _CLOSE_TEXT
        value = _escaped(column.cast(pl.String))
    before = f'" s="{style}"{kind}>{opening}'
    parts = [pl.lit(f'<c r="{letters}'), place, pl.lit(before), value, pl.lit(f"{closing}</c>")]
    return pl.select(pl.concat_str(parts)).to_series()


def _escaped(texts: pl.Series) -> pl.Series:
    """Text as XML; what XML cannot hold as Excel writes it, _x0000_, and what looks like that so that it stays."""
    if (texts.str.len_chars().max() or 0) > _LONGEST_CELL:  # type: ignore[operator]
        texts = texts.map_elements(lambda text: shortened(text, _LONGEST_CELL), pl.String)
    return texts.str.replace_all("_x([0-9a-fA-F]{4}_)", "_x005F_x${1}").str.replace_many(_ESCAPES)


def _heights(table: pl.DataFrame, wrapped: Mapping[str, int]) -> pl.Series:
    """The height of every row as an attribute; not every program makes a row as high as its wrapped text."""
    lines = [1] * table.height
    for name in set(wrapped) & set(table.columns):
        texts = table[name].to_list()
        lines = [max(n, -(-room(text or "") // wrapped[name])) for n, text in zip(lines, texts, strict=True)]
    known = (f' ht="{15 * min(n, _MOST_LINES)}" customHeight="1"' if n > 1 else "" for n in lines)
    return pl.Series(known, dtype=pl.String)


def _text_cell(letters: str, row: int, text: str, style: int) -> str:
    known = _escaped(pl.Series([text])).item()
    return f'<c r="{letters}{row}" s="{style}" t="inlineStr">{_OPEN_TEXT}{known}{_CLOSE_TEXT}</c>'


def _letters(column: int) -> str:
    """A column as Excel names it.

    >>> [_letters(number) for number in (0, 25, 26, 702)]
    ['A', 'Z', 'AA', 'AAA']
    """
    before, last = divmod(column, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def _about(title: str, sheets: Mapping[str, str]) -> dict[str, str]:
    """The parts that hold the sheets together; `sheets` has the range of every table."""
    parts = {f"xl/worksheets/sheet{n}.xml": "worksheet" for n in range(1, len(sheets) + 1)}
    parts["xl/styles.xml"] = "styles"
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{name[3:]}"/>'
        for n, (name, kind) in enumerate(parts.items(), 1)
    )
    kinds = "".join(
        f'<Override PartName="/{name}" ContentType="{_KIND}.{kind}+xml"/>'
        for name, kind in (parts | {"xl/workbook.xml": "sheet.main"}).items()
    )
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, 1)
    )
    names = "".join(
        f'<definedName name="_xlnm._FilterDatabase" localSheetId="{n}" hidden="1">{name}!{area}</definedName>'
        f'<definedName name="_xlnm.Print_Titles" localSheetId="{n}">{name}!$A:$A,{name}!$1:$1</definedName>'
        for n, (name, area) in enumerate(sheets.items())
        if area
    )
    defined = f"<definedNames>{names}</definedNames>" if names else ""
    core = f"{_PACKAGE}/metadata/core-properties"
    about_it = f"{_PACKAGE}/relationships/metadata/core-properties"
    return {
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">{_STYLES}</styleSheet>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews>'
        f"<sheets>{listed}</sheets>{defined}</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>',
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{core}" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(title)}</dc:title>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{_MADE}</dcterms:created></cp:coreProperties>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        f'<Relationship Id="rId2" Type="{about_it}" '
        'Target="docProps/core.xml"/></Relationships>',
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>'
        f"{kinds}</Types>",
    }
