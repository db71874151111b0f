import re
from collections.abc import Iterator
from typing import Any

import pytest

from haechi.prompt.page import rubric_markdown
from haechi.rubrics import builtin_ids, find_rubric, parse_rubric

# Texts that a page of the instrument leaves out: the example reply is part of the prompt, names of speakers
# and of an item's two halves are part of the form.
LEFT_OUT = {"example", "speakers", "context_name", "reply_name"}


def texts(value: Any, language: int) -> Iterator[str]:
    """Every text of a rubric's plain data, in one language where there are two."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in LEFT_OUT:
                yield from texts(part, language)
    elif isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value):
        yield value[language] or value[0]
    elif isinstance(value, list):
        for part in value:
            yield from texts(part, language)


def squeezed(text: str) -> str:
    return re.sub(r"[\s>]+", "", text.replace("\\|", "|"))


@pytest.mark.parametrize("identifier", builtin_ids())
@pytest.mark.parametrize(("lang", "language"), [("ko", 0), ("en", 1)])
def test_the_page_holds_every_text_of_the_instrument(identifier: str, lang: Any, language: int) -> None:
    rubric = find_rubric(identifier)
    page = squeezed(rubric_markdown(rubric, lang))
    wanted = list(texts(rubric.as_json(), language))
    assert len(wanted) > (6 if identifier == "own-criteria" else 15)
    assert [text for text in wanted if squeezed(text) not in page] == []
    for score in rubric.score_names:
        assert score in page


@pytest.mark.parametrize("identifier", builtin_ids())
def test_every_table_is_whole(identifier: str) -> None:
    assert columns(rubric_markdown(find_rubric(identifier), "ko")) > 0


def columns(page: str) -> int:
    """The number of tables; fails where a row has more or fewer cells than the head of its table."""
    tables, width = 0, 0
    for line in page.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        tables += width == 0
        assert width in (0, cells), line
        width = cells
    return tables


def test_figures_of_the_hiring_agent() -> None:
    page = rubric_markdown(find_rubric("hiring-agent"), "en")
    assert "| (5, 8] | 4 | 5 < latencySec <= 8 |" in page
    assert (
        "weighted mean: intent × 20, consistency × 10, accuracy × 30, speed × 20, stability × 20 | 0–5 |"
        in page
    )
    assert "points = (ratio_a + ratio_b) / 2 * 5 (0–5)" in page
    assert "failed run: FAILED" in page


HOSTILE = """
id: odd
title: "제목\\n# 다른 제목"
about: 시험
item: dialogue
speakers: {user: 사용자, assistant: 챗봇}
task: 읽으세요.
criteria:
  - key: a
    name: "이름 | 둘\\n줄"
    scale: {type: likert, anchors: {1: "a | b", 2: "c\\n| d |"}}
"""


def test_bars_and_line_breaks_do_not_break_a_table() -> None:
    page = rubric_markdown(parse_rubric(HOSTILE), "ko")
    assert columns(page) == 1
    assert page.splitlines()[0] == "# 제목 # 다른 제목"
    assert "| 2 | c \\| d \\| |" in page
