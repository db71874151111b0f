"""What an option would change nothing of is refused: nobody is left to believe that it did."""

from __future__ import annotations

import pytest

import haechi as package
from haechi.errors import HaechiError
from haechi.study.study import Study

RATINGS = {"item": ["d1", "d2"] * 2, "rater": ["kim", "kim", "lee", "lee"], "sympathy": [0, 1, 0, 1]}


@pytest.fixture
def folder(tmp_path):
    study = Study.new(tmp_path / "diaries", "diary-comment")
    study.add({"id": ["d1", "d2"], "context": ["비", "눈"], "response": ["네", "네"], "system": ["A", "B"]})
    study.import_ratings(RATINGS)
    return study.folder


@pytest.mark.parametrize(
    "command",
    [
        ("score",),
        ("agree",),
        ("compare", "--by", "system"),
        ("check", "--min", "sympathy=0"),
        ("report", "-o", "out"),
    ],
    ids=lambda words: words[0],
)
def test_a_study_is_judged_by_its_own_rubric(haechi, folder, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    name, *rest = command
    other = haechi(name, folder, *rest, "--rubric", "ubica", "--json")
    assert other.code == 1
    (problem,) = other.json["error"]
    assert problem["found"] == "ubica"
    assert "diary-comment" in problem["expected"]
    assert not (tmp_path / "out").exists()
    assert haechi(name, folder, *rest, "--rubric", "diary-comment", "--json").code == 0


def test_python_refuses_the_same(folder):
    for ask in (package.score, package.agree):
        with pytest.raises(HaechiError, match="diary-comment"):
            ask(folder, rubric="ubica")
    with pytest.raises(HaechiError, match="diary-comment"):
        package.compare(folder, by="system", rubric="ubica")
    assert package.score(folder, rubric="diary-comment").rows == 4


@pytest.mark.parametrize("option", [("--wide",), ("--scale", "1-5"), ("--map", "item=x")])
def test_what_only_tables_are_told_is_refused_for_a_study(haechi, folder, option):
    refused = haechi("agree", folder, *option, "--lang", "en")
    assert refused.code == 1
    assert option[0] in refused.err


def test_a_gate_on_a_study_reads_no_columns(haechi, folder):
    assert haechi("check", folder, "--min", "sympathy=0", "--map", "item=x").code == 1


@pytest.mark.parametrize(
    ("command", "other"),
    [
        (("anchors", "--batch"), "--model"),
        (("anchors", "--max-cost", "1"), "--model"),
        (("judge", "--model", "openai:gpt-5-mini", "--apart", "0.3"), "--then"),
        (("judge", "--model", "openai:gpt-5-mini", "--random-part", "0.3"), "--then"),
        (("form", "-o", "form.html", "--rater", "kim"), ".xlsx"),
        (("report", "-o", "out", "--font", "font.ttf"), "--png"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else words,
)
def test_an_option_that_goes_with_another_is_not_taken_alone(
    haechi, folder, tmp_path, monkeypatch, command, other
):
    monkeypatch.chdir(tmp_path)
    name, *rest = command
    alone = haechi(name, folder, *rest, "--lang", "en")
    assert alone.code == 2
    assert "with" in alone.err
    assert other in alone.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diaries"]


def test_one_order_is_for_two_answers(haechi, folder):
    refused = haechi(
        "judge", folder, "--model", "openai:gpt-5-mini", "--one-order", "--dry-run", "--lang", "en"
    )
    assert refused.code == 1
    assert "item: pair" in refused.err


def test_the_forms_that_can_be_written_are_named_in_both_languages(haechi, folder, tmp_path):
    said = [haechi("form", folder, "-o", tmp_path / "f.txt", "--lang", lang).err for lang in ("ko", "en")]
    assert ".xlsx 또는 .html" in said[0]
    assert ".xlsx or .html" in said[1]
