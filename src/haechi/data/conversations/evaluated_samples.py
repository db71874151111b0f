"""Samples that another tool has evaluated: Inspect, promptfoo, DeepEval. Conversations, and on request the scores as ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from haechi.data.conversations.file import File, is_unreadable
from haechi.data.files import BAD, Row
from haechi.data.messages import Message
from haechi.data.tool_calls import named_tools
from haechi.errors import HaechiError
from haechi.text import Text


class Score(NamedTuple):
    """What a scorer gave: a value as it stands there, whether that passed, and why."""

    rater: str
    criterion: str
    kind: str
    value: Any
    passed: bool | None = None
    evidence: str = ""
    error: str = ""


class EvaluatedSample(NamedTuple):
    """A conversation that was evaluated."""

    place: str
    id: str
    messages: list[Message]
    meta: dict[str, Any]
    scores: list[Score]
    criteria: list[dict[str, Any]] | None = None


def samples_of(
    rows: Iterable[Row], make: Callable[[Row], EvaluatedSample]
) -> Iterator[EvaluatedSample | Row]:
    """The samples that rows hold; one that cannot be read is an error in its place."""
    for row in rows:
        if is_unreadable(row):
            yield row
            continue
        try:
            yield make(row)
        except HaechiError as error:
            yield Row(row.place, {BAD: error})


def conversation_rows(samples: Iterable[EvaluatedSample | Row], file: File, command: str) -> Iterator[Row]:
    """The conversations of samples; that there are scores, and how to import them, is said."""
    scored = 0
    for sample in samples:
        if isinstance(sample, Row):
            yield sample
            continue
        scored += len(sample.scores)
        meta = {name: value for name, value in sample.meta.items() if value not in (None, "")}
        named = {"id": sample.id} if sample.id else {}
        own = {"criteria": sample.criteria} if sample.criteria is not None and file.notes.criteria else {}
        yield Row(sample.place, {**named, "messages": named_tools(sample.messages), "meta": meta, **own})
    if scored:
        file.notes.note(
            Text(
                f"{file.name}: 이미 매겨진 점수 {scored:,}개가 있습니다. 평가로 가져오려면: haechi import DIR {file.name} --as {command}",
                f"{file.name}: has {scored:,} scores already given. To take them as ratings: haechi import DIR {file.name} --as {command}",
            )
        )


def rating_rows(samples: Iterable[EvaluatedSample | Row]) -> Iterator[Row]:
    """The scores of samples as rows of a ratings table; `passed` is the scorer's own verdict, for yes-or-no criteria."""
    for sample in samples:
        if isinstance(sample, Row):
            yield sample
            continue
        for score in sample.scores:
            known = {
                "item": sample.id,
                "criterion": score.criterion,
                "rater": score.rater,
                "kind": score.kind,
            }
            if score.error or score.value is None:
                reason = score.error or "no score"
                yield Row(sample.place, {**known, "value": None, "status": "error", "reason": reason[:500]})
            else:
                given = {"value": score.value, "passed": score.passed, "evidence": score.evidence}
                yield Row(sample.place, {**known, **given})
