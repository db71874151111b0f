"""Expectations as teams write them: what every sentence becomes, and what a payload then scores."""

from __future__ import annotations

from typing import Any

import orjson
import polars as pl
import pytest

import haechi
from haechi.expectations import checks
from haechi.expectations.lines import read_lines
from haechi.scoring.runs import consistency
from haechi.scoring.runs.measure import RUN_SCHEMA, LabelRules, measure
from haechi.scoring.runs.points import score

RUBRIC = haechi.rubric("hiring-agent")
SETTING = {
    "assistantMessage": "면접 일정을 바꿀 수 있는 화면입니다.",
    "dataUIList": [
        {"uiDescription": "일정", "uiValue": {"formType": "ACTION", "actionType": "OPEN_SETTING", "planId": 7,
                                           "multiSelectAllowYn": "Y",
                                           "value": {"dataKey": "INTERVIEW_SCHEDULE", "buttonKey": "EDIT"}}},
        {"formType": "LINK", "buttonUrl": "/applicants?stage=1", "value": [{"dataKey": "A"}, {"dataKey": "B"}]},
    ],
    "filterType": "ALL",
}  # fmt: skip


def meant(
    sentence: str, before: str = '1) dataUIList 내 formType 값이 "ACTION"인 항목이 존재하는가'
) -> str | None:
    """What a line becomes behind one that names an entry; None when it stays open."""
    last = read_lines(f"{before}\n9) {sentence}")[-1]
    return last.meaning.name if last.meaning else None


def scored(expected: str, payload: Any = SETTING, **run: Any) -> dict[str, Any]:
    row = {"item": "i", "query": "q", "expected": expected, "payload": orjson.dumps(payload).decode(), **run}
    measures = measure(pl.DataFrame([row], schema=RUN_SCHEMA), LabelRules.of(RUBRIC.run))
    ratios = consistency.ratios(consistency.counts(measures))
    return score(consistency.with_ratios(measures, ratios), RUBRIC).to_dicts()[0]


@pytest.mark.parametrize("quoted", ['"면접"', "“면접”", "'면접'", "‘면접’", "「면접」", "『면접』", "`면접`"])
@pytest.mark.parametrize(
    "sentence",
    [
        "assistantMessage에 {}과 관련된 내용이 언급되어 있는가",
        "assistantMessage에 {}와 관련된 내용이 언급되어 있는지 확인",
        "assistantMessage에 {} 관련 안내가 포함되어 있는가?",
        "assistantMessage에는 {}이라는 문구가 포함되어야 한다.",
        "assistantMessage가 {}을 언급하는가",
        "assistantMessage 내에 {}에 대한 내용이 안내되어 있는지 여부",
        "응답 메시지에 {} 관련 내용이 존재해야 함",
        "메시지에 {}가 언급됨",
        "답변에 {}을 포함하고 있는가",
        "{}에 대한 안내가 assistantMessage에 포함되어 있어야 합니다.",
        "The assistantMessage mentions {}",
        "Does the message contain text related to {}?",
        "assistantMessage should include the phrase {}.",
        "{} is mentioned in the assistantMessage",
    ],
)
def test_mentions(sentence: str, quoted: str) -> None:
    assert meant(sentence.format(quoted)) == "assistantMessage~면접"


