"""Evidence: quotes are where the judge says they are, or not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haechi.prompt.evidence import Transcript, check, citations, quotations
from haechi.prompt.folding import distance_within, fold

TALK = Transcript(
    (
        "이차함수 그래프를 그리고 싶어요",
        "어떤 이차함수인가요?",
        "y=x^2-4x+3이요. 꼭짓점 구하는 공식은 알겠는데 그래프 그리는 게 어려워요",
        "1단계로 표준형으로 바꿔봅시다. \\(y=(x-2)^2-1\\)입니다. 가장 중요한 건 꼭짓점입니다.",
        "합은 \\frac{n(n+1)}{2}이고 기울기는 f'(x)=2x, 각은 \\theta예요",
    )
)


@pytest.mark.parametrize(
    ("evidence", "status"),
    [
        ("메시지[0]에서 '이차함수 그래프를 그리고 싶어요'라고 목표를 명시", "verified"),
        ('메시지[0]에서 "이차함수 그래프를 그리고 싶어요"라고 함', "verified"),
        ("메시지[0]에서 ‘그래프를 그리고 싶어요’라고 함", "verified"),
        ("[0]번 메시지의 「그래프를 그리고 싶어요」", "verified"),
        ("message [3] says “가장 중요한 건 꼭짓점입니다”", "verified"),
        ("메시지[2,3]에서 '꼭짓점 구하는 공식', '가장 중요한 건'", "verified"),
        ("메시지[0]에서 '이차 함수  그래프를, 그리고싶어요!'", "verified"),  # spaces and punctuation
        (
            "메시지[2]에서 '꼭짓점 구하는 공식은 알겠는데 그래프를 그리는 게 어려워요'",
            "verified",
        ),  # one letter
        ("메시지[2]에서 '꼭짓점 구하는... 그래프 그리는 게 어려워요'", "verified"),  # elision
        ("메시지[3]에서 'y=(x-2)^2-1'", "verified"),
        ("메시지[4]의 'n(n+1)/2'와 'θ'", "verified"),  # the same formula, written otherwise
        ("메시지[4]의 'f'(x)=2x'를 설명", "verified"),
        ("메시지[0]에서 '가장 중요한 건 꼭짓점입니다'", "wrong_message"),
        ("메시지[99]에서 '그래프를 그리고 싶어요'", "wrong_message"),
        ("메시지[0]에서 '삼각함수 그래프를 미분하고 싶어요'", "not_found"),
        ("메시지[2]에서 'y=x^2+4x+3'", "not_found"),  # a sign changes the formula
        ("메시지[0]에서 '그래프'라고 하고 '적분 상수'라고 함", "not_found"),  # the worst decides
        ("'그래프를 그리고 싶어요'라고 목표를 밝힘", "verified"),  # no citation: anywhere
        ("전체 대화에서 학년/단원 정보 언급 없음", "no_quote"),
        (
            "'이해했나요?', '직접 풀어볼까요?' 등 이해도 확인 질문이 전혀 없음",
            "no_quote",
        ),  # says it is absent
        ("메시지[1]에서 '이해했나요?'라고 묻지 않음", "not_found"),  # cited, so it is a quote
        ("It doesn't say the student's level", "no_quote"),
        ("", "no_quote"),
        ("메시지[0]에서 '!!!'", "no_quote"),
    ],
)
def test_evidence_is_looked_up(evidence: str, status: str) -> None:
    assert check(evidence, TALK).status == status


def test_decomposed_hangul_is_the_same_text() -> None:
    import unicodedata

    decomposed = unicodedata.normalize("NFD", "메시지[0]에서 '그래프를 그리고 싶어요'").replace(
        unicodedata.normalize("NFD", "메시지"), "메시지"
    )
    assert check(decomposed, TALK).status == "verified"


def test_a_check_says_what_was_found_where() -> None:
    found = check("메시지[0]에서 '꼭짓점'", TALK)
    assert found.quotes[0].found_in == (2, 3)


@pytest.mark.parametrize(
    ("evidence", "numbers"),
    [
        ("메시지[2,4]", (2, 4)),
        ("메시지 [2, 4]", (2, 4)),
        ("메시지[3]과 메시지[5]", (3, 5)),
        ("메시지[2~4]", (2, 3, 4)),
        ("Messages [1-2]", (1, 2)),
        ("[3]번 메시지", (3,)),
        ("학생 발화[6]", (6,)),
        ("[4]에서 말함", (4,)),
        ("메시지[3]의 구간 [0,1]", (3,)),
        ("메시지[x]", ()),
        ("메시지[1~999999]", tuple(range(1, 1002))),
    ],
)
def test_citations_are_read(evidence: str, numbers: tuple[int, ...]) -> None:
    assert citations(evidence) == numbers


def test_quotes_of_all_kinds_are_read() -> None:
    assert quotations("'가' \"나\" ‘다’ “라” 「마」 『바』") == ("가", "나", "다", "라", "마", "바")
    assert quotations("the student's and the tutor's words") == ()


def plain_distance(quote: str, text: str) -> int:
    """The textbook dynamic programme: the least edit distance of a quote to any part of a text."""
    row = [0] * (len(text) + 1)
    for i, a in enumerate(quote, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(text, 1):
            before, row[j] = row[j], min(before + (a != b), row[j] + 1, row[j - 1] + 1)
    return min(row)


@given(
    st.text(alphabet="가나다라", min_size=1, max_size=12),
    st.text(alphabet="가나다라", max_size=60),
    st.integers(0, 4),
)
def test_the_search_finds_exactly_what_the_textbook_finds(quote: str, text: str, most: int) -> None:
    expected = plain_distance(quote, text)
    found = distance_within(quote, text, most)
    if len(quote) <= most and quote not in text:
        assert found is None  # everything would match
    else:
        assert found == (expected if expected <= most else None)


@given(st.text(max_size=80))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=120))
def test_no_evidence_makes_the_check_fail(evidence: str) -> None:
    assert check(evidence, TALK).status in ("verified", "wrong_message", "not_found", "no_quote")


def test_a_quote_is_found_in_a_message_of_100_kb() -> None:
    words = random.Random(7)
    long = "".join(words.choice("가나다라마바사아자차카타파하 ") for _ in range(100_000))
    quote = long[70_000:70_060].replace("가", "거", 1)
    talk = Transcript((long, "가" * 100_000))
    assert check(f"메시지[0]에서 '{quote}'", talk).status == "verified"
    assert check(f"메시지[1]에서 '{'가' * 40}나{'가' * 40}'", talk).status == "verified"
