"""A sheet of a workbook with tables below one another: those that commands print and the report shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from haechi.report.numbers import NumberKind
from haechi.report.sheet_rows import text_room
from haechi.report.table import Estimate, Plain, Table, plain
from haechi.report.words import said, shortened

_LONGEST_CELL = 32_767
_NARROWEST, _WIDEST = 9, 40
_FORMATS: dict[NumberKind, str] = {
    "count": "#,##0",
    "score": "0.00",
    "coefficient": "0.00",
    "share": "0 %",
    "p": "0.000",
}


class TableSheet:
    """Writes tables into a sheet; text stays text, and numbers can be counted with."""

    def __init__(self, book: Any, sheet: Any) -> None:
        self._sheet = sheet
        self._line = 0
        self._widths: dict[int, int] = {}
        self._title, self._note = book.add_format({"bold": True}), book.add_format({"italic": True})
        self._head = book.add_format({"bold": True, "bottom": 1, "bg_color": "#E8EEF7"})
        self._looks = {kind: book.add_format({"num_format": form}) for kind, form in _FORMATS.items()}
        sheet.set_landscape()
        sheet.set_paper(9)  # A4
        sheet.fit_to_pages(1, 0)

    def write(self, tables: Sequence[Table]) -> None:
        """Write every table under its title and over its note, and make the columns as wide as they need."""
        for shown in tables:
            self._words(0, shown.title, self._title)
            self._line += 1
            names, kinds, rows = spread(shown)
            for column, name in enumerate(names):
                self._cell(column, name, self._head)
            for row in rows:
                self._line += 1
                for column, (value, kind) in enumerate(zip(row, kinds, strict=True)):
                    whole = isinstance(value, int) or kind == "words"
                    self._cell(
                        column,
                        value,
                        None if isinstance(value, str) else self._looks["count" if whole else kind],
                    )
            if shown.note:
                self._line += 1
                self._words(0, shown.note, self._note)
            self._line += 2
        for column, width in self._widths.items():
            self._sheet.set_column(column, column, max(_NARROWEST, min(_WIDEST, width + 2)))

    def _cell(self, column: int, value: Plain, look: Any) -> None:
        if isinstance(value, str):
            self._widths[column] = max(self._widths.get(column, 0), text_room(value))
            self._words(column, value, look)
        elif value is not None:
            self._sheet.write_number(self._line, column, value, look)

    def _words(self, column: int, text: str, look: Any) -> None:
        self._sheet.write_string(self._line, column, shortened(text, _LONGEST_CELL), look)


def spread(shown: Table) -> tuple[list[str], list[NumberKind], list[tuple[Plain, ...]]]:
    """The heads, kinds and rows of a table; where figures have intervals or reasons, these are columns of their own.

    >>> from haechi.report.table import table
    >>> heads, kinds, rows = spread(table("t", ["score", "mean"], [["A", Estimate(3.5, 3.0, 4.0)]]))
    >>> len(heads), kinds, rows
    (4, ['words', 'score', 'score', 'score'], [('A', 3.5, 3.0, 4.0)])
    """
    own = shown.on_page()
    found: list[tuple[str, NumberKind, list[Plain]]] = []
    for place, column in enumerate(own.columns):
        cells = [row[place] for row in own.rows]
        figures = [cell if isinstance(cell, Estimate) else None for cell in cells]
        kind = next((one.kind for one in figures if one and one.kind), column.kind)
        found.append((column.title, kind, [plain(cell) for cell in cells]))
        short = column.title.partition(" [")[0]  # … [95 % interval]
        more: list[tuple[str, NumberKind, list[Plain]]] = [
            (said("95 % 아래", "95 % low"), kind, [one.low if one else None for one in figures]),
            (said("95 % 위", "95 % high"), kind, [one.high if one else None for one in figures]),
            (said("이유", "why"), "words", [(one.why or None) if one else None for one in figures]),
        ]
        found += [
            (f"{short}: {words}", of, ends)
            for words, of, ends in more
            if any(end is not None for end in ends)
        ]
    heads, kinds, columns = [*zip(*found, strict=True)] if found else ((), (), ())
    return list(heads), list(kinds), list(zip(*columns, strict=True))