@pytest.mark.parametrize(
    "sentence",
    [
        'dataUIList 내 formType 값이 "SELECT"인 항목이 존재하는가',
        "dataUIList에 formType이 'SELECT'인 항목이 존재해야 함",
        "dataUIList 안에 formType 값이 SELECT인 항목이 있는지",
        'formType이 "SELECT"인 항목이 dataUIList에 존재하는가',
        'dataUIList 내 "formType" 값이 "SELECT"인 항목 존재 여부',
        'dataUIList에 formType 값이 "SELECT"로 설정된 항목이 포함되어 있는가',
        'dataUIList에 formType "SELECT" 항목이 있는지',
        "formType=SELECT",
        'formType: "SELECT"',
        'dataUIList의 formType 값이 "SELECT"인가',
        'dataUIList contains an entry with formType "SELECT"',
        "There is an item in dataUIList whose formType is SELECT",
        "An entry with formType = 'SELECT' exists",
        "Is there an entry with formType `SELECT`?",
    ],
)
def test_an_entry_exists(sentence: str) -> None:
    assert meant(sentence, before="1) 답변이 친절한가") == "formType=SELECT"
    assert (
        meant("해당 항목의 actionType 값이 A인가", before=f"1) {sentence}")
        == "actionType=A [formType=SELECT]"
    )


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ('해당 항목의 actionType 값이 "OPEN"인가', "actionType=OPEN"),
        ('해당 항목의 actionType이 "OPEN"으로 설정되어 있는가', "actionType=OPEN"),
        ("해당 항목의 actionType은 “OPEN”이다", "actionType=OPEN"),
        ('해당 항목의 actionType 값이 "OPEN"과 일치하는지', "actionType=OPEN"),
        ('actionType 값이 "OPEN"인가', "actionType=OPEN"),
        ('해당 항목의 value 내 dataKey 값이 "K"인가', "value.dataKey=K"),
        ("해당 항목의 value.dataKey 값이 K인지", "value.dataKey=K"),
        ('value.buttonKey 값이 "EDIT"이어야 한다', "value.buttonKey=EDIT"),
        ("해당 항목의 buttonKey가 `EDIT`인지 여부", "buttonKey=EDIT"),
        ("해당 항목의 multiSelectAllowYn 값이 true인가", "multiSelectAllowYn=true"),
        ("해당 항목의 multiSelectAllowYn(다중 선택 여부) 값이 false(N)인가", "multiSelectAllowYn=false"),
        ("해당 항목의 multiSelectAllowYn 값이 true/Y인가", "multiSelectAllowYn=true"),
        ("해당 항목의 planId 값이 7이다", "planId=7"),
        ('해당 항목의 actionType 값이 "A" 또는 "B"인가', "actionType=A|B"),
        ('해당 항목의 actionType 값이 "A", "B" 중 하나인가', "actionType=A|B"),
        ('해당 항목의 buttonUrl에 "/applicants"가 포함되어 있는가', "buttonUrlContains=/applicants"),
        ("해당 항목의 value 내 dataKey가 존재하는가", "value.dataKey"),
        ("해당 항목의 options 개수가 2개 이하인가", "options <=2"),
        ("해당 항목의 value가 3개 이상인가", "value >=3"),
        ('That entry\'s actionType is "OPEN"', "actionType=OPEN"),
        ('The value.dataKey of that entry equals "K"', "value.dataKey=K"),
        ("its value's buttonKey is 'EDIT'", "value.buttonKey=EDIT"),
        ("That entry has multiSelectAllowYn true", "multiSelectAllowYn=true"),
    ],
)
def test_that_entry_has_a_value(sentence: str, name: str) -> None:
    assert meant(sentence) == f"{name} [formType=ACTION]"


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("dataUIList의 항목이 3개 이상인가", "dataUIList >=3"),
        ("dataUIList 항목의 개수가 2개인가", "dataUIList =2"),
        ("dataUIList에 항목이 최소 1개 존재하는가", "dataUIList >=1"),
        ("dataUIList가 비어 있지 않은가", "dataUIList >=1"),
        ("dataUIList가 비어있는가", "dataUIList =0"),
        ('formType 값이 "ROW"인 항목이 3개 이상 존재하는가', "formType=ROW >=3"),
        ('dataUIList 내 formType 값이 "ROW"인 항목이 2개인가', "formType=ROW =2"),
        ("dataUIList has at least 3 entries with formType ROW", "formType=ROW >=3"),
        ("There are exactly two items in dataUIList", "dataUIList =2"),
    ],
)
def test_counts(sentence: str, name: str) -> None:
    assert meant(sentence) == name


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ('dataUIList 내 formType 값이 "CHART"인 항목이 존재하지 않는가', "formType=CHART =0"),
        ('dataUIList에 formType이 "CHART"인 항목이 없어야 한다', "formType=CHART =0"),
        ('There is no entry with formType "CHART"', "formType=CHART =0"),
        ('assistantMessage에 "불합격"이 언급되지 않는가', "!assistantMessage~불합격"),
        ('assistantMessage에 "불합격"과 관련된 내용이 포함되어 있지 않아야 함', "!assistantMessage~불합격"),
        ('assistantMessage에 "불합격"이라는 문구가 없는가', "!assistantMessage~불합격"),
        ('The message must not mention "불합격"', "!assistantMessage~불합격"),
        # Where it cannot be told what is negated, nobody guesses.
        ('해당 항목의 actionType 값이 "OPEN"이 아닌가', None),
        ('해당 항목의 actionType 값이 "OPEN"이 아니어야 한다', None),
        ('assistantMessage에 "A"와 "B"가 언급되지 않는가', None),
        ('assistantMessage에 "A"가 언급되지 않지 않는가', None),
        ('assistantMessage에 "A"가 언급되어 있지 않은가', None),
        ('assistantMessage에 "A"를 언급하면 안 된다', None),
        ('assistantMessage에 "A"가 미포함되어 있는가', None),
        ('dataUIList 내 formType 값이 "A"가 아닌 항목이 존재하는가', None),
        ('That entry\'s actionType is not "OPEN"', None),
        ('The message mentions nothing about "A"', None),
    ],
)
def test_negation_is_never_read_as_its_opposite(sentence: str, name: str | None) -> None:
    assert meant(sentence) == name


