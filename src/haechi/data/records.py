"""What every record of an item has, whatever its kind: an id and meta fields."""

from __future__ import annotations

import json
from typing import Any

from haechi.data.files import refuse
from haechi.data.item import content_id
from haechi.data.names import plain_text
from haechi.data.reading_notes import ReadingNotes
from haechi.text import Text

LONGEST_ID = 300


def identifier_of(value: Any, place: str) -> str:
    """The id in a cell; one that is empty or unreadable is refused."""
    identifier = plain_text(value)
    if not identifier:
        raise refuse(
            f"{place}, id", Text("id 없음", "no id"), Text("비어 있지 않은 id", "an id that is not empty")
        )
    if len(identifier) > LONGEST_ID or any(ord(character) < 32 for character in identifier):
        expected = Text(
            f"{LONGEST_ID}자 이하, 제어 문자 없음", f"at most {LONGEST_ID} characters, no control characters"
        )
        raise refuse(f"{place}, id", repr(identifier[:60]), expected)
    return identifier


def made_id(content: dict[str, Any], meta: dict[str, Any], notes: ReadingNotes) -> str:
    """The id of a record that has none, by its content; that it was made is noted."""
    notes.made_ids += 1
    return content_id(content, meta)


def meta_of(known: dict[str, Any], rest: dict[str, Any], place: str) -> dict[str, Any]:
    """The meta fields of a record: its further columns, and what it calls meta."""
    given = known.get("meta")
    if isinstance(given, str) and given.strip():
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = {"meta": given}
    if given not in (None, "") and not isinstance(given, dict):
        raise refuse(f"{place}, meta", type(given).__name__, Text("객체 {…}", "an object {…}"))
    named = {name: known[name] for name in ("mode", "level", "system") if known.get(name) not in (None, "")}
    others = {name: value for name, value in rest.items() if value not in (None, "")}
    return {**others, **named, **(given or {})}
