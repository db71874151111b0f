"""A table on a terminal: where that is narrow, columns are left out, which is said, and others are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text as Styled

from haechi.report.numbers import NOTHING
from haechi.report.table import Cell, Column, Estimate, Mark, ScoreName, Table, Tone, in_two
from haechi.text import Text

COLOURS: dict[Tone, str] = {"good": "green", "caution": "yellow", "problem": "red", "plain": ""}
_SURE = 0.05
_WIDEST, _NARROWEST = 40, 5


class TerminalTable(Grid):
    """A table whose rows keep their names, however narrow the terminal is."""

    def __init__(self, table: Table) -> None:
        super().__init__(
            title=Styled(table.title, style="bold") if table.title else None,
            caption=Styled(table.note, style="dim italic") if table.note else None,
            box=box.SIMPLE_HEAD,
            title_justify="left",
            caption_justify="left",
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        for column in table.columns:
            self._add(column)
        in_blocks = any(row[0] == "" for row in table.rows)
        for row, following in zip_longest(table.rows, table.rows[1:], fillvalue=("",)):
            cells = (_shown(cell, column) for cell, column in zip(row, table.columns, strict=False))
            self.add_row(*cells, end_section=in_blocks and following[0] != "")
        spare = sorted((c.leave_out, place) for place, c in enumerate(table.columns) if c.leave_out)
        self._spare = tuple(self.columns[place] for _, place in spare)

    def _add(self, column: Column) -> None:
        self.add_column(
            Styled(column.short or column.title),
            justify="left" if column.is_words else "right",
            no_wrap=not column.is_words,
            overflow="fold" if column.is_words else "ellipsis",
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print as much as fits."""
        wide = options.update(max_width=10_000)  # a table is never measured wider than it may be

        def too_wide() -> bool:
            return Measurement.get(console, wide, self).maximum > options.max_width

        left_out: list[str] = []
        spare, narrow = iter(self._spare), too_wide()
        while narrow and (column := next(spare, None)):
            self.columns.remove(column)
            left_out.append(str(column.header).replace("\n", " "))
            for index, kept in enumerate(self.columns):
                kept._index = index  # by which the space around a column is found
            narrow = too_wide()
        if narrow and len(self.columns) > 1:
            self._cut(options.max_width, too_wide)
        yield from super().__rich_console__(console, options)
        yield from _about(left_out)

    def _cut(self, width: int, too_wide: Callable[[], bool]) -> None:
        """Hold the first column at the width of its names, within reason, and narrow the others until all fits."""
        first, *others = self.columns
        first.width = min(max(_width(cell) for cell in (first.header, *first.cells)), width // 3)
        for limit in range(_WIDEST, _NARROWEST - 1, -1):
            for column in others:
                column.max_width = limit
            if not too_wide():
                return


def _width(cell: object) -> int:
    return cell.cell_len if isinstance(cell, Styled) else Styled(str(cell)).cell_len


def _shown(cell: Cell, column: Column) -> Styled:
    """A cell with its colour; what names hold is never taken for markup."""
    if isinstance(cell, ScoreName):
        return Styled(cell.key, style="bold" if cell.computed else "")
    point, ends = in_two(cell, column.kind, column.digits)
    if point == NOTHING:
        return Styled(point, style="dim")
    if column.kind == "p" and isinstance(cell, float) and cell < _SURE:
        return Styled(point, style="bold")
    tone = cell.tone if isinstance(cell, Estimate | Mark) else "plain"
    shown = Styled(point, style=COLOURS[tone])
    return Styled.assemble(shown, ("" if column.brief else ends, "dim"))


def _about(left_out: list[str]) -> Iterator[Styled]:
    if left_out:
        names = ", ".join(left_out)
        said = Text(f"화면이 좁아 뺀 열: {names}", f"columns left out of this narrow terminal: {names}")
        yield Styled(said.say(), style="dim")
