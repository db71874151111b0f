"""The four instruments, pinned: an edit by accident fails and names the criterion.

The digests were taken once from the sources of the instruments. Whoever changes the wording on purpose
changes the instrument: give it a new edition, and then a new digest.
"""

import hashlib
from collections.abc import Iterator

import pytest

from haechi.rubrics import builtin_ids, find_rubric
from haechi.rubrics.formula import Formula
from haechi.rubrics.model import Rubric
from haechi.rubrics.parts import Criterion
from haechi.rubrics.scales import Bands, Binary, Checklist, Computed, Likert, Open, Verdict
from haechi.text import Text


def korean(criterion: Criterion) -> Iterator[str]:
    """Every Korean text of a criterion, in the order of the file."""
    words = (criterion.name, criterion.question, criterion.explanation, criterion.instruction)
    yield from (text.ko for text in words if text is not None)
    yield from (text.ko for text in criterion.standards)
    for example in criterion.examples:
        yield from (example.context, *example.met)
        for counter in example.unmet:
            yield from (counter.text, counter.reason or "")
    scale = criterion.scale
    if isinstance(scale, Likert):
        yield from (f"{level} {anchor.ko}" for level, anchor in scale.anchors.items())
    elif isinstance(scale, Checklist):
        for element in scale.elements:
            assert element.example is not None
            yield from (element.key, element.name.ko, element.question.ko)
            yield from (str(element.example.value), element.example.evidence)
    elif isinstance(scale, Verdict):
        yield from (f"{key} {label.text.ko}" for key, label in scale.labels.items())
    elif isinstance(scale, Bands):
        yield from (band.text.ko for band in scale.bands if band.text is not None)


def frame(rubric: Rubric) -> Iterator[str]:
    """The Korean texts around the criteria."""
    yield from (rubric.edition, rubric.title.ko, rubric.about.ko, rubric.task.ko)
    yield from (text.ko for text in (*rubric.guidance, *rubric.reply_guidance))
    yield from (derived.name.ko for derived in rubric.scores)
    for floor in rubric.floors:
        yield from (floor.name.ko, floor.text.ko)


