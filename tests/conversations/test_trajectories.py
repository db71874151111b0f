"""Traces and trajectories of tool-using agents become runs: time, stability, and checks on the calls of tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from haechi.study.study import Study

CALLS = [("search_jobs", {"region": "서울"}), ("close_job", {"id": 3})]


def said(*calls: tuple[str, Any], answer: str = "닫았습니다.") -> list[dict[str, Any]]:
    """A conversation in OpenAI's own shape."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "채용 도우미"},
        {"role": "user", "content": "서울 공고를 닫아줘"},
    ]
    for number, (name, arguments) in enumerate(calls):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "ok"})
    return [*messages, {"role": "assistant", "content": answer}]


@pytest.fixture
def study(tmp_path) -> Study:
    return Study.new(tmp_path / "agent", "hiring-agent")


def scores(haechi, study: Study) -> dict[str, dict[str, Any]]:
    return {row["item"]: row for row in haechi("score", study.folder, "--json").json["items"]}


def test_calls_of_tools_are_checked_by_name_arguments_and_order(haechi, study, write):
    checks = [
        {"path": "executionProcesses[*].name", "op": "eq", "value": "close_job"},
        {"path": "executionProcesses[*].arguments.region", "op": "eq", "value": "서울"},
        {"path": "executionProcesses[1].arguments.id", "op": "eq", "value": 3},
        {"path": "toolOrder", "op": "regex", "value": "search_jobs.*close_job"},
    ]
    right = {
        "id": "a",
        "messages": said(*CALLS),
        "accuracyChecks": checks,
        "latency_ms": 1500,
        "version": "2",
    }
    swapped = {"id": "b", "messages": said(*reversed(CALLS)), "accuracyChecks": checks, "latency_ms": 9000}
    silent = {"id": "c", "messages": said(answer=""), "accuracyChecks": checks, "latency_ms": 400}
    ran = haechi(
        "add", study.folder, write("runs.jsonl", "\n".join(map(json.dumps, (right, swapped, silent))))
    )
    assert ran.code == 0, ran.err
    found = scores(haechi, study)
    passed = {item: row["details"]["checks_passed"] for item, row in found.items()}
    assert passed == {"a": 4, "b": 2, "c": 0}
    assert [found[item]["scores"]["stability"] for item in "abc"] == [5, 5, 0]
    assert found["a"]["details"]["seconds"] == 1.5
    assert (found["a"]["scores"]["latency_multi"], found["a"]["scores"]["latency_single"]) == (5, None), (
        "two tools"
    )
    assert found["a"]["meta"]["version"] == "2"
    assert len({item.content["query"] for item in study.items()}) == 1, "the same question is the same query"


def test_tau_bench_trials_are_repeats_of_a_task(haechi, study, write):
    records = [
        {"task_id": task, "trial": trial, "reward": float(trial == 0), "info": {}, "traj": said(*CALLS)}
        for task in (0, 1)
        for trial in (0, 1, 2)
    ]
    assert haechi("add", study.folder, write("tau.json", json.dumps(records))).code == 0
    found = [(item.content["query"], item.content["repeat"], item.meta["reward"]) for item in study.items()]
    assert found[:3] == [("0", "1", 1.0), ("0", "2", 0.0), ("0", "3", 0.0)]
    summary = haechi("score", study.folder, "--json").json["summary"][0]
    assert summary["repeats"]["queries"] == 0, (
        "nothing was there to be checked, so nobody knows whether they pass"
    )


def test_inspect_epochs_are_repeats_of_a_sample(haechi, study, write):
    samples = [
        {
            "id": "s1",
            "epoch": epoch,
            "input": "서울 공고를 닫아줘",
            "target": "닫음",
            "messages": said(*CALLS),
        }
        for epoch in (1, 2)
    ]
    log = {"version": 2, "eval": {"task": "hiring", "model": "m"}, "samples": samples}
    assert haechi("add", study.folder, write("log.json", json.dumps(log))).code == 0
    runs = {item.id: item for item in study.items()}
    assert {(run.content["query"], run.content["repeat"]) for run in runs.values()} == {
        ("s1", "1"),
        ("s1", "2"),
    }
    assert json.loads(runs["s1"].content["payload"])["toolOrder"] == "search_jobs > close_job"
    assert runs["s1"].content["expected"] == "닫음"


