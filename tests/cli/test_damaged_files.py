"""Files that a user damaged: what is wrong is said in words of both languages, with one place and the next step."""

from __future__ import annotations

import json
import re

import pytest

import haechi as product
from haechi.errors import HaechiError
from haechi.study.scores import StoredStudy

RECORDS = [
    {"item": f"d{n}", "criterion": "sympathy", "rater": "kim", "value": 1, "reason": "좋은 답"}
    for n in range(3)
]
WHOLE = json.dumps(RECORDS, ensure_ascii=False, indent=1)
LINES = [json.dumps(one, ensure_ascii=False) + "\n" for one in RECORDS]
CUT = {"ko": "파일이 중간에서 끝남", "en": "the file ends in the middle"}
NEXT = {
    "ko": "파일을 처음부터 끝까지 다시 내보내거나 복사하세요",
    "en": "export or copy the file again, all of it",
}


@pytest.fixture
def study(haechi, tmp_path):
    assert haechi("new", tmp_path / "s", "--rubric", "diary-comment").code == 0
    return tmp_path / "s"


def _refused(read, lang):
    with pytest.raises(HaechiError) as refused:
        read()
    (problem,) = refused.value.problems
    return problem.as_json(lang)


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize(
    ("name", "content", "at"),
    [
        ("string.json", WHOLE[: WHOLE.index("좋은") + 1] + "\n", "string.json[0]"),
        ("comma.json", WHOLE[: WHOLE.index("},") + 2], "comma.json[1]"),
        ("open.json", WHOLE[:-1], "open.json"),
        ("word.json", '[{"item": "d1", "value": nu', "word.json[0]"),
        ("escape.json", '[{"item": "\\u12', "escape.json[0]"),
        ("wrapped.json", '{"rows": ' + WHOLE, "wrapped.json"),
        ("last.jsonl", LINES[0] + LINES[1][:20], "last.jsonl:2"),
        ("character.json", WHOLE.encode()[: WHOLE.encode().index("좋".encode()) + 1], "character.json"),
    ],
)
def test_a_file_that_is_cut_is_called_cut(study, tmp_path, name, content, at, lang):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    said = _refused(lambda: product.Study(study).import_ratings(file), lang)
    assert said["at"].endswith(at)
    assert (said["found"], said["next"]) == (CUT[lang], NEXT[lang])


def test_a_line_that_is_cut_among_others_is_called_a_line(study, tmp_path):
    file = tmp_path / "r.jsonl"
    file.write_text(LINES[0] + LINES[1][:20] + "\n" + LINES[2], "utf-8")
    said = _refused(lambda: product.Study(study).import_ratings(file), "ko")
    assert (said["at"], said["found"]) == ("r.jsonl:2", "줄이 중간에서 끝남")


@pytest.mark.parametrize(
    ("name", "content", "at", "found"),
    [
        ("a.json", WHOLE.replace('"value": 1', '"value": ', 1), "a.json[0]", "no value: line 7 column 2"),
        ("b.json", WHOLE.replace("},", "}", 1), "b.json:9", "'{'"),
        ("c.jsonl", LINES[0] + LINES[1].replace("1,", "x,"), "c.jsonl:2", "no value: column 66"),
    ],
)
def test_other_mistakes_have_their_line_in_the_file_once(study, tmp_path, name, content, at, found):
    (tmp_path / name).write_text(content, "utf-8")
    said = _refused(lambda: product.Study(study).import_ratings(tmp_path / name), "en")
    assert (said["at"], said["found"]) == (at, found)


def test_runs_that_are_cut_are_called_cut(haechi, tmp_path):
    file = tmp_path / "runs.jsonl"
    file.write_text('{"query_id": "q1", "raw_json": "{}"}\n{"query_id": "q2", "raw', "utf-8")
    said = _refused(lambda: product.score(file, rubric="hiring-agent"), "ko")
    assert (said["at"], said["found"]) == ("runs.jsonl:2", CUT["ko"])


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_a_baseline_that_is_cut_is_said_once_before_the_gates(haechi, demo, tmp_path, lang):
    file = tmp_path / "cut.json"
    file.write_text('{"mean3": {"value": 0.5, "n": 3', "utf-8")
    ran = haechi("check", demo / "diary-comment", "--no-regression", file, "--lang", lang)
    assert (ran.code, ran.err.count(CUT[lang]), ran.out.count(CUT[lang])) == (1, 1, 0)
    told = haechi("check", demo / "diary-comment", "--no-regression", file, "--lang", lang, "--json").json
    assert [one["found"] for one in told["problems"]] == [CUT[lang]]


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize(
    ("name", "content"),
    [("a.xlsx", b"PK\x03\x04" + b"\0" * 300), ("a.parquet", b"PAR1" + b"x" * 200)],
)
def test_what_libraries_say_of_other_formats_is_said_in_words(study, tmp_path, name, content, lang):
    (tmp_path / name).write_bytes(content)
    said = _refused(lambda: product.Study(study).import_ratings(tmp_path / name), lang)
    assert not re.search(r"[Ee]rror|BadZip|zip file|specification", said["found"])
    assert re.search("깨졌거나" if lang == "ko" else "damaged", said["found"])


def test_a_database_that_is_none_is_said_in_words(study):
    (study / "study.db").write_bytes(b"no database at all" * 100)
    for leftover in study.glob("study.db-*"):
        leftover.unlink()
    said = _refused(lambda: StoredStudy(study), "ko")
    assert said["found"] == "SQLite 데이터베이스가 아닌 파일"


@pytest.mark.parametrize(("lang", "at"), [("ko", "표, 1행, sympathy"), ("en", "table, row 1, sympathy")])
def test_a_data_frame_is_no_file(study, lang, at):
    rows = {"item": ["d1"], "rater": ["kim"], "sympathy": [7]}
    assert _refused(lambda: product.Study(study).import_ratings(rows), lang)["at"] == at
    assert _refused(lambda: product.score(rows, rubric="diary-comment"), lang)["at"] == at
