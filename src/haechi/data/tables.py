"""A table in a file: where its header stands, which columns it has, and its rows.

People write a title above their table, leave rows blank, and use two rows as a header; forms export the code and the
wording of a question one below the other. The header is found by the shape of the first rows; what was taken to be
no part of the table is kept, to be said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Literal, NamedTuple

from haechi.data.files import AGAIN, BAD, Row, refuse
from haechi.data.names import JOINED, fold_name, is_known_name
from haechi.data.row_widths import Widths, row_widths
from haechi.errors import HaechiError, Problem
from haechi.frozen import frozen
from haechi.text import Text, cut

_LOOKED_AT = 40
_NOTES = ("범례", "※", "*", "주)", "참고", "비고", "설명", "안내", "legend", "note", "key:")
_ANSWERS = frozenset({"response", "open-ended response", "응답", "주관식 응답"})
_SIGNS = frozenset(["o", "x", "○", "×", "◯", "✓", "✗", "v", "상", "중", "하"])
_IMPORT_ID = '{"ImportId"'  # the third header row of Qualtrics


Keep = Literal["first", "last", "all"]


@frozen
class TableReading:
    """How somebody wants a file to be read, where it is not to be found out."""

    sheet: str | None = None
    header_row: int | None = None
    format: str | None = None
    map: tuple[tuple[str, str], ...] = ()
    """Which column holds which field: (field, column)."""
    item: str | None = None
    """The item that all rows rate."""
    rater: str | None = None
    """Who gave all ratings of a table that goes into no study."""
    keep: Keep | None = None
    """Which answer counts where somebody answered twice; `all` keeps them as replicates."""


AS_FOUND = TableReading()


class TableLine(NamedTuple):
    """A line of a sheet or a delimited file and its number, counted from one."""

    number: int
    cells: list[Any]


class InputTable:
    """The rows of one table; the first of them can be looked at before all are read."""

    def __init__(
        self, name: str, rows: Iterable[Row], sheet: str | None = None, said: Sequence[Text] = ()
    ) -> None:
        self.name, self.sheet, self.said = name, sheet, list(said)
        self.about_file: tuple[Text, ...] = ()
        self.grouped = False  # whether names of groups stand above those of the columns
        self._rows = iter(rows)
        self._first: list[Row] = []

    def fill(self, rows: Iterable[Row]) -> None:
        """Give the table its rows."""
        self._rows = iter(rows)

    def peek(self, count: int) -> list[Row]:
        """The first rows, which will come again."""
        self._first += islice(self._rows, max(0, count - len(self._first)))
        return self._first[:count]

    @property
    def columns(self) -> list[str]:
        """The names that the first rows have."""
        return list(dict.fromkeys(name for row in self.peek(_LOOKED_AT) for name in row.data if name != BAD))

    def __iter__(self) -> Iterator[Row]:
        first, self._first = self._first, []
        return chain(first, self._rows)


def is_blank(cell: Any) -> bool:
    """Whether nothing stands in a cell."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def table_of(
    name: str,
    lines: Iterable[TableLine],
    place: Callable[[int], str],
    header_row: int | None = None,
    sheet: str | None = None,
    strict: bool = False,
) -> InputTable:
    """The table in some lines. With `strict` every line must have as many fields as the header.

    >>> lines = [TableLine(1, ["2학기 평가", ""]), TableLine(3, ["번호", "합리성"]), TableLine(4, ["d1", "1"])]
    >>> table = table_of("a.csv", lines, "a.csv:{}".format)
    >>> list(table), table.said[0].en
    ([Row(place='a.csv:4', data={'번호': 'd1', '합리성': '1'})], 'a.csv: the header is row 3; above it: 2학기 평가')
    """
    filled = (line for line in lines if not all(map(is_blank, line.cells)))
    first = list(islice(filled, _LOOKED_AT if header_row is None else max(header_row, 1) + 3))
    if not first:
        return InputTable(name, (), sheet)
    at, depth = _header_at(first, header_row, name)
    heads = first[at : at + depth]
    columns = _header([_shown(line.cells) for line in heads], place(heads[-1].number))
    said = _about_header(name, first[:at], heads) if at or depth > 1 else []
    below = first[at + depth :]
    widths = row_widths(name, columns, [line.cells for line in below]) if strict else Widths(columns, 0)
    table = InputTable(name, (), sheet, [*said, *widths.said])
    table.grouped = depth == 2 and _are_two_rows(heads[0].cells, heads[1].cells)
    table.fill(_rows(_without_legend(chain(below, filled), table), widths, place))
    return table


