"""The report as data: facts, findings, sections of words, tables and plots; every rendering reads only this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from haechi.report.markup import Markup
from haechi.stats.figure import Figure
from haechi.text import language

Tone = Literal["good", "caution", "problem", "plain"]


@dataclass(frozen=True)
class Estimate:
    """A figure in a cell: a value with its interval, or the reason why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""

    @classmethod
    def of(cls, figure: Figure) -> Estimate:
        """A statistic's figure in the language of this process.

        >>> Estimate.of(Figure(0.5, 12, (0.2, 0.8)))
        Estimate(value=0.5, low=0.2, high=0.8, why='')
        """
        low, high = figure.ci95 or (None, None)
        return cls(figure.value, low, high, figure.why.say(language()) if figure.why else "")


@dataclass(frozen=True)
class ItemLink:
    """The id of an item; where the report shows the item, a way to it."""

    item: str


Cell = str | int | float | Estimate | ItemLink | None


@dataclass(frozen=True)
class Table:
    """Rows under columns; the first `words` columns are words, the others figures with `digits` decimals."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    words: int = 1
    digits: int = 2


@dataclass(frozen=True)
class Plot:
    """A picture, what it shows in words, and the table of its figures; folded away where there is room."""

    title: str
    svg: Markup
    alt: str
    table: Table
    folded: bool = True


@dataclass(frozen=True)
class Passage:
    """An item's text for reading: who said what."""

    item: str
    heading: str
    lines: tuple[tuple[str, str], ...]


Part = str | Table | Plot | Passage


@dataclass(frozen=True)
class Section:
    """A titled part of the report."""

    key: str
    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Finding:
    """One sentence that a reader can act on, by a documented rule; `figure` is what it rests on."""

    rule: str
    tone: Tone
    words: str
    figure: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything that a report says."""

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    methods: str
    reproducibility: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def passages(self) -> frozenset[str]:
        """The items that the report shows, to which links can lead."""
        parts = (part for section in self.sections for part in section.parts)
        return frozenset(part.item for part in parts if isinstance(part, Passage))

    def tables(self) -> Iterator[Table]:
        """All tables, those of plots too."""
        for section in self.sections:
            for part in section.parts:
                if isinstance(part, Table):
                    yield part
                elif isinstance(part, Plot):
                    yield part.table


def say(cell: Cell, digits: int = 2) -> str:
    """A cell in words; the same in every rendering.

    >>> say(Estimate(0.5, 0.25, 0.75)), say(1234), say(None), say(2.0, 1), say(-0.001)
    ('0.50 [0.25, 0.75]', '1,234', '–', '2.0', '0.00')
    """
    if isinstance(cell, ItemLink):
        return cell.item
    if isinstance(cell, Estimate):
        if cell.value is None:
            return "–"
        ends = (
            f" [{cell.low:z.{digits}f}, {cell.high:z.{digits}f}]"
            if cell.low is not None and cell.high is not None
            else ""
        )
        return f"{cell.value:z.{digits}f}{ends}"
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:z.{digits}f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def shows_nothing(difference: float) -> bool:
    """Whether a difference is 0 in the digits that are printed, so that nothing is higher than anything.

    >>> shows_nothing(0.004), shows_nothing(-0.006)
    (True, False)
    """
    return say(abs(difference)) == say(0.0)


def percent(share: float) -> str:
    """A share for a sentence.

    >>> percent(0.257)
    '26 %'
    """
    return f"{share * 100:.0f} %"


def p_value(p: float | None) -> str:
    """A p-value as it is written in papers.

    >>> p_value(0.00012), p_value(0.034), p_value(None)
    ('< .001', '.034', '–')
    """
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 1 else "1.000"


def p_words(name: str, p: float | None) -> str:
    """A p-value in a sentence.

    >>> p_words("p", 0.0001), p_words("p", 0.5)
    ('p < .001', 'p = .500')
    """
    shown = p_value(p)
    return f"{name} {shown}" if shown.startswith("<") else f"{name} = {shown}"


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], note: str = "", words: int = 1
) -> Table:
    """A table from lists.

    >>> table("t", ["a"], [["x"]]).rows
    (('x',),)
    """
    return Table(title, tuple(columns), tuple(tuple(row) for row in rows), note, words)
