"""Spans of model calls: OpenTelemetry (OTLP JSON, its conventions of several years) and Phoenix (OpenInference)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from haechi.data.conversations.file import File, bad
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import first_of, messages_in, unpacked
from haechi.data.conversations.traces import Step, ToolUse, Trace, conversations_of, milliseconds
from haechi.data.files import BAD, Row
from haechi.data.hearing import Hearing
from haechi.data.messages import Message
from haechi.data.names import plain_text
from haechi.errors import HaechiError

_DEEPEST = 12
_SAID = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}


def is_otlp(outline: Outline) -> bool:
    """Spans or log records of resources."""
    return bool(outline.paths & {"resourceSpans", "resource_spans", "resourceLogs"})


def is_phoenix(outline: Outline) -> bool:
    """Spans with their context and attributes, as objects or as columns."""
    columns = any(
        path.startswith(("attributes.llm", "attributes.input", "attributes.gen_ai")) for path in outline.paths
    )
    objects = any(
        outline.has(f"{at}context.trace_id", f"{at}attributes") for at in ("", "data[].", "spans[].")
    )
    return objects or (outline.has("context.trace_id") and columns)


def otlp(file: File) -> Iterator[Row]:
    """One conversation a trace."""
    spans: dict[tuple[str, str], dict[str, Any]] = {}
    for row in file.records("resourceSpans", "resource_spans", "resourceLogs"):
        if bad(row):
            yield row
            continue
        for resource in _objects(row.data, "resourceSpans", "resource_spans", "resourceLogs") or [row.data]:
            for span in _in_scopes(resource):
                _merge(spans, span, row.place)
    yield from _conversations(spans.values(), file)


def phoenix(file: File) -> Iterator[Row]:
    """One conversation a trace."""
    spans: dict[tuple[str, str], dict[str, Any]] = {}
    for row in file.records("data", "spans"):
        if bad(row):
            yield row
            continue
        given = nested(row.data)
        context = _object(given, "context")
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
            "events": [_plain_event(event) for event in _objects(given, "events")],
        }
        _merge(spans, span, row.place)
    yield from _conversations(spans.values(), file)


def _merge(spans: dict[tuple[str, str], dict[str, Any]], span: dict[str, Any], place: str) -> None:
    """A span, or an event of one that came as a log record of its own."""
    key = (span["trace"], span["span"] or f"#{len(spans)}")
    there = spans.setdefault(key, {"place": place, **span, "events": []})
    there["events"] += span["events"]
    there |= {
        name: value for name, value in span.items() if name != "events" and value and not there.get(name)
    }


def _in_scopes(resource: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for scope in _objects(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "scopeLogs"):
        for span in _objects(scope, "spans"):
            yield {
                "trace": plain_text(span.get("traceId", span.get("trace_id"))),
                "span": plain_text(span.get("spanId", span.get("span_id"))),
                "parent": plain_text(span.get("parentSpanId", span.get("parent_span_id"))),
                "name": span.get("name"),
                "start": plain_text(span.get("startTimeUnixNano", span.get("start_time_unix_nano"))),
                "end": plain_text(span.get("endTimeUnixNano", span.get("end_time_unix_nano"))),
                "attributes": _attributes(span.get("attributes")),
                "events": [_event(event) for event in _objects(span, "events")],
                "error": _failed(span.get("status")),
            }
        for record in _objects(scope, "logRecords"):
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


def _plain_event(event: Mapping[str, Any]) -> dict[str, Any]:
    given = event.get("attributes")
    return {
        "name": plain_text(event.get("name")),
        "attributes": given if isinstance(given, Mapping) else {},
        "body": None,
    }


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


def _objects(holder: Mapping[str, Any], *names: str) -> list[Mapping[str, Any]]:
    found = (unpacked(holder.get(name)) for name in names)
    return [one for list_ in found if isinstance(list_, list) for one in list_ if isinstance(one, Mapping)]


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Keys such as `llm.input_messages.0.message.role` as objects and lists.

    >>> nested({"a.b": 1, "a.c.0.d": 2, "a.c.1.d": 3})
    {'a': {'b': 1, 'c': [{'d': 2}, {'d': 3}]}}
    """
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        parts = str(key).split(".")
        if len(parts) > _DEEPEST:
            parts = [str(key)]
        at = tree
        for part in parts[:-1]:
            inner = at.setdefault(part, {})
            if not isinstance(inner, dict):  # a value and something within it under one name
                inner = at[part] = {"": inner}
            at = inner
        inner = nested(value) if isinstance(value, Mapping) else value
        there = at.get(parts[-1])
        at[parts[-1]] = {**inner, **there} if isinstance(there, dict) and isinstance(inner, dict) else inner
    return {key: _listed(value) for key, value in tree.items()}


def _listed(value: Any) -> Any:
    if isinstance(value, list):
        return [nested(one) if isinstance(one, Mapping) else one for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: _listed(one) for key, one in value.items()}
    if made and all(key.isdigit() for key in made):
        return [made[key] for key in sorted(made, key=int)]
    return made


def _conversations(spans: Iterable[dict[str, Any]], file: File) -> Iterator[Row]:
    traces: dict[str, Trace] = {}
    for span in spans:
        trace = traces.setdefault(span["trace"], Trace())
        if (tool := _tool(span)) is not None:
            trace.tools.append(tool)
            continue
        try:
            step, is_call = _step(span, file.hearing)
        except HaechiError as error:
            yield Row(span["place"], {BAD: error})
            continue
        if is_call and step.messages:
            trace.generations.append(step)
        if not span["parent"].strip("0") and (trace.whole is None or not trace.whole.messages):
            trace.whole = step
    yield from conversations_of(traces, file)


