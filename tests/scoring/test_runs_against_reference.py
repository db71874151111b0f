"""The fast implementation and the plain one agree on every run, friendly or hostile."""

from __future__ import annotations

import math

import orjson
import polars as pl
import reference
import reference_expectations as expectations
from hypothesis import given, settings
from hypothesis import strategies as st

import haechi
from haechi.scoring.runs import consistency
from haechi.scoring.runs.measure import RUN_SCHEMA, LabelRules, measure
from haechi.scoring.runs.points import score

RUBRIC = haechi.rubric("hiring-agent")
COMPARED = (
    "failed", "failure", "error", "seconds", "tool_class", "label", "signature", "intent_verdict",
    "checks_passed", "checks_total", "check_ratio", "checks_open", "runs", "modal_label", "ratio_a", "ratio_b",
    "intent", "accuracy", "consistency", "latency_single", "latency_multi", "stability", "overall",
)  # fmt: skip


def fast(runs: list[dict[str, object]]) -> list[dict[str, object]]:
    measures = measure(pl.DataFrame(runs, schema=RUN_SCHEMA), LabelRules.of(RUBRIC.run))
    ratios = consistency.ratios(consistency.counts(measures))
    return score(consistency.with_ratios(measures, ratios), RUBRIC).to_dicts()


def assert_same(runs: list[dict[str, object]]) -> None:
    for mine, plain in zip(fast(runs), reference.score_all(runs, RUBRIC), strict=True):
        for name in COMPARED:
            if name == "overall" and mine[name] is not None:
                assert math.isclose(mine[name], plain[name], rel_tol=1e-12), name
            else:
                assert mine[name] == plain[name], (name, mine, plain)
        if "failing" in plain:  # the names of sentences are nobody's rule
            assert mine["failing"] == plain["failing"]


# Few different words, so that paths, keys and values meet; and some that are made to confuse.
KEYS = st.sampled_from(["formType", "actionType", "planId", "value", "nodeId", "multiSelectAllowYn", "nodeType", "setting", "filterType",
                        "title", "uiValue", "dataUIList", "a", "", "x y"])  # fmt: skip
WORDS = st.sampled_from(["ACTION", " ACTION ", "true", "True", "3", "3.0", "1e2", "07", "", " ", "면접", "면접 추가", "오류",
                         "어느 단계?", "방법을 선택해 주세요 (불가/보류)", "변경했습니다. 필요하시면 추가로 말씀해 주세요.", "오류 없이 저장", "실패한 건 조회 [삭제]", "\x1cACTION", "９", "9007199254740993", "1e999", "-0", "\u3000면접"])  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-5, 10),
    st.sampled_from([2**53 + 1, 2**63, 2**64 - 1, -(2**63), 3.0, -0.0, 0.1, 1e300, 5.0, 5.0001]),
    st.floats(allow_nan=False, allow_infinity=False),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, WORDS)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
