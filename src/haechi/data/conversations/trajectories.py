"""Traces and trajectories of tool-using agents as runs: the question, the last answer, every call of a tool in its order.

What a run's payload says of tools is `executionProcesses` (each with `name` and `arguments`) and `toolOrder`, their names
in one text, so that the checks of any run can ask for a tool, for its arguments, and for the order.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from haechi.data.conversations.file import File, is_unreadable
from haechi.data.conversations.formats import conversation_rows, fitting
from haechi.data.conversations.outline import outline_of
from haechi.data.conversations.payloads import messages_in
from haechi.data.conversations.traces import plain_meta
from haechi.data.files import BAD, Row, refuse
from haechi.data.item import content_id
from haechi.data.messages import Message
from haechi.data.names import RUN_FIELDS, fold_name, name_fields, plain_text
from haechi.data.reading_notes import ReadingNotes
from haechi.errors import HaechiError
from haechi.text import Text

TRACED = ("inspect", "otlp", "phoenix", "langsmith", "langfuse")
"""The formats of conversations that are traces of an agent at work."""
_ENDINGS = (".json", ".jsonl", ".ndjson", ".eval")
_SAID = ("traj", "trajectory", "messages")
_THEN = " > "


def trajectories(path: Path, notes: ReadingNotes) -> Iterator[Row] | None:
    """The runs in a file of traces or of messages with calls of tools; None if it is a table of runs.

    >>> import tempfile
    >>> call = {"id": "c1", "function": {"name": "search", "arguments": '{"q": "공고"}'}}
    >>> said = [{"role": "user", "content": "공고?"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    >>> file = Path(tempfile.mkdtemp()) / "runs.json"
    >>> _ = file.write_text(json.dumps([{"task_id": 7, "trial": 0, "reward": 1.0, "traj": said}]), "utf-8")
    >>> (run,) = trajectories(file, ReadingNotes())
    >>> run.data["query_id"], run.data["repeat"], run.data["raw_json"]["toolOrder"]
    ('7', '1', 'search')
    """
    if path.suffix.lower() not in _ENDINGS or notes.reading.map:
        return None
    if notes.format is not None and notes.format not in TRACED:
        return None
    outline = outline_of(path)
    if (notes.format or fitting(outline)) in TRACED:
        return _runs(conversation_rows(path, notes), notes)
    own = {fold_name(name) for name in outline.paths} & {*RUN_FIELDS["query"], *RUN_FIELDS["payload"]}
    if own or not outline.paths & set(_SAID):
        return None
    return _runs(File(path, outline, notes).records(), notes)


def _runs(rows: Iterable[Row], notes: ReadingNotes) -> Iterator[Row]:
    made = Counter[str]()  # word for word the same may have happened twice
    for row in rows:
        try:
            yield row if is_unreadable(row) else Row(row.place, _run(row, notes, made))
        except HaechiError as error:
            yield Row(row.place, {BAD: error})


def _run(row: Row, notes: ReadingNotes, made: Counter[str]) -> dict[str, Any]:
    said = next((row.data[name] for name in _SAID if row.data.get(name)), None)
    messages = messages_in(said, "user", row.place, notes)
    asked = [one["content"] for one in messages if one["role"] == "user" and one["content"].strip()]
    if not asked:
        found = Text("사용자의 말이 없음", "nothing that a user says")
        raise refuse(row.place, found, Text("사용자의 물음", "the question of a user"))
    given = row.data.get("meta")
    meta = {**(given if isinstance(given, Mapping) else {}), **plain_meta(_beside(row.data))}
    known, rest = name_fields(meta, RUN_FIELDS)
    answers = [one["content"] for one in messages if one["role"] == "assistant" and one["content"].strip()]
    answer = answers[-1] if answers else ""
    name, repeat = _named(row.data, rest, asked)
    identifier = plain_text(row.data.get("id"))
    if not identifier and repeat is None:  # one with a repeat is called after its query and that
        identifier = content_id({"messages": messages})
        made[identifier] += 1
        identifier += f"#{made[identifier]}" if made[identifier] > 1 else ""
    return {
        "id": identifier,
        "query_id": name,
        "round": known.get("round"),
        "repeat": repeat or known.get("repeat"),
        "query": "\n".join(asked),
        "expected_result": known.get("expected") or rest.get("target"),
        "accuracy_checks": row.data.get("accuracyChecks") or row.data.get("accuracy_checks"),
        "category": known.get("category"),
        "response": answer,
        "error": known.get("error"),
        "latency_ms": known.get("latency_ms"),
        "raw_json": {"assistantMessage": answer, **tools_of(messages)},
        "meta": {**rest, **({"version": known["version"]} if known.get("version") else {})},
    }


def _beside(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in data.items() if name not in (*_SAID, "id", "meta", "task_id", "trial")
    }


def _named(data: Mapping[str, Any], meta: Mapping[str, Any], asked: Sequence[str]) -> tuple[str, str | None]:
    """The query of a run and which repeat it is: a task and its trial, a sample and its epoch, else the question itself."""
    if "task_id" in data:
        trial = plain_text(data.get("trial"))
        return plain_text(data["task_id"]), str(int(trial) + 1) if trial.isdecimal() else trial or None
    epoch = plain_text(meta.get("epoch"))
    if epoch and data.get("id"):
        return plain_text(data["id"]).removesuffix(f"#{epoch}"), epoch
    return content_id({"query": asked[0]}), None


def tools_of(messages: Iterable[Message]) -> dict[str, Any]:
    """The calls of tools in messages as a run's payload has them; nothing where there are none.

    >>> call = {"name": "search", "arguments": '{"q": "공고"}'}
    >>> tools_of([{"role": "assistant", "content": "", "tool_calls": [call, {"name": "open", "arguments": "3"}]}])
    {'executionProcesses': [{'name': 'search', 'arguments': {'q': '공고'}}, {'name': 'open', 'arguments': 3}], 'toolOrder': 'search > open'}
    """
    calls = [
        {"name": call["name"], "arguments": _value(call.get("arguments"))}
        for message in messages
        for call in message.get("tool_calls", ())
    ]
    order = _THEN.join(call["name"] for call in calls)
    return {"executionProcesses": calls, "toolOrder": order} if calls else {}


def _value(arguments: Any) -> Any:
    """Arguments as what they mean, where they are JSON."""
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return arguments
