"""Replies damaged at random: a value that appears was given for that very element, or it is missing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_rubric import mixed

from haechi.prompt.reply import parse
from haechi.rubrics import Rubric, find_rubric
from haechi.rubrics.scales import Likert, Open, Verdict

RUBRICS = {"mixed": mixed(), "maice-qac": find_rubric("maice-qac")}
EVIDENCE = st.sampled_from(
    [
        "메시지[3]에서 '이차함수의 꼭짓점' 언급",
        '메시지[2,4]의 "축의 방정식" {참고}',
        r"\(\frac{n(n+1)}{2}\)과 \theta, \nabla f, \beta를 설명",
        '학생이 "clear": {"value": 1} 이라고 적음',
        "전체 대화에서 언급 없음: 없음, 없음",
        "",
    ]
)
# Insertions hold no digit: a digit written into a number makes another number, which nobody could tell.
NOISE = st.text(alphabet="\"'{}[]:,\\ \n“”`xyz값-", min_size=1, max_size=3)
COMMENTARY = st.sampled_from(
    [
        "\n\n### 총평\n- 좋다 {참고}",
        "네, 평가하겠습니다.\n",
        "// 설명\n",
        "\n```\n",
        " {\"note\": 'x'} ",
        "```json\n",
    ]
)


@st.composite
def replies(draw: st.DrawFn) -> tuple[Rubric, str, dict[str, str]]:
    """A whole reply to a rubric, with the values it gives."""
    rubric = RUBRICS[draw(st.sampled_from(sorted(RUBRICS)))]
    evidence_first = draw(st.booleans())
    values: dict[str, str] = {}
    tree: dict[str, object] = {}
    for name, rateable in rubric.rateables.items():
        scale = rateable.criterion.scale if rateable.criterion else None
        raw: object
        if isinstance(scale, Open):
            raw = tree[name] = draw(EVIDENCE)
            values[name] = str(raw).strip()
            continue
        if rateable.element is None and isinstance(scale, Likert):
            raw = draw(st.integers(1, 5))
        elif rateable.element is None and isinstance(scale, Verdict):
            raw = draw(st.sampled_from(sorted(scale.labels)))
        else:
            raw = draw(st.integers(0, 1))
        values[name] = str(raw)
        parts = [("evidence", draw(EVIDENCE)), ("value", raw)]
        answer = dict(parts if evidence_first else reversed(parts))
        if rateable.element is None:
            tree[name] = answer
        else:
            item = tree.setdefault(name.split(".")[0], {})
            assert isinstance(item, dict)
            item[rateable.element.key] = answer
    text = json.dumps(tree, ensure_ascii=False, indent=draw(st.sampled_from([None, 2])))
    return rubric, text, values


@st.composite
def damage(draw: st.DrawFn, text: str) -> str:
    """One thing that happens to replies. A deletion is shorter than what joins two elements into one."""
    at = draw(st.integers(0, len(text)))
    before, after = text[:at], text[at:]
    quote = draw(st.sampled_from("'“”"))
    kinds = {
        "cut": before,
        "delete": before + after[draw(st.integers(1, 3)) :],
        "insert": before + draw(NOISE) + after,
        "swap": before + after[:2][::-1] + after[2:],
        "quotes": before + after[:40].replace('"', quote) + after[40:],
        "comment": before + draw(COMMENTARY) + after,
        "unescape": text.replace("\\\\", "\\").replace('\\"', '"'),
        "lines": text.replace("\n", "\r\n"),
    }
    return kinds[draw(st.sampled_from(sorted(kinds)))]


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_a_damaged_reply_invents_nothing(data: st.DataObject) -> None:
    rubric, text, values = data.draw(replies())
    for _ in range(data.draw(st.integers(1, 4))):
        text = data.draw(damage(text))
    parsed = parse(text, rubric)
    for name, given_ in parsed.values.items():
        if name not in parsed.open:
            assert given_.value == values[name], (name, text)
    assert set(parsed.values) | set(parsed.missing) == set(rubric.rateables)
    assert not set(parsed.values) & set(parsed.missing)


@given(replies())
@settings(max_examples=60, deadline=None)
def test_an_undamaged_reply_is_read_whole(reply: tuple[Rubric, str, dict[str, str]]) -> None:
    rubric, text, values = reply
    parsed = parse(text, rubric)
    read = {name: given_.value for name, given_ in parsed.values.items() if name not in parsed.open}
    assert read == {name: value for name, value in values.items() if name not in parsed.open}
    assert parsed.state == "complete"


@given(replies(), st.integers(0, 10_000))
@settings(max_examples=200, deadline=None)
def test_a_cut_reply_keeps_what_stands_before_the_cut(
    reply: tuple[Rubric, str, dict[str, str]], at: int
) -> None:
    rubric, text, _ = reply
    shorter, longer = parse(text[:at], rubric), parse(text[: at + 40], rubric)
    assert set(shorter.values) - shorter.open <= set(longer.values)


@given(st.text(max_size=300) | st.text(alphabet='{}[]":,\\01 value', max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_text_makes_the_parser_fail(text: str) -> None:
    parsed = parse(text, RUBRICS["mixed"])
    assert set(parsed.missing) | set(parsed.values) == set(RUBRICS["mixed"].rateables)


@pytest.mark.parametrize("words", ['네, 평가하겠습니다. "second_part"', '"s네, 평가하겠습니다.\necond_part"'])
def test_words_between_two_criteria_do_not_give_the_second_ones_values_to_the_first(words: str) -> None:
    rubric = RUBRICS["mixed"]
    text = (
        '{"first_part": {"clear": {"value": 0, "evidence": "x"}, " brief": {"value": 0, "evidence": "x"}},'
        f'{words}: {{"brief": {{"value": 1, "evidence": "x"}}}}}}'
    )
    given = parse(text, rubric).values.get("first_part.brief")
    assert given is None or given.value == "0"
