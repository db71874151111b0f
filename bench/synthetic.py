"""Synthetic agent runs: Korean payloads of about 800 bytes, repeats per query, a few failures, the same for a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import orjson

REPEATS = 5
STAGES = ("서류 전형", "1차 면접", "2차 면접", "과제 전형", "최종 합격", "처우 협의")
TASKS = (
    (
        "{stage}을 추가해줘",
        "{stage}에 {n}번 단계를 추가했습니다. 순서를 다시 살펴보시기 바랍니다.",
        "ACTION",
        "ADD_NODE",
    ),
    ("{stage} 안내 메일 지워줘", "{stage} 안내 메일 {n}건을 삭제했습니다.", "ACTION", "DELETE_MAIL"),
    ("{stage} 마감일 바꿔줘", "{stage} 마감일을 {n}일 뒤로 변경했습니다.", "ACTION", "UPDATE_PLAN"),
    (
        "{stage} 지원자 보여줘",
        "{stage} 지원자 {n}명을 조회했습니다. 이름 순서로 정렬되어 있습니다.",
        "LINK",
        "OPEN_LIST",
    ),
    ("{stage} 화면 열어줘", "{stage} 화면으로 이동합니다. 지원자 {n}명이 있습니다.", "LINK", "MOVE_PAGE"),
    (
        "{stage} 합격률 분석해줘",
        "{stage} 합격률은 {n}%입니다. 지난 공고와 견주어 살펴보세요.",
        "CHART",
        "SHOW_CHART",
    ),
)
VERDICTS = ("PERFECT", "GOOD", "PARTIAL", "WEAK", "RELATED_BUT_WRONG", "FAILED")


def runs(count: int, seed: int = 20261101) -> Iterator[dict[str, Any]]:
    """`count` runs as flat rows, five repeats to a query, payload as JSON text."""
    chance = random.Random(seed)
    for number in range(count):
        yield _run(chance, number)


def _run(chance: random.Random, number: int) -> dict[str, Any]:
    query, repeat = divmod(number, REPEATS)
    question, answer, form, action = TASKS[query % len(TASKS)]
    stage = STAGES[query // len(TASKS) % len(STAGES)]
    several = query % 7 == 0
    fate = chance.random()
    return {
        "id": f"q{query}-{repeat + 1}",
        "query_id": f"q{query}",
        "round": str(repeat + 1),
        "query": question.format(stage=stage),
        "expected_result": f"@check formType={form}; actionType={action}; planId={query % 900}"
        if query % 3
        else f"{stage} 처리\n@check formType={form}; titleContains={stage}",
        "error": "TimeoutError: 60s" if fate < 0.01 else None,
        "raw_json": None
        if fate < 0.005
        else _payload(chance, query, stage, answer, form, action, several, fate),
        "latency_ms": round(chance.uniform(1500, 26000), 1) if chance.random() < 0.3 else None,
        "latency_class": None,
        "accuracy_checks": None,
        "category": "Multi tool" if several else "Happy path",
        "intent_verdict": chance.choice(VERDICTS) if chance.random() < 0.9 else None,
        "intent_label": None,
    }


def _payload(
    chance: random.Random,
    query: int,
    stage: str,
    answer: str,
    form: str,
    action: str,
    several: bool,
    fate: float,
) -> str:
    entries = [_entry(chance, query, stage, form, action)]
    if several:
        entries.append(_entry(chance, query + 1, stage, "TABLE", "SHOW_TABLE"))
        chance.shuffle(entries)
    tools = ["planner", "search", "writer"] if several else ["planner"]
    payload = {
        "assistantMessage": answer.format(stage=stage, n=chance.randrange(1, 400)),
        "dataUIList": entries,
        "setting": {
            "locale": "ko-KR",
            "pageSize": 20,
            "columns": ["이름", "전형", "상태"],
            "planId": query % 900,
        },
        "filterType": {"stage": stage, "status": "진행중"} if query % 2 else "ALL",
        "responseTimeSec": round(chance.uniform(0.8, 24.0) * (2.5 if several else 1.0), 3),
        "executionProcesses": [
            {"name": tool, "status": "DONE", "elapsedMs": chance.randrange(100, 9000)} for tool in tools
        ],
        "worker": [{"type": tool.upper(), "id": chance.randrange(10**6)} for tool in tools],
    }
    text = orjson.dumps(payload).decode()
    return text[: len(text) // 2] if 0.01 <= fate < 0.02 else text


def _entry(chance: random.Random, query: int, stage: str, form: str, action: str) -> dict[str, Any]:
    return {
        "uiType": "form",
        "uiId": f"ui-{chance.randrange(10**9)}",
        "uiValue": {
            "formType": form if chance.random() < 0.93 else "SELECT",
            "actionType": action,
            "planId": query % 900,
            "title": f"{stage} 안내",
            "description": "담당자가 확인한 뒤 지원자에게 안내 메일이 발송됩니다.",
            "buttonUrl": f"/agent/plans/{query % 900}/applicants?stage={query % 6}",
            "multiSelectAllowYn": False,
            "value": {"nodeId": f"n{query % 50}", "nodeType": "INTERVIEW", "order": chance.randrange(9)},
        },
    }
