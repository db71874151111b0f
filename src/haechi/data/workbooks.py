"""Workbooks (.xlsx, .xlsm, .xls) as tables, one for each sheet that is shown; macros are not even unpacked.

A merged cell stands for all the rows it covers. A formula whose result is not stored in the file is no empty cell: it
stands in its row as an `Unstored`, and whoever needs the cell says so.
"""

from __future__ import annotations

import codecs
import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from haechi.data.files import Unstored, plain_cell, refuse
from haechi.data.tables import InputTable, TableLine, TableReading, table_of
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.text import Text

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_CHUNK, _OVERLAP = 1 << 20, 300
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})"')
_UNSURE = re.compile(rb'fullCalcOnLoad="(?:1|true)"')
_MOST_MERGED = 100_000
_LARGE, _PACKED = (
    256 * 1024 * 1024,
    100,
)  # bytes unpacked; how many times smaller no real sheet of that size is

Span = tuple[int, int, int, int]
"""The first row, the first column, the last row and the last column of merged cells, counted from one."""


@frozen
class _Sheet:
    """A sheet of a workbook, whatever the format."""

    title: str
    shown: bool
    lines: Iterable[TableLine]
    merged: tuple[Span, ...]


def is_workbook(path: Path, named_so: bool) -> bool:
    """Whether the file is a workbook by its first bytes; a file that is only called so is refused with what it is."""
    with path.open("rb") as file:
        head = file.read(512)
    held = _holds_workbook(path) if head.startswith(_ZIP) else False
    if head.startswith(_OLE) or held or (held is None and named_so):  # of a damaged one reading it tells more
        return True
    found = _no_workbook(head) if named_so else None
    if found is not None:
        todo = Text("엑셀에서 열어 .xlsx로 저장하세요", "open it in Excel and save it as .xlsx")
        raise refuse(path.name, found, _WORKBOOK, todo)
    return False


_WORKBOOK = Text("Excel 통합 문서(.xlsx, .xlsm, .xls)", "an Excel workbook (.xlsx, .xlsm, .xls)")
_OTHERS = {
    _ZIP: Text("통합 문서가 들어 있지 않은 ZIP 파일", "a ZIP file that holds no Excel workbook"),
    b"%PDF": Text("PDF 파일", "a PDF file"),
    b"\x89PNG": Text("그림(PNG)", "a picture (PNG)"),
    b"\xff\xd8\xff": Text("그림(JPEG)", "a picture (JPEG)"),
    b"\x1f\x8b": Text("압축 파일(gzip)", "a compressed file (gzip)"),
    b"PAR1": Text("Parquet 파일", "a Parquet file"),
}


def _no_workbook(head: bytes) -> Text | None:
    """What a file is that is only called a workbook; None for a table with commas, semicolons or tabs, which is read."""
    known = next((said for sign, said in _OTHERS.items() if head.startswith(sign)), None)
    if known is not None:
        return known
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return Text("웹 문서(HTML 또는 XML)", "a web page (HTML or XML)")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    if b"\0" in head or not any(map(partial(_is_text, head), ("utf-8", "cp949"))):
        return Text("글도 통합 문서도 아닌 깨진 파일", "a damaged file, neither text nor a workbook")
    if not any(sign in head for sign in b",;\t"):
        return Text("통합 문서가 아닌 글", "a text that is no workbook")
    return None


def _is_text(head: bytes, encoding: str) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        return False
    return True


def _holds_workbook(path: Path) -> bool | None:
    """Whether a ZIP file is a workbook; None if it is too damaged to tell."""
    try:
        with zipfile.ZipFile(path) as parts:
            return "xl/workbook.xml" in parts.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError):  # a wrong offset, version or name
        return None