def _without_legend(lines: Iterable[TableLine], table: InputTable) -> Iterator[TableLine]:
    """The lines without a legend below the table: a narrow block after a blank row that explains signs."""
    before, widest, legend, firsts = None, 0, list[TableLine](), set[str]()
    for line in lines:
        filled = _filled(line)
        apart = before is not None and line.number > before + 1
        narrow = filled <= 2 and filled < widest
        before = line.number
        if narrow and (legend or (apart and _explains(line, firsts))):
            legend.append(line)
            continue
        widest = max(widest, filled)
        firsts = (
            firsts if len(firsts) > _LOOKED_AT else firsts | {_shown(line.cells[:1])[0] if line.cells else ""}
        )
        yield line
    if legend:
        words = "; ".join(" ".join(filter(None, _shown(line.cells))) for line in legend)
        short = cut(words, 60)
        table.said.append(
            Text(
                f"{table.name}: 표 아래 설명으로 보고 읽지 않은 줄 {len(legend)}개: {short}",
                f"{table.name}: {len(legend)} lines below the table were taken for a legend: {short}",
            )
        )


def _explains(line: TableLine, above: set[str]) -> bool:
    """Whether a line reads like a legend: a note, or a sign and what it means. Ids that look like signs are none."""
    cells = [cell for cell in _shown(line.cells) if cell]
    if cells[0].casefold().startswith(_NOTES):
        return True
    sign = cells[0].casefold() in _SIGNS or (cells[0].isdigit() and not any(map(str.isdigit, above)))
    return len(cells) == 2 and sign and _is_words(cells[1]) and len(cells[1]) > 1


def _rows(lines: Iterable[TableLine], widths: Widths, place: Callable[[int], str]) -> Iterator[Row]:
    columns, width = widths.columns, len(widths.columns)
    for number, cells in lines:
        at = place(number)
        if len(cells) > width and all(map(is_blank, cells[width:])):
            cells = cells[:width]  # noqa: PLW2901 - columns that a spreadsheet left empty
        if len(cells) > width or len(cells) < widths.least:
            found = Text(f"필드 {len(cells)}개", f"{len(cells)} fields")
            expected = Text(f"머리글과 같은 {width}개", f"{width}, as in the header")
            yield Row(at, {BAD: HaechiError((Problem(at, found, expected, AGAIN, at),))})
            continue
        yield Row(at, dict(zip(columns, [*cells, *[None] * (width - len(cells))], strict=True)))


def _header_at(first: list[TableLine], header_row: int | None, name: str) -> tuple[int, int]:
    """Where the header begins among the first lines, and how many lines it has."""
    if header_row is not None:
        at = next((i for i, line in enumerate(first) if line.number == header_row), None)
        if at is None:
            found = Text(f"{header_row}행이 비어 있음", f"row {header_row} is empty")
            expected = Text("열 이름이 있는 행", "a row with the names of columns")
            raise refuse(name, found, expected, Text("--header-row를 고치세요", "correct --header-row"))
        return at, _depth(first, at)
    if _names_known(first[0]) > 1:
        return 0, _depth(first, 0)
    widest = max(map(_filled, first))
    for at, line in enumerate(first):
        depth = _depth(first, at)
        if (
            depth > 1
            or _filled(line) * 2 > widest
            or (_filled(line) > 1 and _names_known(line) * 2 >= widest)
        ):
            return at, depth
    return 0, 1


