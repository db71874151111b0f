"""Result files of the three providers, as they come and as they should not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from haechi.errors import HaechiError, Problem
from haechi.judge.providers.anthropic import anthropic_answer
from haechi.judge.providers.gemini_lines import gemini_answer
from haechi.judge.providers.lines import BatchReply
from haechi.judge.providers.openai_lines import openai_answer
from haechi.judge.providers.results import detect, read_results


def one(record: dict[str, Any], provider: str) -> BatchReply:
    (reply,) = read_results([json.dumps(record)], provider)
    assert isinstance(reply, BatchReply)
    return reply


def chat(message: dict[str, Any], finish: str = "stop", **body: Any) -> dict[str, Any]:
    choices = [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}]
    return openai_line({"object": "chat.completion", "model": "gpt-x", "choices": choices, **body})


def openai_line(body: Any, status: int = 200, error: Any = None) -> dict[str, Any]:
    response = None if body is None else {"status_code": status, "request_id": "r", "body": body}
    return {"id": "batch_req_1", "custom_id": "s1", "response": response, "error": error}


def anthropic_line(**result: Any) -> dict[str, Any]:
    return {"custom_id": "s1", "result": result}


def message(*blocks: dict[str, Any], stop: str = "end_turn", **fields: Any) -> dict[str, Any]:
    return {"type": "message", "model": "claude-x", "content": list(blocks), "stop_reason": stop, **fields}


def candidate(*parts: dict[str, Any], finish: str = "STOP", **fields: Any) -> dict[str, Any]:
    content = {"role": "model", "parts": list(parts)}
    answers = [{"content": content, "finishReason": finish}]
    return {"candidates": answers, "modelVersion": "gemini-x", **fields}


def test_openai_chat_completions() -> None:
    usage = {
        "prompt_tokens": 5100,
        "completion_tokens": 4300,
        "prompt_tokens_details": {"cached_tokens": 1024},
        "completion_tokens_details": {"reasoning_tokens": 2200},
    }
    reply = one(chat({"content": "{}", "refusal": None}, usage=usage), "openai")
    assert (reply.custom_id, reply.text, reply.model, reply.finish) == ("s1", "{}", "gpt-x", "stop")
    assert reply.usage == {"input": 5100, "output": 4300, "reasoning": 2200, "cached": 1024}
    assert reply.error is None
    assert reply.raw["id"] == "batch_req_1"


def test_openai_content_in_parts() -> None:
    parts = [{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}]
    assert one(chat({"content": parts}), "openai").text == '{"a": 1}'


def test_openai_empty_answer_at_the_token_limit_is_an_answer_that_was_cut() -> None:
    reply = one(chat({"content": ""}, finish="length"), "openai")
    assert (reply.text, reply.cut, reply.error) == ("", True, None)


RATE_LIMIT = {"error": {"message": "slow down", "type": "rate_limit_error", "code": None}}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (chat({"content": None, "refusal": "I cannot help"}), "the model refused: I cannot help"),
        (chat({"content": None}, finish="content_filter"), "blocked by the provider: content_filter"),
        (
            openai_line(None, error={"code": "batch_expired", "message": "late"}),
            "the provider reports batch_expired: late",
        ),
        (openai_line(RATE_LIMIT, status=429), "the provider reports rate_limit_error: slow down"),
        (openai_line("upstream error", status=502), "the provider reports 502: HTTP 502"),
        (openai_line({"choices": []}), "no answer in the response"),
        (openai_line(None), "neither a result nor an error"),
    ],
)
def test_openai_failures_are_said(line: dict[str, Any], said: str) -> None:
    reply = one(line, "openai")
    assert reply.text is None
    assert reply.error is not None
    assert reply.error.en == said


def test_openai_responses() -> None:
    body = {
        "object": "response",
        "model": "gpt-x",
        "status": "completed",
        "output": [
            {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "{}"}]},
        ],
        "usage": {"input_tokens": 9, "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3}},
    }
    reply = one(openai_line(body), "openai")
    assert (reply.text, reply.finish) == ("{}", "completed")
    assert reply.usage == {"input": 9, "output": 7, "reasoning": 3}
    cut = {**body, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    assert one(openai_line(cut), "openai").cut
    refused = {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]}
    assert one(openai_line(refused), "openai").error is not None
    failed = {"output": [], "status": "failed", "error": {"code": "server_error", "message": "oops"}}
    assert "server_error: oops" in str(one(openai_line(failed), "openai").error)


def test_anthropic_text_is_joined_and_thinking_left_out() -> None:
    blocks = [
        {"type": "thinking", "thinking": "음", "signature": "x"},
        {"type": "text", "text": '{"a"'},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": ": 1}"},
    ]
    usage = {
        "input_tokens": 200,
        "output_tokens": 50,
        "cache_read_input_tokens": 5000,
        "cache_creation_input_tokens": 10,
    }
    reply = one(anthropic_line(type="succeeded", message=message(*blocks, usage=usage)), "anthropic")
    assert (reply.text, reply.model, reply.finish) == ('{"a": 1}', "claude-x", "end_turn")
    # 200 fresh + 5000 read from the cache + 10 written to it
    assert reply.usage == {"input": 5210, "output": 50, "cached": 5000, "cache_write": 10}


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"type": "errored", "error": OVERLOADED}, "the provider reports overloaded_error: Busy"),
        ({"type": "expired"}, "not processed in time (expired)"),
        ({"type": "canceled"}, "the request was canceled"),
        ({"type": "succeeded", "message": message(stop="refusal")}, "the model refused: refusal"),
        ({"type": "succeeded"}, "no answer in the response"),
        ({"type": "new state"}, "neither a result nor an error"),
    ],
)
def test_anthropic_failures_are_said(result: dict[str, Any], said: str) -> None:
    reply = one(anthropic_line(**result), "anthropic")
    assert reply.error is not None
    assert reply.error.en == said


@pytest.mark.parametrize(
    "place",
    [
        lambda response: {"key": "s1", "response": response},
        lambda response: {"response": response, "metadata": {"key": "s1"}},
        lambda response: {"inlinedResponse": {"response": response, "metadata": {"key": "s1"}}},
        lambda response: {"key": "s1", "inlined_response": {"response": response}},
    ],
)
def test_gemini_keys_in_all_places(place: Any) -> None:
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 7}
    parts = [{"text": "생각", "thought": True}, {"text": '{"a"'}, {"text": ": 1}"}]
    reply = one(place(candidate(*parts, usageMetadata=counts)), "gemini")
    assert (reply.custom_id, reply.text, reply.model) == ("s1", '{"a": 1}', "gemini-x")
    # 5 tokens of answer + 7 of thought are the output
    assert reply.usage == {"input": 10, "output": 12, "reasoning": 7}


def test_gemini_as_the_sdk_writes_it() -> None:
    response = {
        "candidates": [{"content": {"parts": [{"text": "{}"}]}, "finish_reason": "MAX_TOKENS"}],
        "model_version": "gemini-x",
        "usage_metadata": {"prompt_token_count": 3},
    }
    reply = one({"key": "s1", "response": response}, "gemini")
    assert (reply.model, reply.cut, reply.usage) == ("gemini-x", True, {"input": 3})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"error": {"code": 13, "message": "internal"}}, "the provider reports 13: internal"),
        ({"response": {"promptFeedback": {"blockReason": "SAFETY"}}}, "blocked by the provider: SAFETY"),
        ({"response": candidate(finish="SAFETY")}, "blocked by the provider: SAFETY"),
        ({"response": {"candidates": []}}, "no answer in the response"),
        ({"response": None}, "neither a result nor an error"),
        ({"response": None, "status": "Error 429"}, "the provider reports Error 429"),
    ],
)
def test_gemini_failures_are_said(line: dict[str, Any], said: str) -> None:
    reply = one({**line, "metadata": {"key": "s1"}}, "gemini")
    assert reply.error is not None
    assert reply.error.en == said


def test_lines_that_cannot_be_read_are_problems_with_their_place() -> None:
    good = json.dumps(anthropic_line(type="expired"))
    odd = ["not json", "[1]", '"text"', b"\xff\xfe", '{"result": {}}', "null", "{}", good[:20]]
    read = list(read_results(["\ufeff" + good, "", *odd], "anthropic", "out.jsonl"))
    places = [found.at for found in read if isinstance(found, Problem)]
    assert isinstance(read[0], BatchReply)
    assert places == [f"out.jsonl:{number}" for number in range(3, 11)]


@pytest.mark.parametrize("identifier", [None, "", "  ", True, ["s1"], {"a": 1}])
def test_a_line_without_an_id_is_a_problem(identifier: Any) -> None:
    line = json.dumps({"custom_id": identifier, "result": {"type": "expired"}})
    (found,) = read_results([line], "anthropic")
    assert isinstance(found, Problem)


def test_a_number_as_id_is_an_id() -> None:
    assert one({"custom_id": 7, "result": {"type": "expired"}}, "anthropic").custom_id == "7"


LINES: dict[str, dict[str, Any]] = {
    "openai": chat({"content": "{}"}),
    "anthropic": anthropic_line(type="expired"),
    "gemini": {"key": "s1", "response": candidate({"text": "{}"})},
}


@pytest.mark.parametrize("actual", list(LINES))
@pytest.mark.parametrize("named", list(LINES))
def test_the_wrong_provider_is_named(actual: str, named: str) -> None:
    assert detect(LINES[actual]) == actual
    if actual == named:
        assert one(LINES[actual], named).custom_id == "s1"
        return
    with pytest.raises(HaechiError, match=f"--as {actual}-batch"):
        list(read_results([json.dumps(LINES[actual])], named))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = [
    "choices", "message", "content", "output", "usage", "error", "candidates", "parts", "text", "type", "body",
    "response", "result", "finishReason", "status_code", "usageMetadata", "promptFeedback", "finish_reason",
]  # fmt: skip
ODD = st.recursive(
    JSON,
    lambda inner: st.dictionaries(st.sampled_from(KEYS), inner, max_size=4) | st.lists(inner, max_size=2),
    max_leaves=12,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no fault
@given(ODD)
def test_no_body_makes_a_reader_fail(body: Any) -> None:
    for read in (openai_answer, anthropic_answer, gemini_answer):
        answer = read(body)
        assert answer.text is None or isinstance(answer.text, str)
    lines: list[tuple[dict[str, Any], str]] = [
        ({"custom_id": "a", "response": body, "error": None}, "openai"),
        ({"custom_id": "a", "response": {"status_code": 200, "body": body}}, "openai"),
        ({"custom_id": "a", "result": body}, "anthropic"),
        ({"custom_id": "a", "result": {"type": "succeeded", "message": body}}, "anthropic"),
        ({"key": "a", "response": body}, "gemini"),
        ({"key": "a", "error": body}, "gemini"),
    ]
    for line, provider in lines:
        reply = one(line, provider)
        assert reply.text is not None or reply.error is not None


VALUES = {"A1": {"value": 1}}
ARGUMENTS = json.dumps(VALUES)


@pytest.mark.parametrize(
    ("line", "provider"),
    [
        (
            chat({"content": None, "tool_calls": [{"function": {"name": "f", "arguments": ARGUMENTS}}]}),
            "openai",
        ),
        (openai_line({"output": [{"type": "function_call", "arguments": ARGUMENTS}]}), "openai"),
        (
            anthropic_line(
                type="succeeded",
                message=message(
                    {"type": "thinking", "thinking": "음"},
                    {"type": "tool_use", "name": "f", "input": VALUES},
                    stop="tool_use",
                ),
            ),
            "anthropic",
        ),
        ({"key": "s1", "response": candidate({"functionCall": {"name": "f", "args": VALUES}})}, "gemini"),
        ({"key": "s1", "response": candidate({"function_call": {"name": "f", "args": VALUES}})}, "gemini"),
    ],
)
def test_an_answer_by_a_tool_call_is_an_answer(line: dict[str, Any], provider: str) -> None:
    reply = one(line, provider)
    assert reply.error is None
    assert json.loads(reply.text or "") == VALUES


def test_words_count_before_tool_calls() -> None:
    calls = [{"function": {"name": "f", "arguments": ARGUMENTS}}]
    assert one(chat({"content": "{}", "tool_calls": calls}), "openai").text == "{}"


def test_words_that_announce_a_tool_call_do_not_hide_it() -> None:
    call = {"type": "tool_use", "name": "f", "input": VALUES}
    said = message({"type": "text", "text": "제출합니다."}, call, stop="tool_use")
    text = one(anthropic_line(type="succeeded", message=said), "anthropic").text or ""
    assert json.loads(text.partition("\n")[2]) == VALUES
    legacy = chat({"content": None, "function_call": {"name": "f", "arguments": ARGUMENTS}})
    assert json.loads(one(legacy, "openai").text or "") == VALUES


def test_an_error_beside_an_empty_answer_is_told() -> None:
    choice = {"error": {"code": 502, "message": "overloaded"}, "message": {"content": ""}}
    router = one(openai_line({"choices": [choice]}), "openai")
    assert router.error is not None
    assert router.error.en == "the provider reports 502: overloaded"
    vertex = one({"key": "s1", "status": "Bad Request: no such field", "response": {}}, "gemini")
    assert vertex.error is not None
    assert vertex.error.en == "the provider reports Bad Request: no such field"


def test_a_refusal_among_the_parts_is_a_refusal() -> None:
    reply = one(chat({"content": [{"type": "refusal", "refusal": "I cannot"}]}), "openai")
    assert reply.error is not None
    assert reply.error.en == "the model refused: I cannot"


@pytest.mark.parametrize(
    ("line", "provider"),
    [
        (chat({"content": '{"a"'}, finish="content_filter"), "openai"),
        (
            anthropic_line(
                type="succeeded", message=message({"type": "text", "text": '{"a"'}, stop="refusal")
            ),
            "anthropic",
        ),
        (anthropic_line(type="succeeded", message=message(stop="max_tokens")), "anthropic"),
        ({"key": "s1", "response": candidate({"text": '{"a"'}, finish="SAFETY")}, "gemini"),
        ({"key": "s1", "response": candidate({"text": '{"a"'}, finish="RECITATION")}, "gemini"),
    ],
)
def test_an_answer_that_a_filter_or_a_limit_ended_was_cut(line: dict[str, Any], provider: str) -> None:
    reply = one(line, provider)
    assert (reply.error, reply.cut) == (None, True)


def test_gemini_leaves_out_a_count_of_nothing() -> None:
    counts = {"promptTokenCount": 10, "totalTokenCount": 10}
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": counts}
    assert one({"key": "s1", "response": blocked}, "gemini").usage == {"input": 10, "output": 0}
    # 10 of 25 tokens are the prompt; what the other 15 were is not said, so the output stays unknown.
    unknown = {**blocked, "usageMetadata": {**counts, "totalTokenCount": 25}}
    assert one({"key": "s1", "response": unknown}, "gemini").usage == {"input": 10}


def test_half_an_emoji_makes_no_line_unreadable() -> None:
    line = json.dumps(chat({"content": '{"a": 1} X'})).replace("X", r"\ud83d")
    (reply,) = read_results([line], "openai")
    assert isinstance(reply, BatchReply)
    assert reply.text == '{"a": 1} �'
