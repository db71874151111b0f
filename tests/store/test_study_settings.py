"""What is wrong in `study.yaml` has its file, line and key, in words, with the next step."""

from __future__ import annotations

import pytest

from haechi.errors import HaechiError
from haechi.study.scores import StoredStudy


@pytest.fixture
def study(haechi, tmp_path):
    assert haechi("new", tmp_path / "s", "--rubric", "diary-comment").code == 0
    return tmp_path / "s"


def _refused(read, lang):
    with pytest.raises(HaechiError) as refused:
        read()
    (problem,) = refused.value.problems
    return problem.as_json(lang)


@pytest.mark.parametrize(
    ("more", "at", "found", "step"),
    [
        ("rubric: [\n", ":5", "닫히지 않은 괄호 [ 또는 {", "study.yaml을 고치세요"),
        ("foo: 1\n", ":4, foo", "foo", "study.yaml을 고치세요"),
        ("names: {ai: 해치}\n", ":4, names.ai", "ai", "study.yaml을 고치세요"),
        ("panel: loudest\n", ":4, panel", "loudest", "study.yaml을 고치세요"),
        ("pass: [1]\n", ":4, pass", "[1]", "study.yaml을 고치세요"),
        ("pass: {total: 99}\n", ", pass", "total", "study.yaml의 pass를 고치세요"),
    ],
)
def test_a_mistake_in_study_yaml_has_its_file_and_next_step(study, more, at, found, step):
    settings = study / "study.yaml"
    settings.write_text(settings.read_text("utf-8") + more, "utf-8")
    said = _refused(lambda: StoredStudy(study).scores(), "ko")
    assert (said["at"], said["found"], said["next"]) == (f"{settings}{at}", found, step)


def test_study_yaml_in_another_encoding_and_without_its_keys(study):
    settings = study / "study.yaml"
    kept = settings.read_text("utf-8")
    settings.write_bytes(kept.encode() + "title: 일기".encode("cp949"))
    assert _refused(lambda: StoredStudy(study), "en")["found"] == "byte 0xC0, not UTF-8"
    settings.write_text(kept.replace("version:", "title:"), "utf-8")
    assert _refused(lambda: StoredStudy(study), "en")["found"] == "no version"


def test_a_folder_that_does_not_exist_is_not_one_without_a_study(haechi, tmp_path):
    assert "no such folder" in haechi("serve", tmp_path / "nowhere", "--port", "0").err
    assert _refused(lambda: StoredStudy(tmp_path), "en")["found"] == "no study.yaml"
