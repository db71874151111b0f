"""Replies as judges really write them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mixed_rubric import mixed

from haechi.prompt.reply import ParsedReply, parse
from haechi.rubrics import find_rubric

DIARY, QAC, MIXED, UBICA = (
    find_rubric("diary-comment"),
    find_rubric("maice-qac"),
    mixed(),
    find_rubric("ubica"),
)
ALL = {"sensibleness": 1, "specificity": 0, "sympathy": 1}


def answer(**values: Any) -> dict[str, Any]:
    return {key: {"evidence": f"{key}의 근거", "value": value} for key, value in values.items()}


def whole(**values: Any) -> str:
    return json.dumps(answer(**values), ensure_ascii=False)


def read(parsed: ParsedReply) -> dict[str, str]:
    return {name: given.value for name, given in parsed.values.items()}


WHOLE = whole(**ALL)
READ = {"sensibleness": "1", "specificity": "0", "sympathy": "1"}


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}\n```\n\n### 총평\n- 좋다 {{참고}}",
        f"네, 평가하겠습니다.\n{WHOLE}\n감사합니다.",
        f"생각: {{아마도}} 1점\n{WHOLE}",
        f"\ufeff{WHOLE}",
        f'{{"result": {WHOLE}}}',
        f"[{WHOLE}]",
        f'{{"evaluation": {{"scores": [{WHOLE}]}}, "model": "x"}}',
        json.dumps(ALL),
        json.dumps({key: str(value) for key, value in ALL.items()}),
        json.dumps({key: {"score": value, "reason": "근거"} for key, value in ALL.items()}),
        json.dumps({key.title(): {"Value": value} for key, value in ALL.items()}),
        f"{WHOLE}\n{WHOLE}",
    ],
)
def test_intact_answers_are_read_whole(text: str) -> None:
    parsed = parse(text, DIARY)
    assert read(parsed) == READ
    assert parsed.state == "complete"


def test_only_mended_json_counts_as_repaired() -> None:
    assert not parse(f"```json\n{WHOLE}\n```\n총평", DIARY).repaired
    assert parse(WHOLE[:-2], DIARY).repaired
    assert parse(WHOLE.replace('"', "'"), DIARY).repaired


@pytest.mark.parametrize(
    "text",
    [
        WHOLE[1:],
        WHOLE[:-1],
        WHOLE.replace('"', "'"),
        WHOLE.replace("}, ", "} "),
        WHOLE.replace("}}", "},}"),
        WHOLE.replace('"value"', "value"),
        WHOLE.replace("의 근거", '의 "근거"'),
        WHOLE.replace("1}, ", "1}}, ", 1),
    ],
)
def test_broken_answers_keep_all_their_values(text: str) -> None:
    parsed = parse(text, DIARY)
    assert read(parsed) == READ
    assert parsed.repaired


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (2, "'2' is not on the scale"),
        ("maybe", "'maybe' is not on the scale"),
        (0.5, "'0.5' is not on the scale"),
        (-1, "'-1' is not on the scale"),
        (None, "no readable value"),
        ([1, 0], "no readable value"),
        ({"a": 1}, "no readable value"),
        ("", "'' is not on the scale"),
        (10**400, "is not on the scale"),
        (float("nan"), "'nan' is not on the scale"),
    ],
)
def test_a_value_off_the_scale_is_missing_and_says_why(value: Any, said: str) -> None:
    parsed = parse(whole(sensibleness=1, specificity=value, sympathy=0), DIARY)
    assert read(parsed) == {"sensibleness": "1", "sympathy": "0"}
    assert said in parsed.missing["specificity"].en
    assert parsed.state == "partial"


@pytest.mark.parametrize(
    ("value", "meant"), [("1", "1"), (True, "1"), (1.0, "1"), ("충족", "1"), ("미충족", "0")]
)
def test_a_value_that_can_mean_one_thing_only_is_taken(value: Any, meant: str) -> None:
    assert parse(whole(specificity=value), DIARY).values["specificity"].value == meant


def test_true_is_no_level_of_a_likert_scale() -> None:
    parsed = parse(json.dumps({"warmth": True, "outcome": "solved", "polite": False}), MIXED)
    assert read(parsed) == {"outcome": "SOLVED", "polite": "0"}
    assert "not on the scale" in parsed.missing["warmth"].en


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_number_at_the_end_of_a_cut_text_is_not_trusted(cut: int) -> None:
    text = '{"warmth": {"evidence": "따뜻하다", "value": 4}, "polite": {"value": 1, "evidence": "존댓말"}}'[
        :cut
    ]
    parsed = parse(text, MIXED)
    assert ("warmth" in parsed.values) == (cut >= text_end(text, "4}"))


def text_end(text: str, part: str) -> int:
    found = text.find(part)
    return found + len(part) if found >= 0 else len(text) + 1


@pytest.mark.parametrize(
    ("text", "cut", "said"),
    [
        ("", False, "an empty reply"),
        ("  \n", True, "cut off"),
        (None, False, "an empty reply"),
        ("죄송하지만 이 요청은 도와드릴 수 없습니다.", False, "no ratings in the reply: 죄송하지만"),
        ('{"error": {"code": 500, "message": "overloaded"}}', False, "overloaded"),
        ('{"error": "rate limit"}', False, "rate limit"),
        ("[" * 100_000, False, "no ratings"),
        ('{"a":' * 100_000, False, "no ratings"),
    ],
)
def test_a_reply_without_ratings_is_all_missing_for_one_reason(
    text: str | None, cut: bool, said: str
) -> None:
    parsed = parse(text, DIARY, cut=cut)
    assert not parsed.values
    assert parsed.state == "failed"
    assert set(parsed.missing) == set(ALL)
    assert all(said in reason.en for reason in parsed.missing.values())


def test_an_element_given_twice_with_different_values_is_missing() -> None:
    text = '{"sensibleness": {"value": 1}, "sensibleness": {"value": 0}, "specificity": 1, "specificity": 1}'
    parsed = parse(text, DIARY)
    assert read(parsed) == {"specificity": "1"}
    assert parsed.missing["sensibleness"].en == "given twice with different values"
    inside = parse('{"sensibleness": {"value": 1, "value": 0}}', DIARY)
    assert inside.missing["sensibleness"].en == "given twice with different values"


def test_an_element_in_the_wrong_item_is_not_used() -> None:
    text = json.dumps(
        {"A2_question_structure": {"concept_accuracy": {"value": 1}, "intent_clarity": {"value": 1}}}
    )
    parsed = parse(text, QAC)
    assert read(parsed) == {"A2_question_structure.intent_clarity": "1"}
    assert "concept_accuracy" in parsed.extra


def test_short_and_dotted_names_are_understood_when_they_mean_one_thing() -> None:
    text = json.dumps(
        {"A1": {"concept_accuracy": 1}, "intent_clarity": 0, "C1_dialogue_coherence.topic_continuity": 1}
    )
    assert read(parse(text, QAC)) == {
        "A1_math_expertise.concept_accuracy": "1",
        "A2_question_structure.intent_clarity": "0",
        "C1_dialogue_coherence.topic_continuity": "1",
    }
    # `clear` belongs to two criteria of this rubric: alone it means nothing.
    assert read(parse('{"clear": 1, "P2": {"clear": 0}}', MIXED)) == {"second_part.clear": "0"}


def test_an_extra_key_is_named_and_harms_nothing() -> None:
    parsed = parse(json.dumps({**answer(**ALL), "summary": "전반적으로 우수"}), DIARY)
    assert parsed.state == "complete"
    assert parsed.extra == ("summary",)
    assert not parsed.repaired


def example_reply() -> dict[str, dict[str, Any]]:
    tree: dict[str, dict[str, Any]] = {}
    for rateable in QAC.rateables.values():
        assert rateable.criterion is not None
        assert rateable.element is not None
        assert rateable.element.example is not None
        example = rateable.element.example
        item = tree.setdefault(rateable.criterion.key, {})
        item[rateable.element.key] = {"value": example.value, "evidence": example.evidence}
    return tree


def test_an_echo_of_the_prompts_example_is_no_answer() -> None:
    parsed = parse(json.dumps(example_reply()), QAC)
    assert parsed.state == "failed"
    assert "repeats the example" in next(iter(parsed.missing.values())).en


def test_an_echo_before_the_answer_is_ignored_also_when_the_answer_is_cut() -> None:
    real = {
        key: {name: {"value": 1 - one["value"], "evidence": "다른 근거"} for name, one in elements.items()}
        for key, elements in example_reply().items()
    }
    text = f"형식은 다음과 같습니다.\n{json.dumps(example_reply())}\n답:\n{json.dumps(real)}"
    parsed = parse(text, QAC)
    assert parsed.state == "complete"
    assert parsed.values["A1_math_expertise.concept_accuracy"].value == "0"  # the example says 1
    cut = parse(text[: len(text) - 300], QAC)
    assert cut.state == "partial"
    assert all(given.evidence in ("다른 근거", "") for given in cut.values.values())


def test_a_second_object_replaces_the_first_and_is_never_mixed_with_it() -> None:
    draft, final = whole(sensibleness=0, specificity=0, sympathy=0), whole(**ALL)
    assert read(parse(f"초안: {draft}\n최종: {final}", DIARY)) == READ
    smaller = parse(f"{final}\n참고: {whole(sensibleness=0)}", DIARY)
    assert "sensibleness" in smaller.missing
    assert not smaller.values


def test_pieces_that_name_different_elements_are_one_answer() -> None:
    text = f"{whole(sensibleness=1)}\n{whole(specificity=0)}\n{whole(sympathy=1)}"
    assert read(parse(text, DIARY)) == READ


def test_only_what_was_asked_is_answered() -> None:
    parsed = parse(WHOLE, DIARY, only=("sympathy",))
    assert read(parsed) == {"sympathy": "1"}
    assert not parsed.missing


def test_an_open_comment_is_kept_and_its_absence_harms_nothing() -> None:
    scores = {key: {"evidence": "근거", "value": 4} for key in UBICA.rateables}
    comment = next(iter(parse("", UBICA).open))
    with_words = parse(json.dumps({**scores, comment: "잘 들었어요.\n고맙습니다."}), UBICA)
    assert with_words.values[comment].value == "잘 들었어요.\n고맙습니다."
    without = parse(json.dumps({key: one for key, one in scores.items() if key != comment}), UBICA)
    assert without.state == "complete"
    assert comment in without.missing
    assert comment not in without.unanswered


def test_text_that_no_database_can_hold_is_cleaned() -> None:
    parsed = parse('{"sympathy": {"evidence": "a\\u0000b\\ud800c", "value": 1}}', DIARY)
    assert parsed.values["sympathy"].evidence == "ab\ufffdc"


@pytest.mark.parametrize(
    "text",
    [
        WHOLE.replace("{", "｛").replace("}", "｝").replace('": ', '"：').replace(", ", "，"),
        WHOLE.replace('": ', '"： ').replace("0", "０"),
        WHOLE.replace('"', '\\"'),
    ],
)
def test_full_width_signs_and_escaped_quotes_are_mended(text: str) -> None:
    parsed = parse(text, DIARY)
    assert read(parsed) == READ
    assert parsed.repaired
    assert parsed.values["sympathy"].evidence == "sympathy의 근거"


@pytest.mark.parametrize(
    "thought",
    ["<thought>", "<seed:think>", "◁think▷", "<|start|>assistant<|channel|>analysis<|message|>"],
)
def test_a_draft_in_a_thought_that_was_cut_off_is_no_value(thought: str) -> None:
    assert read(parse(thought + WHOLE, DIARY)) == {}
    closed = {"<|": "<|end|><|channel|>final<|message|>", "◁t": "◁/think▷"}
    end = closed.get(thought[:2], thought.replace("<", "</"))
    assert read(parse(thought + whole(sympathy=0) + end + WHOLE, DIARY)) == READ
