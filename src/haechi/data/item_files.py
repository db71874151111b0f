"""The items of a file, whatever it is: a table, our own JSONL, or a conversation as another tool exported it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from haechi.data.files import Row, refuse
from haechi.data.item import Item
from haechi.data.item_columns import ItemColumns
from haechi.data.progress import Advance, no_progress
from haechi.data.readers import READERS, read_rows
from haechi.data.reading_notes import ReadingNotes
from haechi.data.shapes import items_of
from haechi.data.tables import TableReading
from haechi.errors import HaechiError
from haechi.text import Text


def items_in(
    path: Path, kind: str, notes: ReadingNotes, advance: Advance = no_progress
) -> Iterator[tuple[str, Item | HaechiError]]:
    """The items of a file, each with its place; a bad row is an error there, and `notes` is told how it was read.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "diaries.csv"
    >>> _ = file.write_text("번호,일기,코멘트\\nd1,비가 왔다,아쉬웠겠어요\\n", "utf-8")
    >>> [item.id for _, item in items_in(file, "reply", ReadingNotes())]
    ['d1']
    """
    columns = ItemColumns(kind, notes.reading, notes.note)
    notes.columns.append(columns)
    if notes.criteria and (own := _with_criteria(path, kind, notes)) is not None:
        rows = own
    elif kind == "dialogue":
        from haechi.data.conversations.formats import conversation_rows

        rows = conversation_rows(path, notes)
    else:
        rows = (_traced(path, notes) if kind == "run" else None) or _rows(path, notes)
    return items_of(columns.rows(count_rows(rows, advance)), kind, notes)


def brings_criteria(path: Path, reading: TableReading) -> bool:
    """Whether the records of a file bring criteria of items."""
    from haechi.data.conversations.formats import plain_rows
    from haechi.data.criteria_layouts import is_of_criteria

    first = next(iter(plain_rows(path, ReadingNotes(reading=reading))), None)
    return first is not None and is_of_criteria(first)


def _with_criteria(path: Path, kind: str, notes: ReadingNotes) -> Iterator[Row] | None:
    """The rows of a file whose items bring criteria; None if it is another."""
    from haechi.data.conversations.formats import plain_rows
    from haechi.data.criteria_layouts import brought_rows, is_of_criteria

    rows = iter(plain_rows(path, notes))
    first = next(rows, None)
    if first is None or not is_of_criteria(first):
        return None
    return brought_rows(chain([first], rows), kind, notes)


def _traced(path: Path, notes: ReadingNotes) -> Iterator[Row] | None:
    from haechi.data.conversations.trajectories import trajectories

    return trajectories(path, notes)


def _rows(path: Path, notes: ReadingNotes) -> Iterator[Row]:
    """The rows of a table."""
    if notes.format is not None and READERS.get(notes.format) is None:
        known = ", ".join(READERS.names())
        expected = Text(
            f"다음 중 하나: {known} (대화 형식은 대화를 평가하는 루브릭에만)",
            f"one of {known}; formats of conversations are for rubrics that judge dialogues",
        )
        todo = Text("이름을 고르거나 --format을 빼세요", "choose one, or leave out --format")
        raise refuse("--format", notes.format, expected, todo)
    return read_rows(path, replace(notes.reading, format=notes.format))


def count_rows(rows: Iterable[Row], advance: Advance) -> Iterator[Row]:
    """The same rows; each is told of as it comes."""
    for row in rows:
        advance(1)
        yield row