def _tool(span: dict[str, Any]) -> ToolUse | None:
    """The tool that a span is the use of; None for any other span."""
    given = nested(span["attributes"])
    ai, own = _object(given, "gen_ai"), _object(given, "tool")
    kind = plain_text(_object(_object(given, "openinference"), "span").get("kind")).upper()
    if plain_text(_object(ai, "operation").get("name")) != "execute_tool" and kind != "TOOL":
        return None
    tool = _object(ai, "tool")
    name = plain_text(tool.get("name")) or plain_text(own.get("name")) or plain_text(span["name"])
    called = _object(tool, "call").get("arguments")
    arguments = unpacked(called if called is not None else _object(given, "input").get("value"))
    return ToolUse(span["start"], name.removeprefix("execute_tool "), arguments)


def _step(span: dict[str, Any], hearing: Hearing) -> tuple[Step, bool]:
    """What a span asked and got, and whether it is a call of a model."""
    given = nested(span["attributes"])
    ai, llm = _object(given, "gen_ai"), _object(given, "llm")
    place = span["place"]
    asked, answered = _of_gen_ai(ai, span["events"], place, hearing)
    if not asked and not answered:
        asked = messages_in(_openinference(llm.get("input_messages")), "user", place, hearing)
        answered = messages_in(_openinference(llm.get("output_messages")), "assistant", place, hearing)
    kind = plain_text(_object(_object(given, "openinference"), "span").get("kind")).upper()
    operation = plain_text(_object(ai, "operation").get("name"))
    is_call = (
        bool(asked or answered)
        and kind in ("", "LLM", "UNKNOWN", "NONE")
        and operation not in ("invoke_agent", "execute_tool")
    )
    if not asked and not answered:
        entity = _object(_object(given, "traceloop"), "entity")
        asked = messages_in(
            _object(given, "input").get("value") or entity.get("input"), "user", place, hearing
        )
        answered = messages_in(
            _object(given, "output").get("value") or entity.get("output"), "assistant", place, hearing
        )
        is_call = kind == "LLM"
    model = (
        _object(ai, "response").get("model") or _object(ai, "request").get("model") or llm.get("model_name")
    )
    session = _object(ai, "conversation").get("id") or _object(given, "session").get("id")
    meta = {
        "name": span["name"],
        "session": session,
        "model": model,
        "latency_ms": milliseconds(span["start"], span["end"]),
        "error": span.get("error"),
    }
    return Step(
        place, asked, answered, {k: v for k, v in meta.items() if v not in (None, "")}, span["start"]
    ), is_call


def _of_gen_ai(
    ai: Mapping[str, Any], events: list[dict[str, Any]], place: str, hearing: Hearing
) -> tuple[list[Message], list[Message]]:
    """By the conventions of today, else by events, else by the attributes of earlier years."""
    details = [_object(nested(event["attributes"]), "gen_ai") for event in events]
    for holder in (ai, *details):
        inner, outer = _object(holder, "input").get("messages"), _object(holder, "output").get("messages")
        if inner or outer:
            system = messages_in(holder.get("system_instructions"), "system", place, hearing)
            asked = messages_in(inner, "user", place, hearing)
            return [*system, *asked], messages_in(
                first_of(outer, place, hearing), "assistant", place, hearing
            )
    asked, answered = _of_events(events, place, hearing)
    for holder in (ai, *details):
        asked = asked or messages_in(holder.get("prompt"), "user", place, hearing)
        answered = answered or messages_in(holder.get("completion"), "assistant", place, hearing)
    return asked, answered


def _of_events(
    events: list[dict[str, Any]], place: str, hearing: Hearing
) -> tuple[list[Message], list[Message]]:
    asked: list[Message] = []
    answered: list[Message] = []
    for event in events:
        body = event["body"] if isinstance(event["body"], Mapping) else nested(event["attributes"])
        if event["name"] in _SAID:
            said = {
                "role": _SAID[event["name"]],
                "content": "",
                **body,
                **({"tool_call_id": body["id"]} if "id" in body else {}),
            }
            asked += messages_in(said, _SAID[event["name"]], place, hearing)
        elif event["name"] == "gen_ai.choice":
            inner = unpacked(body.get("message", body))
            inner = inner if isinstance(inner, Mapping) else {"content": inner}
            answered += messages_in(
                {"role": "assistant", "content": "", **inner}, "assistant", place, hearing
            )
    return asked, answered


def _openinference(messages: Any) -> Any:
    """Messages whose fields are kept as `message.role`, `message_content.text`, `tool_call.function.name`."""
    found = unpacked(messages)
    if not isinstance(found, list):
        return found
    made = []
    for one in found:
        message = dict(_object(nested(one), "message") or nested(one)) if isinstance(one, Mapping) else {}
        parts = [
            _object(part, "message_content")
            for part in message.pop("contents", None) or ()
            if isinstance(part, Mapping)
        ]
        calls = [
            _object(call, "tool_call")
            for call in message.pop("tool_calls", None) or ()
            if isinstance(call, Mapping)
        ]
        content = message.get("content") or parts or ""
        made.append({**message, "content": content, **({"tool_calls": calls} if calls else {})})
    return made


def _object(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = holder.get(name)
    return found if isinstance(found, Mapping) else {}
