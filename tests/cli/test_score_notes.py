"""What `haechi score`, `add` and `new` say beside the result, so that nobody wonders about a figure."""

from __future__ import annotations

import json

import pytest

from haechi import score as haechi_score
from haechi.study.study import Study


def _run(query: str, **more: object) -> dict[str, object]:
    return {"query_id": query, "payload": {"assistantMessage": "추가했습니다", "responseTimeSec": 3}, **more}


@pytest.fixture
def runs(write):
    def made(*records: dict[str, object], name: str = "runs.jsonl"):
        return write(name, "\n".join(map(json.dumps, records)))

    return made


def test_a_column_named_like_a_score_is_named_with_the_name_that_is_read(haechi, runs, tmp_path):
    file = runs(_run("q1", intent="GOOD", 정확성=4, team="x"), _run("q2", intent="GOOD"))
    said = haechi("score", file, "--rubric", "hiring-agent", "--json").err
    assert "runs.jsonl: the column intent was not read; if it holds verdicts, call it intent_verdict." in said
    assert "the column 정확성 was not read; code computes" in said
    assert "team" not in said
    Study.new(tmp_path / "s", "hiring-agent")
    assert "call it intent_verdict" in haechi("add", tmp_path / "s", file).err
    read = runs(_run("q1", intent="x", intent_verdict="GOOD"), name="read.jsonl")
    assert "intent_verdict" not in haechi("score", read, "--rubric", "hiring-agent").err


def test_scores_that_are_0_by_rule_say_the_rule(haechi, runs):
    said = haechi("score", runs(_run("q1"), _run("q2")), "--rubric", "hiring-agent").err
    assert "accuracy: 0 by rule for all runs (there is nothing to check)" in said
    assert "consistency: 0 by rule for all runs (" in said
    # A failed run's 0 is the system's own; beside it there is still nothing to measure.
    mixed = runs(_run("q1"), {"query_id": "q2", "error": "timeout"}, name="mixed.jsonl")
    assert (
        "accuracy: 0 by rule for 1 of 2 runs (there is nothing to check)"
        in haechi("score", mixed, "--rubric", "hiring-agent").err
    )
    failed = runs({"query_id": "q2", "error": "timeout"}, name="failed.jsonl")
    assert "accuracy: 0 by rule" not in haechi("score", failed, "--rubric", "hiring-agent").err
    # Where one run was checked, the 0 of the other is still none that was measured.
    checked = runs(_run("q1", expected="@check formType=ACTION"), _run("q2"), name="checked.jsonl")
    said = haechi("score", checked, "--rubric", "hiring-agent").err
    assert "accuracy: 0 by rule for 1 of 2 runs" in said
    assert "consistency: 0 by rule" in said


def test_a_file_named_twice_counts_once_and_is_told(haechi, runs):
    file = runs(_run("q1"), _run("q2"))
    ran = haechi("score", file, file, "--rubric", "hiring-agent", "--json")
    assert ran.json["summary"][0]["n"] == 2
    assert "named twice, counted once" in ran.err
    assert "named twice" not in haechi("score", file, "--rubric", "hiring-agent").err


def test_a_floor_by_rule_that_needs_the_dialogue_is_told_where_there_is_none(haechi, write, tmp_path):
    ratings = "item,criterion,rater,value\ns1,no_mathematical_content,kim,0\ns1,A1,kim,3\n"
    file = write("ratings.csv", ratings)
    floor = "Floor of area B (teachers' rule): not applied by rule to dialogues without an answer"
    assert floor in haechi("score", file, "--rubric", "maice-qac", "--json").err
    assert floor in haechi("report", file, "--rubric", "maice-qac", "-o", tmp_path / "report").err
    told = " ".join((tmp_path / "report" / "report.md").read_text("utf-8").split())
    assert floor in told  # whoever gets the report did not see the command
    korean = " ".join(haechi("score", file, "--rubric", "maice-qac", "--lang", "ko").out.split())
    assert "B영역 최저점 규칙 (교사 평가 기준): 평가표에는 대화가 없어" in korean
    assert any(floor in words.say("en") for words in haechi_score(file, "maice-qac").about)
    both = write("two.csv", ratings + "s1,no_mathematical_content,lee,0\ns1,A1,lee,3\n")
    agreed = haechi("agree", both, "--rubric", "maice-qac", "--json").json
    assert any(floor in note for note in agreed["notes"])
    other = write("other.csv", "item,criterion,rater,value\na,immersion,kim,4\n")
    ran = haechi("score", other, "--rubric", "ubica")
    assert ran.code == 0
    assert "not applied by rule" not in ran.err
    study = Study.new(tmp_path / "s", "maice-qac")
    said = {"id": "s1", "messages": [{"role": "user", "content": "1+1?"}]}
    haechi("add", study.folder, write("talk.jsonl", json.dumps(said)))
    assert haechi("import", study.folder, file, "--as", "ratings").code == 0
    ran = haechi("score", study.folder)
    assert "not applied by rule" not in ran.out + ran.err
    bare = Study.new(tmp_path / "bare", "maice-qac")  # items come from the ratings, without their dialogues
    assert haechi("import", bare.folder, file, "--as", "ratings").code == 0
    assert "not applied by rule" in haechi("score", bare.folder).out


