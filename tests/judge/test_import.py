"""Result files of other tools' judges become ratings; importing again changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from haechi.errors import HaechiError
from haechi.study.study import Study

NAMES = ("sensibleness", "specificity", "sympathy")


def said(**values: int) -> str:
    return json.dumps({name: {"evidence": "근거", "value": value} for name, value in values.items()})


def openai(item: str, text: str | None, finish: str = "stop", model: str = "gpt-5-mini-2025-08-07") -> str:
    message = {"role": "assistant", "content": text, "refusal": None}
    usage = {
        "prompt_tokens": 900,
        "completion_tokens": 80,
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    body = {"model": model, "choices": [{"message": message, "finish_reason": finish}], "usage": usage}
    line = {
        "id": f"r-{item}",
        "custom_id": item,
        "response": {"status_code": 200, "body": body},
        "error": None,
    }
    return json.dumps(line)


def anthropic(item: str, text: str) -> str:
    message = {
        "model": "claude-haiku-4-5",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
    }
    return json.dumps({"custom_id": item, "result": {"type": "succeeded", "message": message}})


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study.new(tmp_path / "study", "diary-comment")


def rows(study: Study, query: str) -> list[Any]:
    with study.database.read() as connection:
        return [tuple(row) for row in connection.rows(query)]


LINES = [
    openai("d3", said(sensibleness=1, specificity=0)),
    openai("d1", said(sensibleness=1, specificity=0, sympathy=1)),
    openai("d2", "", finish="length"),
    json.dumps({"custom_id": "d4", "response": None, "error": {"code": "batch_expired", "message": "late"}}),
    openai("d5", "```json\n" + said(sensibleness=0, specificity=0, sympathy=0) + "\n```\n총평 {좋음}"),
    openai("d6", said(sensibleness=1, specificity=1, sympathy=1)[:-1]),
]


def test_counts_ratings_journal_and_bare_items(study, write, haechi):
    file = write("results.jsonl", "\n".join(LINES))
    done = haechi("import", study.folder, file, "--as", "openai-batch", "--json")
    assert done.code == 0
    counted = {name: done.json[name] for name in ("replies", "complete", "partial", "failed", "rejudge")}
    # d1, d5 and the cut d6 have all three values; d3 has two; d2 is empty and d4 expired.
    assert counted == {"replies": 6, "complete": 3, "partial": 1, "failed": 2, "rejudge": ["d3", "d2", "d4"]}
    assert done.json["repaired"] == 1, "only the cut reply had to be mended"
    assert done.json["bare_items"] == 6
    frame = study.ratings()
    assert set(frame["rater"]) == {"gpt-5-mini-2025-08-07"}, "the expired line belongs to the file's judge"
    assert frame.height == 6 * 3
    status = dict(frame.group_by("status").len().iter_rows())
    assert status == {"ok": 11, "missing": 4, "error": 3}
    kept = rows(study, "SELECT item, input_tokens, reasoning_tokens, state FROM calls WHERE item = 'd1'")
    assert kept == [("d1", 900, 30, "answered")]
    raw = rows(study, "SELECT reply FROM calls WHERE item = 'd5'")[0][0]
    assert "총평 {좋음}" in raw, "the raw reply is kept"


def test_importing_again_changes_nothing(study, write):
    file = write("results.jsonl", "\n".join(LINES))
    first = study.import_results([file], "openai")
    before = rows(study, "SELECT * FROM ratings"), rows(study, "SELECT * FROM calls")
    again = study.import_results([file], "openai")
    assert (again.ratings.new, again.ratings.unchanged, again.ratings.corrected) == (0, 18, 0)
    assert again.tally == first.tally
    assert before == (rows(study, "SELECT * FROM ratings"), rows(study, "SELECT * FROM calls"))


def test_a_later_file_fills_what_was_missing_and_never_overwrites(study, write):
    study.import_results([write("a.jsonl", "\n".join(LINES))], "openai")
    filled = study.import_results([write("b.jsonl", openai("d3", said(sympathy=1)))], "openai")
    assert filled.ratings.corrected == 1
    values = {
        row["criterion"]: row["value"] for row in study.ratings().filter(item="d3").iter_rows(named=True)
    }
    assert values == {"sensibleness": "1", "specificity": "0", "sympathy": "1"}
    other = write("c.jsonl", openai("d1", said(sensibleness=0, specificity=0, sympathy=1)))
    with pytest.raises(HaechiError, match="1 is stored"):
        study.import_results([other], "openai")
    study.import_results([other], "openai", correct=True)
    assert rows(study, "SELECT count(*) FROM ratings WHERE item = 'd1'") == [(4,)], "the old value stays"


def test_a_repeated_line_counts_once_and_the_fuller_one_wins(study, write):
    lines = [openai("d1", said(sensibleness=0)), openai("d1", said(**dict.fromkeys(NAMES, 1)))]
    done = study.import_results([write("twice.jsonl", "\n".join([*lines, lines[0]]))], "openai")
    assert done.tally["replies"] == 1
    assert done.tally["complete"] == 1
    assert set(study.ratings()["value"]) == {"1"}


def test_the_wrong_provider_and_unreadable_lines_are_named(study, write, haechi):
    file = write("claude.jsonl", anthropic("d1", said(sensibleness=1)))
    wrong = haechi("import", study.folder, file, "--as", "openai-batch")
    assert wrong.code == 1
    assert "--as anthropic-batch" in wrong.err
    broken = write("broken.jsonl", "\n".join([LINES[1], '{"custom_id": "d9", "resp', '{"response": {}}']))
    refused = haechi("import", study.folder, broken, "--as", "openai-batch")
    assert refused.code == 1
    assert "broken.jsonl:2" in refused.err
    assert "broken.jsonl:3" in refused.err
    assert study.count_items() == 0, "nothing half-written stays behind"
    taken = haechi("import", study.folder, broken, "--as", "openai-batch", "--skip-bad", "--json")
    assert taken.code == 0
    assert taken.json["replies"] == 1
    assert len(taken.json["skipped"]) == 2


def test_lines_without_a_model_need_a_name(study, write):
    file = write("expired.jsonl", '{"custom_id": "d1", "result": {"type": "expired"}}')
    with pytest.raises(HaechiError, match="give --rater NAME"):
        study.import_results([file], "anthropic")
    done = study.import_results([file], "anthropic", rater="claude")
    assert done.tally["rejudge"] == ["d1"]
    assert set(study.ratings()["status"]) == {"error"}


def test_an_imported_judge_is_an_ai_rater_beside_people(study, write):
    study.import_ratings([write("p.csv", "item,criterion,rater,value\nd1,sympathy,teacher-1,1\n")])
    with pytest.raises(HaechiError, match="teacher-1 is human"):
        study.import_results([write("a.jsonl", LINES[1])], "openai", rater="teacher-1")
    study.import_results([write("a.jsonl", LINES[1])], "openai", rater="judge")
    assert dict(study.ratings().select("rater", "kind").unique().iter_rows()) == {
        "teacher-1": "human",
        "judge": "ai",
    }