def workbook(path: Path, reading: TableReading) -> list[InputTable]:
    """The tables of the sheets that are meant: the named one, or all that are shown and not empty."""
    # Held as it is, compressed: nobody knows when the last of its sheets will have been read.
    held = path.read_bytes()
    sheets = _guarded(path, _xls(held) if held.startswith(_OLE) else _xlsx(path, held))
    all_sheets = list(sheets)
    chosen = _chosen(path, all_sheets, reading.sheet)
    tables = [table for sheet in chosen if (table := _table(path, sheet, reading)).peek(1)]
    hidden = ", ".join(sheet.title for sheet in all_sheets if not sheet.shown and sheet not in chosen)
    if hidden:
        said = Text(
            f"{path.name}: 숨긴 시트는 읽지 않았습니다: {hidden} (읽으려면 --sheet 이름)",
            f"{path.name}: hidden sheets were not read: {hidden} (--sheet NAME reads one)",
        )
        for table in tables:
            table.about_file = (said,)
    return tables


def _table(path: Path, sheet: _Sheet, reading: TableReading) -> InputTable:
    lines = _spread(_guarded(path, sheet.lines), sheet.merged)
    name = f"{path.name}:{sheet.title}"
    return table_of(name, lines, lambda row: f"{name}!{row}", reading.header_row, sheet.title)


def _chosen(path: Path, sheets: list[_Sheet], wished: str | None) -> list[_Sheet]:
    shown = [sheet for sheet in sheets if sheet.shown]
    if wished in (None, "all"):
        return shown
    named = [sheet for sheet in sheets if sheet.title.strip() == str(wished).strip()]
    if not named and str(wished).isdigit() and 1 <= int(str(wished)) <= len(sheets):
        named = [sheets[int(str(wished)) - 1]]
    if not named:
        titles = ", ".join(sheet.title for sheet in sheets)
        expected = Text(f"이 파일의 시트: {titles}", f"a sheet of this file: {titles}")
        raise refuse(path.name, f"--sheet {wished}", expected, Text("--sheet를 고치세요", "correct --sheet"))
    return named


def _guarded(path: Path, things: Iterable[Any]) -> Iterator[Any]:
    """What a library reads; whatever it makes of a damaged file becomes an error about the file."""
    try:
        yield from things
    except (HaechiError, MemoryError, OSError):  # the last two are the machine's: the file is held already
        raise
    except Exception as error:  # a damaged file may lead a library anywhere
        found = Text("깨졌거나 암호가 걸린 파일", "a file that is damaged or has a password")
        todo = Text(
            "엑셀에서 열리는지 확인하고, 암호가 있으면 풀어서 다시 저장하세요",
            "see whether Excel opens it; if it has a password, save it without",
        )
        raise refuse(path.name, found, _WORKBOOK, todo) from error


def _spread(lines: Iterable[TableLine], merged: tuple[Span, ...]) -> Iterator[TableLine]:
    """The lines with the value of a merged cell in every row that the cell covers, in its first column."""
    if not merged:
        yield from lines
        return
    tall = {(top, left): bottom for top, left, bottom, _ in merged if bottom > top}
    covering: dict[int, tuple[int, Any]] = {}  # by column: the last row covered, and the value
    for number, cells in lines:
        for column, (last, value) in list(covering.items()):
            if number > last:
                del covering[column]
            else:
                cells.extend([None] * (column - len(cells)))
                cells[column - 1] = value
        covering |= {
            column: (tall[number, column], cell)
            for column, cell in enumerate(cells, 1)
            if (number, column) in tall
        }
        yield TableLine(number, cells)


def _xlsx(path: Path, held: bytes) -> Iterator[_Sheet]:
    import openpyxl

    warnings.filterwarnings("ignore", category=UserWarning, module=r"openpyxl\.")
    _check_size(path, held)
    book = openpyxl.load_workbook(io.BytesIO(held), read_only=True, data_only=True)
    with zipfile.ZipFile(io.BytesIO(held)) as parts:
        unsure = _UNSURE.search(parts.read("xl/workbook.xml")) is not None
        for sheet in book.worksheets:
            part: str = getattr(sheet, "_worksheet_path")  # noqa: B009 - known nowhere else, and to no type
            formulas, merged = _facts(parts, part.lstrip("/"))
            sheet.reset_dimensions()  # what the file says of its size may be wrong, or huge
            lines = _computed(held, sheet, unsure) if formulas else _plain(sheet)
            yield _Sheet(sheet.title, sheet.sheet_state == "visible", lines, merged)