def test_spans_have_their_time(haechi, study, write):
    def value(given: Any) -> dict[str, Any]:
        return {"stringValue": given if isinstance(given, str) else json.dumps(given)}

    parts = {"gen_ai.input.messages": said(*CALLS)[:-1], "gen_ai.output.messages": said(*CALLS)[-1:]}
    given = {"gen_ai.operation.name": "chat", **parts}
    span = {
        "traceId": "t1", "spanId": "s1", "name": "chat", "startTimeUnixNano": "1762182720000000000",
        "endTimeUnixNano": "1762182722500000000",
        "attributes": [{"key": key, "value": value(one)} for key, one in given.items()],
    }  # fmt: skip
    whole = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    assert haechi("add", study.folder, write("spans.json", json.dumps(whole))).code == 0
    (run,) = study.items()
    assert (run.id, run.content["latency_ms"], run.content["response"]) == ("t1", 2500.0, "닫았습니다.")
    assert json.loads(run.content["payload"])["executionProcesses"][0]["arguments"] == {"region": "서울"}


def test_langfuse_traces(haechi, study, write):
    observation = {
        "id": "o1", "traceId": "t9", "type": "GENERATION", "name": "chat", "model": "m",
        "startTime": "2026-11-03T15:12:00.000Z", "endTime": "2026-11-03T15:12:01.500Z",
        "input": said(*CALLS)[:-1], "output": said(*CALLS)[-1],
    }  # fmt: skip
    assert haechi("add", study.folder, write("langfuse.jsonl", json.dumps(observation))).code == 0
    (run,) = study.items()
    assert (run.id, run.content["latency_ms"]) == ("t9", 1500.0)
    assert json.loads(run.content["payload"])["toolOrder"] == "search_jobs > close_job"


def test_the_same_twice_is_two_runs(haechi, study, write):
    lines = [json.dumps({"messages": said(*CALLS)})] * 2
    for _ in range(2):  # the same file again changes nothing
        assert haechi("add", study.folder, write("runs.jsonl", "\n".join(lines))).code == 0
        first, second = (item.id for item in study.items())
        assert second == f"{first}#2"


def test_a_table_of_runs_stays_what_it_is(haechi, study, write):
    run = {
        "query_id": "q1",
        "query": "안녕",
        "raw_json": {"assistantMessage": "네", "messages": []},
        "messages": "x",
    }
    assert haechi("add", study.folder, write("runs.jsonl", json.dumps(run))).code == 0
    (item,) = study.items()
    assert (item.id, item.content["query"]) == ("q1#1/1", "q1")


def test_a_trajectory_without_a_question_is_refused_in_words(haechi, study, write):
    ran = haechi(
        "add",
        study.folder,
        write("runs.jsonl", json.dumps({"messages": [{"role": "assistant", "content": "?"}]})),
    )
    assert ran.code == 1
    assert "nothing that a user says" in ran.err
    assert "runs.jsonl[0]" in ran.err


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    def value(given: Any) -> dict[str, Any]:
        return {"stringValue": given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)}

    made = [
        {**span, "attributes": [{"key": key, "value": value(one)} for key, one in span["attributes"].items()]}
        for span in spans
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}


