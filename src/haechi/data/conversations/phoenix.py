"""Spans of Phoenix (OpenInference), as objects or as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.file import File, is_unreadable
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import object_in, objects_in, unpacked
from haechi.data.conversations.spans import Spans, conversations_in, merge_span, nested_keys
from haechi.data.files import Row
from haechi.data.names import plain_text


def is_phoenix(outline: Outline) -> bool:
    """Spans with their context and attributes, as objects or as columns."""
    columns = any(
        path.startswith(("attributes.llm", "attributes.input", "attributes.gen_ai")) for path in outline.paths
    )
    objects = any(
        outline.has(f"{at}context.trace_id", f"{at}attributes") for at in ("", "data[].", "spans[].")
    )
    return objects or (outline.has("context.trace_id") and columns)


def phoenix(file: File) -> Iterator[Row]:
    """One conversation a trace."""
    spans: Spans = {}
    for row in file.records("data", "spans"):
        if is_unreadable(row):
            yield row
            continue
        given = nested_keys(row.data)
        context = object_in(given, "context")
        kind = given.get("span_kind")
        attributes = unpacked(given.get("attributes"))
        span = {
            "trace": plain_text(context.get("trace_id")).removeprefix("0x"),
            "span": plain_text(context.get("span_id")),
            "parent": plain_text(given.get("parent_id")),
            "name": given.get("name"),
            "start": plain_text(given.get("start_time")),
            "end": plain_text(given.get("end_time")),
            "attributes": {
                "openinference.span.kind": kind,
                **(attributes if isinstance(attributes, Mapping) else {}),
            },
            "events": [_plain_event(event) for event in objects_in(given, "events")],
        }
        merge_span(spans, span, row.place)
    yield from conversations_in(spans, file)


def _plain_event(event: Mapping[str, Any]) -> dict[str, Any]:
    given = event.get("attributes")
    return {
        "name": plain_text(event.get("name")),
        "attributes": given if isinstance(given, Mapping) else {},
        "body": None,
    }
