"""Every rule of the instrument for a single run, one by one."""

from __future__ import annotations

from typing import Any

import orjson
import polars as pl
import pytest

import haechi
from haechi.scoring.runs.measure import RUN_SCHEMA, LabelRules, measure

RULES = LabelRules.of(haechi.rubric("hiring-agent").run)
ANSWER = {"assistantMessage": "목록입니다."}


def measured(payload: Any = None, **run: Any) -> dict[str, Any]:
    text = payload if isinstance(payload, str | None) else orjson.dumps(payload).decode()
    return measure(
        pl.DataFrame([{"query": "q", **run, "payload": text}], schema=RUN_SCHEMA), RULES
    ).to_dicts()[0]


def shown(*values: Any) -> dict[str, Any]:
    return {**ANSWER, "dataUIList": [{"uiType": "form", "uiValue": value} for value in values]}


def ratio(expected: str | None, payload: Any, checks: Any = None) -> float | None:
    text = checks if isinstance(checks, str | None) else orjson.dumps(checks).decode()
    return measured(payload, expected=expected, accuracy_checks=text)["check_ratio"]


@pytest.mark.parametrize(
    ("payload", "error", "failure", "failed"),
    [
        (ANSWER, None, None, False),
        (ANSWER, " ", None, False),
        (ANSWER, "TimeoutError: 60s", "error", True),
        (None, "TimeoutError: 60s", "error", True),
        (None, None, "unparseable", True),
        ('{"assistantMessage": "삭제', None, "unparseable", True),
        ('{"assistantMessage": "확인", "a": NaN}', None, "unparseable", True),
        ('{"assistantMessage": "확인", "a": Infinity}', None, "unparseable", True),
        ('{"assistantMessage": "\\ud800"}', None, "unparseable", True),
        ("[" * 100_000, None, "unparseable", True),
        ("null", None, "not an object", True),
        ('["assistantMessage"]', None, "not an object", True),
        ({"assistantMessage": " ", "dataUIList": []}, None, "no answer", False),
        ({"assistantMessage": None}, None, "no answer", False),
        ({"assistantMessage": "", "dataUIList": [{}]}, None, None, False),
        ({"dataUIList": {"uiType": "form"}}, None, None, False),
        ({"dataUIList": "표"}, None, None, False),
        ({"dataUIList": {}}, None, "no answer", False),
        ({"dataUIList": 7}, None, "no answer", False),
    ],
)
def test_outcome(payload: Any, error: str | None, failure: str | None, failed: bool) -> None:
    run = measured(payload, error=error)
    assert (run["failure"], run["failed"]) == (failure, failed)


@pytest.mark.parametrize(
    ("given", "latency_ms", "seconds"),
    [
        (4.2, 9000.0, 4.2),
        ("4.2", 9000.0, 4.2),
        (5, None, 5.0),
        (0, 9000.0, 0.0),
        (None, 9000.0, 9.0),
        ("빠름", 9000.0, 9.0),
        (-1, 9000.0, 9.0),
        (True, 9000.0, 9.0),
        ({}, None, None),
        (None, None, None),
        (None, float("nan"), None),
        (None, float("inf"), None),
        (None, -1.0, None),
        (2**70, None, float(2**70)),
    ],
)
def test_seconds_from_the_payload_else_from_latency(
    given: Any, latency_ms: Any, seconds: float | None
) -> None:
    payload = orjson.loads("{}") | ANSWER
    text = orjson.dumps(payload).decode()[:-1] + f', "responseTimeSec": {_json(given)}}}'
    assert measured(text, latency_ms=latency_ms)["seconds"] == seconds


def _json(value: Any) -> str:
    return str(value) if isinstance(value, int) and abs(value) > 2**64 else orjson.dumps(value).decode()


def test_latency_is_used_when_there_is_no_payload() -> None:
    assert measured(None, error="Timeout", latency_ms=60_000.0)["seconds"] == 60.0


@pytest.mark.parametrize(
    ("payload", "given", "tool_class"),
    [
        ({}, None, "SINGLE"),
        ({"worker": [{}]}, None, "SINGLE"),
        ({"worker": [{}, {}]}, None, "MULTI"),
        ({"executionProcesses": [1, 2]}, None, "MULTI"),
        ({"worker": {"a": 1, "b": 2}, "executionProcesses": "a, b"}, None, "SINGLE"),
        ({"worker": [{}, {}]}, " single ", "SINGLE"),
        ({}, "MULTI", "MULTI"),
        ({"worker": [{}, {}]}, "BATCH", "MULTI"),
    ],
)
def test_tool_class(payload: dict[str, Any], given: str | None, tool_class: str) -> None:
    assert measured(payload | ANSWER, latency_class=given)["tool_class"] == tool_class


