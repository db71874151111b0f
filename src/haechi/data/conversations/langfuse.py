"""Langfuse: traces and observations from tables, single traces, sessions and the interface."""

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
from haechi.data.names import fold_name, plain_text
from haechi.rubrics.values import number

_SIGNS = frozenset(
    [
        "traceid",
        "sessionid",
        "userid",
        "bookmarked",
        "htmlpath",
        "projectid",
        "parentobservationid",
        "totalcost",
        "observations",
        "environment",
    ]
)
_LISTS = ("data", "traces", "observations", "trace.observations")


def is_langfuse(outline: Outline) -> bool:
    """Inputs and outputs with the ids of traces or sessions around them."""
    for list_ in ("", *(f"{name}[]." for name in _LISTS), "trace."):
        here = {path.removeprefix(list_) for path in outline.paths if path.startswith(list_)}
        folded = {fold_name(path) for path in here if "." not in path and "[" not in path}
        if {"input", "output"} <= folded and folded & _SIGNS:
            return True
    return False


def langfuse(file: File) -> Iterator[Row]:
    """One conversation a trace, from its generations where they are there."""
    traces: dict[str, Trace] = {}
    rows = file.records(*_records(file.outline))
    yield from map_rows(rows, lambda row: _take(row.data, row.place, traces, file))
    yield from conversations_of(traces, file)


def _records(outline: Outline) -> tuple[str, ...]:
    """The list that has the records; a trace that was downloaded alone is read whole."""
    return tuple(
        name
        for name in ("data", "traces")
        if outline.has(name) and any(p.startswith(f"{name}[].") for p in outline.paths)
    )


def _take(data: Mapping[str, Any], place: str, traces: dict[str, Trace], file: File) -> None:
    inner = data.get("trace")
    if isinstance(
        inner, Mapping
    ):  # a trace that was downloaded alone: the trace, and its observations once more
        data = {"observations": data.get("observations"), **inner}
    about = {fold_name(str(key)): value for key, value in data.items()}
    observed = plain_text(about.get("traceid"))
    name = observed or plain_text(about.get("id"))
    trace = traces.setdefault(name, Trace())
    step = _step(about, place, file)
    kind = plain_text(about.get("type")).upper()
    if not observed:
        trace.whole = step
    elif kind == "TOOL":
        used = ToolUse(step.start, plain_text(about.get("name")), unpacked(about.get("input")))
        trace.tools.append(used)
    elif kind == "GENERATION" or (not kind and about.get("model")):
        trace.generations.append(step)
    elif not plain_text(about.get("parentobservationid")) and trace.whole is None:
        trace.whole = step
    for one in about.get("observations") or ():
        if isinstance(one, Mapping):  # else only the ids of observations that are not here
            _take({"traceId": name, **one}, place, traces, file)


def _step(about: Mapping[str, Any], place: str, file: File) -> TraceStep:
    asked = messages_in(about.get("input"), "user", place, file.notes)
    answered = messages_in(about.get("output"), "assistant", place, file.notes)
    start, end = about.get("starttime", about.get("timestamp")), about.get("endtime")
    latency = about.get("latency")
    tags = unpacked(about.get("tags"))
    meta = {
        **plain_meta(unpacked(about.get("metadata"))),
        "name": about.get("tracename") or about.get("name"),
        "session": about.get("sessionid"),
        "user": about.get("userid"),
        "model": about.get("providedmodelname") or about.get("model") or about.get("modelid"),
        "latency_ms": _milliseconds(latency) if latency not in (None, "") else milliseconds(start, end),
        "environment": about.get("environment"),
        "release": about.get("release"),
        "version": about.get("version"),
        "error": about.get("statusmessage") or "ERROR" if plain_text(about.get("level")) == "ERROR" else None,
        "tags": ", ".join(map(str, tags)) if isinstance(tags, list) else tags,
    }
    return TraceStep(
        place, asked, answered, {k: v for k, v in meta.items() if v not in (None, "")}, plain_text(start)
    )


def _milliseconds(value: Any) -> float | None:
    seconds = number(plain_text(value))
    return None if seconds is None else round(seconds * 1000, 3)
