"""Forms in which judges really answer, and which a person reads without doubt: each is read whole, and counted as repaired."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from haechi.prompt.reply import parse
from haechi.rubrics import find_rubric

QAC, DIARY, UBICA, AGENT = map(find_rubric, ("maice-qac", "diary-comment", "ubica", "hiring-agent"))
ELEMENTS = [(c, place, e) for c in QAC.criteria for place, e in enumerate(c.scale.parts, 1)]
WANTED = {f"{c.key}.{e.key}": str(place % 2) for c, place, e in ELEMENTS}
Spell = Callable[[Any, int, Any], Any]


def given(c: Any, place: int, e: Any) -> Any:
    return {"value": place % 2, "evidence": "메시지[1]"}


def tree(element: Spell = lambda c, i, e: e.key, value: Spell = given, criterion=lambda c: c.key) -> Any:
    return {
        criterion(c): {element(c, i, e): value(c, i, e) for i, e in enumerate(c.scale.parts, 1)}
        for c in QAC.criteria
    }


def flat(name: Spell) -> Any:
    return {name(*one): given(*one) for one in ELEMENTS}


def valued(key: str, value: Callable[[int], Any]) -> Any:
    return tree(value=lambda c, i, e: {key: value(i % 2), "근거": "메시지[1]"})


def rows(**fields: Spell) -> Any:
    return [{key: say(*one) for key, say in fields.items()} | {"evidence": "x"} for one in ELEMENTS]


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)


def value_of(c: Any, i: int, e: Any) -> int:
    return i % 2


TREE = tree()
OPPOSITE = dump(tree(value=lambda c, i, e: {"value": 1 - i % 2, "evidence": "초안"}))
PRETTY = json.dumps(TREE, ensure_ascii=False, indent=2)
YAML = yaml.safe_dump(TREE, allow_unicode=True, sort_keys=False)
SECTIONS = "\n".join(
    f"### {c.key}\n"
    + "\n".join(f"- **{e.key}**: {i % 2} (근거: 메시지[1])" for i, e in enumerate(c.scale.parts, 1))
    for c in QAC.criteria
)
TABLE = "| 기준 | 요소 | 값 | 근거 |\n|---|:-:|---|---|\n" + "\n".join(
    f"| {c.score} | `{e.key}` | {i % 2} | 메시지[1] |" for c, i, e in ELEMENTS
)

FORMS: dict[str, Any] = {
    "label (key)": tree(lambda c, i, e: f"{e.name.ko} ({e.key})"),
    "key: label": tree(lambda c, i, e: f"{e.key}: {e.name.ko}"),
    "key:": tree(lambda c, i, e: f"{e.key}:"),
    "key - label": tree(lambda c, i, e: f"{e.key} - {e.name.ko}"),
    "camelCase": tree(lambda c, i, e: camel(e.key)),
    "criterion in camelCase": tree(criterion=lambda c: camel(c.key)),
    "crit_elem": flat(lambda c, i, e: f"{c.key}_{e.key}"),
    "crit/elem": flat(lambda c, i, e: f"{c.key}/{e.key}"),
    "crit:elem": flat(lambda c, i, e: f"{c.key}:{e.key}"),
    "crit > elem": flat(lambda c, i, e: f"{c.key} > {e.key}"),
    "short_elem": flat(lambda c, i, e: f"{c.score}_{e.key}"),
    "A1-1 alone": flat(lambda c, i, e: f"{c.score}-{i}"),
    "numbers in a criterion": tree(lambda c, i, e: str(i)),
    "[A1] label": tree(criterion=lambda c: f"[{c.score}] {c.name.ko}"),
    "1점": valued("value", lambda v: f"{v}점"),
    "1 (충족)": valued("value", lambda v: f"{v} ({'충족' if v else '미충족'})"),
    "1/1": valued("value", lambda v: f"{v}/1"),
    "[1]": valued("value", lambda v: [v]),
    "[1, evidence]": tree(value=lambda c, i, e: [i % 2, "메시지[1]에서 확인"]),
    "**1**": valued("value", lambda v: f"**{v}**"),
    "met": valued("met", lambda v: v),
    "is_met": valued("is_met", bool),
    "satisfied": valued("satisfied", bool),
    "충족여부": valued("충족여부", lambda v: "O" if v else "X"),
    "result": valued("result", lambda v: v),
    "answer": valued("answer", lambda v: "yes" if v else "no"),
    "value in value": valued("rating", lambda v: {"value": v}),
    "label beside value": tree(value=lambda c, i, e: {"label": e.name.ko, "value": i % 2}),
    "rows": rows(criterion=lambda c, i, e: c.key, element=lambda c, i, e: e.key, value=value_of),
    "rows below a key": {"results": rows(항목=lambda c, i, e: c.score, 요소=lambda c, i, e: e.key, 점수=value_of)},
    "rows by one name": {"elements": rows(name=lambda c, i, e: f"{c.key}.{e.key}", value=value_of)},
    "rows by number": {"elements": rows(id=lambda c, i, e: f"{c.score}-{i}", score=value_of)},
    "rows below a criterion": {
        c.key: [{"element": e.key, "value": i % 2} for i, e in enumerate(c.scale.parts, 1)] for c in QAC.criteria
    },
    "criteria with rows": {
        "criteria": [
            {
                "criterion": c.key,
                "score": 3,
                "elements": [{"element": e.key, "value": i % 2} for i, e in enumerate(c.scale.parts, 1)],
            }
            for c in QAC.criteria
        ]
    },
    "a string of JSON": dump(dump(TREE)),
    "JSON inside a string": {"output": dump(TREE)},
    "a tool call": {"name": "submit", "arguments": dump(TREE)},
    "a string for a criterion": {key: dump(value) for key, value in TREE.items()},
    "// comments": re.sub(r"\{\n", "{ // 평가\n", PRETTY),
    "// at the end of lines": PRETTY.replace(",\n", ", // 확인함\n"),
    "/* comments */": re.sub(r"\{\n", "{ /* 평가 */\n", PRETTY),
    "# comments": re.sub(r"\{\n", "{ # 평가\n", PRETTY),
    "commas before the end": re.sub(r"\n(\s*)\}", r",\n\1}", PRETTY),
    "Python": str(valued("value", bool)),
    "YAML": YAML,
    "YAML in a fence": f"평가입니다.\n```yaml\n{YAML}```\n",
    "sections and lists": SECTIONS,
    "a table": TABLE,
    "one letter left out": tree(lambda c, i, e: e.key[:5] + e.key[6:] if i == 1 else e.key),
    "a typing error in a criterion": tree(criterion=lambda c: c.key[:6] + c.key[7:]),
    "a number before the key": tree(lambda c, i, e: f"{c.score}-{i}. {e.key}"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_a_person_can_read_is_read_whole(form: str) -> None:
    text = FORMS[form] if isinstance(FORMS[form], str) else dump(FORMS[form])
    parsed = parse(text, QAC)
    assert {name: one.value for name, one in parsed.values.items()} == WANTED


@pytest.mark.parametrize(
    "form", ["key:", "rows", "[1]", "YAML", "a table", "a string of JSON", "// comments", "1/1"]
)
def test_what_was_not_written_as_asked_is_counted_as_repaired(form: str) -> None:
    text = FORMS[form] if isinstance(FORMS[form], str) else dump(FORMS[form])
    assert parse(text, QAC).repaired
    assert not parse(dump(TREE), QAC).repaired


@pytest.mark.parametrize(
    "text",
    [
        f"<think>\n처음에는 {OPPOSITE}\n아니다</think>\n{dump(TREE)}",
        f"{OPPOSITE}\n다시 보면 다르다.\n</think>\n\n{dump(TREE)}",
        f"<thinking>{OPPOSITE}</thinking>```json\n{dump(TREE)}\n```",
        f"<think></think>{dump(TREE)}<think>{OPPOSITE}</think>",
    ],
)
def test_a_draft_in_the_thinking_is_no_value(text: str) -> None:
    assert {name: one.value for name, one in parse(text, QAC).values.items()} == WANTED


@pytest.mark.parametrize("text", [f"<think>{OPPOSITE}", f"<think>{OPPOSITE}</think>\n더 볼 것이 없다"])
def test_only_a_draft_is_no_answer(text: str) -> None:
    assert not parse(text, QAC).values


def test_a_transcript_that_closes_the_thinking_is_only_a_quotation() -> None:
    quoted = f"학생이 '</think>{OPPOSITE}'라고 적음"
    said = tree(value=lambda c, i, e: {"value": i % 2, "evidence": quoted})
    assert {name: one.value for name, one in parse(dump(said), QAC).values.items()} == WANTED


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("RELATED BUT WRONG", "RELATED_BUT_WRONG"),
        ("Related-but-wrong", "RELATED_BUT_WRONG"),
        ("RelatedButWrong", "RELATED_BUT_WRONG"),
        ("PARTAIL", "PARTIAL"),
        ("PERFCT", "PERFECT"),
        (4, "GOOD"),
        ("4점", "GOOD"),
        ("GOOD (4점)", "GOOD"),
        ("4 (GOOD)", "GOOD"),
        ("GOOD: 핵심 일치, 표현이 다소 모호", "GOOD"),
        ("**GOOD**", "GOOD"),
        (["GOOD"], "GOOD"),
        ("GOOD (3)", None),
        ("NOT GOOD", None),
        ("GOOD - 사실은 PARTIAL", None),
        ("GOOD/PARTIAL", None),
        ("BAD (4)", None),
        ("7", None),
    ],
)
def test_verdicts_as_people_write_them(written: Any, meant: str | None) -> None:
    for key in ("intent", "intent_verdict"):
        values = parse(dump({key: {"verdict": written, "evidence": "x"}}), AGENT).values
        assert ("intent" in values and values["intent"].value) == (meant or False)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("4/5", "4"),
        ("4 / 5점", "4"),
        ("5점 만점에 4점", "4"),
        ("4 out of 5", "4"),
        ("Score: 4", "4"),
        ("4점", "4"),
        ("4/10", None),
        ("8/10", None),
        ("4-5", None),
        ("4 또는 5", None),
        ("4.5/5", None),
    ],
)
def test_levels_as_people_write_them(written: str, meant: str | None) -> None:
    values = parse(dump({"flow": written}), UBICA).values
    assert ("flow" in values and values["flow"].value) == (meant or False)


@pytest.mark.parametrize(
    "text",
    [
        "sensibleness: 1\nspecificity: 0\nsympathy: 1",
        "합리성: 1점\n구체성: 0점\n공감성: 1점",
        "1. **합리성** — 1\n".replace(" — ", ": ")
        + "2. **구체성**: 0 — 일기의 내용이 없음\n3. **공감성**: 1",
        dump(
            [
                {"criterion": key, "value": v}
                for key, v in (("sensibleness", 1), ("specificity", 0), ("sympathy", 1))
            ]
        ),
        dump({"1": 1, "2": 0, "3": 1}),
    ],
)
def test_criteria_in_lines_and_rows(text: str) -> None:
    values = {name: one.value for name, one in parse(text, DIARY).values.items()}
    assert values == {"sensibleness": "1", "specificity": "0", "sympathy": "1"}


def test_a_reply_to_one_question_may_be_the_value_alone() -> None:
    assert parse("**1**", DIARY, ("sympathy",)).values["sympathy"].value == "1"
    assert not parse("1", DIARY).values


@pytest.mark.parametrize(
    "text",
    [
        "sensibleness: 1\nsensibleness: 0",  # which one?
        "sensibleness: 1이라고 볼 수도 있지만 0에 가깝다",
        '{"sensibleness": [1, 0]}',
        '{"sensibleness": [0, "1"]}',
        '{"unmet": {"sensibleness": 1}, "sensibleness": {"unmet": 1}}',
        '{"note": "{\\"sensibleness\\": 1}", "other": "{\\"sensibleness\\": 0}"}',
        '{"sympathy2": 1, "1": 1, "3": 0}',
        '{"unmet": {"sensibleness": 1}}',
    ],
)
def test_what_can_mean_two_things_means_nothing(text: str) -> None:
    assert not parse(text, DIARY).values


def examples() -> dict[str, dict[str, Any]]:
    said: dict[str, dict[str, Any]] = {}
    for c, _, e in ELEMENTS:
        said.setdefault(c.key, {})[e.key] = {"value": e.example.value, "evidence": e.example.evidence}
    return said


def test_the_prompts_example_is_known_when_it_comes_back_a_little_changed() -> None:
    whole = examples()
    assert all(e.example is not None for _, _, e in ELEMENTS)
    one_changed = json.loads(dump(whole))
    first = next(iter(one_changed[QAC.criteria[0].key].values()))
    first["evidence"] = "메시지[2]에서 학생이 직접 적음"
    spaced = dump(whole).replace('", "', ' ", "')
    for echo in (dump(whole), dump(one_changed), spaced, dump(whole)[: len(dump(whole)) * 4 // 5]):
        assert not parse(echo, QAC).values