@pytest.mark.parametrize(
    "sentence",
    [
        "답변이 친절한가", "면접 일정 화면으로 이동해야 한다", "Hello world", "Note: done", "The tone is friendly",
        'assistantMessage가 자연스럽게 "면접"을 설명하는가', '메시지에 "A"라는 의미가 담겨 있는가', "해당 항목의 색이 알맞은가",
        '해당 항목의 responseTime 값이 3 이하인가', 'assistantMessage에 "A"/"B"가 언급되어 있는가', 'formType 값이 "A"인 항목이 먼저 나오는가',
        'formType 값이 "A"인 항목이 존재하고 답변이 친절한가', "PDF가 OK인가", 'assistantMessage에 ""이 언급되어 있는가',
        'dataUIList contains an entry with formType "A" when the user asks', "최소 3개 이하인가",
    ],
)  # fmt: skip
def test_what_is_not_understood_stays_open(sentence: str) -> None:
    assert meant(sentence) is None


def test_that_entry_is_the_one_named_last() -> None:
    lines = read_lines(
        '1) dataUIList 내 formType 값이 "A"인 항목이 존재하는가\n2) 해당 항목의 actionType 값이 "X"인가\n'
        '3) dataUIList 내 formType 값이 "B"인 항목이 존재하는가\n4) 해당 항목의 actionType 값이 "Y"인가\n'
        '5) 지원자 항목이 먼저 보이는가\n6) 해당 항목의 actionType 값이 "Z"인가'
    )
    assert [line.meaning.name if line.meaning else line.kind for line in lines] == [
        "formType=A", "actionType=X [formType=A]", "formType=B", "actionType=Y [formType=B]", "open", "open",
    ]  # fmt: skip
    assert meant('해당 항목의 actionType 값이 "X"인가', before="1) 답변이 친절한가") is None


@pytest.mark.parametrize(
    "signs", ["1) 2)", "1. 2.", "① ②", "- -", "(1) (2)", "• •", "1: 2:", "１） ２）", "가) 나)", "* *"]
)
def test_number_signs_headings_blank_and_wrapped_lines(signs: str) -> None:
    first, second = signs.split()
    text = (
        f'평가 요소 ->:\n\n{first} dataUIList 내 formType 값이\n   "ACTION"인 항목이 존재하는가\n\n## 메시지\n'
        f'{second} assistantMessage에 "면접일정"과 관련된 내용이 언급되어 있는가'
    )
    assert [line.kind for line in read_lines(text)] == ["heading", "check", "heading", "check"]
    assert scored(text)["accuracy"] == 5


def test_sentences_score_on_that_entry() -> None:
    run = scored(
        '1) dataUIList 내 formType 값이 "ACTION"인 항목이 존재하는가\n2) 해당 항목의 actionType 값이 "OPEN_SETTING"인가\n'
        '3) 해당 항목의 value 내 dataKey 값이 "A"인가\n4) 답변이 친절한가\n5) 해당 항목의 multiSelectAllowYn 값이 true인가'
    )
    assert (run["checks_passed"], run["checks_total"], run["checks_open"]) == (3, 4, 1)
    assert (run["accuracy"], run["failing"]) == (4, "value.dataKey=A [formType=ACTION]")
    listed = scored(
        '1) dataUIList 내 formType 값이 "LINK"인 항목이 존재하는가\n2) 해당 항목의 value 내 dataKey 값이 "B"인가'
    )
    assert listed["accuracy"] == 5, "value may be a list of objects, and an entry may have no uiValue"
    nowhere = scored(
        '1) dataUIList 내 formType 값이 "NO"인 항목이 존재하는가\n2) 해당 항목의 actionType 값이 "OPEN_SETTING"인가'
    )
    assert (nowhere["accuracy"], nowhere["checks_total"]) == (0, 2)


