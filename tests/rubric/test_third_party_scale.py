"""A kind of scales that an installed package brings works wherever our own do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extensions import extension, extension_folder  # noqa: F401 - fixtures
from haechi.errors import HaechiError
from haechi.prompt.form import form_of
from haechi.prompt.page import rubric_markdown
from haechi.prompt.prompt import prompt
from haechi.prompt.reply import parse
from haechi.prompt.schema import schema
from haechi.rubrics import parse_rubric
from haechi.rubrics.scales import SCALES

GRADED = """\
id: graded
title: 학점
about: 시험용
item: reply
speakers: {user: 사용자, assistant: 챗봇}
task: 학점을 매기세요.
criteria:
  - {key: content, name: 내용, scale: {type: grades, letters: [A, B, C]}}
  - {key: style, name: 문체, scale: {type: grades}}
scores:
  - {key: total, name: 총점, by: sum, of: [content, style]}
"""
pytestmark = pytest.mark.usefixtures("extension")


def test_it_compiles_to_form_prompt_schema_and_page() -> None:
    rubric = parse_rubric(GRADED)
    field = form_of(rubric, "ko").groups[0].fields[0]
    assert (field.kind, [choice.value for choice in field.choices]) == ("choice", ["A", "B", "C"])
    system = prompt(rubric, None, lang="en").system
    assert "- A is the best." in system
    assert '"value": <"A" | "B" | "C">' in system
    style = schema(rubric)["properties"]["style"]["properties"]["value"]
    assert style == {"type": "string", "enum": ["A", "B", "C", "D"]}
    assert "| A | 2 |" in rubric_markdown(rubric, "en")


def test_a_reply_is_read_and_a_wrong_value_is_named() -> None:
    parsed = parse('{"content": {"evidence": "", "value": "b"}, "style": "E"}', parse_rubric(GRADED))
    assert parsed.values["content"].value == "B"
    assert parsed.missing["style"].en == "'E' is not on the scale (expected a grade of A, B, C, D)"


def test_the_points_of_the_parts_and_of_their_sum() -> None:
    rubric = parse_rubric(GRADED)
    assert rubric.points("content") == (0, 1, 2)
    assert rubric.points("total") == (0, 1, 2, 3, 4, 5)  # 0–2 and 0–3
    assert (rubric.range("total"), rubric.level("style")) == ((0, 5), "ordinal")


def test_its_fields_are_part_of_the_version() -> None:
    letters = parse_rubric(GRADED.replace("[A, B, C]", "[A, B, D]"))
    assert letters.version != parse_rubric(GRADED).version == parse_rubric(GRADED).version


def test_a_study_is_scored_compared_among_raters_and_reported(haechi, write, tmp_path: Path) -> None:
    write("graded.yaml", GRADED)
    study = tmp_path / "study"
    assert haechi("rubrics", "check", tmp_path / "graded.yaml").code == 0
    assert haechi("new", study, "--rubric", tmp_path / "graded.yaml").code == 0
    replies = [{"id": f"r{n}", "context": "질문", "response": f"답 {n}"} for n in range(4)]
    write("items.jsonl", "\n".join(map(json.dumps, replies)))
    assert haechi("add", study, tmp_path / "items.jsonl").code == 0
    kim, lee = ("A", "B", "C", "A"), ("A", "B", "C", "B")
    rows = [
        f"r{n},{name},{rater},human,{grade}"
        for name in ("content", "style")
        for rater, grades in (("kim", kim), ("lee", lee))
        for n, grade in enumerate(grades)
    ]
    write("ratings.csv", "\n".join(["item,criterion,rater,kind,value", *rows]))
    assert haechi("import", study, tmp_path / "ratings.csv", "--as", "ratings").code == 0

    scores = haechi("score", study, "--json").json["summary"][0]["scores"]
    # content of kim 2, 1, 0, 2 and of lee 2, 1, 0, 1: 9 of 8 ratings
    assert scores["content"]["mean"] == 9 / 8
    assert scores["content"]["distribution"] == {"0": 2, "1": 3, "2": 3}
    assert scores["style"]["distribution"] == {"0": 0, "1": 2, "2": 3, "3": 3}
    agreed = haechi("agree", study, "--json").json
    assert "content" in json.dumps(agreed)
    report = haechi("report", study, "-o", tmp_path / "report")
    assert report.code == 0, report.err
    assert "내용" in (tmp_path / "report" / "report.md").read_text("utf-8")


def test_an_unknown_type_is_answered_with_all_that_are_installed() -> None:
    assert SCALES.names()[-2:] == ("misnamed", "unreadable")
    with pytest.raises(HaechiError) as caught:
        parse_rubric(GRADED.replace("type: grades}", "type: marks}"), "my.yaml")
    assert caught.value.problems[0].at == "my.yaml:9, criteria.1.scale"
    assert "'pairwise', 'absent', 'grades'" in caught.value.problems[0].say("en")


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        ("absent", "ModuleNotFoundError", "a package that can be imported"),
        ("misnamed", "Grades", 'type: Literal["misnamed"]'),
        (
            "unreadable",
            "Unreadable",
            "fields that can be read (<class 'complex'> cannot be read from a rubric)",
        ),
    ],
)
def test_a_package_that_does_not_fit_is_named(name: str, found: str, expected: str) -> None:
    with pytest.raises(HaechiError) as caught:
        parse_rubric(GRADED.replace("type: grades}", f"type: {name}}}"))
    said = caught.value.problems[0].say("en")
    assert said.startswith(f"haechi.scales: {name} = haechi_extension.")
    assert found in said
    assert expected in said
    assert "uninstall the package haechi-extension" in said
