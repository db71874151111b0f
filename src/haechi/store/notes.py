"""What raters and the owner write to one another about items; nothing is changed or removed."""

from __future__ import annotations

from typing import Literal, NamedTuple

from haechi.frozen import frozen
from haechi.store.connection import Connection
from haechi.store.database import now
from haechi.store.desk import Assignment

Author = Literal["rater", "owner"]
NoteKind = Literal["comment", "flag", "skip"]


@frozen
class Note:
    """One note; `rater` is the one who wrote it or to whom the owner wrote."""

    number: int
    item: str
    rater: str
    replicate: int
    author: Author
    kind: NoteKind
    text: str
    at: str


_NOTES = "SELECT number, item, rater, replicate, author, kind, text, at FROM notes"


class Thread(NamedTuple):
    """What notes are about: an item, the one of its rater's times, with that rater."""

    item: str
    rater: str
    replicate: int


def add_note(connection: Connection, about: Thread, author: Author, kind: NoteKind, text: str) -> None:
    """Keep a note."""
    connection.execute(
        """INSERT INTO notes (item, rater, replicate, author, kind, text, at)
        VALUES (:item, :rater, :replicate, :author, :kind, :text, :at)""",
        **about._asdict(),
        author=author,
        kind=kind,
        text=text,
        at=now(),
    )


def skip(connection: Connection, assignment: Assignment) -> None:
    """Take an item off a rater's hands; its place is free for another one."""
    connection.execute(
        "UPDATE assignments SET skipped = :at, slot = NULL WHERE number = :number AND skipped IS NULL",
        at=now(),
        number=assignment.number,
    )


def notes_about(connection: Connection, about: Thread) -> list[Note]:
    """The notes of one thread, in order."""
    rows = connection.rows(
        f"{_NOTES} WHERE item = :item AND rater = :rater AND replicate = :replicate ORDER BY number",
        **about._asdict(),
    )
    return [Note(*row) for row in rows]


def answered_threads(connection: Connection, rater: str) -> set[Thread]:
    """The threads of a rater in which the owner spoke last."""
    rows = connection.rows(f"{_NOTES} WHERE rater = :rater ORDER BY number", rater=rater)
    last = {Thread(note.item, note.rater, note.replicate): note for note in (Note(*row) for row in rows)}
    return {about for about, note in last.items() if note.author == "owner"}


def threads(connection: Connection) -> list[tuple[Note, ...]]:
    """All notes by thread; those that wait for the owner first, the newest of them in front."""
    found: dict[Thread, list[Note]] = {}
    for row in connection.rows(f"{_NOTES} ORDER BY number"):
        note = Note(*row)
        found.setdefault(Thread(note.item, note.rater, note.replicate), []).append(note)
    order = sorted(found.values(), key=lambda notes: (notes[-1].author == "owner", -notes[-1].number))
    return [tuple(notes) for notes in order]
