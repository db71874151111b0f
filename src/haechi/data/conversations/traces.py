"""From what a tool traced to conversations: the generations of a trace that continue one another are one.

A model is sent the whole conversation every time, so a later generation repeats the earlier ones and adds to them. Where the
generations of a trace do not continue one another, the trace's own input and output are its conversation; where it has
none, each of them is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from haechi.data.conversations.file import File
from haechi.data.files import Row
from haechi.data.messages import Message
from haechi.data.names import plain_text
from haechi.data.tool_calls import named_tools
from haechi.text import Text

_STEPS = Text(
    "추적 안의 중간 호출(대화는 추적 자체의 입력과 출력)",
    "model calls inside a trace that has its own input and output",
)
_MOST_META = 20
_EMPTY = Text("입력과 출력이 없는 추적", "traces without input and output")
_META = (
    "name",
    "session",
    "user",
    "model",
    "latency_ms",
    "environment",
    "release",
    "version",
    "tags",
    "error",
)


@dataclass
class TraceStep:
    """What went into a model or a whole trace and what came out, and what is known about it."""

    place: str
    asked: list[Message]
    answered: list[Message]
    meta: dict[str, Any] = field(default_factory=dict)
    start: str = ""

    @property
    def messages(self) -> list[Message]:
        """All of it, in order."""
        return [*self.asked, *self.answered]


class ToolUse(NamedTuple):
    """A tool that was used in a trace of its own step: when, which, and with what."""

    start: str
    name: str
    arguments: Any


@dataclass
class Trace:
    """One request: its own input and output, the generations in it, and the tools that have a step of their own."""

    whole: TraceStep | None = None
    generations: list[TraceStep] = field(default_factory=list)
    tools: list[ToolUse] = field(default_factory=list)


def conversations_of(traces: Mapping[str, Trace], file: File) -> Iterator[Row]:
    """The conversations of traces by their ids."""
    for name, trace in traces.items():
        whole = trace.whole if trace.whole is not None and trace.whole.messages else None
        chains = _chains(sorted(trace.generations, key=lambda step: step.start))
        if len(chains) > 1 and whole is not None:
            file.notes.leave_out(file.name, _STEPS, sum(len(chain) for chain in chains))
            chains = []
        steps = [_joined(chain) for chain in chains] or ([whole] if whole is not None else [])
        if not steps:
            file.notes.leave_out(file.name, _EMPTY)
        if len(steps) > 1:
            file.notes.note(
                Text(
                    f"{file.name}: 서로 이어지지 않는 호출이 있는 추적은 호출마다 대화 하나로 보았습니다(id#2, id#3 …)",
                    f"{file.name}: where the calls of a trace do not continue one another, each is a conversation (id#2, id#3 …)",
                )
            )
        of_whole = trace.whole.meta if trace.whole is not None else {}
        for number, step in enumerate(steps, 1):
            about = {**of_whole, **step.meta}
            if len(steps) == 1 and of_whole.get("latency_ms") is not None:
                about["latency_ms"] = of_whole["latency_ms"]  # tools take their time too
            meta = {key: about[key] for key in (*_META, *about) if about.get(key) not in (None, "", [])}
            identifier = name if number == 1 else f"{name}#{number}"
            named = {"id": identifier} if name else {}
            said = with_tools(step.messages, trace.tools) if len(steps) == 1 else step.messages
            yield Row(step.place, {**named, "messages": named_tools(said), "meta": meta})


def with_tools(messages: list[Message], tools: Iterable[ToolUse]) -> list[Message]:
    """The messages with the tools that a trace has as steps of their own, where the messages name none.

    >>> asked, answered = {"role": "user", "content": "날씨?"}, {"role": "assistant", "content": "비"}
    >>> [one.get("tool_calls") for one in with_tools([asked, answered], [ToolUse("1", "weather", {"at": "서울"})])]
    [None, [{'name': 'weather', 'arguments': '{"at": "서울"}'}], None]
    """
    used = sorted(tools, key=lambda tool: tool.start)
    if not used or any(message.get("tool_calls") for message in messages):
        return messages
    calls = [
        {
            "name": tool.name,
            "arguments": tool.arguments
            if isinstance(tool.arguments, str)
            else json.dumps(tool.arguments, ensure_ascii=False),
        }
        for tool in used
    ]
    last = next((n for n in range(len(messages), 0, -1) if messages[n - 1]["role"] == "assistant"), None)
    place = len(messages) if last is None else last - 1
    called: Message = {"role": "assistant", "content": "", "tool_calls": calls}
    return [*messages[:place], called, *messages[place:]]


def _chains(steps: Iterable[TraceStep]) -> list[list[TraceStep]]:
    """Generations that continue one another, each chain in order; a step goes to the longest chain it continues."""
    chains: list[list[TraceStep]] = []
    for step in steps:
        if not step.messages:
            continue
        asked = [*map(_key, step.asked)]
        fitting = [chain for chain in chains if _begins(asked, chain[-1])]
        if fitting:
            max(fitting, key=lambda chain: len(chain[-1].messages)).append(step)
        else:
            chains.append([step])
    return chains


def _begins(asked: list[Any], former: TraceStep) -> bool:
    """Whether an input begins with a former conversation; instructions may have changed in between."""
    said = [_key(message) for message in former.messages]
    if asked[: len(said)] == said:
        return True
    spoken = [key for key in said if key[0] != "system"]
    return bool(spoken) and [key for key in asked if key[0] != "system"][: len(spoken)] == spoken


def _key(message: Message) -> tuple[str, str, tuple[str, ...]]:
    calls = tuple(call["name"] for call in message.get("tool_calls", ()))
    return message["role"], " ".join(message["content"].split()), calls


def _joined(chain: list[TraceStep]) -> TraceStep:
    """A chain as one step: the last has all that was said; models are named once, latencies added."""
    last = chain[-1]
    meta = {**chain[0].meta, **last.meta}
    models = dict.fromkeys(str(step.meta["model"]) for step in chain if step.meta.get("model"))
    waits = [step.meta["latency_ms"] for step in chain if step.meta.get("latency_ms") is not None]
    meta |= {"model": ", ".join(models)} if models else {}
    meta |= {"latency_ms": round(sum(waits), 3)} if waits else {}
    return TraceStep(chain[0].place, last.asked, last.answered, meta, chain[0].start)


def milliseconds(start: Any, end: Any) -> float | None:
    """The time between two moments that are written alike, as numbers of nanoseconds or as dates.

    >>> milliseconds("2026-11-03T15:12:00Z", "2026-11-03T15:12:01.5Z"), milliseconds("1000000", "3000000")
    (1500.0, 2.0)
    """
    first, second = plain_text(start), plain_text(end)
    if first.isdigit() and second.isdigit():
        unit = 1e6 if len(second) > 16 or len(second) < 10 else 1e3 if len(second) > 13 else 1.0
        return round((int(second) - int(first)) / unit, 3)
    try:
        between = datetime.fromisoformat(second) - datetime.fromisoformat(first)
    except (ValueError, TypeError):
        return None
    return round(between.total_seconds() * 1000, 3)


def plain_meta(value: Any) -> dict[str, Any]:
    """The simple fields of some metadata, to group by.

    >>> plain_meta({"mode": "a", "nested": {"b": 1}, "tags": ["x", "y"]})
    {'mode': 'a', 'tags': 'x, y'}
    """
    if not isinstance(value, Mapping):
        return {}
    simple: dict[str, Any] = {}
    for key, one in value.items():
        if isinstance(one, str | int | float | bool) and one != "" and len(str(one)) <= 200:
            simple[str(key)] = one
        elif isinstance(one, list) and one and all(isinstance(part, str) for part in one):
            simple[str(key)] = ", ".join(one)
    return dict(list(simple.items())[:_MOST_META])
