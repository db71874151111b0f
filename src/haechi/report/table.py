"""One table for every rendering: a command prints it, a report and a paper show it, a file beside a plot keeps its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from haechi.frozen import frozen
from haechi.report.numbers import NOTHING, NumberKind, number, unit_free
from haechi.text import language

if TYPE_CHECKING:
    from haechi.stats.figure import Figure

Tone = Literal["good", "caution", "problem", "plain"]
"""What a figure or a finding means to a reader, from which every rendering takes its colour or mark."""


@frozen
class Estimate:
    """A figure in a cell: a value with its interval, or the reason why there is none; its column may say its kind."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""
    kind: NumberKind | None = None
    tone: Tone = "plain"

    @classmethod
    def of(cls, figure: Figure, kind: NumberKind | None = None, tone: Tone = "plain") -> Estimate:
        """A statistic's figure in the language of this process.

        >>> from haechi.stats.figure import Figure
        >>> say(Estimate.of(Figure(0.5, 12, (0.2, 0.8)), "coefficient"))
        '.50 [.20, .80]'
        """
        low, high = figure.ci95 or (None, None)
        return cls(figure.value, low, high, figure.why.say(language()) if figure.why else "", kind, tone)


@frozen
class ItemLink:
    """The id of an item; where the report shows the item, a way to it."""

    item: str


@frozen
class ScoreName:
    """A score: its key, which commands take and print, and its name in words, which pages show."""

    key: str
    words: str
    computed: bool = False


@frozen
class VerdictMark:
    """A sign for good or bad."""

    tone: Tone


class AuthoredText(str):
    """Words of an item or a rater: a page sets them as their author saw them."""

    __slots__ = ()


Cell = str | int | float | Estimate | ItemLink | ScoreName | VerdictMark | None
Plain = str | int | float | None


@frozen
class Column:
    """What stands under a title, and what a terminal may do with it where there is little room.

    short: the title on a terminal, which may have two lines; brief: a terminal shows values without intervals;
    leave_out: the order in which a narrow terminal leaves columns out, 0 for never; terminal_only: pages have a
    picture or a full name instead; note: a line of the table's note that is about this column alone.
    """

    title: str
    kind: NumberKind = "score"
    digits: int | None = None
    short: str = ""
    brief: bool = False
    leave_out: int = 0
    terminal_only: bool = False
    note: str = ""

    @property
    def is_words(self) -> bool:
        """Words stand on the left, figures on the right."""
        return self.kind == "words"


@frozen
class Table:
    """Rows under columns, with a title and a note; an empty first cell goes on with the row above."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def on_page(self) -> Table:
        """The table as a page shows it: all rows equally long, nothing that is for terminals only."""
        kept = [place for place, column in enumerate(self.columns) if not column.terminal_only]
        rows = ((*row, *[""] * (len(self.columns) - len(row))) for row in self.rows)
        return Table(
            self.title,
            tuple(self.columns[place] for place in kept),
            tuple(tuple(row[place] for place in kept) for row in rows),
            self.note,
        )


def table(
    title: str,
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[Cell]],
    note: str = "",
    words: int = 1,
) -> Table:
    """A table from lists; of the columns that are only titles the first `words` are words, the others scores.

    >>> [column.kind for column in table("t", ["score", "mean", Column("p", "p")], []).columns]
    ['words', 'score', 'p']
    """
    typed = tuple(
        Column(column, "words" if place < words else "score") if isinstance(column, str) else column
        for place, column in enumerate(columns)
    )
    notes = [one for one in (note, *(column.note for column in typed)) if one]
    return Table(title, typed, tuple(tuple(row) for row in rows), "\n".join(notes))


def say(cell: Cell, kind: NumberKind = "score", digits: int | None = None) -> str:
    """A cell in words; the same in every rendering.

    >>> say(Estimate(0.5, 0.25, 0.75)), say(1234), say(None), say(-0.5), say(Estimate(0.6, 0.45, 0.75), "share")
    ('0.50 [0.25, 0.75]', '1,234', '–', '−0.50', '60 % [45, 75]')
    """
    return "".join(in_two(cell, kind, digits))


def plain(cell: Cell) -> Plain:
    """A cell for files of numbers: of a figure with an interval its value, else the number or the words.

    >>> plain(Estimate(0.5, 0.25, 0.75)), plain(3), plain(None)
    (0.5, 3, None)
    """
    if isinstance(cell, Estimate):
        return cell.value
    return cell if cell is None or isinstance(cell, str | int | float) else say(cell)


def in_two(cell: Cell, kind: NumberKind = "score", digits: int | None = None) -> tuple[str, str]:
    """A cell in words, and apart from it the interval of a figure.

    >>> in_two(Estimate(0.5, 0.25, 0.75), "coefficient")
    ('.50', ' [.25, .75]')
    """
    if type(cell) is str:  # as most cells are
        return cell, ""
    if isinstance(cell, Estimate):
        return _figure(cell, cell.kind or kind, digits)
    if isinstance(cell, ItemLink):
        return cell.item, ""
    if isinstance(cell, ScoreName):
        return cell.words, ""
    if isinstance(cell, VerdictMark):
        return "✓" if cell.tone == "good" else "✗", ""
    if cell is None:
        return NOTHING, ""
    if isinstance(cell, str):
        return cell, ""
    return number(cell, "count" if isinstance(cell, int) else kind, digits), ""


def _figure(cell: Estimate, kind: NumberKind, digits: int | None) -> tuple[str, str]:
    if cell.value is None:
        return NOTHING, ""
    if cell.low is None or cell.high is None:
        return number(cell.value, kind, digits), ""
    low, high = unit_free(cell.low, kind, digits), unit_free(cell.high, kind, digits)
    return number(cell.value, kind, digits), f" [{low}, {high}]"


def reasons(named: Iterator[tuple[str, Sequence[Cell]]]) -> dict[str, list[str]]:
    """Why figures have no value, and the names of the rows in which that is so.

    >>> reasons(iter([("a", [Estimate(None, why="one rater")]), ("b", [Estimate(1.0)])]))
    {'one rater': ['a']}
    """
    found: dict[str, list[str]] = {}
    for name, cells in named:
        whys = (cell.why for cell in cells if isinstance(cell, Estimate) and cell.value is None and cell.why)
        for why in dict.fromkeys(whys):
            found.setdefault(why, []).append(name)
    return found
