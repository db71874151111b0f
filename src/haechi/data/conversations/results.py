"""Results of promptfoo, DeepEval and HealthBench: test cases with the verdicts of assertions, metrics and graders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.evaluated_samples import EvaluatedSample, Score, samples_of
from haechi.data.conversations.file import File
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import messages_in, object_in
from haechi.data.conversations.traces import plain_meta
from haechi.data.files import Row
from haechi.data.names import fold_name, plain_text
from haechi.data.tool_calls import as_text

_GRADED = (
    "llm-rubric",
    "model-graded",
    "factuality",
    "g-eval",
    "answer-relevance",
    "context-",
    "select-best",
    "search-rubric",
)
_ALSO_GRADED = frozenset(
    ("pi", "classifier", "moderation", "conversation-relevance", "agent-rubric", "similar")
)
_CASES = (
    "testCases",
    "conversationalTestCases",
    "test_cases",
    "conversational_test_cases",
    "test_results",
    "testResults",
)
_HEALTHBENCH = "metadata.example_level_metadata"
_DEEPEVAL = tuple(at + name for at in ("", "testRunData.", "test_run_data.") for name in _CASES)


def is_promptfoo(outline: Outline) -> bool:
    """Results within results, each with its variables and grading."""
    return any(
        outline.has(f"{at}vars")
        and bool(outline.paths & {f"{at}gradingResult", f"{at}success", f"{at}namedScores"})
        for at in ("results.results[].", "results[].", "")
    ) and (outline.has("results") or outline.has("testIdx"))


def promptfoo(file: File) -> Iterator[EvaluatedSample | Row]:
    """One sample for every test case, prompt and provider."""
    return samples_of(file.records("results.results", "results"), lambda row: _result(row, file))


def _result(row: Row, file: File) -> EvaluatedSample:
    data = row.data
    prompt, response, provider = object_in(data, "prompt"), data.get("response"), object_in(data, "provider")
    asked = messages_in(
        prompt.get("raw") or data.get("prompt") or data.get("vars"), "user", row.place, file.notes
    )
    output = response.get("output") if isinstance(response, Mapping) else response
    answered = messages_in(output, "assistant", row.place, file.notes)
    identifier = plain_text(data.get("id")) or "/".join(
        plain_text(data.get(key)) for key in ("testIdx", "promptIdx") if plain_text(data.get(key))
    )
    case = object_in(data, "testCase")
    meta = {
        **plain_meta(data.get("vars")),
        "system": provider.get("label") or provider.get("id") or plain_text(data.get("provider")) or None,
        "prompt": prompt.get("label") if prompt.get("label") != prompt.get("raw") else None,
        "latency_ms": data.get("latencyMs"),
        "description": case.get("description") or data.get("description"),
        "error": as_text(data.get("error"))[:500],
    }
    return EvaluatedSample(row.place, identifier, [*asked, *answered], meta, list(_assertions(data)))


def _assertions(data: Mapping[str, Any]) -> Iterator[Score]:
    graded = object_in(data, "gradingResult")
    parts = graded.get("componentResults")
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, Mapping):
            continue
        told = object_in(part, "assertion")
        kind = plain_text(told.get("type")) or "assertion"
        by_model = kind.removeprefix("not-").startswith(_GRADED) or kind.removeprefix("not-") in _ALSO_GRADED
        passed = part.get("pass")
        yield Score(
            kind,
            plain_text(told.get("metric")) or kind,
            "ai" if by_model else "code",
            part.get("score"),
            passed if isinstance(passed, bool) else None,
            as_text(part.get("reason")),
        )


def is_deepeval(outline: Outline) -> bool:
    """Test cases with the data of metrics."""
    return any(
        bool(outline.paths & {f"{name}[].metricsData", f"{name}[].metrics_data"}) for name in _DEEPEVAL
    )


def deepeval(file: File) -> Iterator[EvaluatedSample | Row]:
    """One sample a test case; of a conversational one its turns."""
    return samples_of(file.records(*_DEEPEVAL), lambda row: _case(row, file))


def _case(row: Row, file: File) -> EvaluatedSample:
    about = {fold_name(str(key)): value for key, value in row.data.items()}
    turns = about.get("turns")
    if isinstance(turns, list) and turns:
        messages = messages_in(list(map(_turn, turns)), "user", row.place, file.notes)
    else:
        asked = messages_in(about.get("input"), "user", row.place, file.notes)
        messages = [*asked, *messages_in(about.get("actualoutput"), "assistant", row.place, file.notes)]
        calls = about.get("toolscalled")
        if isinstance(calls, list) and calls and messages and messages[-1]["role"] == "assistant":
            messages[-1]["tool_calls"] = [_tool(call) for call in calls if isinstance(call, Mapping)]
    tags = about.get("tags")
    meta = {
        **plain_meta(about.get("additionalmetadata")),
        "expected": as_text(about.get("expectedoutput"))[:500],
        "scenario": about.get("scenario"),
        "latency_ms": _milliseconds(about.get("completiontime")),
        "tags": ", ".join(map(str, tags)) if isinstance(tags, list) else None,
    }
    identifier = plain_text(about.get("name")) or plain_text(about.get("order"))
    return EvaluatedSample(row.place, identifier, messages, meta, list(_metrics(about)))


def _turn(turn: Any) -> Any:
    """A turn of today has a role; one of an earlier version is a test case with input and output."""
    if not isinstance(turn, Mapping) or "role" in turn:
        return turn
    about = {fold_name(str(key)): value for key, value in turn.items()}
    said = [
        {"role": "user", "content": about.get("input")},
        {"role": "assistant", "content": about.get("actualoutput")},
    ]
    return {"messages": [one for one in said if one["content"]]}


def _tool(call: Mapping[str, Any]) -> dict[str, str]:
    given = call.get("inputParameters", call.get("input_parameters"))
    return {"name": plain_text(call.get("name")), "arguments": as_text(given)}


def _metrics(about: Mapping[str, Any]) -> Iterator[Score]:
    given = about.get("metricsdata")
    for metric in given if isinstance(given, list) else ():
        if not isinstance(metric, Mapping):
            continue
        one = {fold_name(str(key)): value for key, value in metric.items()}
        name = plain_text(one.get("name", one.get("metric"))) or "metric"
        passed = one.get("success")
        kind = "ai" if one.get("evaluationmodel") else "code"
        yield Score(
            name,
            name,
            kind,
            one.get("score"),
            passed if isinstance(passed, bool) else None,
            as_text(one.get("reason")),
            as_text(one.get("error")),
        )


def is_healthbench(outline: Outline) -> bool:
    """Examples with rubric items."""
    return any(outline.has(f"{at}rubric_items", f"{at}completion") for at in (f"{_HEALTHBENCH}[].", ""))


def healthbench(file: File) -> Iterator[EvaluatedSample | Row]:
    """One sample for every example; its id is that of the prompt."""
    return samples_of(file.records(_HEALTHBENCH), lambda row: _example(row, file))


def _example(row: Row, file: File) -> EvaluatedSample:
    data = row.data
    asked = messages_in(data.get("prompt"), "user", row.place, file.notes)
    answered = messages_in(data.get("completion"), "assistant", row.place, file.notes)
    given = data.get("rubric_items")
    items = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    criteria = [{name: one.get(name) for name in ("criterion", "points", "tags")} for one in items]
    meta = {"completion_id": data.get("completion_id"), "prompt_id": data.get("prompt_id")}
    identifier = plain_text(data.get("prompt_id")) or plain_text(data.get("completion_id"))
    scores = [_verdict(one) for one in items]
    return EvaluatedSample(row.place, identifier, [*asked, *answered], meta, scores, criteria)


def _verdict(one: Mapping[str, Any]) -> Score:
    met = one.get("criteria_met")
    value = int(met) if isinstance(met, bool) else None
    return Score(
        "healthbench-grader",  # the results do not say which model graded
        plain_text(one.get("criterion")),
        "ai",
        value,
        evidence=as_text(one.get("explanation")),
    )


def _milliseconds(seconds: Any) -> float | None:
    return (
        round(seconds * 1000, 3)
        if isinstance(seconds, int | float) and not isinstance(seconds, bool)
        else None
    )
