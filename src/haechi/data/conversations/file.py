"""A file that holds conversations: its beginning, its records wherever they stand, and who speaks in it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from haechi.data.conversations.outline import Outline
from haechi.data.files import BAD, Row, lines_of, open_text, refuse
from haechi.data.json_files import JsonBuffer, json_array, json_rows
from haechi.data.messages import Message
from haechi.data.readers import read_rows
from haechi.data.reading_notes import ReadingNotes, same_name
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.text import Text

_LISTED = 12


@frozen
class File:
    """A file, what it looks like, and how it is to be read."""

    path: Path
    outline: Outline
    notes: ReadingNotes

    @property
    def name(self) -> str:
        """The name of the file, with which every place in it begins."""
        return self.path.name

    def records(self, *lists: str) -> Iterator[Row]:
        """The records: lines of JSON, the elements of a list, those of the named lists in an object, rows of a table."""
        if not self.outline.root:
            yield from read_rows(self.path, self.notes.reading)
        elif self.outline.root == "{{" and self._is_lines():
            yield from json_rows(self.name, lines_of(self.path))
        elif len(self.outline.root) > 1:
            yield from self._values()
        else:
            yield from (row for _, row in self.walk(*lists) if isinstance(row, Row))

    def _is_lines(self) -> bool:
        """Whether the first object ends on its line; consoles print objects over many lines."""
        return self.outline.text.lstrip().partition("\n")[0].rstrip().endswith("}")

    def _values(self) -> Iterator[Row]:
        with open_text(self.path) as file:
            buffer, number = JsonBuffer(file.read, self.name), 0
            while buffer.skip_space():
                value = buffer.value(self.name)
                key = (
                    "messages" if isinstance(value, list) else "value"
                )  # a conversation that is nothing but its messages
                yield Row(f"{self.name}[{number}]", value if isinstance(value, dict) else {key: value})
                number += 1

    def walk(self, *lists: str) -> Iterator[tuple[str, Any]]:
        """What stands in a JSON file, in order: the elements of the named lists as rows, every other value by its path.

        Only the named lists are read piece by piece; the path of a list at the root is empty.
        """
        with open_text(self.path) as file:
            buffer = JsonBuffer(file.read, self.name)
            if buffer.skip_space() == "[":
                yield from (("", row) for row in json_array(buffer, self.name))
            elif any(name in self.outline.paths for name in lists):
                yield from self._object(buffer, "", lists)
            else:
                value = buffer.value(self.name)
                yield "", Row(f"{self.name}[0]", value if isinstance(value, dict) else {"value": value})
            if buffer.skip_space():
                found = Text("JSON이 끝난 뒤의 글", "more after the end of the JSON")
                raise refuse(self.name, found, Text("JSON 하나", "a single JSON text"))

    def _object(self, buffer: JsonBuffer, within: str, lists: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        buffer.take("{")
        while buffer.skip_space() != "}":
            path = within + str(buffer.value(self.name))
            buffer.take(":")
            start = buffer.skip_space()
            if start == "[" and path in lists:
                yield from ((path, row) for row in json_array(buffer, f"{self.name}, {path}"))
            elif start == "{" and any(name.startswith(f"{path}.") for name in lists):
                yield from self._object(buffer, f"{path}.", lists)
            else:
                yield path, buffer.value(self.name)
            if buffer.skip_space() != "}":
                buffer.take(",")
        buffer.take("}")


def is_unreadable(row: Row) -> bool:
    """Whether a row could not be read, and stands in the stream as an error."""
    return BAD in row.data


def map_rows(rows: Iterable[Row], take: Callable[[Row], None]) -> Iterator[Row]:
    """Take every row; those that cannot be read or taken come back as errors in their places."""
    for row in rows:
        if is_unreadable(row):
            yield row
            continue
        try:
            take(row)
        except HaechiError as error:
            yield Row(row.place, {BAD: error})


def with_roles(messages: Iterable[Message], file: File) -> list[Message]:
    """Messages of named speakers with their roles: the AI is who `--assistant` says; without it the speakers are listed."""
    said = list(messages)
    speakers = Counter(
        str(m["name"]) for m in said if "name" in m and m.get("role") not in ("system", "tool")
    )
    wanted = file.notes.assistants
    if not any(same_name(name, wanted) for name in speakers):
        raise _who(file.name, speakers, wanted)
    for message in said:
        if "role" not in message:
            message["role"] = "assistant" if same_name(message.get("name", ""), wanted) else "user"
    return said


def _who(name: str, speakers: Counter[str], wanted: tuple[str, ...]) -> HaechiError:
    shown = ", ".join(f"{speaker} ({count:,})" for speaker, count in speakers.most_common(_LISTED))
    more = f" … +{len(speakers) - _LISTED:,}" if len(speakers) > _LISTED else ""
    given = ", ".join(wanted)
    found = Text(
        f"말한 사람 {len(speakers):,}명: {shown}{more}" + (f"; {given}은(는) 없음" if given else ""),
        f"{len(speakers):,} speakers: {shown}{more}" + (f"; none is {given}" if given else ""),
    )
    expected = Text("그 가운데 누가 AI인지", "which of them is the AI")
    example = speakers.most_common(2)[-1][0] if speakers else "이름"
    if not speakers:
        found = Text("말한 사람이 적혀 있지 않음", "no speakers' names")
        expected = Text("발화마다 말한 사람", "who says each message")
        return refuse(name, found, expected)
    todo = Text(
        f"--assistant 이름을 붙이세요, 예: --assistant {_quoted(example)}",
        f"say who, such as --assistant {_quoted(example)}",
    )
    return refuse(name, found, expected, todo)


def _quoted(name: str) -> str:
    return name if name.isalnum() else shlex.quote(name)


def one_conversation(messages: list[Message], file: File, meta: dict[str, Any] | None = None) -> Row:
    """A file that is one conversation; its id is made from its content."""
    given = {name: value for name, value in (meta or {}).items() if value not in (None, "")}
    return Row(file.name, {"messages": messages, "meta": given})
