"""Langfuse, LangSmith, Phoenix and OpenTelemetry: what was said in a trace, once, with its tools."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

ASK = {"role": "user", "content": "서울 날씨?"}
CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "t1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "서울"}'}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "t1", "content": "비"}
ANSWER = {"role": "assistant", "content": "비가 와요."}
SAID = ["user: 서울 날씨?", "assistant: ", "tool weather: 비", "assistant: 비가 와요."]


def _lines(*records: Any) -> str:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)


def _observation(number: int, asked: Any, answered: Any, **more: Any) -> dict[str, Any]:
    when = f"2026-11-03T15:12:0{number}.000Z"
    return {
        "id": f"o{number}",
        "traceId": "tr1",
        "type": "GENERATION",
        "startTime": when,
        "endTime": f"2026-11-03T15:12:0{number}.500Z",
        "model": "gpt-x",
        "input": asked,
        "output": answered,
        **more,
    }


GENERATIONS = [
    _observation(2, {"messages": [ASK, CALL, RESULT]}, ANSWER),
    _observation(1, {"messages": [ASK]}, CALL),
]


def test_langfuse_observations_in_any_order_are_one_conversation(add):
    tool = _observation(3, {"city": "서울"}, "비", type="TOOL", parentObservationId="o1")
    heard = add("observations.jsonl", _lines(tool, *GENERATIONS))
    assert heard.said == SAID
    assert heard.items[0].id == "tr1"
    assert heard.items[0].meta == {"model": "gpt-x", "latency_ms": 1000.0}
    assert heard.json["formats"] == {"observations.jsonl": "langfuse"}


def test_langfuse_a_single_trace_as_downloaded(add):
    trace = {
        "id": "tr1",
        "name": "weather",
        "sessionId": "s9",
        "input": "서울 날씨?",
        "output": "비가 와요.",
        "latency": 1.5,
    }
    whole = {"trace": {**trace, "observations": GENERATIONS}, "observations": GENERATIONS}
    heard = add("trace-tr1.json", json.dumps(whole))
    assert heard.said == SAID
    assert heard.items[0].meta["session"] == "s9"


@pytest.mark.parametrize("wrapped", [True, False])
def test_langfuse_traces_have_their_own_input_and_output(add, wrapped):
    rows = [
        {
            "id": "tr1",
            "timestamp": "2026-11-03",
            "name": "chat",
            "userId": "u1",
            "tags": ["a", "b"],
            "input": {"messages": [ASK]},
            "output": ANSWER,
            "metadata": {"mode": "x"},
            "observations": ["o1"],
        },
        {
            "id": "tr2",
            "timestamp": "2026-11-03",
            "name": "chat",
            "userId": "u2",
            "input": {"args": [], "kwargs": {"query": "안녕"}},
            "output": "반가워요",
        },
        {
            "id": "tr3",
            "timestamp": "2026-11-03",
            "name": "empty",
            "userId": "u2",
            "input": None,
            "output": None,
        },
    ]
    heard = add("traces.json", json.dumps({"data": rows, "meta": {}} if wrapped else rows))
    assert heard.said == ["user: 서울 날씨?", "assistant: 비가 와요.", "user: 안녕", "assistant: 반가워요"]
    assert heard.items[0].meta == {"name": "chat", "user": "u1", "tags": "a, b", "mode": "x"}
    (left,) = heard.json["left_out"]
    assert (left["n"], "without input" in left["reason"]) == (1, True)


def test_langfuse_as_csv(add):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "timestamp", "name", "userId", "sessionId", "input", "output", "latency"])
    writer.writerow(["tr1", "2026-11-03", "chat", "u1", "s1", json.dumps([ASK]), json.dumps(ANSWER), "1.5"])
    heard = add("traces.csv", out.getvalue())
    assert heard.said == ["user: 서울 날씨?", "assistant: 비가 와요."]
    assert heard.items[0].meta == {"name": "chat", "session": "s1", "user": "u1", "latency_ms": 1500.0}


def test_calls_that_do_not_continue_one_another(add):
    apart = [
        _observation(1, [ASK], ANSWER),
        _observation(2, [{"role": "user", "content": "제목은?"}], "날씨"),
    ]
    heard = add("observations.json", json.dumps(apart))
    assert [item.id for item in heard.items] == ["tr1", "tr1#2"]
    assert any("continue" in note for note in heard.json["notes"])
    root = _observation(0, "서울 날씨?", "비가 와요.", type="SPAN", parentObservationId=None)
    heard = add("observations.json", json.dumps([root, *apart]))
    assert heard.said == ["user: 서울 날씨?", "assistant: 비가 와요."]
    assert [left["n"] for left in heard.json["left_out"]] == [2]


def _lc(kind: str, content: str, **more: Any) -> dict[str, Any]:
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", kind],
        "kwargs": {"content": content, **more},
    }


@pytest.mark.parametrize("nested", [True, False])
def test_langsmith_runs_with_langchains_messages(add, nested):
    called = _lc(
        "AIMessage",
        "",
        tool_calls=[{"name": "weather", "args": {"city": "서울"}, "id": "t1", "type": "tool_call"}],
    )
    asked = [_lc("HumanMessage", "서울 날씨?")]
    later = [*asked, called, _lc("ToolMessage", "비", tool_call_id="t1")]
    root = {
        "id": "r",
        "trace_id": "r",
        "run_type": "chain",
        "name": "agent",
        "inputs": {"input": "서울 날씨?"},
        "outputs": {"output": "비가 와요."},
        "start_time": "2026-11-03T15:12:00",
        "end_time": "2026-11-03T15:12:02",
    }

    def model(number: int, messages: list[Any], answer: Any) -> dict[str, Any]:
        return {
            **{
                "id": f"m{number}",
                "trace_id": "r",
                "parent_run_id": "r",
                "run_type": "llm",
                "name": "ChatOpenAI",
            },
            "inputs": {"messages": [messages]},
            "outputs": {"generations": [[{"text": "", "message": answer}]]},
            "start_time": f"2026-11-03T15:12:0{number}",
            "end_time": f"2026-11-03T15:12:0{number}.250",
            "extra": {"metadata": {"ls_model_name": "gpt-x", "thread_id": "th1"}},
        }

    models = [model(0, asked, called), model(1, later, _lc("AIMessage", "비가 와요."))]
    records = [{**root, "child_runs": models}] if nested else [root, *models]
    heard = add("runs.jsonl", _lines(*records))
    assert heard.said == SAID
    assert heard.items[0].id == "r"
    assert heard.items[0].meta == {
        "name": "ChatOpenAI",
        "session": "th1",
        "model": "gpt-x",
        "latency_ms": 2000.0,  # of the whole, with its tools
        "thread_id": "th1",
    }


def test_langsmith_openais_own_shape(add):
    run = {
        "id": "r",
        "run_type": "llm",
        "name": "ChatOpenAI",
        "inputs": {"messages": [ASK]},
        "outputs": {"choices": [{"index": 0, "message": ANSWER}, {"index": 1, "message": CALL}]},
    }
    heard = add("runs.json", json.dumps([run]))
    assert heard.said == ["user: 서울 날씨?", "assistant: 비가 와요."]
    assert [left["n"] for left in heard.json["left_out"]] == [1]


PHOENIX = {
    "llm.model_name": "gpt-x",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "서울 날씨?",
    "llm.input_messages.1.message.role": "assistant",
    "llm.input_messages.1.message.tool_calls.0.tool_call.id": "t1",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city": "서울"}',
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.tool_call_id": "t1",
    "llm.input_messages.2.message.content": "비",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.contents.0.message_content.type": "text",
    "llm.output_messages.0.message.contents.0.message_content.text": "비가 와요.",
}


def test_phoenix_spans_of_its_interface_and_as_a_table(add):
    about = {
        "name": "ChatCompletion",
        "span_kind": "LLM",
        "parent_id": None,
        "start_time": "2026-11-03T15:12:00+00:00",
        "end_time": "2026-11-03T15:12:01+00:00",
    }
    span = {**about, "context": {"trace_id": "tr1", "span_id": "s1"}, "attributes": PHOENIX}
    heard = add("spans.json", json.dumps({"data": [span], "next_cursor": None}))
    assert heard.said == SAID
    assert heard.items[0].meta == {"name": "ChatCompletion", "model": "gpt-x", "latency_ms": 1000.0}
    row = {
        **about,
        "context.trace_id": "tr1",
        "context.span_id": "s1",
        "attributes.llm.input_messages": [{"message.role": "user", "message.content": "서울 날씨?"}],
        "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "비가 와요."}],
    }
    assert add("spans.jsonl", _lines(row, {**row, "context.trace_id": "tr2"})).said == [SAID[0], SAID[3]] * 2


def _otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    return {
        "resourceSpans": [
            {"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}
        ]
    }


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(one) for one in value]}}
    return {"kvlistValue": {"values": [{"key": key, "value": _value(one)} for key, one in value.items()]}}


def _span(attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    pairs = [{"key": key, "value": _value(value)} for key, value in attributes.items()]
    times = {"startTimeUnixNano": "1793716320000000000", "endTimeUnixNano": "1793716321000000000"}
    return {"traceId": "tr1", "spanId": "s1", "name": "chat gpt-x", **times, "attributes": pairs, **more}


INPUT = [
    {"role": "user", "parts": [{"type": "text", "content": "서울 날씨?"}]},
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "t1", "name": "weather", "arguments": {"city": "서울"}}],
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "t1", "response": "비"}]},
]
OUTPUT = [
    {
        "role": "assistant",
        "parts": [{"type": "reasoning", "content": "음"}, {"type": "text", "content": "비가 와요."}],
        "finish_reason": "stop",
    }
]


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("lines", [True, False])
def test_opentelemetrys_conventions_of_today(add, as_text, lines):
    given = {
        "gen_ai.input.messages": INPUT,
        "gen_ai.output.messages": OUTPUT,
        "gen_ai.request.model": "gpt-x",
        "gen_ai.conversation.id": "c1",
    }
    if as_text:
        given |= {key: json.dumps(given[key]) for key in ("gen_ai.input.messages", "gen_ai.output.messages")}
    whole = _otlp(_span(given))
    text = _lines(whole, _otlp(_span(given, traceId="tr2"))) if lines else json.dumps(whole)
    heard = add("spans.json", text)
    assert heard.said == SAID * (2 if lines else 1)
    assert heard.items[0].meta == {
        "name": "chat gpt-x",
        "session": "c1",
        "model": "gpt-x",
        "latency_ms": 1000.0,
    }


def test_opentelemetrys_events_and_numbered_attributes(add):
    def event(name: str, body: dict[str, Any]) -> dict[str, Any]:
        return {
            "name": name,
            "attributes": [{"key": key, "value": _value(value)} for key, value in body.items()],
        }

    events = [
        event("gen_ai.user.message", {"content": "서울 날씨?"}),
        event("gen_ai.choice", {"message": json.dumps(ANSWER)}),
    ]
    assert add("spans.json", json.dumps(_otlp(_span({"gen_ai.system": "openai"}, events=events)))).said == [
        SAID[0],
        SAID[3],
    ]
    numbered = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "서울 날씨?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "비가 와요.",
    }
    assert add("spans.json", json.dumps(_otlp(_span(numbered)))).said == [SAID[0], SAID[3]]


def test_opentelemetrys_log_records(add):
    def record(name: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"traceId": "tr1", "spanId": "s1", "eventName": name, "body": _value(body), "attributes": []}

    records = [
        record("gen_ai.user.message", {"content": "서울 날씨?"}),
        record("gen_ai.choice", {"message": ANSWER, "finish_reason": "stop"}),
    ]
    whole = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    assert add("logs.json", json.dumps(whole)).said == [SAID[0], SAID[3]]


def test_an_agent_of_several_calls_is_one_conversation(add):
    first = {
        "gen_ai.input.messages": INPUT[:1],
        "gen_ai.output.messages": INPUT[1:2],
        "gen_ai.operation.name": "chat",
    }
    second = {
        "gen_ai.input.messages": INPUT,
        "gen_ai.output.messages": OUTPUT,
        "gen_ai.operation.name": "chat",
    }
    agent = _span(
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.input.messages": INPUT[:1],
            "gen_ai.output.messages": OUTPUT,
        },
        spanId="s0",
        name="agent",
    )
    spans = [
        agent,
        _span(first, spanId="s1", parentSpanId="s0"),
        _span(second, spanId="s2", parentSpanId="s0", startTimeUnixNano="1793716322000000000"),
    ]
    assert add("spans.json", json.dumps(_otlp(*spans))).said == SAID