def test_a_folder_of_data_is_asked_for_a_rubric_and_not_for_a_study(haechi, runs, tmp_path):
    runs(_run("q1"))
    ran = haechi("score", tmp_path)
    assert ran.code == 1
    assert "--rubric" in ran.err
    assert "haechi new" not in ran.err
    assert "check the path" in haechi("score", tmp_path / "nowhere").err


def test_a_new_study_leaves_other_files_alone_and_names_them(haechi, runs, tmp_path):
    file = runs(_run("q1"))
    ran = haechi("new", tmp_path, "--rubric", "hiring-agent")
    assert ran.code == 0
    assert "runs.jsonl" in ran.err
    assert file.exists()
    again = haechi("new", tmp_path, "--rubric", "hiring-agent")
    assert (again.code, "a study is there already" in again.err) == (1, True)
    onto = haechi("new", file, "--rubric", "hiring-agent")
    assert (onto.code, "a new folder" in onto.err) == (1, True)
    assert "runs.jsonl" not in haechi("new", tmp_path / "fresh", "--rubric", "hiring-agent").err


def test_a_total_of_failed_runs_alone_is_not_said_to_hold_zeros_by_rule(haechi, runs):
    # Nobody judged the intent of q1, so only the failed run has a total, and its 0 of accuracy is its own.
    failed = {"query_id": "q2", "error": "timeout"}
    file = runs(
        _run("q1", round="1"), _run("q1", round="2"), failed | {"round": "1"}, failed | {"round": "2"}
    )
    ran = haechi("score", file, "--rubric", "hiring-agent")
    assert "accuracy: 0 by rule for 2 of 4 runs" in ran.err
    assert "holds values that are 0 by rule" not in ran.err


def test_what_was_exported_is_counted_in_the_language_of_the_reader(haechi, demo, tmp_path):
    said = haechi(
        "export", demo / "diary-comment", "--as", "langfuse", "-o", tmp_path / "s.jsonl", "--lang", "ko"
    ).out
    assert "점수 360" in said


def test_a_link_says_what_has_to_run_for_it(haechi, tmp_path):
    Study.new(tmp_path / "my study", "diary-comment")
    said = haechi("raters", "add", tmp_path / "my study", "ann").err
    assert f"The link opens while the server runs: haechi serve '{tmp_path / 'my study'}'" in said


def test_the_scores_of_a_judge_in_a_workbook_of_runs_are_said_to_wait_for_an_import(haechi, runs):
    given = {"LLM 모델": "gpt-5-mini", "의도충족 점수": 4, "속도(SINGLE) 점수": 3}
    said = haechi("score", runs(_run("q1", **given)), "--rubric", "hiring-agent").err
    assert "the columns 의도충족 점수, 속도(SINGLE) 점수 were not read here" in said
    assert "`haechi import STUDY runs.jsonl` takes them" in said
    assert "점수" not in haechi("score", runs(_run("q1"), name="plain.jsonl"), "--rubric", "hiring-agent").err


def test_fields_of_our_own_are_named_in_the_language_of_the_reader(haechi, demo):
    assert (
        "시스템별 항목 단위 평균"
        in haechi("score", demo / "diary-comment", "--by", "system", "--lang", "ko").out
    )
    assert "시스템별 점수" in haechi("compare", demo / "diary-comment", "--by", "system", "--lang", "ko").out
    assert "by system" in haechi("score", demo / "diary-comment", "--by", "system", "--lang", "en").out
