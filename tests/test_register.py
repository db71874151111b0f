"""Polite and plain Korean, by the endings of sentences; and the one in the other's place where rules can do it."""

import pytest

from haechi.korean.register import register_of
from haechi.korean.register_swap import turn_register

POLITE = [
    "정말 속상했겠어요.",
    "도함수는 접선의 기울기입니다. 미분하면 됩니다.",
    "어떻게 생각하세요?",
    "그렇죠. 맞습니까?",
    "같이 해 볼까요~ ㅎㅎ",
]
PLAIN = [
    "나는 학생이 아니다.",
    "밥은 먹었어?",
    "그렇구나! 내일 또 할게.",
    "오늘은 참 좋았지.",
    "같이 가자.",
    "그는 학교에 갔다",
]
NEITHER = ["", "It rained.", "정답: 한국어", "중요", "목차\n필요", "x = 3", "비가 왔어요. 집에 가자."]


@pytest.mark.parametrize("text", POLITE)
def test_polite(text):
    assert register_of(text).manner == "polite"


@pytest.mark.parametrize("text", PLAIN)
def test_plain(text):
    assert register_of(text).manner == "plain"


@pytest.mark.parametrize("text", NEITHER)
def test_neither(text):
    assert register_of(text).manner is None


def test_certainty_is_the_share_of_sentences_that_end_alike():
    found = register_of("비가 왔어요. 바람도 불었어요. 추웠어요. 집에 가자.")
    assert found == ("polite", 0.75)


PAIRS = [
    ("비가 왔어요. 저는 집에 있었습니다!", "비가 왔어. 나는 집에 있었어!"),
    ("내일은 좋은 일이 있을 거예요.", "내일은 좋은 일이 있을 거야."),
    ("도함수는 접선의 기울기입니다. 값은 2x가 됩니다.", "도함수는 접선의 기울기야. 값은 2x가 돼."),
    ("오늘은 휴일이에요.", "오늘은 휴일이야."),
    ("참 좋네요~ ㅎㅎ", "참 좋네~ ㅎㅎ"),
    ("감사합니다.", "고마워."),
]


@pytest.mark.parametrize(("polite", "plain"), PAIRS)
def test_polite_becomes_plain(polite, plain):
    assert turn_register(polite) == plain


@pytest.mark.parametrize(
    ("plain", "polite"),
    [
        ("시험을 봤구나. 결과는 곧 나올 거야!", "시험을 봤군요. 결과는 곧 나올 거예요!"),
        ("먹는다. 간다. 필요하다. 좋다.", "먹습니다. 갑니다. 필요합니다. 좋습니다."),
        ("같이 갈까? 내가 할게.", "같이 갈까요? 제가 할게요."),
        ("1. 나는 잤어.\n2. 푹 쉬었어.", "1. 저는 잤어요.\n2. 푹 쉬었어요."),
    ],
)
def test_plain_becomes_polite(plain, polite):
    assert turn_register(plain) == polite


@pytest.mark.parametrize(
    "text",
    [
        "우산은 챙기셨어요?",
        "이건 제 생각이에요.",
        "선생님이 왔어요.",
        "네, 맞아요.",
        "너는 잘했어.",
        "걷습니다.",
        "It rained.",
        "",
        "정답: 3번",
    ],
)
def test_what_no_rule_turns_is_left_alone(text):
    assert turn_register(text) is None
