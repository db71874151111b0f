"""How files are to be read, and what there is to say about how they were: options in, notes out."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from haechi.data.tables import TableReading
from haechi.text import Text, first_few

if TYPE_CHECKING:
    from haechi.data.item_columns import ItemColumns


_NAMED = 5


@dataclass
class ReadingNotes:
    """What a command was told about its files, and what it will say about them; `version` is that of the agent whose runs they hold,
    `criteria` says that their items bring criteria of their own, of which those in `unscorable` come to no score.

    >>> notes = ReadingNotes(assistants=("루나",))
    >>> notes.leave_out("chat.txt:3", Text("입장 알림", "joined"))
    >>> [(file, reason.en, count) for (file, reason), count in notes.left_out.items()]
    [('chat.txt', 'joined', 1)]
    """

    format: str | None = None
    assistants: tuple[str, ...] = ()
    reading: TableReading = field(default_factory=TableReading)
    left_out: Counter[tuple[str, Text]] = field(default_factory=Counter)
    notes: dict[Text, None] = field(default_factory=dict)
    formats: dict[str, tuple[str, str]] = field(default_factory=dict)
    made_ids: int = 0
    columns: list[ItemColumns] = field(default_factory=list)
    version: str | None = None
    criteria: bool = False
    unscorable: dict[Text, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """A format is that of the whole file; the readers of tables are told of theirs by name."""
        self.format = self.format or self.reading.format
        self.reading = replace(self.reading, format=None)

    def leave_out(self, place: str, reason: Text, count: int = 1) -> None:
        """Count what was not used, by file and reason."""
        self.left_out[file_of(place), reason] += count

    def note(self, text: Text) -> None:
        """Say something once."""
        self.notes[text] = None

    def read_as(self) -> list[Text]:
        """As what the files were read."""
        return [
            Text(f"{file}: {title} 형식으로 읽었습니다", f"{file}: read as {title}")
            for file, (_, title) in self.formats.items()
        ]

    def said(self) -> list[Text]:
        """What else there is to say: what is to be known, and what was not used."""
        left = [
            Text(
                f"{file}: 쓰지 않은 것 {count:,}개 — {reason.ko}", f"{file}: {count:,} not used: {reason.en}"
            )
            for (file, reason), count in self.left_out.items()
        ]
        return [*self.notes, *left, *(_unscorable(why, ids) for why, ids in self.unscorable.items())]

    def as_json(self) -> dict[str, Any]:
        """The same for machines."""
        left = [
            {"file": file, "reason": reason.say(), "n": count}
            for (file, reason), count in self.left_out.items()
        ]
        formats = {file: name for file, (name, _) in self.formats.items()}
        said = [*self.notes, *(_unscorable(why, ids) for why, ids in self.unscorable.items())]
        return {"formats": formats, "notes": [text.say() for text in said], "left_out": left}


def _unscorable(why: Text, ids: list[str]) -> Text:
    named = first_few(ids, _NAMED)
    return Text(
        f"점수가 나오지 않는 항목 {len(ids):,}개({named}): {why.ko}. 점수는 결측이 되고, 기준에 대한 답은 그대로 모읍니다.",
        f"{len(ids):,} {'item comes' if len(ids) == 1 else 'items come'} to no score ({named}): {why.en}. The score will be missing; "
        "answers to the criteria are kept all the same.",
    )


def file_of(place: str) -> str:
    """The file of a place such as `chat.json[3], messages[2]` or `chat.txt:7`.

    >>> file_of("chat.json[3], messages[2]"), file_of("a:b.txt:7"), file_of("chat.txt")
    ('chat.json', 'a:b.txt', 'chat.txt')
    """
    name = place.partition(",")[0].partition("[")[0]
    head, _, line = name.rpartition(":")
    return head if head and line.replace("!", "").isdigit() else name


def same_name(name: str, names: Iterable[str]) -> bool:
    """Whether a speaker is among some, whatever case and composition of letters they are written in.

    >>> same_name("luna ", ["Luna"]), same_name("루나", ["미나"])
    (True, False)
    """
    return _folded(name) in {_folded(one) for one in names}


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()