def digest(texts: Iterator[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


OWN = {"diary-duel", "own-criteria"}  # written for this project: no source that its wording would be that of
DIGESTS = {
    "diary-comment": "dbb3b3169fe6bfd5",
    "diary-comment.sensibleness": "ea2ffc784b9fd930",
    "diary-comment.specificity": "46701a90254bbce3",
    "diary-comment.sympathy": "7ace5059f89042bd",
    "hiring-agent": "f506188eac21745c",
    "hiring-agent.intent": "2928d991ef650583",
    "hiring-agent.accuracy": "6b30162613161c1e",
    "hiring-agent.consistency": "1478c405780db1df",
    "hiring-agent.latency_single": "e07c25ed44693696",
    "hiring-agent.latency_multi": "b4e148decda5a923",
    "hiring-agent.stability": "16894af0ac1c0b0e",
    "maice-qac": "0ff203584b556b4e",
    "maice-qac.A1_math_expertise": "78c1d4bcbb4af512",
    "maice-qac.A2_question_structure": "8327fa1b729027a9",
    "maice-qac.A3_learning_context": "ed6e822d71d699df",
    "maice-qac.B1_learner_customization": "ba37f8761d0fcef9",
    "maice-qac.B2_explanation_systematicity": "87ab824c2fa0b20c",
    "maice-qac.B3_learning_expandability": "0cd366a816a2fb75",
    "maice-qac.C1_dialogue_coherence": "d667e3334563df1a",
    "maice-qac.C2_learning_support": "8ae249f5379ae45f",
    "ubica": "42c8fd2592de9f6a",
    "ubica.situational_consistency": "6a5666720ed62c0a",
    "ubica.persona_consistency": "1eeaeac4a39e6785",
    "ubica.immersion": "4d455192bce76811",
    "ubica.engagement": "710822bb1bbb6395",
    "ubica.realism": "f48f1bd6c4cb9a85",
    "ubica.creativity": "c855708918d259a8",
    "ubica.surprise_appeal": "a0d4b9623b2020a7",
    "ubica.flow": "364fd594c2fc9c70",
    "ubica.language": "61244aec1b89e95c",
    "ubica.comment": "bd01e2a5101683c0",
}


@pytest.mark.parametrize("place", DIGESTS)
def test_the_wording_is_that_of_the_source(place: str) -> None:
    identifier, _, key = place.partition(".")
    rubric = find_rubric(identifier)
    criterion = rubric.criterion(key)
    assert digest(korean(criterion) if criterion else frame(rubric)) == DIGESTS[place], f"wording of {place}"


def test_every_criterion_has_a_digest() -> None:
    sourced = set(builtin_ids()) - OWN
    places = {f"{name}.{c.key}" for name in sourced for c in find_rubric(name).criteria}
    assert set(DIGESTS) == places | sourced


def test_every_name_question_and_anchor_has_english_beside_it() -> None:
    for name in builtin_ids():
        rubric = find_rubric(name)
        texts: list[Text | None] = [rubric.title, rubric.about, rubric.task, *rubric.notes]
        texts += [derived.name for derived in rubric.scores]
        for criterion in rubric.criteria:
            texts += [criterion.name, criterion.question]
            scale = criterion.scale
            if isinstance(scale, Likert):
                texts += scale.anchors.values()
            elif isinstance(scale, Checklist):
                texts += [text for element in scale.elements for text in (element.name, element.question)]
            elif isinstance(scale, Verdict):
                texts += [label.text for label in scale.labels.values()]
        assert [text for text in texts if text is not None and not (text.ko and text.en)] == []


# ubica


UBICA = (
    *("situational_consistency", "persona_consistency", "immersion", "engagement", "realism", "creativity"),
    *("surprise_appeal", "flow", "language"),
)


def test_ubica_scores() -> None:
    rubric = find_rubric("ubica")
    assert rubric.score_names == (*UBICA, "overall", "sum")
    assert [(d.key, d.by, d.of) for d in rubric.scores] == [("overall", "mean", UBICA), ("sum", "sum", UBICA)]
    assert (rubric.range("overall"), rubric.range("sum")) == ((1, 5), (9, 45))
    assert rubric.stances == ("participant", "third_party", "judge")
    assert rubric.names_in_questions
    assert rubric.item == "dialogue"


def test_ubica_scales() -> None:
    *nine, comment = find_rubric("ubica").criteria
    for criterion in nine:
        assert isinstance(criterion.scale, Likert)
        assert list(criterion.scale.anchors) == [1, 2, 3, 4, 5]
        assert criterion.scale.level == "interval"
    assert comment.key == "comment"
    assert isinstance(comment.scale, Open)


def test_ubica_questions_keep_their_placeholders() -> None:
    questions = [criterion.question for criterion in find_rubric("ubica").criteria]
    starts = [question.ko.split("]")[1][:3].strip() for question in questions if question]
    # the particle, or the word, after the first placeholder of questions 1 to 10 of the source
    assert starts == ["이/가", "이/가", "과/와", "이/가", "의 특", "의 반", "이/가", "의 반", "이/가", "또는"]


# hiring-agent


def test_hiring_agent_scores() -> None:
    rubric = find_rubric("hiring-agent")
    names = ("intent", "accuracy", "consistency", "latency_single", "latency_multi", "stability", "overall")
    assert rubric.score_names == names
    assert all(rubric.range(name) == (0, 5) for name in names)
    speed, overall = rubric.scores
    assert (speed.key, speed.by, speed.of, speed.hidden) == (
        "speed",
        "first",
        ("latency_single", "latency_multi"),
        True,
    )
    assert overall.by == "weighted_mean"
    assert overall.weights == {"intent": 20, "consistency": 10, "accuracy": 30, "speed": 20, "stability": 20}
    assert rubric.summary_by == ("round", "category")
    assert (rubric.item, rubric.edition) == ("run", "26-02-25")


def test_hiring_agent_intent() -> None:
    intent = find_rubric("hiring-agent").criteria[0]
    assert isinstance(intent.scale, Verdict)
    points = {"PERFECT": 5, "GOOD": 4, "PARTIAL": 3, "WEAK": 2, "RELATED_BUT_WRONG": 1, "FAILED": 0}
    assert intent.scale.worth == points
    assert (intent.rated_by, intent.failed_run) == ("rater", "FAILED")


@pytest.mark.parametrize(
    ("ratio", "points"),
    [
        (1, 5),
        (0.9999, 4),
        (0.75, 4),
        (0.7499, 3),
        (0.5, 3),
        (0.4999, 2),
        (0.25, 2),
        (0.2499, 1),
        (1e-9, 1),
        (0, 0),
    ],
)
def test_hiring_agent_accuracy_bands(ratio: float, points: float) -> None:
    accuracy = find_rubric("hiring-agent").criteria[1]
    assert isinstance(accuracy.scale, Bands)
    assert accuracy.scale.points_of(ratio) == points


def test_hiring_agent_accuracy_without_a_ratio() -> None:
    accuracy = find_rubric("hiring-agent").criteria[1]
    assert isinstance(accuracy.scale, Bands)
    assert (accuracy.scale.measure, accuracy.scale.missing, accuracy.failed_run) == ("check_ratio", 0, 0)
    assert [accuracy.scale.points_of(ratio) for ratio in (-0.01, 1.01)] == [None, None]


def test_hiring_agent_consistency() -> None:
    scale = find_rubric("hiring-agent").criteria[2].scale
    assert isinstance(scale, Computed)
    assert (scale.formula, scale.measures) == ("(ratio_a + ratio_b) / 2 * 5", ("ratio_a", "ratio_b"))
    assert (scale.low, scale.high, scale.missing) == (0, 5, 0)
    # two of three labels and all signatures agree: (2/3 + 1) / 2 * 5 = 25/6
    assert Formula(scale.formula).evaluate({"ratio_a": 2 / 3, "ratio_b": 1}) == pytest.approx(25 / 6)


@pytest.mark.parametrize(
    ("key", "only", "edges"),
    [("latency_single", "SINGLE", [5, 8, 10, 15, 20]), ("latency_multi", "MULTI", [20, 30, 40, 50, 60])],
)
def test_hiring_agent_latency_bands(key: str, only: str, edges: list[float]) -> None:
    criterion = find_rubric("hiring-agent").criterion(key)
    assert criterion is not None
    scale = criterion.scale
    assert isinstance(scale, Bands)
    assert [scale.points_of(edge) for edge in edges] == [5, 4, 3, 2, 1], "closed on the right"
    assert [scale.points_of(edge + 1e-4) for edge in edges] == [4, 3, 2, 1, 0]
    assert (scale.points_of(0), scale.points_of(-0.001)) == (5, None)
    assert (scale.measure, scale.missing, criterion.only, criterion.rated_by) == ("seconds", 0, only, "code")


def test_hiring_agent_stability() -> None:
    scale = find_rubric("hiring-agent").criteria[5].scale
    assert isinstance(scale, Verdict)
    assert (scale.measure, scale.worth) == ("outcome", {"OK": 5, "FAILED": 0})


def test_hiring_agent_run_rules() -> None:
    run = find_rubric("hiring-agent").run
    assert run is not None
    words = {entry.label: entry.words for entry in run.labels}
    assert list(words) == ["ERROR", "CLARIFY", "DELETE", "UPDATE", "ADD", "MOVE", "VIEW"]
    assert words["ERROR"] == ("실패", "불가", "오류")
    assert words["DELETE"] == ("삭제", "제거")
    assert words["UPDATE"] == ("수정", "변경", "업데이트")
    assert words["ADD"] == ("추가", "생성", "등록", "적용", "저장")
    assert words["MOVE"] == ("이동", "열기", "진입")
    assert words["VIEW"] == ("조회", "확인", "보여", "요약")
    assert (run.otherwise, run.failed) == ("OTHER", "ERROR")
    keys = ("formType", "actionType", "planId", "value.nodeId", "value.nodeType", "setting", "filterType")
    assert run.signature == keys


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("어느 단계 뒤에 추가할지 선택해 주세요.", True),
        ("어떤 공고를 수정하시겠습니까?", True),
        ("정말 삭제할까요?", True),
        ("면접 일시를 알려주세요.", True),
        ("담당자 이름을 입력해 주세요.", True),
        ("서류 전형을 말씀하시는 건가요?", True),
        ("면접관을 선택해 추가했습니다.", False),
        ("선택해 주신 전형을 삭제했습니다.", False),
        ("알려주신 대로 저장했습니다. 더 도와드릴까요?", False),
        ("공고를 등록했습니다. 필요하시면 언제든지 알려주세요.", False),
        ("선택 항목을 수정했습니다.", False),
    ],
)
def test_hiring_agent_clarify_is_asking_back_and_not_courtesy(message: str, asks: bool) -> None:
    run = find_rubric("hiring-agent").run
    assert run is not None
    words = next(entry.words for entry in run.labels if entry.label == "CLARIFY")
    assert any(word in message for word in words) is asks


