"""What spans of model calls say: by the conventions of OpenTelemetry, of several years, and of OpenInference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.file import File
from haechi.data.conversations.payloads import first_of, messages_in, object_in, unpacked
from haechi.data.conversations.traces import ToolUse, Trace, TraceStep, conversations_of, milliseconds
from haechi.data.files import BAD, Row
from haechi.data.messages import Message
from haechi.data.names import plain_text
from haechi.data.reading_notes import ReadingNotes
from haechi.errors import HaechiError

_DEEPEST = 12
_SAID = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}


Spans = dict[tuple[str, str], dict[str, Any]]
"""Spans by their trace and their own id: where they stand, when, within which other, and what is said of them."""


def merge_span(spans: Spans, span: dict[str, Any], place: str) -> None:
    """A span, or an event of one that came as a log record of its own."""
    key = (span["trace"], span["span"] or f"#{len(spans)}")
    there = spans.setdefault(key, {"place": place, **span, "events": []})
    there["events"] += span["events"]
    there |= {
        name: value for name, value in span.items() if name != "events" and value and not there.get(name)
    }


def nested_keys(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Keys such as `llm.input_messages.0.message.role` as objects and lists.

    >>> nested_keys({"a.b": 1, "a.c.0.d": 2, "a.c.1.d": 3})
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
        inner = nested_keys(value) if isinstance(value, Mapping) else value
        there = at.get(parts[-1])
        at[parts[-1]] = {**inner, **there} if isinstance(there, dict) and isinstance(inner, dict) else inner
    return {key: _listed(value) for key, value in tree.items()}


def _listed(value: Any) -> Any:
    if isinstance(value, list):
        return [nested_keys(one) if isinstance(one, Mapping) else one for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: _listed(one) for key, one in value.items()}
    if made and all(key.isdigit() for key in made):
        return [made[key] for key in sorted(made, key=int)]
    return made


def conversations_in(spans: Spans, file: File) -> Iterator[Row]:
    """One conversation a trace."""
    traces: dict[str, Trace] = {}
    for span in spans.values():
        trace = traces.setdefault(span["trace"], Trace())
        if (tool := _tool(span)) is not None:
            trace.tools.append(tool)
            continue
        try:
            step, is_call = _step(span, file.notes)
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
    given = nested_keys(span["attributes"])
    ai, own = object_in(given, "gen_ai"), object_in(given, "tool")
    kind = plain_text(object_in(object_in(given, "openinference"), "span").get("kind")).upper()
    if plain_text(object_in(ai, "operation").get("name")) != "execute_tool" and kind != "TOOL":
        return None
    tool = object_in(ai, "tool")
    name = plain_text(tool.get("name")) or plain_text(own.get("name")) or plain_text(span["name"])
    called = object_in(tool, "call").get("arguments")
    arguments = unpacked(called if called is not None else object_in(given, "input").get("value"))
    return ToolUse(span["start"], name.removeprefix("execute_tool "), arguments)


def _step(span: dict[str, Any], notes: ReadingNotes) -> tuple[TraceStep, bool]:
    """What a span asked and got, and whether it is a call of a model."""
    given = nested_keys(span["attributes"])
    ai, llm = object_in(given, "gen_ai"), object_in(given, "llm")
    place = span["place"]
    asked, answered = _of_gen_ai(ai, span["events"], place, notes)
    if not asked and not answered:
        asked = messages_in(_openinference(llm.get("input_messages")), "user", place, notes)
        answered = messages_in(_openinference(llm.get("output_messages")), "assistant", place, notes)
    kind = plain_text(object_in(object_in(given, "openinference"), "span").get("kind")).upper()
    operation = plain_text(object_in(ai, "operation").get("name"))
    is_call = (
        bool(asked or answered)
        and kind in ("", "LLM", "UNKNOWN", "NONE")
        and operation not in ("invoke_agent", "execute_tool")
    )
    if not asked and not answered:
        entity = object_in(object_in(given, "traceloop"), "entity")
        asked = messages_in(
            object_in(given, "input").get("value") or entity.get("input"), "user", place, notes
        )
        answered = messages_in(
            object_in(given, "output").get("value") or entity.get("output"), "assistant", place, notes
        )
        is_call = kind == "LLM"
    model = (
        object_in(ai, "response").get("model")
        or object_in(ai, "request").get("model")
        or llm.get("model_name")
    )
    session = object_in(ai, "conversation").get("id") or object_in(given, "session").get("id")
    meta = {
        "name": span["name"],
        "session": session,
        "model": model,
        "latency_ms": milliseconds(span["start"], span["end"]),
        "error": span.get("error"),
    }
    return TraceStep(
        place, asked, answered, {k: v for k, v in meta.items() if v not in (None, "")}, span["start"]
    ), is_call


def _of_gen_ai(
    ai: Mapping[str, Any], events: list[dict[str, Any]], place: str, notes: ReadingNotes
) -> tuple[list[Message], list[Message]]:
    """By the conventions of today, else by events, else by the attributes of earlier years."""
    details = [object_in(nested_keys(event["attributes"]), "gen_ai") for event in events]
    for holder in (ai, *details):
        inner, outer = object_in(holder, "input").get("messages"), object_in(holder, "output").get("messages")
        if inner or outer:
            system = messages_in(holder.get("system_instructions"), "system", place, notes)
            asked = messages_in(inner, "user", place, notes)
            return [*system, *asked], messages_in(first_of(outer, place, notes), "assistant", place, notes)
    asked, answered = _of_events(events, place, notes)
    for holder in (ai, *details):
        asked = asked or messages_in(holder.get("prompt"), "user", place, notes)
        answered = answered or messages_in(holder.get("completion"), "assistant", place, notes)
    return asked, answered


def _of_events(
    events: list[dict[str, Any]], place: str, notes: ReadingNotes
) -> tuple[list[Message], list[Message]]:
    asked: list[Message] = []
    answered: list[Message] = []
    for event in events:
        body = event["body"] if isinstance(event["body"], Mapping) else nested_keys(event["attributes"])
        if event["name"] in _SAID:
            said = {
                "role": _SAID[event["name"]],
                "content": "",
                **body,
                **({"tool_call_id": body["id"]} if "id" in body else {}),
            }
            asked += messages_in(said, _SAID[event["name"]], place, notes)
        elif event["name"] == "gen_ai.choice":
            inner = unpacked(body.get("message", body))
            inner = inner if isinstance(inner, Mapping) else {"content": inner}
            answered += messages_in({"role": "assistant", "content": "", **inner}, "assistant", place, notes)
    return asked, answered


def _openinference(messages: Any) -> Any:
    """Messages whose fields are kept as `message.role`, `message_content.text`, `tool_call.function.name`."""
    found = unpacked(messages)
    if not isinstance(found, list):
        return found
    made = []
    for one in found:
        message = (
            dict(object_in(nested_keys(one), "message") or nested_keys(one))
            if isinstance(one, Mapping)
            else {}
        )
        parts = [
            object_in(part, "message_content")
            for part in message.pop("contents", None) or ()
            if isinstance(part, Mapping)
        ]
        calls = [
            object_in(call, "tool_call")
            for call in message.pop("tool_calls", None) or ()
            if isinstance(call, Mapping)
        ]
        content = message.get("content") or parts or ""
        made.append({**message, "content": content, **({"tool_calls": calls} if calls else {})})
    return made