SHOWN = st.dictionaries(KEYS, JSON, max_size=5)
ENTRY = st.one_of(st.fixed_dictionaries({"uiValue": st.one_of(SHOWN, JSON)}), SHOWN, JSON)
PAYLOAD = st.fixed_dictionaries(
    {},
    optional={
        "assistantMessage": st.one_of(WORDS, JSON),
        "dataUIList": st.one_of(st.lists(ENTRY, max_size=3), JSON),
        "setting": JSON,
        "filterType": JSON,
        "responseTimeSec": SCALARS,
        "latency_ms": SCALARS,
        "latencyClass": st.one_of(SCALARS, st.sampled_from(["multi", " SINGLE ", "fast"])),
        "accuracyChecks": st.one_of(JSON, st.just([{"path": "planId", "op": "exists"}])),
        "executionProcesses": JSON,
        "worker": JSON,
        "planId": SCALARS,
    },
)
DAMAGED = st.sampled_from([
    "", " ", "null", "[]", "7", '"text"', "{", '{"a": NaN}', '{"a": Infinity}', '{"assistantMessage": "\\ud800"}',
    '{"a": 1, "a": 2, "dataUIList": [1], "dataUIList": []}', "\ufeff{}", '{"assistantMessage": "추가"', "[" * 2000,
    '{"setting": ' + "[" * 600 + "]" * 600 + ', "dataUIList": [{"setting": ' + '{"b":' * 300 + "1" + "}" * 300 + "}]}",
    '{"responseTimeSec": 123456789012345678901234567890, "assistantMessage": "확인"}',
])  # fmt: skip
PAYLOAD_TEXT = st.one_of(st.none(), DAMAGED, PAYLOAD.map(lambda payload: orjson.dumps(payload).decode()))
PATHS = st.sampled_from([
    "dataUIList[*].uiValue.formType", "dataUIList[*].uiValue.value.nodeId", "dataUIList[0].uiValue", "setting",
    "setting.a[*]", "dataUIList[*]", "$.filterType", "dataUIList[*].formType", "[*]", "a..b", "", "a[", "worker[1]",
    "assistantMessage", "dataUIList[*][*]", "dataUIList[999999999]",
])  # fmt: skip
PATTERNS = st.sampled_from(["^A", "(a+)+$", "(", "면접|추가", "(?=x)", "(a{1000}){1000}", ".", "^$"])
CHECK = st.one_of(
    st.fixed_dictionaries(
        {
            "path": st.one_of(PATHS, SCALARS),
            "op": st.sampled_from(["eq", "contains", "in", "regex", "exists", "?", None]),
        },
        optional={
            "value": st.one_of(JSON, PATTERNS),
            "weight": st.one_of(SCALARS, st.sampled_from([2, 0.1, 0.2, 0.7])),
        },
    ),
    JSON,
)
LISTED = st.one_of(
    st.none(),
    st.lists(CHECK, max_size=4).map(lambda checks: orjson.dumps(checks).decode()),
    CHECK.map(lambda check: orjson.dumps(check).decode()),
    st.sampled_from(["", " ", "[", "null", "[[]]"]),
)
WRITTEN = st.lists(
    st.sampled_from([
        "formType=ACTION", "formType=", "titleContains=면접", "planId=3", "value.nodeId=3", "a=true", "formType", "=x",
        "assistantMessageContains=추가", "Contains=x", "a[0]=3", "x y=3", "formType==ACTION", "a..b=1", "settingContains=3",
    ]),
    max_size=4,
).map(lambda parts: "설명 @check " + "; ".join(parts) + "\n@check a=3 @check title=면접\n@checks b=1")  # fmt: skip
WANTED = st.sampled_from(["ACTION", "면접", "면접 추가", "3", "true", "없는 것", " A ", ""])
SENTENCE = st.one_of(
    st.builds(
        lambda phrase, wanted: phrase.replace("{x}", wanted), st.sampled_from([*expectations.PHRASES]), WANTED
    ),
    st.sampled_from([*expectations.OPEN, expectations.NAMES_ANOTHER]),
)
ROW = st.one_of(
    st.builds("{}{}".format, st.sampled_from(["1) ", "2. ", "①", "- ", "(3) ", "• ", ""]), SENTENCE),
    st.sampled_from(["", "평가 요소 ->:", "## 기대 결과", "메시지:"]),
)
OBJECT = st.dictionaries(
    st.sampled_from(
        ["formType", "actionType", "title", "nodeId", "setting", "multiSelectAllowYn", "assistantMessage"]
    ),
    SCALARS | st.dictionaries(st.sampled_from(["nodeId", "a"]), SCALARS, max_size=2),
    max_size=4,
).map(lambda given: orjson.dumps(given).decode())
SENTENCES = st.one_of(
    st.lists(ROW, max_size=6).map("\n".join),
    st.builds("{}{}".format, st.sampled_from(["", "기대 결과:\n"]), OBJECT),
)
RUN = st.fixed_dictionaries({
    "item": st.just("i"),
    "query": st.sampled_from(["q1", "q2", " q1 ", "", None]),
    "error": st.sampled_from([None, None, None, "", " ", "\x1f", "TimeoutError: 60s"]),
    "payload": PAYLOAD_TEXT,
    "expected": st.one_of(st.none(), WRITTEN, SENTENCES, SENTENCES),
    "accuracy_checks": st.one_of(st.none(), LISTED, SENTENCES.filter(lambda text: "{" not in text)),
    "latency_ms": st.one_of(st.none(), st.floats()),
    "latency_class": st.sampled_from([None, None, "", "single", "MULTI ", "other"]),
    "intent_verdict": st.sampled_from([None, "", "PERFECT", "good ", "최고"]),
    "intent_label": st.sampled_from([None, None, "", "add", "VIEW", "그 밖"]),
})  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(RUN, min_size=1, max_size=6))
def test_fast_and_plain_agree(runs: list[dict[str, object]]) -> None:
    assert_same(runs)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=4), st.text(), st.text())
def test_any_text_in_any_field(payloads: list[str], expected: str, listed: str) -> None:
    runs = [
        {
            "query": expected,
            "payload": payload,
            "expected": "@check " + expected,
            "accuracy_checks": "[" + listed,
        }
        for payload in payloads
    ]
    assert_same([{name: run.get(name) for name in RUN_SCHEMA} for run in runs])


@settings(max_examples=80, deadline=None)
@given(st.text(), st.text())
def test_any_text_as_an_expectation(expected: str, listed: str) -> None:
    run = {
        "item": "i",
        "payload": '{"assistantMessage": "면접"}',
        "expected": expected,
        "accuracy_checks": listed,
    }
    (scored,) = fast([{name: run.get(name) for name in RUN_SCHEMA}])
    assert (scored["accuracy"] is None) == (scored["checks_total"] is None and bool(scored["checks_open"]))
