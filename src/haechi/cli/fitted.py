"""Tables that fit the terminal: where it is narrow, columns are left out, which is said, and others are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text as Styled

from haechi.text import Text

_WIDEST, _NARROWEST = 40, 5


class FittedTable(Table):
    """A table whose rows keep their names, however narrow the terminal is."""

    _spare: tuple[Column, ...] = ()

    def may_lose(self, *places: int) -> None:
        """Name the columns that may be left out, the first to go first."""
        self._spare = tuple(self.columns[place] for place in places)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print as much as fits."""
        wide = options.update(max_width=10_000)  # a table is never measured wider than it may be

        def too_wide() -> bool:
            return Measurement.get(console, wide, self).maximum > options.max_width

        left_out = []
        for column in self._spare:
            if not too_wide():
                break
            self.columns.remove(column)
            left_out.append(str(column.header).replace("\n", " "))
            for index, kept in enumerate(self.columns):
                kept._index = index  # by which the space around a column is found
        if too_wide() and len(self.columns) > 1:
            self._cut(options.max_width, too_wide)
        yield from super().__rich_console__(console, options)
        yield from _about(left_out)

    def _cut(self, width: int, too_wide: Callable[[], bool]) -> None:
        """Hold the first column at the width of its names, within reason, and narrow the others until all fits."""
        first, *others = self.columns
        names = (Styled.from_markup(str(cell)) for cell in (first.header, *first.cells))
        first.width = min(max(name.cell_len for name in names), width // 3)
        for limit in range(_WIDEST, _NARROWEST - 1, -1):
            for column in others:
                column.max_width = limit
            if not too_wide():
                return


def _about(left_out: list[str]) -> Iterator[Styled]:
    if left_out:
        names = ", ".join(left_out)
        said = Text(f"화면이 좁아 뺀 열: {names}", f"columns left out of this narrow terminal: {names}")
        yield Styled(said.say(), style="dim")
