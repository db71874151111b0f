"""Score bodies for Langfuse: one JSON object a line, as its interface for scores takes them."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import orjson

from haechi.data.atomic_files import whole_file
from haechi.export.evaluations import Evaluation, ExportResult, evaluations
from haechi.study.study import Study

_LONGEST_TEXT = 500
"""What Langfuse takes as the value of a text score."""


def write_scores(study: Study, out: Path) -> ExportResult:
    """Write a score body for every judgement; the item's id is the trace's id, and an id of its own makes a repeat harmless."""
    left_out: Counter[str] = Counter()
    written = 0
    with whole_file(out) as path, path.open("wb") as file:
        for one in evaluations(study):
            if one.error is not None:
                left_out[one.error] += 1
                continue
            file.write(orjson.dumps(_body(study, one), option=orjson.OPT_APPEND_NEWLINE))
            written += 1
    return ExportResult((out.name,), {"scores": written}, left_out)


def _body(study: Study, one: Evaluation) -> dict[str, object]:
    rubric = study.rubric
    exact = orjson.dumps([rubric.reference, one.item, one.name, one.rater, one.replicate])
    about = {
        "rater": one.rater,
        "kind": one.kind,
        "replicate": one.replicate,
        "rubric": rubric.id,
        "rubric_version": rubric.version,
    }
    body: dict[str, object] = {
        "id": f"haechi-{hashlib.sha256(exact).hexdigest()[:32]}",
        "traceId": one.item,
        "name": one.name,
        **_value(one),
        "source": "ANNOTATION" if one.kind == "human" else "API",
        "metadata": about if one.label is None else {**about, "label": one.label},
    }
    return body | ({"timestamp": one.at} if one.at else {})


def _value(one: Evaluation) -> dict[str, object]:
    if one.value is not None:
        return {"value": one.value, "dataType": "NUMERIC"} | (
            {"comment": one.explanation} if one.explanation else {}
        )
    # Words of an open question: all of them stand in the comment where the value has no room.
    words = one.explanation or ""
    body: dict[str, object] = {"value": words[:_LONGEST_TEXT], "dataType": "TEXT"}
    return body | ({"comment": words} if len(words) > _LONGEST_TEXT else {})