def _check_size(path: Path, held: bytes) -> None:
    """Refuse a file that unpacks to far more than a workbook can: reading it would take minutes and hold nothing."""
    with zipfile.ZipFile(io.BytesIO(held)) as parts:
        size = sum(part.file_size for part in parts.infolist())
    if size > _LARGE and size > _PACKED * len(held):
        found = Text(
            f"압축을 풀면 {size / len(held):,.0f}배로 커지는 파일",
            f"a file that grows {size / len(held):,.0f} times when it is unpacked",
        )
        todo = Text(
            "엑셀에서 열어 다시 저장하거나 CSV로 저장하세요", "open it in Excel and save it again, or as CSV"
        )
        raise refuse(path.name, found, _WORKBOOK, todo)


def _facts(parts: zipfile.ZipFile, part: str) -> tuple[bool, tuple[Span, ...]]:
    """Whether a sheet has formulas, and its merged cells: what reading it as a stream does not tell."""
    from openpyxl.utils import range_boundaries

    formulas, merged, tail = False, set[bytes](), b""
    with parts.open(part) as file:
        while chunk := file.read(_CHUNK):
            text = tail + chunk
            formulas = formulas or _FORMULA.search(text) is not None
            merged.update(_MERGED.findall(text))
            tail = text[-_OVERLAP:]
            if len(merged) > _MOST_MERGED:
                break
    spans = (range_boundaries(one.decode()) for one in sorted(merged))
    return formulas, tuple((top, left, bottom, right) for left, top, right, bottom in spans)  # type: ignore[misc]


def _plain(sheet: Any) -> Iterator[TableLine]:
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        yield TableLine(number, list(map(_written, cells)))


def _written(cell: Any) -> Any:
    from openpyxl.utils.escape import unescape

    # A carriage return, say, stands in the file as _x000D_.
    return unescape(cell) if isinstance(cell, str) and "_x" in cell else plain_cell(cell)


def _computed(held: bytes, sheet: Any, unsure: bool) -> Iterator[TableLine]:
    """The lines of a sheet with formulas: beside the stored results the formulas are read too."""
    import openpyxl

    beside = openpyxl.load_workbook(io.BytesIO(held), read_only=True, data_only=False)[sheet.title]
    beside.reset_dimensions()
    for number, (results, formulas) in enumerate(
        zip(sheet.iter_rows(), beside.iter_rows(), strict=True), start=1
    ):
        cells = [_written(result.value) for result in results]
        for place, (result, formula) in enumerate(zip(results, formulas, strict=True)):
            # A text that is stored as empty is a result; programs that compute nothing store 0.
            empty = result.value is None and result.data_type == "n"
            if formula.data_type == "f" and (empty or (unsure and result.value == 0)):
                cells[place] = Unstored(formula.coordinate)
        yield TableLine(number, cells)


def _xls(held: bytes) -> Iterator[_Sheet]:
    import os

    import xlrd

    with Path(os.devnull).open("w") as nowhere:
        book = xlrd.open_workbook(file_contents=held, formatting_info=True, logfile=nowhere)
    for sheet in book.sheets():
        merged = tuple((top + 1, left + 1, bottom, right) for top, bottom, left, right in sheet.merged_cells)
        yield _Sheet(sheet.name, sheet.visibility == 0, _xls_lines(book, sheet), merged)


def _xls_lines(book: Any, sheet: Any) -> Iterator[TableLine]:
    import xlrd

    def value(cell: Any) -> Any:
        if cell.ctype == xlrd.XL_CELL_DATE:
            return plain_cell(xlrd.xldate_as_datetime(cell.value, book.datemode))
        if cell.ctype == xlrd.XL_CELL_ERROR:
            return xlrd.error_text_from_code.get(cell.value, "#?")
        return bool(cell.value) if cell.ctype == xlrd.XL_CELL_BOOLEAN else cell.value

    for number in range(sheet.nrows):
        yield TableLine(number + 1, [value(cell) for cell in sheet.row(number)])
