"""What a terminal of some width shows."""

from collections.abc import Iterable

from haechi.report.table import Table
from haechi.report.terminal import Line, fold_line, line, paint_line, table_lines


def printed(things: Iterable[Table | Line | str], width: int, colours: bool = False) -> list[str]:
    """The lines of tables and words, as a terminal shows them."""
    lines: list[Line] = []
    for thing in things:
        if isinstance(thing, Table):
            lines += table_lines(thing, width)
        else:
            lines += fold_line(line(thing) if isinstance(thing, str) else thing, width)
    return [paint_line(one, colours) for one in lines]
