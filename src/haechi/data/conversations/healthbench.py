"""What HealthBench's evaluation writes: every example with its conversation, its criteria, and whether the grader says they are met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.evaluated import Sample, Score, samples_of
from haechi.data.conversations.file import File
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import messages_in
from haechi.data.files import Row
from haechi.data.messages import as_text
from haechi.data.names import plain_text

_LIST = "metadata.example_level_metadata"
GRADER = "healthbench-grader"
"""The name of the rater; the results do not say which model graded."""


def is_healthbench(outline: Outline) -> bool:
    """Examples with rubric items."""
    return any(outline.has(f"{at}rubric_items", f"{at}completion") for at in (f"{_LIST}[].", ""))


def healthbench(file: File) -> Iterator[Sample | Row]:
    """One sample for every example; its id is that of the prompt."""
    return samples_of(file.records(_LIST), lambda row: _example(row, file))


def _example(row: Row, file: File) -> Sample:
    data = row.data
    asked = messages_in(data.get("prompt"), "user", row.place, file.hearing)
    answered = messages_in(data.get("completion"), "assistant", row.place, file.hearing)
    given = data.get("rubric_items")
    items = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    criteria = [{name: one.get(name) for name in ("criterion", "points", "tags")} for one in items]
    meta = {"completion_id": data.get("completion_id"), "prompt_id": data.get("prompt_id")}
    identifier = plain_text(data.get("prompt_id")) or plain_text(data.get("completion_id"))
    scores = [_score(one) for one in items]
    return Sample(row.place, identifier, [*asked, *answered], meta, scores, criteria)


def _score(one: Mapping[str, Any]) -> Score:
    met = one.get("criteria_met")
    value = int(met) if isinstance(met, bool) else None
    return Score(
        GRADER, plain_text(one.get("criterion")), "ai", value, evidence=as_text(one.get("explanation"))
    )