def test_tools_that_are_steps_of_their_own(haechi, study, write):
    """Agents whose messages name no tools: a span, an observation, a run each, in the order in which they began."""
    asked, answered = (
        [{"role": "user", "content": "서울 공고를 닫아줘"}],
        [{"role": "assistant", "content": "닫음"}],
    )

    def span(number: int, name: str, begin: float, end: float, **attributes: Any) -> dict[str, Any]:
        times = {
            "startTimeUnixNano": str(int((1e9 + begin) * 1e9)),
            "endTimeUnixNano": str(int((1e9 + end) * 1e9)),
        }
        own = {"spanId": f"s{number}", "parentSpanId": "s1" if number > 1 else ""}
        return {"traceId": "otlp", **own, "name": name, **times, "attributes": attributes}

    root = span(1, "invoke_agent", 0, 4, **{"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": asked,
                                          "gen_ai.output.messages": answered})  # fmt: skip
    tools = [
        span(n, "x", n, n + 1, **{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name,
                                  "gen_ai.tool.call.arguments": {"region": "서울"}})
        for n, name in ((3, "close_job"), (2, "search_jobs"))
    ]  # fmt: skip
    begun = "2026-11-03T15:12:0{}Z"
    observations = [
        {
            "id": f"o{n}",
            "type": "TOOL",
            "name": name,
            "startTime": begun.format(n),
            "input": {"region": "서울"},
        }
        for n, name in ((2, "close_job"), (1, "search_jobs"))
    ]
    langfuse = {"id": "langfuse", "sessionId": "s", "timestamp": begun.format(0), "latency": 4, "input": asked,
                "output": answered[0], "observations": observations}  # fmt: skip
    children = [
        {
            "id": f"c{n}",
            "run_type": "tool",
            "name": name,
            "start_time": begun.format(n),
            "inputs": {"input": '{"region": "서울"}'},
        }
        for n, name in ((2, "close_job"), (1, "search_jobs"))
    ]
    langsmith = {"id": "langsmith", "run_type": "chain", "start_time": begun.format(0), "end_time": begun.format(4),
                 "inputs": {"messages": asked}, "outputs": {"messages": answered}, "child_runs": children}  # fmt: skip
    for name, content in (("otlp", otlp(root, *tools)), ("langfuse", [langfuse]), ("langsmith", [langsmith])):
        added = haechi("add", study.folder, write(f"{name}.json", json.dumps(content, ensure_ascii=False)))
        assert added.code == 0, added.err
    runs = {item.id: item.content for item in study.items()}
    assert sorted(runs) == ["langfuse", "langsmith", "otlp"]
    for run in runs.values():
        payload = json.loads(run["payload"])
        assert (payload["toolOrder"], payload["assistantMessage"]) == ("search_jobs > close_job", "닫음")
        assert payload["executionProcesses"][1]["arguments"] == {"region": "서울"}
        assert run["latency_ms"] == 4000.0, "of the whole, tools included"


def test_failed_traces_are_failed_runs_and_inspect_has_times(haechi, study, write):
    sample = {"id": "s1", "epoch": 1, "input": "?", "target": "", "messages": said(*CALLS)}
    samples = [
        {**sample, "total_time": 9.5, "working_time": 4.25},
        {**sample, "id": "s2", "total_time": 1.5, "error": {"message": "sandbox died", "traceback": "…"}},
    ]
    log = {"version": 2, "eval": {"task": "hiring", "model": "m"}, "samples": samples}
    assert haechi("add", study.folder, write("log.json", json.dumps(log))).code == 0
    span = {"traceId": "t1", "spanId": "s1", "name": "chat", "status": {"code": 2, "message": "quota"},
            "attributes": {"gen_ai.input.messages": said()[:2]}}  # fmt: skip
    assert haechi("add", study.folder, write("spans.json", json.dumps(otlp(span)))).code == 0
    found = {item["item"]: item for item in haechi("score", study.folder, "--json").json["items"]}
    assert (found["s1"]["details"]["seconds"], found["s1"]["scores"]["stability"]) == (4.25, 5)
    assert (found["s2"]["details"]["error"], found["s2"]["scores"]["stability"]) == ("sandbox died", 0)
    assert (found["t1"]["details"]["error"], found["t1"]["scores"]["stability"]) == ("quota", 0)
