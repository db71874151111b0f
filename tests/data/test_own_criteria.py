"""Items that bring criteria of their own: the layouts they come in, and what is refused."""

from __future__ import annotations

import json

import pytest

from haechi.data.own_criteria import own_criteria_of
from haechi.errors import HaechiError
from haechi.study.study import Study
from own_criteria import REFUND, own_study, prompt, rubric_file, write

TEXTS = ["환불 기한을 알려 준다", "존댓말을 쓴다", "없는 규정을 지어낸다"]
POINTS = [5.0, 2.0, -4.0]


def only(study):
    (item,) = study.items()
    return item, own_criteria_of(item.content)


def titled(one):
    return {"title": one["criterion"][:4], "description": one["criterion"], "weight": one["points"]}


RECORDS = {
    "our own": {
        "id": "p1",
        "messages": [{"role": "user", "content": "환불?"}, {"role": "assistant", "content": "네"}],
        "criteria": [{"text": one["criterion"], "points": one["points"]} for one in REFUND],
    },
    "healthbench": prompt("p1", REFUND),
    "rubrics as rewards": {
        "id": "p1",
        "question": "환불?",
        "response": "네",
        "rubric": [titled(one) for one in REFUND],
    },
    "researchrubrics": {
        "sample_id": "p1",
        "prompt": "환불?",
        "response": "네",
        "rubrics": json.dumps(
            [{"title": one["criterion"], "weight": one["points"], "category": "Accuracy"} for one in REFUND]
        ),
    },
}


@pytest.mark.parametrize("layout", RECORDS)
def test_a_record_with_its_list_is_read_in_every_layout(tmp_path, layout):
    item, criteria = only(own_study(tmp_path, RECORDS[layout]))
    assert item.id == "p1"
    assert [m["role"] for m in item.content["messages"]] == ["user", "assistant"]
    assert [(one.text, one.points) for one in criteria] == list(zip(TEXTS, POINTS, strict=True))


def test_weights_in_words_are_those_of_profbench(tmp_path):
    words = ["Critical", "Major", "Minor", "Additional"]
    rubrics = [
        {"criterion_description": f"{word} 기준", "criterion_weight": word, "criterion_type": ["Reasoning"]}
        for word in words
    ]
    record = {"task_id": "t1", "domain": "Finance MBA", "prompt": "?", "response": "!", "rubrics": rubrics}
    item, criteria = only(own_study(tmp_path, record))
    assert [one.points for one in criteria] == [4, 3, 2, 1]
    assert criteria[0].tags == ("axis:Reasoning",)
    assert item.meta["domain"] == "Finance MBA"


@pytest.mark.parametrize(
    ("passes", "text"),
    [("YES", "날짜를 지켰는가?"), ("NO", "다음 물음의 답이 '아니오'이다: 날짜를 지켰는가?")],
)
def test_one_question_and_its_answer_are_one_criterion(tmp_path, passes, text):
    record = {
        "QUESTION_ID": "m1",
        "AXIS": "INSTRUCTION_RETENTION",
        "CONVERSATION": [{"role": "user", "content": "날짜는 3일이야"}],
        "TARGET_QUESTION": "날짜를 지켰는가?",
        "PASS_CRITERIA": passes,
        "RESPONSE": "3일로 잡았어요",
    }
    item, criteria = only(own_study(tmp_path, record))
    assert [(one.text, one.points, one.tags) for one in criteria] == [
        (text, 1.0, ("axis:INSTRUCTION_RETENTION",))
    ]
    assert item.content["messages"][-1] == {"role": "assistant", "content": "3일로 잡았어요"}


TABLE = """항목,질문,응답,기준,배점,축
q1,환불 되나요?,7일 안에 됩니다.,환불 기한을 알려 준다,5,정확성
,,,존댓말을 쓴다,2점,말투
,,,없는 규정을 지어낸다,-4,정확성
q2,이사 준비,짐을 싸세요.,주소 이전을 알려 준다,3,
"""


