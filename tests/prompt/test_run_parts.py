"""Agent runs in parts: expectations in words, cards, tools; whatever a payload holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from haechi.data.item import Item
from haechi.prompt import run_parts as parts_of


def run_parts(content, lang, **meta):
    return parts_of.run_parts(Item("r1", "run", content, meta), lang)


@pytest.mark.parametrize(
    ("expected", "korean", "english"),
    [
        (
            "@check formType=ACTION",
            ["화면 항목의 formType 값: 'ACTION'"],
            ["formType of a UI entry is 'ACTION'"],
        ),
        (
            "목록이 열린다\n@check titleContains=면접; assistantMessageContains=일정",
            ["목록이 열린다", "화면 항목의 title에 '면접'이 들어 있음", "답변 메시지에 '일정'이 들어 있음"],
            ["목록이 열린다", "title of a UI entry contains '면접'", "the answer contains '일정'"],
        ),
        (
            '{"formType": "SELECT", "multiSelectAllowYn": false}',
            ["화면 항목의 formType 값: 'SELECT'", "화면 항목의 multiSelectAllowYn 값: 'false'"],
            ["formType of a UI entry is 'SELECT'", "multiSelectAllowYn of a UI entry is 'false'"],
        ),
        ('평가 요소 ->:\n1) actionType 값이 "A"인가', *[["평가 요소 ->:", 'actionType 값이 "A"인가']] * 2),
        ("@check 아무 말", *[["아무 말 (not key=value)"]] * 2),
        ("{깨진", ["{깨진"], ["{깨진"]),
        ("", [], []),
    ],
)
def test_what_is_expected_is_said_in_words(expected, korean, english):
    assert list(run_parts({"expected": expected}, "ko").expected) == korean
    assert list(run_parts({"expected": expected}, "en").expected) == english


def test_listed_checks_are_said_in_words():
    checks = [
        {"path": "dataUIList[*].uiValue.formType", "op": "in", "value": ["A", "B"]},
        {"path": "assistantMessage", "op": "regex", "value": "^면접"},
        {"path": "setting.x", "op": "exists"},
        "다른 것",
    ]
    said = ["화면 항목의 formType 값이 다음 중 하나: 'A', 'B'", "답변 메시지 값이 다음 꼴: '^면접'"]
    said += ["화면 항목의 setting.x 값이 있음", '"다른 것" (not an object)']
    assert list(run_parts({"accuracy_checks": json.dumps(checks)}, "ko").expected) == said
    assert list(run_parts({"payload": {"accuracyChecks": checks}}, "ko").expected) == said


def test_checks_that_were_edited_later_are_the_expectation():
    run = {"expected": "@check formType=LINK", "payload": "{}"}
    assert list(run_parts(run, "ko", accuracy_checks="1) 답변이 친절한가").expected) == ["답변이 친절한가"]


def test_entries_become_cards_and_steps_become_tools():
    value = {
        "formType": "SELECT",
        "title": "단계",
        "options": [{"label": "서류", "id": 1}, {"label": "면접", "id": 2}],
    }
    payload = {
        "dataUIList": [
            {
                "uiType": "form",
                "uiDescription": "고르기",
                "uiValue": value | {"value": {"nodeId": "n1", "on": True}},
            },
            "글자만",
        ],
        "executionProcesses": [{"index": 0, "ms": 6120.5}, {"name": "search", "seconds": 2}],
        "worker": [{"type": "A"}],
        "setting": {"mode": "auto"},
    }
    parts = run_parts({"payload": json.dumps(payload)}, "ko")
    first, second, setting = parts.cards
    assert (first.title, first.tags) == ("고르기", ("SELECT", "form"))
    assert dict(first.rows) == {
        "title": "단계",
        "options 1": "label 서류, id 1",
        "options 2": "label 면접, id 2",
        "value.nodeId": "n1",
        "value.on": "true",
    }
    assert (second.title, second.rows, setting.rows) == (
        "화면 항목 2",
        (("", "글자만"),),
        (("mode", "auto"),),
    )
    assert [(tool.name, tool.seconds) for tool in parts.tools] == [
        ("도구 1", 6.1205),
        ("search", 2.0),
        ("A", None),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
KEYS = st.sampled_from(
    (
        "dataUIList",
        "executionProcesses",
        "worker",
        "setting",
        "filterType",
        "accuracyChecks",
        "responseTimeSec",
    )
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(KEYS, JSON), st.text(max_size=80))
def test_any_payload_and_any_expectation_give_parts(payload, expected):
    for lang in ("ko", "en"):
        run_parts({"payload": payload, "expected": expected}, lang)
