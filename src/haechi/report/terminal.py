"""A table on a terminal: where that is narrow, columns are left out, which is said, and others are cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import Literal

from haechi.report.numbers import NOTHING
from haechi.report.table import Cell, Column, Estimate, ScoreName, Table, Tone, VerdictMark, in_two
from haechi.text import Text

Style = Literal["", "bold", "dim", "green", "yellow", "red"]
Line = tuple[tuple[str, Style], ...]
"""What stands on one line, piece by piece with its colour; what names hold is never taken for markup."""

COLOURS: dict[Tone, Style] = {"good": "green", "caution": "yellow", "problem": "red", "plain": ""}
_CODES: dict[Style, str] = {"": "", "bold": "1", "dim": "2", "green": "32", "yellow": "33", "red": "31"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURE = 0.05
_WIDEST, _NARROWEST = 40, 5
_GAP = 2


def line(*parts: str | tuple[str, Style]) -> Line:
    """A line from words, and words with a colour.

    >>> line("✓ ", ("3.47", "green"))
    (('✓ ', ''), ('3.47', 'green'))
    """
    return tuple((part, "") if isinstance(part, str) else part for part in parts)


def paint_line(shown: Line, colours: bool) -> str:
    """A line as text, with the codes of its colours for a terminal that has any; other control codes are taken out.

    >>> paint_line(line(("no", "red"), " \\x1b[2J"), colours=True)
    '\\x1b[31mno\\x1b[0m [2J'
    """
    plain = ((_CONTROL.sub("", text), style) for text, style in shown)
    if not colours:
        return "".join(text for text, _ in plain)
    return "".join(f"\x1b[{_CODES[style]}m{text}\x1b[0m" if style and text else text for text, style in plain)


@lru_cache(maxsize=4096)
def _columns(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes; Korean letters take two each.

    >>> width_of("total"), width_of("총점")
    (5, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


@dataclass
class _Shown:
    """One column as it will be printed: its title, its cells, and how wide it may be."""

    title: str
    column: Column
    cells: list[Line]
    limit: int | None = None

    @cached_property
    def natural(self) -> int:
        texts = (
            *self.title.split("\n"),
            *(piece for cell in self.cells for piece in _plain(cell).split("\n")),
        )
        return max(map(width_of, texts), default=0)

    @property
    def width(self) -> int:
        return self.natural if self.limit is None else min(self.natural, self.limit)


def table_lines(table: Table, width: int) -> Iterator[Line]:
    """The lines of a table; no wider than the terminal, as far as that can be.

    >>> from haechi.report.table import table
    >>> for shown in table_lines(table("means", ["score", "mean"], [["total", 24.98]]), 80):
    ...     print(paint_line(shown, colours=False))
    means
    <BLANKLINE>
     score   mean
     ────────────
     total  24.98
    <BLANKLINE>
    """
    if table.title:
        yield from fold_line(line((table.title, "bold")), width)
    yield ()
    columns, left_out = _fitted(_shown_columns(table), width)
    titles = [[line((piece, "bold")) for piece in _folded(c.title, c.width)] for c in columns]
    height = max(map(len, titles), default=0)
    yield from _side_by_side([[()] * (height - len(title)) + title for title in titles], columns)
    yield line(" " + "─" * (sum(c.width for c in columns) + _GAP * (len(columns) - 1)))
    in_blocks = any(row[0] == "" for row in table.rows)
    for number, (row, following) in enumerate(zip_longest(table.rows, table.rows[1:])):
        yield from _side_by_side([_cell_lines(c.cells[number], c) for c in columns], columns)
        if in_blocks and row and following and following[0] != "":
            yield ()
    yield ()
    notes = [words for words in table.note.splitlines() if all(words != gone.note for gone in left_out)]
    if left_out:
        names = " · ".join(gone.title for gone in left_out)
        notes.append(
            Text(f"화면이 좁아 뺀 열: {names}", f"columns left out of this narrow terminal: {names}").say()
        )
    for words in notes:
        yield from fold_line(line((words, "dim")), width)
    if notes:
        yield ()


def fold_line(shown: Line, width: int) -> Iterator[Line]:
    """A line that may be too long, in several, all indented as the first.

    >>> [paint_line(piece, colours=False) for piece in fold_line(line(" two ", ("words", "red")), 6)]
    [' two', ' words']
    """
    plain, begin = _plain(shown), 0
    for piece in _folded(plain, width):
        words = piece.lstrip(" ")
        begin = plain.index(words, begin)
        end, place = begin + len(words), 0
        parts: list[tuple[str, Style]] = [(piece[: len(piece) - len(words)], "")]
        for text, style in shown:
            parts.append((text[max(begin - place, 0) : max(end - place, 0)], style))
            place += len(text)
        yield tuple(part for part in parts if part[0])
        begin = end


def _shown_columns(table: Table) -> list[_Shown]:
    return [
        _Shown(
            column.short or column.title,
            column,
            [_cell(row[place], column) if place < len(row) else () for row in table.rows],
        )
        for place, column in enumerate(table.columns)
    ]


def _fitted(columns: list[_Shown], width: int) -> tuple[list[_Shown], list[Column]]:
    """The columns that there is room for, and those that there is none for."""

    def too_wide() -> bool:
        return sum(column.width for column in columns) + _GAP * (len(columns) - 1) + 2 > width

    left_out: list[Column] = []
    for spare in sorted((c for c in columns if c.column.leave_out), key=lambda one: one.column.leave_out):
        if not too_wide():
            break
        columns = [column for column in columns if column is not spare]
        left_out.append(spare.column)
    if too_wide():
        _cut(columns, width, too_wide)
    return columns, left_out


def _cut(columns: Sequence[_Shown], width: int, too_wide: Callable[[], bool]) -> None:
    """Hold the first column at the width of its names, within reason, and narrow the others until all fits."""
    first, *others = columns
    first.limit = width // 3 if others else max(width - 2, _NARROWEST)
    for limit in range(_WIDEST, _NARROWEST - 1, -1):
        for column in others:
            column.limit = limit
        if not too_wide():
            return


def _side_by_side(cells: Sequence[Sequence[Line]], columns: Sequence[_Shown]) -> Iterator[Line]:
    """The lines of one row, whose cells may have several each."""
    for pieces in zip_longest(*cells, fillvalue=()):
        shown: list[tuple[str, Style]] = [(" ", "")]
        for place, (piece, column) in enumerate(zip(pieces, columns, strict=True)):
            blank = " " * (column.width - width_of(_plain(piece)))
            last = place == len(columns) - 1
            if column.column.is_words:
                shown += [*piece, ("" if last else blank + " " * _GAP, "")]
            else:
                shown += [(blank, ""), *piece, ("" if last else " " * _GAP, "")]
        yield tuple(shown)


def _cell_lines(cell: Line, column: _Shown) -> list[Line]:
    """A cell within the width of its column: words go on in the next line, figures are cut."""
    if all(width_of(piece) <= column.width for piece in _plain(cell).split("\n")) and "\n" not in _plain(
        cell
    ):
        return [cell]
    style: Style = cell[0][1] if cell else ""
    if column.column.is_words:
        return [((piece, style),) for piece in _folded(_plain(cell), column.width)]
    return [((_head(_plain(cell), column.width - 1) + "…", style),)]


def _folded(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` columns, broken between words where there are such and indented as it begins."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        if width_of(paragraph) <= width:
            lines.append(paragraph)
            continue
        inner = paragraph.lstrip(" ")
        indent = paragraph[: min(len(paragraph) - len(inner), width // 3)]
        held, room = "", width - len(indent)
        for word in inner.split(" "):
            longer = f"{held} {word}" if held else word
            if width_of(longer) <= room:
                held = longer
                continue
            lines += [indent + held] if held else []
            held = word
            while width_of(held) > room:
                head = _head(held, room) or held[0]
                lines.append(indent + head)
                held = held[len(head) :]
        lines.append(indent + held)
    return lines


def _head(text: str, width: int) -> str:
    """As much of the beginning of a text as `width` columns hold."""
    taken = 0
    for place, sign in enumerate(text):
        taken += _columns(sign)
        if taken > width:
            return text[:place]
    return text


def _plain(shown: Line) -> str:
    return "".join(text for text, _ in shown)


def _cell(cell: Cell, column: Column) -> Line:
    """A cell with its colour."""
    if isinstance(cell, ScoreName):
        return ((cell.key, "bold" if cell.computed else ""),)
    point, ends = in_two(cell, column.kind, column.digits)
    if point == NOTHING:
        return ((point, "dim"),)
    if column.kind == "p" and isinstance(cell, float) and cell < _SURE:
        return ((point, "bold"),)
    tone = cell.tone if isinstance(cell, Estimate | VerdictMark) else "plain"
    return (point, COLOURS[tone]), ("" if column.brief else ends, "dim")