# maice-qac


MAICE = {
    "A1_math_expertise": "concept_accuracy curriculum_hierarchy terminology_appropriateness "
    "problem_direction_specificity",
    "A2_question_structure": "question_singularity condition_completeness sentence_logic intent_clarity",
    "A3_learning_context": "current_stage_description prior_learning_mention difficulty_specification "
    "learning_goal_presentation",
    "B1_learner_customization": "level_based_approach prior_knowledge_connection difficulty_adjustment "
    "personalized_feedback",
    "B2_explanation_systematicity": "concept_hierarchy stepwise_logic key_emphasis example_appropriateness",
    "B3_learning_expandability": "advanced_direction application_connection misconception_correction "
    "self_directed_induction",
    "C1_dialogue_coherence": "goal_centered_consistency context_reference topic_continuity "
    "previous_turn_connection",
    "C2_learning_support": "thinking_process_induction understanding_check metacognitive_promotion "
    "deep_thinking_guidance",
}


def test_maice_items_and_elements() -> None:
    rubric = find_rubric("maice-qac")
    assert [criterion.key for criterion in rubric.criteria] == list(MAICE)
    for criterion in rubric.criteria:
        assert isinstance(criterion.scale, Checklist)
        assert [element.key for element in criterion.scale.elements] == MAICE[criterion.key].split()
        assert criterion.short == criterion.key[:2]
        assert criterion.evidence
        assert criterion.scale.formula == "met + 1"
    assert len(rubric.rateables) == 32


