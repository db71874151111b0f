"""What an agent is asked in one turn, and what it replied, whichever way it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol

import orjson

from haechi.data.conversations.trajectories import tools_of
from haechi.data.messages import messages_of
from haechi.errors import HaechiError
from haechi.expectations.paths import parse, walk
from haechi.frozen import frozen
from haechi.judge.providers.keys import mask
from haechi.rubrics.fault import Fault, shorten
from haechi.rubrics.fields import Frozen
from haechi.text import Text

LARGEST = 16 * 1024 * 1024
"""Bytes of an answer; what is longer is no answer, and bounds memory."""
_SHOWN = 2000


class AgentTurn(NamedTuple):
    """One turn: the words, all messages so far with these, what was given beside them, and the conversation's name."""

    query: str
    messages: list[dict[str, str]]
    context: Any
    session: str
    id: str
    turn: int


@frozen
class AgentReply:
    """What came back: a message, the whole payload, or an error; times in milliseconds, measured here.

    refused: the HTTP status where the agent did not accept the request.
    """

    message: str = ""
    payload: Any = None
    session: str | None = None
    error: str | None = None
    first_ms: float | None = None
    total_ms: float | None = None
    refused: int | None = None

    def timed(self, first_ms: float | None, total_ms: float) -> AgentReply:
        """The same with its times."""
        first = None if first_ms is None else round(first_ms, 1)
        return replace(self, first_ms=first, total_ms=round(total_ms, 1))


class Agent(Protocol):
    """An agent under test."""

    name: str

    @property
    def about(self) -> dict[str, Any]:
        """Where it is, and which environment variables are sent there."""
        ...

    async def ask(self, turn: AgentTurn, first: Callable[[], None]) -> AgentReply:
        """One reply; `first` is told when the first of it is there. `TryAgain` means that it was not asked at all."""
        ...

    async def close(self) -> None:
        """Close what is open."""
        ...


def failed_reply(words: str, raw: Any = None, refused: int | None = None) -> AgentReply:
    """A reply that is none: why, and what came instead; without keys."""
    return AgentReply(
        error=mask(words)[:_SHOWN], payload=None if raw is None else mask(raw)[:_SHOWN], refused=refused
    )


def unparseable_reply(words: str, raw: str) -> AgentReply:
    """Something came that cannot be read."""
    return failed_reply(f"unparseable: {words}", raw)


def _path(given: Any) -> str:
    if isinstance(given, str) and parse(given) is not None:
        return given
    raise Fault(shorten(given), Text("data.items[0].text 같은 경로", "a path such as data.items[0].text"))


Path = Annotated[str, _path]


class Places(Frozen):
    """Where in an answer what stands, as paths; `delta` is the piece of the message in an event of a stream.

    >>> places = Places(message="data.text", error="data.error")
    >>> places.read({"data": {"text": "네"}}).payload
    {'data': {'text': '네'}, 'assistantMessage': '네'}
    >>> places.read({"data": {"error": "no such job"}}).error
    'no such job'
    """

    known_keys: ClassVar[Text] = Text(
        "message, payload, tools, error, session, seconds, delta",
        "message, payload, tools, error, session, seconds or delta",
    )
    message: Path | None = None
    payload: Path | None = None
    tools: Path | None = None
    error: Path | None = None
    session: Path | None = None
    seconds: Path | None = None
    delta: Path | None = None

    def read(self, answer: Any) -> AgentReply:
        """The reply in an answer that came whole."""
        if not isinstance(answer, dict):
            return unparseable_reply("a JSON object is expected", orjson.dumps(answer).decode())
        found = PartialReply()
        found.take(self, answer)
        if self.payload is None:
            found.payload = answer
        return found.reply()


@dataclass
class PartialReply:
    """What the events of an answer hold so far; one answer is one event."""

    pieces: list[str] = field(default_factory=list)
    message: str = ""
    payload: Any = None
    tools: list[Any] = field(default_factory=list)
    error: Any = None
    session: str | None = None
    seconds: float | None = None

    def take(self, places: Places, event: Mapping[str, Any]) -> bool:
        """Note what an event holds; says whether it is a part of the message."""
        said = False
        for piece in _at(event, places.delta):
            self.pieces.append(_text(piece))
            said = said or bool(piece)
        for message in _at(event, places.message) if places.message else _message(event):
            self.message = _text(message) or self.message
        for payload in _at(event, places.payload):
            self.payload = payload
        for tools in _at(event, places.tools or "tools"):
            _gather(self.tools, tools if isinstance(tools, list) else [tools])
        for error in _at(event, places.error or "error"):
            self.error = error or self.error
        for session in _at(event, places.session or "session"):
            self.session = _text(session) or self.session
        for seconds in _at(event, places.seconds):
            self.seconds = seconds if isinstance(seconds, int | float) else self.seconds
        return said or bool(self.message)

    def reply(self) -> AgentReply:
        """The reply, its payload as agent runs keep it (`assistantMessage`, `executionProcesses`, `responseTimeSec`)."""
        if self.error:
            return replace(
                failed_reply(_text(self.error)), payload=_masked(self.payload), session=self.session
            )
        message = "".join(self.pieces) or self.message
        own: dict[str, Any] = {}
        if message:
            own["assistantMessage"] = message
        own |= _steps(self.tools)
        if self.seconds is not None:
            own["responseTimeSec"] = self.seconds
        whole = self.payload if isinstance(self.payload, dict) else {}
        lacking = {name: value for name, value in own.items() if whole.get(name) in (None, "", [])}
        payload = {**whole, **lacking}
        if not payload:
            return unparseable_reply("neither a message nor a payload", _text(self.payload))
        return AgentReply(mask(message), _masked(payload), self.session)


def _steps(tools: list[Any]) -> dict[str, Any]:
    """The calls of tools as a run's payload has them: those of OpenAI by name and arguments, others as they are."""
    if not any(isinstance(tool, dict) and "function" in tool for tool in tools):
        return {"executionProcesses": tools} if tools else {}
    try:
        return tools_of(messages_of({"role": "assistant", "content": "", "tool_calls": tools}, "tools"))
    except HaechiError:  # whatever a stranger calls a function
        return {"executionProcesses": tools}


def _message(event: Mapping[str, Any]) -> list[Any]:
    """The message where nobody says where it is: `assistantMessage`, or `message`."""
    return [one for one in (event.get("assistantMessage"), event.get("message")) if isinstance(one, str)][:1]


def _at(event: Any, path: str | None) -> list[Any]:
    return walk([event], parse(path) or ()) if path else []


def _gather(tools: list[Any], more: Iterable[Any]) -> None:
    """Add calls of tools; the pieces of one call in a stream (they have an `index`) become one call."""
    for one in more:
        place = one.get("index") if isinstance(one, dict) else None
        before = next((t for t in tools if place is not None and t.get("index") == place), None)
        if before is None:
            tools.append(one)
            continue
        call, new = before.setdefault("function", {}), one.get("function") or {}
        if isinstance(call, dict) and isinstance(new, dict):
            call["name"] = call.get("name") or new.get("name")
            call["arguments"] = f"{call.get('arguments') or ''}{new.get('arguments') or ''}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else orjson.dumps(value).decode()


def _masked(payload: Any) -> Any:
    """A payload without keys; most hold none and stay as they are."""
    text = orjson.dumps(payload).decode()
    without = mask(text)
    return payload if without == text else orjson.loads(without)
