"""The report as GitHub-flavoured Markdown; what comes from strangers cannot become markup."""

from __future__ import annotations

import re
from collections.abc import Mapping

from haechi.report.document import Finding, Passage, Plot, Report, Section
from haechi.report.markup import MARKED_CODE, safe
from haechi.report.table import Cell, Column, Estimate, Table, VerdictMark, say
from haechi.report.words import BRACKETS, FINDINGS, MORE_FINDINGS, said

_MARKS = {"good": "✅", "caution": "⚠️", "problem": "❌", "plain": "ℹ️"}
# Everything that begins markup inside a line: emphasis, code, links, images, tables, raw HTML, entities.
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>|~&$#!@])")
_BREAKS = re.compile(r"[\r\n\u2028\u2029\x0b\x0c\x85]+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_BEGINS = re.compile(r"^(\d+(?=[.)](\s|$))|(?=[-+=:]))")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp)://|\bwww\.")


def markdown(report: Report, pictures: Mapping[Plot, str]) -> str:
    """The whole report; `pictures` names the files of plots that stand beside it."""
    blocks = [f"# {plain(report.title)}", plain(report.subtitle)]
    if report.answer is not None:
        blocks += [f"**{plain(report.answer.good)}**", plain(report.answer.sure)]
    blocks.append(_facts(report))
    first = [finding for finding in report.findings if finding.first]
    more = [finding for finding in report.findings if not finding.first]
    blocks += [f"## {FINDINGS.say()}", "\n".join(map(_finding, first))]
    blocks += [f"### {MORE_FINDINGS.say()}", "\n".join(map(_finding, more))] if more else []
    for section in report.sections:
        blocks += [] if section.only_page else _section(section, pictures)
    blocks += [f"## {said('연구 방법', 'Methods')}", plain(report.methods)]
    blocks.append(f"## {said('재현', 'Reproducibility')}")
    blocks.append("\n".join(f"- {plain(name)}: {code(value)}" for name, value in report.reproducibility))
    blocks.append(
        "```sh\n" + "\n".join(_BREAKS.sub(" ", line).replace("```", "") for line in report.commands) + "\n```"
    )
    if report.notes:
        blocks.append(f"## {said('도구에 관한 결정', 'Decisions about the instrument')}")
        blocks.append("\n".join(f"- {with_code(note)}" for note in report.notes))
    return "\n\n".join(block for block in blocks if block) + "\n"


def plain(text: str) -> str:
    """Text as one line that shows what was written and starts nothing.

    >>> plain("[x](http://a) | <b>*hi*")
    '\\\\[x\\\\](http:\\u200b//a) \\\\| \\\\<b\\\\>\\\\*hi\\\\*'
    """
    return _BEGINS.sub(r"\1\\", _escaped(text.strip()))


def with_code(text: str) -> str:
    """`plain`, but words that its author set in code font with backticks stay so.

    >>> with_code("- `a_b`: *hi*")
    '\\\\- `a_b`: \\\\*hi\\\\*'
    """
    pieces = enumerate(MARKED_CODE.split(text.strip()))
    return _BEGINS.sub(
        r"\1\\", "".join(code(piece) if place % 2 else _escaped(piece) for place, piece in pieces)
    )


def _escaped(text: str) -> str:
    line = _CONTROLS.sub("\ufffd", _BREAKS.sub(" ⏎ ", text))
    # A bare address would become a link by itself; an invisible space keeps it text.
    line = _ADDRESS.sub(
        lambda found: found[0].replace("://", ":\u200b//").replace("www.", "www\u200b."), line
    )
    return _ACTIVE.sub(r"\\\1", line)


def code(text: str) -> str:
    """Text in code font, whatever backticks it holds."""
    line = _BREAKS.sub(" ", text)
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def _facts(report: Report) -> str:
    head = " | ".join(plain(name) for name, _ in report.facts)
    values = " | ".join(f"**{plain(value)}**" for _, value in report.facts)
    key = f"\n\n{BRACKETS.say()}" if any(" [" in value for _, value in report.facts) else ""
    return f"| {head} |\n|{' --- |' * len(report.facts)}\n| {values} |{key}"


def _finding(finding: Finding) -> str:
    items = f" → {', '.join(map(plain, finding.items))}" if finding.items else ""
    return f"- {_MARKS[finding.tone]} {plain(finding.words)} ({plain(finding.figure)}){items}"


def _section(section: Section, pictures: Mapping[Plot, str]) -> list[str]:
    blocks = [f"## {plain(section.title)}"]
    for part in section.parts:
        if isinstance(part, str):
            blocks.append(plain(part))
        elif isinstance(part, Table):
            blocks.append(markdown_table(part))
        elif isinstance(part, Plot):
            if part in pictures:
                blocks.append(f"![{plain(part.alt)}]({pictures[part]})")
            blocks.append(markdown_table(part.table))
        elif isinstance(part, Passage):
            blocks.append(_passage(part))
    return blocks


def markdown_table(table: Table) -> str:
    """A table with its title and note; figures to the right."""
    shown = table.on_page()
    head = "| " + " | ".join(plain(column.title) or " " for column in shown.columns) + " |"
    marks = [" --- " if column.is_words else " ---: " for column in shown.columns]
    rows = ["| " + " | ".join(map(_cell, row, shown.columns)) + " |" for row in shown.rows]
    title = f"**{plain(table.title)}**\n\n" if table.title else ""
    note = f"\n\n{plain(table.note)}" if table.note else ""
    return title + "\n".join([head, "|" + "|".join(marks) + "|", *rows]) + note


def _cell(cell: Cell, column: Column) -> str:
    if isinstance(cell, VerdictMark):
        return _MARKS[cell.tone]
    text = say(cell, column.kind, column.digits)
    is_number = isinstance(cell, int | float | Estimate) and not text.startswith("<")
    return text if is_number else plain(text) or " "


def _passage(passage: Passage) -> str:
    """An item's text, folded away where the reader's Markdown can do that."""
    heading = safe(f"{passage.item} — {passage.heading}")
    lines = "\n>\n".join(f"> **{plain(who)}** {plain(text)}" for who, text in passage.lines)
    return f"<details><summary>{heading}</summary>\n\n{lines}\n\n</details>"
