"""Spans and log records of OpenTelemetry (OTLP JSON), as they are encoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.file import File, is_unreadable
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import objects_in
from haechi.data.conversations.spans import Spans, conversations_in, merge_span
from haechi.data.files import Row
from haechi.data.names import plain_text

_DEEPEST = 12


def is_otlp(outline: Outline) -> bool:
    """Spans or log records of resources."""
    return bool(outline.paths & {"resourceSpans", "resource_spans", "resourceLogs"})


def otlp(file: File) -> Iterator[Row]:
    """One conversation a trace."""
    spans: Spans = {}
    for row in file.records("resourceSpans", "resource_spans", "resourceLogs"):
        if is_unreadable(row):
            yield row
            continue
        for resource in objects_in(row.data, "resourceSpans", "resource_spans", "resourceLogs") or [row.data]:
            for span in _in_scopes(resource):
                merge_span(spans, span, row.place)
    yield from conversations_in(spans, file)


def _in_scopes(resource: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for scope in objects_in(
        resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "scopeLogs"
    ):
        for span in objects_in(scope, "spans"):
            yield {
                "trace": plain_text(span.get("traceId", span.get("trace_id"))),
                "span": plain_text(span.get("spanId", span.get("span_id"))),
                "parent": plain_text(span.get("parentSpanId", span.get("parent_span_id"))),
                "name": span.get("name"),
                "start": plain_text(span.get("startTimeUnixNano", span.get("start_time_unix_nano"))),
                "end": plain_text(span.get("endTimeUnixNano", span.get("end_time_unix_nano"))),
                "attributes": _attributes(span.get("attributes")),
                "events": [_event(event) for event in objects_in(span, "events")],
                "error": _failed(span.get("status")),
            }
        for record in objects_in(scope, "logRecords"):
            event = _event({**record, "name": record.get("eventName")})
            ids = {"trace": plain_text(record.get("traceId")), "span": plain_text(record.get("spanId"))}
            empty: dict[str, Any] = {"parent": "", "name": None, "start": "", "end": "", "attributes": {}}
            yield {**ids, **empty, "events": [event]}


def _failed(status: Any) -> str | None:
    """Why a span failed; None where it did not, or where nothing is said."""
    if not isinstance(status, Mapping) or plain_text(status.get("code")) not in (
        "2",
        "STATUS_CODE_ERROR",
        "ERROR",
    ):
        return None
    return plain_text(status.get("message")) or "ERROR"


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    attributes = _attributes(event.get("attributes"))
    body = _any_value(event["body"]) if isinstance(event.get("body"), Mapping) else None
    name = event.get("name") or attributes.get("event.name")
    return {"name": plain_text(name), "attributes": attributes, "body": body}


def _attributes(given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    pairs = given if isinstance(given, list) else []
    return {
        str(pair.get("key")): _any_value(pair.get("value")) for pair in pairs if isinstance(pair, Mapping)
    }


def _any_value(value: Any, depth: int = 0) -> Any:
    """A value of OTLP, `{"stringValue": …}`, as what it is."""
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return value
    for key, one in value.items():
        if key in ("arrayValue", "array_value") and isinstance(one, Mapping):
            return [_any_value(part, depth + 1) for part in one.get("values") or ()]
        if key in ("kvlistValue", "kvlist_value") and isinstance(one, Mapping):
            pairs = [pair for pair in one.get("values") or () if isinstance(pair, Mapping)]
            return {str(pair.get("key")): _any_value(pair.get("value"), depth + 1) for pair in pairs}
        if key in (
            "stringValue",
            "intValue",
            "doubleValue",
            "boolValue",
            "bytesValue",
            "string_value",
            "int_value",
        ):
            return one
    return None if not value else dict(value)
