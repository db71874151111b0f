"""Mistakes in YAML are said in Korean: the library that finds them has English only."""

from __future__ import annotations

import pytest

from haechi.errors import HaechiError
from haechi.rubrics import parse_rubric


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("id: a\nscale:\n\ttype: likert", 3, "탭 문자"),
        ("title 일기\nid: a", 2, "콜론(:)이 올 수 없는 자리"),
        ("title: 일기: 코멘트", 1, "콜론(:)이 올 수 없는 자리"),
        ("criteria:\n  - key: a\n name: b", 3, "맞지 않는 들여쓰기"),
        ("title: '일기", 1, "닫히지 않은 따옴표"),
        ("of: [a, b\nby: mean", 2, "닫히지 않은 대괄호"),
        ("title: {ko: 일기\nid: a", 2, "닫히지 않은 중괄호"),
        ("title: @일기", 1, "따옴표로 감싸야"),
        ('title: "\\q"', 1, "모르는 \\ 표기"),
        ("id: a\n---\nid: b", 2, "두 번째 문서"),
        ("id: a\ntitle: *b", 2, "별칭 *b"),
        ("id: a\x00", 1, "쓸 수 없는 문자"),
    ],
)
def test_a_mistake_in_yaml_is_said_in_korean(text, line, words):
    with pytest.raises(HaechiError) as refused:
        parse_rubric(text, "rubric.yaml")
    said = refused.value.problems[0].as_json("ko")
    assert said["at"] == f"rubric.yaml:{line}"
    assert words in said["found"]