def test_a_json_object_is_asked_of_one_entry() -> None:
    whole = scored(
        '{"formType": "ACTION", "actionType": "OPEN_SETTING", "dataKey": "INTERVIEW_SCHEDULE", "buttonKey": "EDIT"}'
    )
    assert (whole["accuracy"], whole["checks_total"]) == (5, 4)
    # The first entry has the form, the second the key: no entry has both, so one of the two fails.
    mixed = scored('{"formType": "ACTION", "dataKey": "B"}')
    assert (mixed["check_ratio"], mixed["failing"]) == (0.5, "dataKey=B")
    assert (
        scored('기대 결과:\n```json\n{"filterType": "ALL", "multiSelectAllowYn": true}\n```')["accuracy"] == 5
    )
    assert (
        scored(
            '{"formType": "SELECT", "multiSelectAllowYn": false}', {"assistantMessage": "?", "dataUIList": []}
        )["accuracy"]
        == 0
    )
    assert (
        scored('{"assistantMessage": "면접일정", "dataUIList": [{"uiValue": {"formType": "LINK"}}]}')[
            "accuracy"
        ]
        == 5
    )
    assert scored('{"formType": "ACTION", ')["accuracy"] is None, "a damaged object is not understood"


def test_only_open_lines_are_missing_and_nothing_at_all_is_zero() -> None:
    waiting = scored("1) 답변이 친절한가\n2) 화면이 알맞은가")
    assert (waiting["accuracy"], waiting["why:accuracy"], waiting["checks_open"]) == (None, "open checks", 2)
    assert waiting["overall"] is None
    for absent in ("", "평가 요소 ->:", "없음", "@check assistantMessageContains=추가"):
        nothing = scored(absent)
        assert (nothing["accuracy"], nothing["why:accuracy"]) == (0, "no checks"), absent
    assert scored("1) 답변이 친절한가", error="TimeoutError")["accuracy"] == 0


def test_checks_of_a_column_come_first_whichever_way_they_are_written() -> None:
    column = '[{"path": "filterType", "op": "eq", "value": "ALL"}]'
    assert scored('{"formType": "NO"}', accuracy_checks=column)["accuracy"] == 5
    assert scored('{"formType": "NO"}', accuracy_checks="1) dataUIList의 항목이 2개인가")["accuracy"] == 5
    assert scored("1) 답변이 친절한가\n@check formType=ACTION")["checks_open"] == 0


def test_an_endless_line_is_not_read() -> None:
    assert checks.read("1) " + "가" * 600, None).waiting == ("가" * 600,)


def test_a_line_of_many_conditions_is_read_at_once() -> None:
    """Two ways to read each of sixty conditions would be more readings than anybody waits for."""
    assert meant('formType 값이 "a"' + ', aB "a"' * 60 + "인 항목이 존재하는가") is None


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("assistantMessage에 ''면접''이 언급되는가", "assistantMessage~면접"),
        ("assistantMessage에 《면접》이 언급되는가", "assistantMessage~면접"),
        ('assistantMessage에 "면접"을(를) 언급하는가', "assistantMessage~면접"),
        ('assistantMessage에 "면접"(이)라는 내용이 있는가', "assistantMessage~면접"),
        ('assistantMessage에서 "면접" 관련 안내를 하고 있는가', "assistantMessage~면접"),
        ('assistantMessage: "면접" 언급', "assistantMessage~면접"),
        ('응답 메시지(assistantMessage)에 "면접"과 관련된 내용이 언급되어 있는가', "assistantMessage~면접"),
        ('에이전트의 응답 메시지에 "면접"이 명확히 언급되어 있는가', "assistantMessage~면접"),
        ('assistantMessage에 "면접"이 나타나는가', "assistantMessage~면접"),
        ('[필수] assistantMessage에 "면접"이 언급되어 있는가;', "assistantMessage~면접"),
        ('dataUIList 내 formType 값이 "ROW"인 컴포넌트가 존재하는가', "formType=ROW"),
        ('dataUIList[*].uiValue.formType 값이 "ROW"인 항목이 존재하는가', "formType=ROW"),
        ("formType 값이 ROW 인 항목이 존재하는지 점검", "formType=ROW"),
        ('formType이 "LINK"인 항목의 buttonKey 값이 "EDIT"인가', "buttonKey=EDIT [formType=LINK]"),
        ('dataUIList 내 formType이 "LINK"인 항목의 options가 3개 이상인가', "options >=3 [formType=LINK]"),
        ('해당 항목의 actionType 값이 "OPEN" 인가', "actionType=OPEN [formType=ACTION]"),
        ('해당 항목의 actionType 값은 반드시 "OPEN"이어야 한다', "actionType=OPEN [formType=ACTION]"),
        ('해당 항목의 actionType 값이 "OPEN"으로 내려오는가', "actionType=OPEN [formType=ACTION]"),
        ('해당 항목의 value 안에 dataKey 값이 "K"인 항목이 존재하는가', "value.dataKey=K [formType=ACTION]"),
        ("해당 항목의 planId 값이 비어 있지 않은가", "planId not empty [formType=ACTION]"),
        ("해당 항목의 options 길이가 3인가", "options =3 [formType=ACTION]"),
        ("dataUIList에 3개의 항목이 존재하는가", "dataUIList =3"),
        ('Check that assistantMessage contains "면접"', "assistantMessage~면접"),
        ('assistantMessage includes either "a" or "b"', "assistantMessage~a|b"),
        ('assistantMessage includes both "a" and "b"', "assistantMessage~a&b"),
        ('Does dataUIList contain an item whose formType is "ROW"?', "formType=ROW"),
        ('Is the actionType of that entry "OPEN"?', "actionType=OPEN [formType=ACTION]"),
        ("dataUIList is not empty", "dataUIList >=1"),
        # Who adds a condition, or names what is not sure, is not understood.
        ('assistantMessage(오류가 난 경우)에 "면접"이 언급되어 있는가', None),
        ('해당 항목의 actionType(없는 경우) 값이 "OPEN"인가', None),
        ('[선택] assistantMessage에 "면접"이 언급되어 있는가', None),
        ('formType이 "LINK"인 항목의 색이 알맞은가', None),
        ('해당 항목의 value에 dataKey가 "K", "L"인 항목이 존재하는가', None),
        ("해당 항목의 not planId가 존재하는가", None),
        ("해당 항목의 planId 값이 null이 아닌가", None),
        ('assistantMessage includes either "a" and "b"', None),
        ('Check that assistantMessage does not contain "a" and "b"', None),
    ],
)
def test_words_that_teams_use(sentence: str, name: str | None) -> None:
    assert meant(sentence) == name


