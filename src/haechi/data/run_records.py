"""From a record of a file to an agent run: what was asked, what came back, which round of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from haechi.data.files import Row, refuse
from haechi.data.item import Item
from haechi.data.json_files import unpack_json
from haechi.data.names import PAYLOAD_FIELDS, RUN_FIELDS, fold_name, name_fields, plain_text
from haechi.data.reading_notes import ReadingNotes
from haechi.data.records import identifier_of, meta_of
from haechi.errors import HaechiError
from haechi.text import Text


def run_of(row: Row, notes: ReadingNotes) -> Item:
    """The run of a record; one that names no query, or has no answer, is refused."""
    known, rest = name_fields(row.data, RUN_FIELDS)
    round_, repeat = _round(known, row.place)
    query = plain_text(known.get("query"))
    if not query:
        raise _without_query(row, rest, "query" in known)
    payload, rest = _payload(known, rest)
    if payload is None and "payload" not in known and not plain_text(known.get("error")):
        found = Text(f"열: {', '.join(row.data)}", f"columns {', '.join(row.data)}")
        expected = Text(
            "Raw JSON 열, 또는 assistantMessage, dataUIList … 열",
            "a column Raw JSON, or assistantMessage, dataUIList …",
        )
        raise refuse(f"{row.place}, raw_json", found, expected)
    content: dict[str, Any] = {"query": query, "round": round_, "repeat": repeat}
    for name in (
        "query_text",
        "expected",
        "response",
        "error",
        "latency_class",
        "intent_verdict",
        "intent_label",
    ):
        content[name] = plain_text(known.get(name)) or None
    content["payload"] = payload
    content["accuracy_checks"] = _as_json_text(known.get("accuracy_checks"))
    content["latency_ms"] = _milliseconds(known.get("latency_ms"), row.place)
    content["category"] = plain_text(known.get("category")) or None
    meta = {"query": query, "round": round_, "repeat": repeat, "category": content["category"]}
    meta |= {"version": plain_text(known.get("version"))} | meta_of(known, rest, row.place)
    given, own = plain_text(known.get("id")), plain_text(meta["version"])
    meta["version"] = version = own or notes.version or ""
    if given and version and not own:  # the export of another version numbers its runs in the same way
        given = f"{given}@{version}"
    identifier = given or asked_id(query, version, round_, repeat)
    return Item(
        identifier_of(identifier, row.place),
        "run",
        content,
        {k: v for k, v in meta.items() if v not in (None, "")},
    )


def run_id(data: Mapping[str, Any], place: str) -> str | None:
    """The id of the run that a row is about where it has no id of its own; None if it names no query.

    >>> run_id({"Query ID": "q1", "방/반복": "2/1"}, "runs.csv:2")
    'q1#2/1'
    """
    known, _ = name_fields(data, RUN_FIELDS)
    query = plain_text(known.get("query"))
    return asked_id(query, plain_text(known.get("version")), *_round(known, place)) if query else None


def asked_id(query: str, version: str | None, round_: object, repeat: object) -> str:
    """The id of one execution of a query.

    >>> asked_id("q1", None, 2, 1), asked_id("q1", "v2", 2, 1)
    ('q1#2/1', 'q1@v2#2/1')
    """
    asked = f"{query}@{version}" if version else query  # the same query, asked of another agent
    return f"{asked}#{round_ or 1}/{repeat or 1}"


def _without_query(row: Row, rest: dict[str, Any], blank: bool) -> HaechiError:
    """A run that names no query: an empty cell, or no such column; then the column that may be meant is named."""
    place, expected = f"{row.place}, query_id", Text("Query ID 열", "a column Query ID")
    if blank:
        return refuse(place, Text("빈 칸", "an empty cell"), Text("질의의 id", "the id of the query"))
    names = RUN_FIELDS["query"]
    also = ", ".join(names[1:])
    expected = Text(f"{expected.ko}(또는 {also})", f"{expected.en} (or {also})")
    found = Text(f"열: {', '.join(row.data)}", f"columns {', '.join(row.data)}")
    near = next((name for name in rest if get_close_matches(fold_name(name), names, 1, 0.5)), None)
    column = (near, near) if near else ("열", "COLUMN")
    todo = Text(
        f'열 이름을 Query ID로 바꾸거나, haechi add에 --map query_id="{column[0]}" 옵션을 붙이세요',
        f'call the column Query ID, or give haechi add --map query_id="{column[1]}"',
    )
    return refuse(place, found, expected, todo)


def _round(known: dict[str, Any], place: str) -> tuple[str | None, str | None]:
    both = plain_text(known.get("round_repeat"))
    if not both:
        return plain_text(known.get("round")) or None, plain_text(known.get("repeat")) or None
    match = re.fullmatch(r"\s*(\S+?)\s*/\s*(\S+)\s*", both)
    if match is None and not re.fullmatch(r"\S+", both):
        raise refuse(f"{place}, 방/반복", repr(both), Text('"1/1"처럼 방/반복', 'round/repeat such as "1/1"'))
    return (match[1], match[2]) if match else (both, None)


def _payload(known: dict[str, Any], rest: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """The raw JSON of a run, from its own column or gathered from columns beside it; and the other columns."""
    if known.get("payload") not in (None, ""):
        return _as_json_text(known["payload"]), rest
    beside, others = name_fields(rest, PAYLOAD_FIELDS)
    given = {name: unpack_json(value) for name, value in beside.items() if value not in (None, "")}
    return (_as_json_text(given), others) if given else (None, rest)


def _as_json_text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _milliseconds(value: Any, place: str) -> float | None:
    text = plain_text(value)
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise refuse(
            f"{place}, latency_ms", repr(value)[:80], Text("0 이상의 수(밀리초)", "milliseconds, 0 or more")
        )
    return number
