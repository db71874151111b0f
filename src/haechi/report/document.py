"""The report as data: facts, findings, sections of words, tables and plots; every rendering reads only this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any

from haechi.frozen import frozen
from haechi.report.markup import Markup, tag
from haechi.report.table import Table, Tone

_FIRST = 5


@frozen
class Plot:
    """A picture, what it shows in words, and the table of its figures; folded away where there is room.

    narrow: the same for a phone; values: what is drawn, number by number, for the file beside the picture, where that is
    not the table.
    """

    title: str
    svg: Markup
    alt: str
    table: Table
    folded: bool = True
    narrow: Markup | None = None
    values: Table | None = None


@frozen
class Passage:
    """An item's text for reading: who said what, and how everybody rated it.

    quotes: by line, the spans that raters quote; ratings: what everybody gave, folded away.
    """

    item: str
    heading: str
    lines: tuple[tuple[str, str], ...]
    quotes: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    ratings: Table | None = None


SectionPart = str | Table | Plot | Passage


@frozen
class Section:
    """A titled part of the report; `only_page` where it is too long for the Markdown."""

    key: str
    title: str
    parts: tuple[SectionPart, ...]
    only_page: bool = False


def with_plots(section: Section, plots: Sequence[Plot]) -> Section:
    """The section with more plots, which stand before the notes at its end.

    >>> from haechi.report.table import table
    >>> section = with_plots(Section("a", "A", ("intro", table("t", ["x"], []), "note")), ["PLOT"])
    >>> [part for part in section.parts if isinstance(part, str)]
    ['intro', 'PLOT', 'note']
    """
    end = len(section.parts)
    while end and isinstance(section.parts[end - 1], str):
        end -= 1
    return replace(section, parts=(*section.parts[:end], *plots, *section.parts[end:]))


@frozen
class Finding:
    """One sentence that a reader can act on, by a documented rule; `figure` is what it rests on.

    numbers: the same for machines, by name, so that anybody can compute them again from the files beside the report;
    first: whether it is among the few to read first; advice: what it means for the reader, or what to do;
    section: the key of the part of the report that has more; browse: what to ask the item browser for, where its items are
    too many for a page.
    """

    rule: str
    tone: Tone
    words: str
    figure: str
    items: tuple[str, ...] = ()
    numbers: Mapping[str, float | None] = field(default_factory=dict)
    first: bool = False
    advice: str = ""
    section: str = ""
    browse: str = ""

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"items": list(self.items)}


@frozen
class ReportAnswer:
    """The first screen of a study, in the language of this process; `look` is the finding to act on first.

    gauge: the main score of every panel on its scale, as a picture, wide and narrow; none where there is no score.
    """

    good: str
    sure: str
    look: Finding | None
    gauge: tuple[Markup, Markup] | None = None


def with_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings in their order, of which five are to be read first.

    >>> [one.first for one in with_first([Finding("a", "plain", "A.", "1")] * 6)]
    [True, True, True, True, True, False]
    """
    return tuple(replace(one, first=place < _FIRST) for place, one in enumerate(findings))


@frozen
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
    answer: ReportAnswer | None = None
    items: tuple[str, ...] = ()
    """The items to which marks of charts lead, in the order of their places."""
    serve: str = ""
    """The command that opens the item browser, where there is one of this study."""

    def __repr__(self) -> str:
        return f"<Report {self.title}: {len(self.findings)} findings, {len(self.sections)} sections>"

    def _repr_html_(self) -> str:
        """For notebooks: what was found."""
        found = [tag("li", f"{one.words} ", tag("small", one.figure)) for one in self.findings if one.first]
        return tag("p", tag("b", self.title)) + tag("ul", *found)

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