def _depth(first: list[TableLine], at: int) -> int:
    """How many rows the header has that begins here."""
    below = first[at + 1 : at + 3]
    if len(below) > 1 and _share(below[1].cells, lambda cell: str(cell).startswith(_IMPORT_ID)) > 0.5:
        return 3
    if not below:
        return 1
    top, bottom = first[at].cells, below[0].cells
    if _share(bottom, lambda cell: str(cell).strip().casefold() in _ANSWERS) == 1.0:  # SurveyMonkey
        return 2
    if ("StartDate", "Start Date") in zip(top, bottom, strict=False):  # Qualtrics as it once was
        return 2
    return 2 if _filled(first[at]) > 1 and _are_two_rows(top, bottom) else 1


def _are_two_rows(top: list[Any], bottom: list[Any]) -> bool:
    """Whether a row of names stands below groups of columns, as in `항목 | 합리성 | | 구체성 |`."""
    top = [*top, *[None] * (len(bottom) - len(top))]
    bottom = [*bottom, *[None] * (len(top) - len(bottom))]
    under = [low for high, low in zip(top, bottom, strict=True) if is_blank(high) and not is_blank(low)]
    names = [cell for cell in bottom if not is_blank(cell)]
    if not under or not all(map(_is_words, names)):
        return False
    # A name over both rows has nothing below it, or itself where its cells are merged.
    alone = any(
        (is_blank(low) or low == high) and not is_blank(high) for high, low in zip(top, bottom, strict=True)
    )
    return alone or len(set(map(str, names))) < len(names)


def _is_words(cell: Any) -> bool:
    """Whether a cell could be a name: text that is no number."""
    if not isinstance(cell, str):
        return False
    return not cell.strip().replace(".", "", 1).removeprefix("-").isdigit()


def _filled(line: TableLine) -> int:
    return sum(not is_blank(cell) for cell in line.cells)


def _share(cells: list[Any], holds: Callable[[Any], bool]) -> float:
    given = [cell for cell in cells if not is_blank(cell)]
    return sum(map(holds, given)) / len(given) if given else 0.0


def _names_known(line: TableLine) -> int:
    return sum(is_known_name(cell) for cell in line.cells if isinstance(cell, str))


def _shown(cells: list[Any]) -> list[str]:
    return ["" if is_blank(cell) else str(cell).strip().removeprefix("\ufeff").strip() for cell in cells]


def _header(rows: list[list[str]], place: str) -> list[str]:
    """The names of the columns; of several rows the upper one spans the blanks to its right."""
    width = max(len(row) for row in rows)
    rows = [row + [""] * (width - len(row)) for row in rows]
    if len(rows) == 3:  # the third is for Qualtrics itself
        rows = rows[:2]
    names = rows[0]
    if len(rows) > 1:
        upper, spanned = "", []
        for name, below in zip(*rows, strict=True):
            upper = name or (upper if below else "")
            spanned.append(JOINED.join(dict.fromkeys(part for part in (upper, below) if part)))
        names = spanned
    while names and not names[-1]:
        names = names[:-1]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        said = ", ".join(map(repr, twice))
        found = Text(f"열 이름 중복: {said}", f"column twice: {said}")
        raise refuse(place, found, Text("서로 다른 열 이름", "different column names"))
    return names


def _about_header(name: str, above: list[TableLine], heads: list[TableLine]) -> list[Text]:
    rows = "–".join(dict.fromkeys(str(line.number) for line in (heads[0], heads[-1])))
    ko, en = f"{name}: 머리글은 {rows}행입니다", f"{name}: the header is row {rows}"
    titles = ", ".join(" ".join(filter(None, _shown(line.cells))) for line in above)
    if titles:
        short = cut(titles, 60)
        ko, en = f"{ko}. 그 위: {short}", f"{en}; above it: {short}"
    return [Text(ko, en)]


def no_rows(name: str) -> HaechiError:
    """A file without a single record."""
    found = Text("자료가 한 건도 없음", "no records")
    return refuse(name, found, Text("한 건 이상의 자료", "at least one record"))


def like_tables(tables: Sequence[InputTable]) -> list[InputTable]:
    """The tables that are read together: all if their columns are the same, else the first that has known names."""
    named = [table for table in tables if any(map(is_known_name, table.columns))] or list(tables)
    columns = {frozenset(map(fold_name, table.columns)) for table in named}
    return named if len(columns) == 1 else named[:1]