def test_a_table_with_a_row_for_each_criterion(tmp_path):
    study = Study.new(tmp_path / "study", rubric_file(tmp_path))
    file = tmp_path / "기준.csv"
    file.write_text(TABLE, "utf-8-sig")
    study.add([file])
    first, second = study.items()
    assert [one.points for one in own_criteria_of(first.content)] == POINTS
    assert own_criteria_of(first.content)[0].tags == ("axis:정확성",)
    assert (second.id, len(own_criteria_of(second.content))) == ("q2", 1)


def test_criteria_are_joined_to_answers_that_are_there_and_can_be_taken_back(tmp_path):
    study = Study.new(tmp_path / "study", rubric_file(tmp_path))
    said = [{"role": "user", "content": "환불?"}, {"role": "assistant", "content": "네"}]
    answers = [
        {"id": f"p1-{system}", "prompt_id": "p1", "system": system, "messages": said} for system in "AB"
    ]
    study.add([write(tmp_path / "answers.jsonl", *answers)])
    benchmark = {key: value for key, value in prompt("p1", REFUND).items() if key != "completion"}
    assert study.join([write(tmp_path / "benchmark.jsonl", benchmark)]).joined == 2
    assert [[one.points for one in own_criteria_of(item.content)] for item in study.items()] == [
        POINTS,
        POINTS,
    ]
    assert study.meta_fields() == ["prompt_id", "system"], "criteria are content, nothing to group by"
    study.undo()
    assert [own_criteria_of(item.content) for item in study.items()] == [[], []]


def test_a_benchmark_without_answers_says_how_to_join_it(tmp_path):
    record = {key: value for key, value in prompt("p1", REFUND).items() if key != "completion"}
    with pytest.raises(HaechiError) as refused:
        own_study(tmp_path, record)
    assert "--join" in refused.value.problems[0].todo.ko


def with_criteria(criteria):
    return {"id": "p1", "messages": [{"role": "assistant", "content": "네"}], "criteria": criteria}


REFUSED = {
    "points that are no number": ([{"text": "a", "points": "많이"}], "criteria[0].points"),
    "points without end": ([{"text": "a", "points": "1e999"}], "criteria[0].points"),
    "points that are a list": ([{"text": "a", "points": [1]}], "criteria[0].points"),
    "yes as points": ([{"text": "a", "points": True}], "criteria[0].points"),
    "no text": ([{"points": 3}], "criteria[0]"),
    "the same text twice": ([{"text": "존댓말을 쓴다"}, {"text": " 존댓말을   쓴다 "}], "criteria[1]"),
    "the same key twice": ([{"text": "a", "key": "k"}, {"text": "b", "key": "k"}], "criteria[1]"),
    "a key that is none": ([{"text": "a", "key": "1 2"}], "criteria[0].key"),
    "more than a thousand": ([{"text": f"기준 {n}"} for n in range(1001)], "criteria"),
    "a text without end": ([{"text": "가" * 4001}], "criteria[0]"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_refused_names_its_place(tmp_path, why):
    criteria, place = REFUSED[why]
    with pytest.raises(HaechiError) as refused:
        own_study(tmp_path, with_criteria(criteria))
    (problem,) = refused.value.problems
    assert problem.at.endswith(place)
    assert problem.expected.ko
    assert problem.expected.en


def test_a_thousand_criteria_are_taken(tmp_path):
    _, criteria = only(own_study(tmp_path, with_criteria([{"text": f"기준 {n}"} for n in range(1000)])))
    assert len({one.key for one in criteria}) == 1000


@pytest.mark.parametrize(
    "named",
    ["환불 기한을 알려 준다", " 환불  기한을 알려 준다", "1", "own.1", "항목별 기준. 환불 기한을 알려 준다"],
)
def test_a_rating_names_a_criterion_by_its_words_or_its_number(tmp_path, named):
    study = own_study(tmp_path)
    study.import_ratings({"item": ["p1"], "criterion": [named], "rater": ["kim"], "value": ["충족"]})
    item = next(study.items(["p1"]))
    assert study.ratings()["criterion"].to_list() == [f"own.{own_criteria_of(item.content)[0].key}"]


def test_a_rating_of_a_criterion_that_the_item_has_not_is_refused(tmp_path):
    study = own_study(tmp_path)
    with pytest.raises(HaechiError) as refused:
        study.import_ratings(
            {"item": ["p2"], "criterion": [REFUND[0]["criterion"]], "rater": ["kim"], "value": [1]}
        )
    assert REFUND[0]["criterion"] in refused.value.problems[0].found.ko
    assert study.ratings().is_empty()


def test_a_key_of_its_own_names_the_ratings(tmp_path):
    study = own_study(
        tmp_path,
        with_criteria(
            [{"text": "존댓말을 쓴다", "key": "polite"}, {"text": "존댓말을 쓴다", "key": "again"}]
        ),
    )
    rows = {"item": ["p1"] * 2, "criterion": ["polite", "again"], "rater": ["kim"] * 2, "value": [1, 0]}
    study.import_ratings(rows)
    assert study.ratings()["criterion"].to_list() == ["own.polite", "own.again"]


ODD = ["면적 84㎡를 적는다", "①번 규정을 든다", "‘환불’이라는 말을 쓴다…", "ＡＢＣ를 순서대로 쓴다"]


@pytest.mark.parametrize("text", ODD)
def test_letters_of_another_width_are_the_same_words(tmp_path, text):
    study = own_study(tmp_path, with_criteria([{"text": text, "points": "−3점"}, {"text": "다른 기준"}]))
    study.import_ratings({"item": ["p1"], "criterion": [text], "rater": ["kim"], "value": [1]})
    (item,) = study.items()
    first = own_criteria_of(item.content)[0]
    assert study.ratings()["criterion"].to_list() == [f"own.{first.key}"]
    assert first.points == -3


def test_ratings_before_their_items_are_refused(tmp_path):
    study = Study.new(tmp_path / "study", rubric_file(tmp_path))
    with pytest.raises(HaechiError) as refused:
        study.import_ratings({"item": ["p1"], "criterion": ["1"], "rater": ["kim"], "value": [1]})
    assert "haechi add" in refused.value.problems[0].todo.ko


def test_a_field_that_is_called_description_is_no_criterion(tmp_path):
    said = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "!"}]
    study = own_study(tmp_path, {"id": "p1", "messages": said, "description": "첫 질문", "category": "환불"})
    item, criteria = only(study)
    assert criteria == []
    assert item.meta == {"description": "첫 질문", "category": "환불"}