@pytest.mark.parametrize(
    ("payload", "run", "tool_class"),
    [
        (None, {"error": "Timeout"}, None),
        ('{"worker": [1, 2', {}, None),
        ({}, {"error": "Timeout"}, None),
        ({"worker": []}, {"error": "Timeout"}, None),
        ({"worker": [{}]}, {"error": "Timeout"}, "SINGLE"),
        ({"worker": [{}, {}]}, {"error": "Timeout"}, "MULTI"),
        (None, {"error": "Timeout", "latency_class": "multi"}, "MULTI"),
    ],
)
def test_a_failed_run_tells_its_class_or_leaves_it_open(
    payload: Any, run: dict[str, str], tool_class: str | None
) -> None:
    assert measured(payload, **run)["tool_class"] == tool_class


@pytest.mark.parametrize(
    ("message", "label"),
    [
        ("저장에 실패했습니다. 다시 추가해 주세요", "ERROR"),
        ("어느 단계 뒤에 추가할지 선택해 주세요.", "CLARIFY"),
        ("삭제하고 새로 추가했습니다", "DELETE"),
        ("수정해서 저장했습니다", "UPDATE"),
        ("추가한 화면으로 이동합니다", "ADD"),
        ("이동해서 확인하세요", "MOVE"),
        ("합격률 요약입니다.", "VIEW"),
        ("안녕하세요", "OTHER"),
    ],
)
def test_label_by_priority_of_words(message: str, label: str) -> None:
    assert measured({"assistantMessage": message})["label"] == label


def test_label_of_a_rater_comes_first_and_of_a_failed_run_last() -> None:
    message = {"assistantMessage": "추가했습니다"}
    assert measured(message, intent_label=" view ")["label"] == "VIEW"
    assert measured(message, intent_label="VIEW", error="x")["label"] == "ERROR"
    assert measured({"assistantMessage": "", "dataUIList": []})["label"] == "OTHER"


@pytest.mark.parametrize(
    ("line", "value", "expected"),
    [
        ("formType=ACTION", {"formType": " ACTION "}, 1.0),
        ("formType = ACTION ", {"formType": "ACTION"}, 1.0),
        ("formType=ACTION", {"formType": "action"}, 0.0),
        ("multi=true", {"multi": True}, 1.0),
        ("multi=true", {"multi": "true"}, 1.0),
        ("multi=1", {"multi": True}, 0.0),
        ("count=3", {"count": 3.0}, 1.0),
        ("count=3.0", {"count": 3}, 1.0),
        ("count=3", {"count": "3.0"}, 0.0),
        ("id=9007199254740993", {"id": 9007199254740993}, 1.0),
        ("id=9007199254740992", {"id": 9007199254740993}, 0.0),
        ("buttonUrlContains=/applicants", {"buttonUrl": "/agent/applicants?stage=1"}, 1.0),
        ("tagsContains=신입", {"tags": ["경력", " 신입"]}, 1.0),
        ("value.nodeType=INTERVIEW", {"value": {"nodeType": "INTERVIEW"}}, 1.0),
        ("formType=", {"formType": ""}, 1.0),
        ("formType=ACTION", {"formType": None}, 0.0),
        ("formType=ACTION", {}, 0.0),
        ("formType=ACTION; actionType=ADD;", {"formType": "ACTION", "actionType": "DELETE"}, 0.5),
        ("formType", {"formType": "ACTION"}, 0.0),
        ("assistantMessageContains=없는 말; formType=ACTION", {"formType": "ACTION"}, 1.0),
    ],
)
def test_check_lines(line: str, value: dict[str, Any], expected: float) -> None:
    assert ratio(f"추가된다.\n@check {line}", shown(value)) == expected


def test_a_check_passes_when_any_entry_passes() -> None:
    payload = shown({"formType": "TABLE"}, {"formType": "CHART"})
    assert ratio("@check formType=CHART", payload) == 1.0
    assert ratio("@check formType=CHART; formType=TABLE", payload) == 1.0


