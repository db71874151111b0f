"""Questions to participants: how they are written, and what counts as an answer."""

from __future__ import annotations

import pytest

from haechi.data.participants import parse_participants
from haechi.errors import HaechiError

QUESTIONS = """\
haechi: 1
participants:
  consent: {ko: 참여는 자유입니다., en: Taking part is voluntary.}
  questions:
    - key: age_band
      question: {ko: 나이대, en: Age band}
      choices: [{value: 20s, name: {ko: 20대, en: 20s}}, {value: 30s, name: {ko: 30대, en: 30s}}]
      required: true
    - {key: years, question: 사용 경력(년), type: number, low: 0, high: 60}
    - {key: job, question: 하는 일, type: text}
"""


def test_answers_are_checked_and_written_plainly():
    asked = parse_participants(QUESTIONS, "study.yaml")
    assert asked.consent.say("en") == "Taking part is voluntary."
    assert asked.read({"age_band": "20s", "years": " ３.0 ", "job": "교사\0"}) == {
        "age_band": "20s",
        "years": "3",
        "job": "교사",
    }
    assert asked.read({"age_band": "30s"}) == {"age_band": "30s", "years": None, "job": None}


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({}, ["age_band"]),
        ({"age_band": "90s", "years": "-1"}, ["age_band", "years"]),
        ({"age_band": "20s", "years": "many"}, ["years"]),
        ({"age_band": "20s", "years": "1e999"}, ["years"]),
        ({"age_band": "20s", "job": "x" * 501}, ["job"]),
    ],
)
def test_what_is_no_answer_is_named_by_its_question(given, wrong):
    asked = parse_participants(QUESTIONS, "study.yaml")
    with pytest.raises(HaechiError) as refused:
        asked.read(given)
    assert [problem.at for problem in refused.value.problems] == wrong


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("type: number, low", "type: date, low", "study.yaml:9"),
        ("key: years", "key: 나이", "study.yaml:9"),
        ("key: job", "key: years", "study.yaml:10"),
        ("type: text", "type: choice", "study.yaml:10"),
        ("value: 30s", "value: 20s", "study.yaml:7"),
        ("  consent:", "  consents:", "study.yaml:3"),
    ],
)
def test_a_mistake_in_the_file_is_named_by_its_line(before, after, place):
    with pytest.raises(HaechiError) as refused:
        parse_participants(QUESTIONS.replace(before, after, 1), "study.yaml")
    assert any(problem.at.startswith(place) for problem in refused.value.problems)