def test_a_tree_of_requirements_scores_as_the_tree_does(tmp_path):
    from own_criteria import own_study

    rubric = {
        "id": "root",
        "requirements": "The paper is reproduced",
        "weight": 1,
        "sub_tasks": [
            {
                "id": "c1",
                "requirements": "The method is there",
                "weight": 2,
                "sub_tasks": [],
                "task_category": "Code",
            },
            {
                "id": "c2",
                "requirements": "The results are there",
                "weight": 1,
                "sub_tasks": [
                    {"id": "d1", "requirements": "Table 1 matches", "weight": 1, "sub_tasks": []},
                    {"id": "d2", "requirements": "Table 2 matches", "weight": 3, "sub_tasks": []},
                ],
            },
        ],
    }
    study = own_study(tmp_path, {"id": "p1", "prompt": "Reproduce it", "response": "done", "rubric": rubric})
    rating = {
        "item": ["p1"] * 3,
        "rater": ["kim"] * 3,
        "criterion": ["n-c1", "n-d1", "n-d2"],
        "value": [1, 1, 0],
    }
    study.import_ratings(rating)
    # (2 · 1 + 1 · (1 · 1 + 3 · 0) / 4) / 3
    assert study.scores().frame["own"].to_list() == [pytest.approx(0.75)]


def test_a_checklist_with_a_conversation_as_wildbench_has_it(tmp_path):
    from own_criteria import own_study

    record = {
        "session_id": "w1",
        "conversation_input": [{"role": "user", "content": "plan", "language": "English"}],
        "checklist": ["Are there steps?", "Is it short?"],
        "output": "1. go",
        "primary_tag": "Planning",
    }
    (item,) = own_study(tmp_path, record).items()
    assert [one["text"] for one in item.content["criteria"]] == record["checklist"]
    assert [one["role"] for one in item.content["messages"]] == ["user", "assistant"]
    assert item.meta["primary_tag"] == "Planning"