def test_maice_scores() -> None:
    rubric = find_rubric("maice-qac")
    assert rubric.score_names == ("A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "A", "B", "C", "total")
    parts = {d.key: (d.by, d.of) for d in rubric.scores}
    assert parts == {
        "A": ("sum", ("A1", "A2", "A3")),
        "B": ("sum", ("B1", "B2", "B3")),
        "C": ("sum", ("C1", "C2")),
        "total": ("sum", ("A", "B", "C")),
    }
    ranges = {name: rubric.range(name) for name in ("A1", "A", "B", "C", "total")}
    assert ranges == {"A1": (1, 5), "A": (3, 15), "B": (3, 15), "C": (2, 10), "total": (8, 40)}
    assert (rubric.summary_by, rubric.edition, rubric.missing) == (("mode", "level"), "v4.3", "missing")


def test_maice_floor() -> None:
    (floor,) = find_rubric("maice-qac").floors
    assert (floor.key, floor.unmet) == ("no_mathematical_content", ("B1", "B2", "B3"))
    assert floor.rule == "no_assistant_message"


def test_maice_example_reply_has_the_values_of_the_source() -> None:
    values = {}
    for criterion in find_rubric("maice-qac").criteria:
        assert isinstance(criterion.scale, Checklist)
        values[criterion.score] = [e.example.value for e in criterion.scale.elements if e.example]
    assert values == {
        "A1": [1, 0, 1, 1], "A2": [1, 1, 0, 1], "A3": [0, 0, 1, 0],
        "B1": [1, 1, 1, 0], "B2": [1, 1, 1, 1], "B3": [0, 0, 1, 0],
        "C1": [1, 1, 1, 0], "C2": [1, 0, 0, 1],
    }  # fmt: skip
    # The source works A1 out in its section 5: three met, 3 + 1 = 4.
    assert Formula("met + 1").evaluate({"met": sum(values["A1"])}) == 4


def test_maice_without_a_criterion_follows_the_totals() -> None:
    rubric = find_rubric("maice-qac").without(("C1_dialogue_coherence",))
    assert (rubric.range("C"), rubric.range("total")) == ((1, 5), (7, 35))
    assert find_rubric("maice-qac").without(("B1", "B2", "B3")).floors == ()


# diary-comment


def test_diary_scores() -> None:
    rubric = find_rubric("diary-comment")
    assert rubric.score_names == ("sensibleness", "specificity", "sympathy", "ssa", "mean3")
    assert [(d.by, d.of) for d in rubric.scores] == [
        ("mean", ("sensibleness", "specificity")),
        ("mean", ("sensibleness", "specificity", "sympathy")),
    ]
    assert all(isinstance(criterion.scale, Binary) for criterion in rubric.criteria)
    assert rubric.summary_by == ("system",)
    assert (rubric.item, rubric.context_name, rubric.reply_name) == (
        "reply",
        Text("일기", "Diary"),
        Text("코멘트", "Comment"),
    )


def test_diary_examples() -> None:
    shape = {
        criterion.key: [(len(example.met), len(example.unmet)) for example in criterion.examples]
        for criterion in find_rubric("diary-comment").criteria
    }
    assert shape == {
        "sensibleness": [(1, 1), (1, 1), (1, 1)],
        "specificity": [(1, 1), (1, 1)],
        "sympathy": [(1, 1), (1, 2)],
    }
    standards = [len(criterion.standards) for criterion in find_rubric("diary-comment").criteria]
    assert standards == [3, 1, 2]
    for criterion in find_rubric("diary-comment").criteria:
        assert all(counter.reason for example in criterion.examples for counter in example.unmet)


@pytest.mark.parametrize("wrong", ["한리성", "그체선", "추조", "코메트", "<u>", "<mark>", "\\[", "**"])
def test_scanning_errors_and_markup_are_gone(wrong: str) -> None:
    for name in builtin_ids():
        rubric = find_rubric(name)
        assert wrong not in "\n".join([*frame(rubric), *(t for c in rubric.criteria for t in korean(c))])


# Ratings carry the version of their rubric: a change of the code that changes it would orphan them.
VERSIONS = {
    "diary-comment": "86a3f3a49449",
    "hiring-agent": "3d3b8cd9f8aa",
    "maice-qac": "f3aaf3e1bac1",
    "ubica": "9ee9c31c1ceb",
}


@pytest.mark.parametrize(("identifier", "version"), VERSIONS.items())
def test_the_versions_stay(identifier: str, version: str) -> None:
    assert find_rubric(identifier).version == version
