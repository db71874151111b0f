"""`--map`, `--sheet`, `--header-row`, `--format`, `--dry-run`: how a table is to be read, and how it would be."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from haechi.cli.output import Output
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.data.proposal import ReadingProposal
    from haechi.data.tables import TableReading


NOTHING_WRITTEN = Text("저장하지 않았습니다(--dry-run).", "Nothing was written (--dry-run).")
READING = ("map", "sheet", "header-row", "format", "item", "rater", "keep")
"""The options that say how a ratings table is to be read."""


def add_reading(parser: argparse.ArgumentParser, about_map: Text) -> None:
    """The options of every command that reads a table."""
    parser.add_argument("--map", metavar="FIELD=COLUMN", action="append", default=[], help=about_map.say())
    sheet = Text(
        "읽을 시트: 이름, 번호, 또는 all (기본: 평가나 항목이 있는 시트)",
        "the sheet to read: its name, its number, or all (default: those that hold data)",
    )
    parser.add_argument("--sheet", metavar="NAME|N|all", help=sheet.say())
    header = Text("열 이름이 있는 행의 번호", "the number of the row with the names of columns")
    parser.add_argument("--header-row", metavar="N", type=int, help=header.say())
    form = Text(
        "파일 형식(확장자나 내용으로 알 수 없을 때; docs/conversations.ko.md)",
        "what the files are, where neither their ending nor their content tells (docs/conversations.md)",
    )
    parser.add_argument("--format", metavar="NAME", help=form.say())


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    """The option that only tells how a file would be read."""
    dry = Text(
        "열을 어떻게 읽는지만 보여 주고 저장하지 않음", "tell how every column is read, and write nothing"
    )
    parser.add_argument("--dry-run", action="store_true", help=dry.say())


def add_rated(parser: argparse.ArgumentParser) -> None:
    """The options of ratings that a form did not ask for: what was rated, and which answer counts."""
    item = Text(
        "모든 줄이 평가한 항목(표에 항목 열이 없을 때)",
        "the item that all rows rate (where no column says so)",
    )
    parser.add_argument("--item", metavar="ID", help=item.say())
    keep = Text(
        "한 사람이 두 번 답했을 때: 처음 것, 마지막 것, 또는 모두(반복 평가로)",
        "of somebody who answered twice: the first answer, the last, or all (as replicates)",
    )
    parser.add_argument("--keep", choices=("first", "last", "all"), help=keep.say())


def add_table(parser: argparse.ArgumentParser) -> None:
    """How a ratings table is to be read that goes into no study."""
    mapped = Text(
        "파일의 어느 열이 무엇인지: item, rater, value …, 기준의 이름, 또는 ignore. 되풀이",
        "of a file, which column is what: item, rater, value …, the name of a criterion, or ignore (repeatable)",
    )
    add_reading(parser, mapped)
    rater = Text(
        "모든 줄을 평가한 사람(표에 평가자 열이 없을 때)",
        "who gave all ratings (where no column says so)",
    )
    parser.add_argument("--rater", metavar="NAME", help=rater.say())
    add_rated(parser)


def reading_of_file(chosen: argparse.Namespace, target: str) -> TableReading:
    """What was chosen for a file; a study was read when its files came in."""
    from pathlib import Path

    from haechi.data.tables import TableReading
    from haechi.errors import HaechiError

    reading = replace(reading_of(chosen), rater=getattr(chosen, "rater", None))
    if reading != TableReading() and Path(target).is_dir():
        expected = Text("평가표나 실행 기록 파일", "a ratings table, or a file of agent runs")
        todo = Text(
            "--map, --sheet, --header-row, --format, --item, --rater, --keep를 빼세요. 스터디에는 haechi add나 haechi import에서 씁니다",
            "leave out --map, --sheet, --header-row, --format, --item, --rater, --keep; for a study they belong to haechi add or haechi import",
        )
        raise HaechiError.of(target, Text("폴더", "a folder"), expected, todo)
    return reading


def reading_of(chosen: argparse.Namespace) -> TableReading:
    """What was chosen."""
    from haechi.data.tables import TableReading

    pairs: tuple[tuple[str, str], ...] = ()
    if chosen.map:
        from haechi.data.mapping import read_map

        pairs = read_map(chosen.map)
    return TableReading(
        sheet=chosen.sheet,
        header_row=chosen.header_row,
        format=chosen.format,
        map=pairs,
        item=getattr(chosen, "item", None),
        keep=getattr(chosen, "keep", None),
    )


def show_proposal(proposal: ReadingProposal, output: Output) -> int:
    """Show how files would be read; 1 where something has to be asked or is wrong."""
    if output.as_json:
        output.result({"dry_run": True, **proposal.as_json()})
        return 0 if proposal.ready else 1
    from haechi.report.table import table

    for text in proposal.formats:
        output.say(text.say())
    heads = [
        Text("열", "column"),
        Text("읽는 방법", "read as"),
        Text("확실함", "certainty"),
        Text("까닭", "why"),
    ]
    for one in proposal.tables:
        rows = [
            (
                " ".join(reading.column.split()),
                reading.meaning.say(),
                f"{reading.certainty:.0%}" if reading.field != "ignore" else "",
                ", ".join([reading.evidence.say(), *(f"{name}?" for name in reading.alternatives)]),
            )
            for reading in one.columns
        ]
        output.show(table(one.place, [head.say() for head in heads], rows, words=len(heads)))
    for text in proposal.assumed:
        output.say(f"! {text.say()}")
    what = {"ratings": Text("평가", "ratings"), "items": Text("항목", "items")}[proposal.what]
    output.say(f"{what.say()}: {proposal.count:,}")
    output.problems([*proposal.asked, *proposal.problems])
    output.note(NOTHING_WRITTEN)
    return 0 if proposal.ready else 1