def test_without_checks_there_is_no_ratio() -> None:
    for expected in (
        None,
        "",
        "추가된다",
        "@check assistantMessageContains=추가",
        "@checks formType=A",
        "@check ;",
    ):
        assert ratio(expected, ANSWER) is None
    assert ratio("@check a=1", ANSWER, []) == 0.0  # an empty list is no list: the line counts
    assert (
        ratio("@check a=1", shown({"a": 1}), [{"path": "setting", "op": "exists"}]) == 0.0
    )  # the list comes first


@pytest.mark.parametrize(
    ("check", "passed"),
    [
        ({"path": "setting.rows[0]", "op": "eq", "value": 10}, True),
        ({"path": "setting.rows[1]", "op": "eq", "value": 10}, False),
        ({"path": "$.setting.rows[*]", "op": "eq", "value": "20"}, True),
        (
            {"path": "setting", "op": "eq", "value": {"none": None, "name": "기본", "rows": [10, None, 20]}},
            True,
        ),
        ({"path": "setting.rows", "op": "contains", "value": 20}, True),
        ({"path": "setting.name", "op": "in", "value": ["다른", " 기본"]}, True),
        ({"path": "setting.name", "op": "in", "value": "기본"}, False),
        ({"path": "setting.name", "op": "regex", "value": "^기.$"}, True),
        ({"path": "setting.name", "op": "regex", "value": "^.$"}, False),
        ({"path": "setting.name", "op": "regex", "value": "("}, False),
        ({"path": "setting.name", "op": "regex", "value": "(?=기)"}, False),
        ({"path": "setting.name", "op": "exists"}, True),
        ({"path": "setting.none", "op": "exists"}, False),
        ({"path": "setting.rows[1]", "op": "exists"}, False),
        ({"path": "setting.rows[*]", "op": "exists"}, True),
        ({"path": "setting..name", "op": "exists"}, False),
        ({"path": "setting.name", "op": "like", "value": "기본"}, False),
        ({"op": "exists"}, False),
        ("setting", False),
    ],
)
def test_listed_checks(check: Any, passed: bool) -> None:
    payload = {**ANSWER, "setting": {"rows": [10, None, 20], "name": "기본", "none": None}}
    run = measured(payload, accuracy_checks=orjson.dumps([check]).decode())
    assert run["check_ratio"] == float(passed)
    assert (run["failing"] is None) == passed


def test_weights_are_exact() -> None:
    # 0.1 + 0.2 of 0.4 is 3/4; in binary fractions it would be 0.7500000000000001, and 0.3 / 0.4 would be below.
    checks = [{"path": "a", "op": "exists", "weight": weight} for weight in (0.1, 0.2)]
    checks.append({"path": "b", "op": "exists", "weight": "0.1"})
    run = measured({**ANSWER, "a": 1}, accuracy_checks=orjson.dumps(checks).decode())
    assert (run["check_ratio"], run["checks_passed"], run["checks_total"]) == (0.75, 0.3, 0.4)
    for odd in (-1, True, "viel", 1e300, None):
        assert ratio(None, {**ANSWER, "a": 1}, [{"path": "a", "op": "exists", "weight": odd}]) == 0.0
    assert ratio(None, {**ANSWER, "a": 1}, [{"path": "a", "op": "exists", "weight": 0}]) is None


def test_a_failing_check_is_named_with_the_reason() -> None:
    run = measured(shown({}), expected="@check formType=ACTION; oops")
    assert run["failing"] == "formType=ACTION; oops (not key=value)"
    assert measured(ANSWER, accuracy_checks="[oops")["failing"] == "[oops (accuracyChecks is not JSON)"


def test_checks_of_a_failed_run_are_not_tried() -> None:
    run = measured(shown({"a": 1}), expected="@check a=1", error="x")
    assert [run[name] for name in ("checks_passed", "checks_total", "check_ratio", "failing")] == [None] * 4


def test_a_regex_that_backtracks_elsewhere_ends_here() -> None:
    check = [{"path": "a", "op": "regex", "value": "^(a+)+$"}]
    assert ratio(None, {**ANSWER, "a": "a" * 50_000 + "b"}, check) == 0.0


def signature(payload: Any, **run: Any) -> str:
    found: str = measured(payload, **run)["signature"]
    return found


