"""What goes into a thesis or a paper: the methods paragraph and numbered tables, to be pasted into Word or Hangul.

Both keep what an element says of itself and drop style sheets; so every cell has its own style. Tables are as APA and the
Korean journals that follow it want them: number and title above, three rules, a note below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from haechi.report.document import Plot, Report, Section, SectionPart
from haechi.report.markup import Markup, join, tag
from haechi.report.table import Column, Estimate, Table, reasons, say
from haechi.report.words import BRACKETS, said
from haechi.text import language

_SECTIONS = ("scores", "agreement", "human-ai", "ranking", "own-criteria")
_GROUPS = "by-"
_FONT = "font-family: 'Times New Roman', 'Batang', '바탕', serif; font-size: 10.5pt; line-height: 1.5"
_RULE = "1.5pt solid black"
_THIN = "0.75pt solid black"
_OPTIONS = re.compile(r"\s*\(--[^()]*\)")
"""How a command would do otherwise, which no paper says."""
_SYMBOLS = re.compile(r"(?<![A-Za-z])(SD|[MNnptFrdgH]|d_z)(?![A-Za-z_])")


def paper(report: Report) -> str:
    """The page; it has no script and no style sheet."""
    tables = list(_tables(report))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag(
            "meta",
            http_equiv="Content-Security-Policy",
            content="default-src 'none'; style-src 'unsafe-inline'",
        ),
        tag("title", said(f"논문에 붙일 표 — {report.title}", f"Tables for a paper — {report.title}")),
    )
    body = tag(
        "body",
        tag("h1", report.title, style="font-size: 14pt"),
        tag("h2", said("연구 방법", "Method"), style="font-size: 12pt"),
        tag("p", *_with_symbols(report.methods), style="text-align: justify"),
        *(_numbered(place, table) for place, table in enumerate(tables, 1)),
        style=f"{_FONT}; max-width: 17cm; margin: 2cm auto; color: black; background: white",
    )
    return "<!doctype html>\n" + tag("html", head, body, lang=language()) + "\n"


def _tables(report: Report) -> Iterator[Table]:
    for section in report.sections:
        if section.key in _SECTIONS or section.key.startswith(_GROUPS):
            yield from filter(None, (_titled(section, part) for part in section.parts))


def _titled(section: Section, part: SectionPart) -> Table | None:
    """A part's table under a title that stands alone; in the report it stands below that of its section."""
    if isinstance(part, Plot):
        found, title = part.table, part.title
    elif isinstance(part, Table):
        found, title = part, part.title
    else:
        return None
    found = found.on_page()
    same = title == section.title or not title
    return Table(
        section.title if same else f"{section.title} – {title}", found.columns, found.rows, found.note
    )


def _numbered(place: int, table: Table) -> Markup:
    slanted = "italic" if language() == "en" else "normal"
    above = tag(
        "p",
        tag("b", said(f"표 {place}", f"Table {place}")),
        tag("br"),
        tag("span", table.title, style=f"font-style: {slanted}"),
        style="margin: 24pt 0 4pt 0; page-break-after: avoid",
    )
    head = tag(
        "tr",
        *(
            _cell("th", *_with_symbols(one.title), column=one, above=_RULE, below=_THIN)
            for one in table.columns
        ),
    )
    last = len(table.rows) - 1
    rows = [
        tag(
            "tr",
            *(
                _cell(
                    "td",
                    say(cell, column.kind, column.digits),
                    column=column,
                    below=_RULE if number == last else None,
                )
                for cell, column in zip(row, table.columns, strict=True)
            ),
        )
        for number, row in enumerate(table.rows)
    ]
    shown = tag("table", tag("thead", head), tag("tbody", *rows), style=f"border-collapse: collapse; {_FONT}")
    return join([above, shown, _note(table)])


def _cell(
    name: str, *content: str | Markup, column: Column, above: str | None = None, below: str | None = None
) -> Markup:
    side = "left" if column.is_words else "right"
    rules = [f"border-{at}: {rule}" for at, rule in (("top", above), ("bottom", below)) if rule]
    return tag(
        name,
        *content,
        style="; ".join([f"text-align: {side}", "padding: 2pt 6pt", "font-weight: normal", *rules]),
    )


def _note(table: Table) -> Markup:
    """The note below a table: what brackets and dashes mean, and what the table says of itself."""
    figures = [cell for row in table.rows for cell in row if isinstance(cell, Estimate)]
    parts = [BRACKETS.say()] if any(figure.low is not None for figure in figures) else []
    named = ((str(say(row[0])), row) for row in table.rows)
    parts += (
        [_OPTIONS.sub("", table.note)]
        if table.note
        else [f"– {', '.join(names)}: {why}" for why, names in reasons(named).items()]
    )
    if not parts:
        return Markup("")
    return tag(
        "p", tag("i", said("주. ", "Note. ")), " ".join(parts), style="margin: 4pt 0 0 0; font-size: 9pt"
    )


def _with_symbols(words: str) -> list[str | Markup]:
    """Words in which the letters of statistics are slanted."""
    pieces: list[str | Markup] = []
    end = 0
    for found in _SYMBOLS.finditer(words):
        pieces += [words[end : found.start()], tag("i", found[0])]
        end = found.end()
    return [*pieces, words[end:]]
