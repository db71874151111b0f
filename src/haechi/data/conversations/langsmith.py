"""LangSmith: runs and the runs within them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.file import File, map_rows
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import messages_in, unpacked
from haechi.data.conversations.traces import (
    ToolUse,
    Trace,
    TraceStep,
    conversations_of,
    milliseconds,
    plain_meta,
)
from haechi.data.files import Row
from haechi.data.names import plain_text

_LISTS = ("runs", "data")
_DEEPEST = 50


def is_langsmith(outline: Outline) -> bool:
    """Runs have a type, inputs and outputs."""
    return any(outline.has(f"{at}run_type", f"{at}inputs") for at in ("", *(f"{name}[]." for name in _LISTS)))


def langsmith(file: File) -> Iterator[Row]:
    """One conversation a trace, from its model runs where they continue one another."""
    traces: dict[str, Trace] = {}
    yield from map_rows(file.records(*_LISTS), lambda row: _take(row.data, row.place, "", traces, file, 0))
    yield from conversations_of(traces, file)


def _take(
    run: Mapping[str, Any], place: str, root: str, traces: dict[str, Trace], file: File, depth: int
) -> None:
    name = root or plain_text(run.get("trace_id")) or plain_text(run.get("id"))
    trace = traces.setdefault(name, Trace())
    step = _step(run, place, file)
    if plain_text(run.get("run_type")).lower() in ("llm", "chat_model"):
        trace.generations.append(step)
    elif plain_text(run.get("run_type")).lower() == "tool":
        trace.tools.append(ToolUse(step.start, plain_text(run.get("name")), _given(run.get("inputs"))))
    if not root and not plain_text(run.get("parent_run_id")):
        trace.whole = step
    children = unpacked(run.get("child_runs"))
    for child in children if isinstance(children, list) and depth < _DEEPEST else ():
        if isinstance(child, Mapping):
            _take(child, place, name, traces, file, depth + 1)


def _given(inputs: Any) -> Any:
    """What a tool was given; LangChain puts it as text under `input`."""
    found = unpacked(inputs)
    return unpacked(found["input"]) if isinstance(found, Mapping) and set(found) == {"input"} else found


def _step(run: Mapping[str, Any], place: str, file: File) -> TraceStep:
    extra = unpacked(run.get("extra"))
    extra = extra if isinstance(extra, Mapping) else {}
    about = extra.get("metadata")
    about = about if isinstance(about, Mapping) else {}
    asked_with = extra.get("invocation_params")
    asked_with = asked_with if isinstance(asked_with, Mapping) else {}
    tags = unpacked(run.get("tags"))
    meta = {
        **{key: value for key, value in plain_meta(about).items() if not key.startswith(("ls_", "revision"))},
        "name": run.get("name"),
        "session": about.get("session_id") or about.get("thread_id") or about.get("conversation_id"),
        "model": about.get("ls_model_name") or asked_with.get("model") or asked_with.get("model_name"),
        "latency_ms": milliseconds(run.get("start_time"), run.get("end_time")),
        "tags": ", ".join(map(str, tags)) if isinstance(tags, list) else None,
        "error": run.get("error"),
    }
    asked = messages_in(run.get("inputs"), "user", place, file.notes)
    answered = messages_in(run.get("outputs"), "assistant", place, file.notes)
    if asked and answered[: len(asked)] == asked:  # a graph gives its whole state back
        answered = answered[len(asked) :]
    start = plain_text(run.get("dotted_order")) or plain_text(run.get("start_time"))
    return TraceStep(place, asked, answered, {k: v for k, v in meta.items() if v not in (None, "")}, start)
