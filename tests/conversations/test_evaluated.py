"""Inspect, promptfoo and DeepEval: conversations, and the scores already given as ratings."""

from __future__ import annotations

import io
import json
import struct
import sys
import zipfile
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from haechi.study.study import Study


def _inspect_sample(number: int, **more: Any) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": "짧게"},
        {"role": "user", "content": "attachment://abc"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "볼게요"}],
            "tool_calls": [
                {"id": "t1", "function": "weather", "arguments": {"city": "서울"}, "type": "function"}
            ],
        },
        {"role": "tool", "content": "비", "tool_call_id": "t1", "function": "weather"},
        {"role": "assistant", "content": "비가 와요."},
    ]
    scores = {
        "model_graded_qa": {"value": "C", "answer": "비", "explanation": "맞음", "metadata": {"grading": []}},
        "style": {"value": {"sensibleness": 1, "specificity": 0}, "explanation": "짧음"},
    }
    return {
        **{
            "id": f"q{number}",
            "epoch": 1,
            "input": "날씨?",
            "target": "비",
            "messages": messages,
            "scores": scores,
        },
        "output": {"model": "gpt-x", "choices": []},
        "attachments": {"abc": "서울 날씨?"},
        "metadata": {"level": "쉬움"},
        **more,
    }


EVAL = {"task": "weather", "model": "openai/gpt-x", "scorers": [{"name": "style", "options": {}}]}
SAID = ["system: 짧게", "user: 서울 날씨?", "assistant: 볼게요", "tool weather: 비", "assistant: 비가 와요."]


def _archive(*samples: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": EVAL}))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": EVAL}))
    return out.getvalue()


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def _zstd_archive(name: str, content: bytes) -> bytes:
    """An archive with one member packed as Inspect does where INSPECT_USE_ZSTD is set."""
    packed = zstd.compress(content)
    about = struct.pack(
        "<HHHHHIIIHH", 20, 0, 93, 0, 33, zlib.crc32(content), len(packed), len(content), len(name), 0
    )
    local = b"PK\x03\x04" + about + name.encode() + packed
    central = (
        b"PK\x01\x02" + struct.pack("<H", 20) + about + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name.encode()
    )
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


def test_an_archive_of_inspect(add):
    heard = add("log.eval", _archive(_inspect_sample(1), _inspect_sample(1, epoch=2), _inspect_sample(2)))
    assert heard.said == SAID * 3
    assert [item.id for item in heard.items] == ["q1", "q1#2", "q2"]
    assert heard.items[0].meta == {
        "task": "weather",
        "model": "gpt-x",
        "epoch": 1,
        "target": "비",
        "level": "쉬움",
    }
    assert any("--as inspect" in note for note in heard.json["notes"])


def test_a_json_log_of_inspect(add):
    whole = {
        "version": 2,
        "status": "success",
        "eval": EVAL,
        "plan": {},
        "results": {},
        "samples": [_inspect_sample(1)],
    }
    assert add("log.json", json.dumps(whole)).said == SAID


def test_an_archive_packed_with_zstandard(add):
    sample = json.dumps(_inspect_sample(1)).encode()
    archive = _zstd_archive("samples/q1_epoch_1.json", sample)
    assert add("log.eval", archive, "--format", "inspect").said == SAID


def test_a_bomb_in_an_archive_is_refused_at_its_place(add, monkeypatch):
    monkeypatch.setattr("haechi.data.conversations.inspect_logs.LONGEST_RECORD", 100_000)
    bomb = _inspect_sample(1, messages=[{"role": "user", "content": "0" * 10_000_000}])
    heard = add("log.eval", _archive(bomb, _inspect_sample(2)))
    assert heard.error["at"] == "log.eval, samples/q1_epoch_1.json"
    assert add("log.eval", _archive(bomb, _inspect_sample(2)), "--skip-bad").said == SAID


@pytest.fixture
def study(haechi, tmp_path: Path):
    def made(name: str, content: str | bytes, form: str, *options: object) -> tuple[Any, Study]:
        folder, file = tmp_path / f"study-{form}", tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        rubric = tmp_path / "rubric.yaml"
        rubric.write_text(RUBRIC, "utf-8")
        assert haechi("new", folder, "--rubric", rubric).code == 0
        assert haechi("add", folder, file).code == 0
        return haechi("import", folder, file, "--as", form, *options, "--json"), Study(folder)

    return made


RUBRIC = """
id: graded
title: 채점
about: 다른 도구의 점수
item: dialogue
speakers: {user: 사용자, assistant: AI}
task: 채점하세요.
criteria:
  - {key: correct, name: 정답, scale: {type: binary}}
  - {key: sensibleness, name: 합리성, scale: {type: binary}}
"""


def _ratings(study: Study) -> list[tuple[Any, ...]]:
    return (
        study.ratings()
        .select("item", "criterion", "rater", "kind", "value", "evidence")
        .sort("item", "criterion")
        .rows()
    )