@pytest.mark.parametrize(
    "text",
    [
        '1) formType 값이 "LINK"인 항목이 존재하는가 2) 해당 항목의 actionType 값이 "2) A"인가 3) 답변이 친절한가',
        '기대 결과: ① formType 값이 "LINK"인 항목이 존재하는가 ② 해당 항목의 actionType 값이 "2) A"인가 ③ 답변이 친절한가',
        '**1. formType 값이 "LINK"인 항목이 존재하는가**\n2. 해당 항목의 **actionType** 값이 "2) A"인가\n3. 답변이 친절한가',
        '[formType 값이 LINK인 항목이 존재하는가]\n1) 해당 항목의 actionType 값이 "2) A"인가\n2) 답변이 친절한가',
    ],
)
def test_several_lines_in_one_row_and_bold_ones_are_lines(text: str) -> None:
    found = [(line.kind, line.name) for line in read_lines(text) if line.kind != "heading"]
    assert found == [("check", "formType=LINK"), ("check", "actionType=2) A [formType=LINK]"), ("open", None)]


@pytest.mark.parametrize(
    "text",
    [
        '{"formType": "LINK", "value.dataKey": "B",}',
        "{'formType': 'LINK', 'value': {'dataKey': 'B'}}",
        "{“formType”: “LINK”, “value”: {“dataKey”: “B”}}",
        '"formType": "LINK", "value.dataKey": "B"',
        'formType = "LINK", value.dataKey = "B"',
        '1) {"formType": "LINK", "dataUIList[*].uiValue.value.dataKey": "B"}',
    ],
)
def test_objects_however_they_are_written(text: str) -> None:
    assert (scored(text)["accuracy"], scored(text)["checks_total"]) == (5, 2)
    # The keys are asked of one and the same entry.
    assert scored(text.replace("LINK", "ACTION"))["check_ratio"] == 0.5


def test_a_named_entry_is_that_entry_for_the_lines_that_follow() -> None:
    text = '1) formType이 "ACTION"인 항목의 actionType 값이 "NO"인가\n2) 해당 항목의 planId 값이 7인가'
    assert [line.name for line in read_lines(text)] == [
        "actionType=NO [formType=ACTION]",
        "planId=7 [formType=ACTION]",
    ]
    text = '1) {"formType": "ACTION", "actionType": "NO"}\n2) 해당 항목의 planId 값이 7인가'
    assert read_lines(text)[-1].name == "planId=7 [formType=ACTION]"
    assert scored("1) formType이 ACTION인 항목의 planId 값이 비어 있지 않은가")["accuracy"] == 5


@pytest.mark.parametrize(
    "text", ["{" * 3000, "{'a': [1," * 200, "{'a': __import__('os')}", "{1: 2}", "{'a': {1j}}", '"a": {']
)
def test_what_only_looks_like_an_object_stays_open(text: str) -> None:
    assert {line.kind for line in read_lines(text)} <= {"open"}
