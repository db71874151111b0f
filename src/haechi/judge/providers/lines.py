"""Lines of result files: how a provider writes what became of a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from haechi.errors import Problem
from haechi.frozen import frozen
from haechi.judge.providers.bodies import Answer
from haechi.judge.providers.wire import load
from haechi.prompt.certainty import Token
from haechi.text import Text

UNKNOWN = Text("결과도 오류도 없음", "neither a result nor an error")
CORRECT = Text(
    "파일을 다시 내려받거나 그 줄을 지운 뒤 다시 실행하세요",
    "download the file again, or remove the line, and run again",
)
Record = dict[str, Any]


@frozen
class BatchReply(Answer):
    """The answer to one request of a batch, under the id it was sent with."""

    custom_id: str = ""
    raw: Record = field(default_factory=dict)


@frozen
class Lines:
    """A provider's format of result lines; live answers come in the same.

    fits: whether a line is in this format; answer: what the model said; is_result: whether a line tells what became of
    its request; is_done: whether the provider counts it among those it has answered, and charges for; id_of: what
    stands where the request's id should, which is the field `where`. inside: the last field of a line that was made of a
    live answer, and the last one in it, until where the answer's body stands. tokens: the pieces of an answer with their probabilities, where they were
    asked for; None for a provider that has none.
    """

    fits: Callable[[Record], bool]
    answer: Callable[[Record], Answer]
    is_result: Callable[[Record], bool]
    is_done: Callable[[Record], bool]
    where: str = "custom_id"
    id_of: Callable[[Record], Any] | None = None
    inside: tuple[str, ...] = ()
    body_of: Callable[[str], str] | None = None
    tokens: Callable[[Record], list[Token]] | None = None

    def body(self, line: str) -> str:
        """The body in a line that was made of a live answer, as it came."""
        if self.body_of is not None:
            return self.body_of(line)
        before = f'"{self.inside[-1]}":'
        return line[line.index(before) + len(before) : len(line) - len(self.inside)]

    def identifier(self, record: Record) -> str:
        """The request's id; empty if there is none."""
        found = self.id_of(record) if self.id_of else record.get(self.where)
        return str(found).strip() if isinstance(found, str | int) and not isinstance(found, bool) else ""

    def reply(self, record: Record, place: str) -> BatchReply | Problem:
        """What a line says."""
        identifier = self.identifier(record)
        if not identifier:
            expected = Text(f"요청의 id(`{self.where}`)", f"the request's id (`{self.where}`)")
            return Problem(place, ", ".join(record)[:80], expected, CORRECT)
        return BatchReply(**vars(self.answer(record)), custom_id=identifier, raw=record)


def record_of(line: str | bytes, place: str) -> Record | Problem | None:
    """A line as JSON; None if it is empty."""
    expected = Text("JSON 객체 한 줄", "one JSON object per line")
    try:
        text = line.decode("utf-8") if isinstance(line, bytes) else line
        text = text.lstrip("\ufeff").strip()
        record = load(text) if text else None
    except ValueError as error:
        return Problem(place, str(error)[:200], expected, CORRECT)
    if record is None and not text:
        return None
    return record if isinstance(record, dict) and record else Problem(place, text[:80], expected, CORRECT)