def test_scores_of_inspect_become_ratings_of_the_scorer(study):
    done, made = study(
        "log.eval", _archive(_inspect_sample(1)), "inspect", "--map", "correct=model_graded_qa"
    )
    assert done.code == 0, done.err
    assert _ratings(made) == [
        ("q1", "correct", "model_graded_qa", "ai", "1", "맞음"),
        ("q1", "sensibleness", "style", "code", "1", "짧음"),
    ]
    (left,) = done.json["left_out"]
    assert (left["n"], "specificity" in left["reason"]) == (1, True)


def test_scores_that_no_criterion_is_named_after_are_asked_about(haechi, study):
    sample = _inspect_sample(1)
    del sample["scores"]["style"]
    done, made = study("log.eval", _archive(sample), "inspect")
    assert done.code == 1
    (error,) = done.json["error"]
    assert "model_graded_qa" in error["found"]
    assert "--map 'correct=model_graded_qa'" in error["next"]
    assert not _ratings(made)


def _promptfoo(wrapped: bool) -> dict[str, Any]:
    result = {
        **{"id": "r1", "promptIdx": 0, "testIdx": 0, "success": False, "score": 0.5, "latencyMs": 120},
        "vars": {"city": "서울"},
        "prompt": {"raw": '[{"role": "user", "content": "서울 날씨?"}]', "label": "p1"},
        "provider": {"id": "openai:gpt-x", "label": ""},
        "response": {"output": "비가 와요."},
        "gradingResult": {
            "pass": False,
            "componentResults": [
                {
                    "pass": True,
                    "score": 0.8,
                    "reason": "좋음",
                    "assertion": {"type": "llm-rubric", "value": "정답?", "metric": "correct"},
                },
                {
                    "pass": False,
                    "score": 0,
                    "reason": "없음",
                    "assertion": {"type": "contains", "value": "맑음"},
                },
            ],
        },
    }
    inner = {"version": 3, "results": [result], "stats": {}}
    return {"evalId": "e", "results": inner, "config": {}} if wrapped else inner


@pytest.mark.parametrize("wrapped", [True, False])
def test_promptfoo(add, study, wrapped):
    text = json.dumps(_promptfoo(wrapped))
    heard = add("results.json", text)
    assert heard.said == ["user: 서울 날씨?", "assistant: 비가 와요."]
    assert heard.items[0].meta["system"] == "openai:gpt-x"
    done, made = study("results.json", text, "promptfoo", "--map", "sensibleness=contains")
    (file,) = next(step for step in made.history() if step.what == "ratings").files
    assert file == {"name": "results.json", "sha256": sha256(text.encode()).hexdigest()}
    assert done.code == 0, done.err
    assert _ratings(made) == [
        ("r1", "correct", "llm-rubric", "ai", "1", "좋음"),  # 0.8 is on no yes-or-no scale; it passed
        ("r1", "sensibleness", "contains", "code", "0", "없음"),
    ]


METRICS = [
    {
        "name": "correct",
        "score": 1,
        "success": True,
        "reason": "맞음",
        "evaluationModel": "gpt-x",
        "threshold": 0.5,
    },
    {"name": "Speed", "score": 0.2, "success": False, "reason": "느림", "threshold": 0.5},
]


def test_deepeval_cases_and_conversations(add, study):
    turns = [{"role": "user", "content": "서울 날씨?"}, {"role": "assistant", "content": "비가 와요."}]
    run = {
        "testCases": [
            {
                "name": "case_0",
                "input": "서울 날씨?",
                "actualOutput": "비가 와요.",
                "metricsData": METRICS,
                "success": True,
            }
        ],
        "conversationalTestCases": [{"name": "talk_0", "turns": turns, "metricsData": METRICS[:1]}],
    }
    text = json.dumps({"testRunData": run, "testRunLink": None})
    assert add("latest_test_run.json", text).said == ["user: 서울 날씨?", "assistant: 비가 와요."] * 2
    done, made = study("run.json", text, "deepeval", "--map", "sensibleness=Speed")
    assert done.code == 0, done.err
    assert _ratings(made) == [
        ("case_0", "correct", "correct", "ai", "1", "맞음"),
        ("case_0", "sensibleness", "Speed", "code", "0", "느림"),
        ("talk_0", "correct", "correct", "ai", "1", "맞음"),
    ]


def test_deepevals_result_of_evaluate(add):
    cases = [{"name": "t", "input": "a", "actual_output": "b", "metrics_data": [], "success": True}]
    assert add("result.json", json.dumps({"test_results": cases, "confident_link": None})).said == [
        "user: a",
        "assistant: b",
    ]


def test_a_trial_says_what_would_be_taken_and_writes_nothing(study):
    tried, made = study(
        "log.eval", _archive(_inspect_sample(1)), "inspect", "--map", "correct=model_graded_qa", "--dry-run"
    )
    assert tried.code == 0, tried.err
    assert tried.json["scores"] == [
        {"criterion": "correct", "rater": "model_graded_qa", "kind": "ai", "n": 1},
        {"criterion": "sensibleness", "rater": "style", "kind": "code", "n": 1},
    ]
    assert not _ratings(made)
