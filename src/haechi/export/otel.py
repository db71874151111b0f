"""OpenTelemetry: `gen_ai.evaluation.result` events as log records, OTLP in JSON, some on each line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import orjson

from haechi.data.atomic_files import whole_file
from haechi.export.evaluations import Evaluation, ExportResult, evaluations
from haechi.study.study import Study
from haechi.version import __version__

_RECORDS = 1_000
_TRACE = re.compile(r"[0-9a-f]{32}")
_EVENT = "gen_ai.evaluation.result"


def write_events(study: Study, out: Path) -> ExportResult:
    """Write an event for every judgement; one that failed has `error.type` instead of a score."""
    written = 0
    traces = _traces(study)
    with whole_file(out) as path, path.open("wb") as file:
        found = evaluations(study)
        while some := list(islice(found, _RECORDS)):
            records = [_record(study, one, traces.get(one.item)) for one in some]
            file.write(orjson.dumps(_resource(records), option=orjson.OPT_APPEND_NEWLINE))
            written += len(records)
    return ExportResult((out.name,), {"events": written})


def _traces(study: Study) -> dict[str, str]:
    """The traces that items came from: their ids, or what their meta fields say."""
    named = ((item.id, str(item.meta.get("trace_id", item.id)).lower()) for item in study.items())
    return {item: trace for item, trace in named if _TRACE.fullmatch(trace)}


def _resource(records: list[dict[str, object]]) -> dict[str, object]:
    scope = {"name": "haechi", "version": __version__}
    service = list(_attributes({"service.name": "haechi"}))
    logs = [{"scope": scope, "logRecords": records}]
    return {"resourceLogs": [{"resource": {"attributes": service}, "scopeLogs": logs}]}


def _record(study: Study, one: Evaluation, trace: str | None) -> dict[str, object]:
    said = {
        "gen_ai.evaluation.name": one.name,
        "gen_ai.evaluation.score.value": one.value,
        "gen_ai.evaluation.score.label": one.label,
        "gen_ai.evaluation.explanation": one.explanation if one.error is None else one.error,
        "error.type": None if one.error is None else one.error.partition(":")[0],
        "haechi.item": one.item,
        "haechi.rater": one.rater,
        "haechi.rater.kind": one.kind,
        "haechi.replicate": one.replicate,
        "haechi.rubric.id": study.rubric.id,
        "haechi.rubric.version": study.rubric.version,
    }
    record: dict[str, object] = {"eventName": _EVENT, "attributes": list(_attributes(said))}
    if one.at:
        moment = datetime.fromisoformat(one.at)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        record["timeUnixNano"] = str(int(moment.timestamp()) * 10**9 + moment.microsecond * 1_000)
    return record | ({"traceId": trace} if trace else {})


def _attributes(said: Mapping[str, str | float | int | None]) -> Iterator[dict[str, object]]:
    for key, value in said.items():
        match value:
            case None:
                continue
            case str():
                yield {"key": key, "value": {"stringValue": value}}
            case int():
                yield {"key": key, "value": {"intValue": str(value)}}
            case float():
                yield {"key": key, "value": {"doubleValue": value}}
