"""Rows that all have more or fewer fields than the header: what a program leaves out of its header, or of every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from haechi.text import Text


class Widths(NamedTuple):
    """The columns of a table, the fewest fields that a row of it may have, and what a person should know of it."""

    columns: list[str]
    least: int
    said: tuple[Text, ...] = ()


def row_widths(name: str, columns: list[str], rows: Sequence[list[Any]]) -> Widths:
    """How wide the rows of a table are, by its first ones.

    R names no column of row names, so every row has one field more than the header. Crowdsourcing services end their
    header with columns that are to be filled in, for which no row has a field. One row tells neither from a mistake.

    >>> row_widths("r.txt", ["J1", "J2"], [["S1", "9", "2"], ["S2", "6", "1"]]).columns
    ['', 'J1', 'J2']
    >>> row_widths("r.csv", ["HITId", "Answer", "Approve"], [["h1", "4"], ["h2", "5"]]).said[0].en
    'r.csv: no row has a field for Approve, which stands last in the header; read as empty'
    """
    width, found = len(columns), {len(cells) for cells in rows}
    if len(rows) < 2 or len(found) > 1:
        return Widths(columns, width)
    (least,) = found
    if least < width:
        last = ", ".join(columns[least:])
        said = Text(
            f"{name}: 머리글 끝의 {last} 열에는 어느 줄에도 칸이 없어 빈 열로 읽었습니다",
            f"{name}: no row has a field for {last}, which stands last in the header; read as empty",
        )
        return Widths(columns, least, (said,))
    if least == width + 1 and _have_names(rows):
        said = Text(
            f"{name}: 머리글이 줄보다 한 칸 적어, 첫 칸을 이름 없는 열(줄의 이름)로 읽었습니다",
            f"{name}: the header has one field fewer than the rows; the first field was read as the rows' names",
        )
        return Widths(["", *columns], least, (said,))
    return Widths(columns, width)


def _have_names(rows: Sequence[list[Any]]) -> bool:
    """Whether rows begin with a name of their own; a comma inside a text leaves a space behind, or nothing at the end."""
    names = {str(cells[0]).strip() for cells in rows}
    others = [str(cell) for cells in rows for cell in cells[1:]]
    filled = any(str(cells[-1]).strip() for cells in rows)
    return filled and len(names - {""}) == len(rows) and not any(cell.startswith(" ") for cell in others)