def test_signature_ignores_order_and_everything_but_its_keys() -> None:
    one = {"formType": "A", "planId": 7, "setting": {"x": 1, "y": [1, 2]}, "title": "하나"}
    two = {"formType": "B", "value": {"nodeId": "n1", "nodeType": "T", "order": 1}}
    same = shown(two, {"title": "다른", "setting": {"y": [1, 2], "x": 1}, "planId": 7, "formType": "A"})
    assert signature(shown(one, two)) == signature(same) != signature(shown(one, two, two))
    for change in (
        {"formType": "C"},
        {"planId": "7"},
        {"setting": {"x": 1, "y": [2, 1]}},
        {"filterType": "ALL"},
    ):
        assert signature(shown(one)) != signature(shown(one | change))
    assert signature(shown(two)) != signature(shown(two | {"value": {"nodeId": "n2", "nodeType": "T"}}))


def test_signature_is_read_from_the_value_else_the_entry_and_from_the_payload() -> None:
    entry = {"formType": "A", "actionType": "B"}
    plain = {**ANSWER, "dataUIList": [{**entry, "uiValue": None}]}
    assert signature(plain) == signature(shown(entry)) == signature({**ANSWER, "dataUIList": [entry]})
    assert signature(plain) != signature({**plain, "setting": {"a": 1}})
    assert signature({**plain, "filterType": None}) == signature(plain)


def test_signature_of_nothing() -> None:
    assert signature({**ANSWER, "dataUIList": [], "setting": {"a": 1}}) == "EMPTY"
    assert signature(shown({"formType": "A"}), error="x") == "EMPTY"
    assert signature("{") == "EMPTY"


def test_signature_is_the_same_on_every_machine() -> None:
    # BLAKE2b over the canonical text, so it can be recomputed with any tool.
    text = '[["A",null,7,null,null,null,null],[null,null,null,null,null]]'
    import hashlib

    wanted = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    assert signature(shown({"planId": 7, "formType": "A"})) == wanted


def test_what_an_export_keeps_inside_the_payload_counts_where_the_columns_are_silent() -> None:
    inside = {
        **ANSWER,
        "latency_ms": 5000.1,
        "latencyClass": "multi",
        "accuracyChecks": [{"path": "a", "op": "exists"}],
    }
    run = measured(inside)
    assert (run["seconds"], run["tool_class"], run["check_ratio"]) == (5000.1 / 1000, "MULTI", 0.0)
    run = measured(
        inside,
        latency_ms=3000.0,
        latency_class="SINGLE",
        accuracy_checks='[{"path": "assistantMessage", "op": "exists"}]',
    )
    assert (run["seconds"], run["tool_class"], run["check_ratio"]) == (3.0, "SINGLE", 1.0)
    pattern = {**ANSWER, "accuracyChecks": [{"path": "assistantMessage", "op": "regex", "value": "."}]}
    assert measured(pattern)["check_ratio"] == 1.0


@pytest.mark.parametrize(
    ("message", "label", "how"),
    [
        ("처리 방법을 선택해 주세요 (불가/보류/진행)", "CLARIFY", "words"),
        ("면접 일정을 변경했습니다. 필요하시면 추가로 말씀해 주세요.", "UPDATE", "words"),
        ("지원자 목록을 조회했습니다. 다른 요청이 있으시면 등록해 주세요.", "VIEW", "words"),
        ("평가표를 삭제했습니다. 궁금하신 점은 언제든 문의해 주세요!", "DELETE", "words"),
        ("오류 없이 저장했습니다.", "ADD", "words"),
        ("불가피하게 일정을 변경했습니다.", "UPDATE", "words"),
        ("실패한 알림 3건을 조회했습니다.", "VIEW", "words"),
        ("'삭제 대기' 폴더로 이동했습니다.", "MOVE", "words"),
        ("요청하신 작업은 불가능합니다.", "ERROR", "words"),
        ("저장에 실패했습니다. 필요하시면 다시 시도해 주세요.", "ERROR", "several words"),
        ("확인 후 변경했습니다.", "UPDATE", "several words"),
        ("필요하시면 삭제해 드릴까요?", "CLARIFY", "several words"),
        ("안녕하세요.", "OTHER", "no word"),
    ],
)
def test_a_label_is_about_what_was_done(message: str, label: str, how: str) -> None:
    run = measured({"assistantMessage": message})
    assert (run["label"], run["label_by"]) == (label, how)
