"""Small rubrics that the tests of this room share."""

from __future__ import annotations

from haechi.rubrics import Rubric, parse_rubric

# Two checklists whose elements have the same keys, and one criterion of every other scale.
MIXED = """
id: mixed
title: {ko: 섞은 루브릭, en: Mixed rubric}
about: 시험용
item: dialogue
speakers: {user: {ko: 학생, en: student}, assistant: 튜터}
task: {ko: 대화를 읽고 평가하세요., en: Read the dialogue and judge it.}
guidance: [대화 전체를 봅니다.]
criteria:
  - key: first_part
    short: P1
    name: 첫째
    scale:
      type: checklist
      elements:
        - {key: clear, name: 명확함, question: "명확한가?"}
        - {key: exact, name: 정확함, question: "정확한가?"}
        - {key: brief, name: 간결함, question: "간결한가?"}
  - key: second_part
    short: P2
    name: 둘째
    scale:
      type: checklist
      elements:
        - {key: clear, name: 명확함, question: "명확한가?"}
        - {key: exact, name: 정확함, question: "정확한가?"}
        - {key: brief, name: 간결함, question: "간결한가?"}
  - key: warmth
    name: {ko: 따뜻함, en: Warmth}
    question: "따뜻한가?"
    scale: {type: likert, anchors: {1: 차갑다, 2: 미지근하다, 3: 보통, 4: 따뜻하다, 5: 뜨겁다}}
  - key: outcome
    name: 결과
    scale:
      type: verdict
      labels:
        SOLVED: {points: 2, text: 해결}
        OPEN: {points: 1, text: 미해결}
        LOST: {points: 0, text: 포기}
  - {key: polite, name: 예의, scale: {type: binary}}
  - {key: comment, name: 의견, scale: {type: text}}
"""


def mixed() -> Rubric:
    """A rubric with every scale that a judge is asked on."""
    return parse_rubric(MIXED)
