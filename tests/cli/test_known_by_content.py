"""What `haechi import` is given, known by its content."""

from __future__ import annotations

import json

from haechi.study.study import Study


def test_results_of_batches_and_scores_of_tools_are_known_by_their_content(haechi, write, tmp_path):
    reply = {
        "custom_id": "d1",
        "response": {
            "status_code": 200,
            "body": {
                "model": "gpt-x",
                "choices": [{"message": {"content": '{"sensibleness": 1, "specificity": 0, "sympathy": 1}'}}],
            },
        },
    }
    haechi("new", tmp_path / "b", "--rubric", "diary-comment")
    done = haechi("import", tmp_path / "b", write("out.jsonl", json.dumps(reply) + "\n"), "--json")
    assert ("--as openai-batch" in done.err, done.json["replies"], done.json["raters"]) == (
        True,
        1,
        ["gpt-x"],
    )
    case = {
        "name": "d1",
        "input": "비",
        "actualOutput": "네",
        "metricsData": [{"name": "Sympathy", "score": 1, "success": True}],
    }
    haechi("new", tmp_path / "e", "--rubric", "diary-comment")
    told = haechi("import", tmp_path / "e", write("run.json", json.dumps({"testCases": [case]})))
    assert (told.code, "--as deepeval" in told.err, "haechi undo" in told.err) == (0, True, True)
    table = write("r.jsonl", '{"item": "d1", "rater": "kim", "sympathy": 1}\n')
    haechi("new", tmp_path / "t", "--rubric", "diary-comment")
    assert "--as" not in haechi("import", tmp_path / "t", table).err


def test_the_numbers_of_a_judge_in_the_workbook_of_runs(haechi, write, tmp_path):
    heads = "Item ID,Query ID,응답,LLM 모델,의도충족 점수,정확성 점수,LLM 평가 코멘트\n"
    file = write("runs.csv", f"{heads}i-1,q-1,네,gpt-5-mini,5,4,맞음\ni-2,q-1,네,gpt-5-mini,3,0,되물음\n")
    haechi("new", tmp_path / "s", "--rubric", "hiring-agent")
    done = haechi("import", tmp_path / "s", file, "--json").json
    assert done["new"] == 4
    kept = Study(tmp_path / "s").ratings().select("rater", "kind", "criterion", "value", "evidence").rows()
    assert kept == [
        ("gpt-5-mini", "ai", "intent", "PERFECT", "맞음"),
        ("gpt-5-mini", "ai", "accuracy", "4", "맞음"),
        ("gpt-5-mini", "ai", "intent", "PARTIAL", "되물음"),
        ("gpt-5-mini", "ai", "accuracy", "0", "되물음"),
    ]


def test_replies_can_be_tried_and_nothing_is_written(haechi, write, tmp_path):
    content = '{"sensibleness": 1, "specificity": 0, "sympathy": 1}'
    reply = {
        "custom_id": "d1",
        "response": {
            "status_code": 200,
            "body": {"model": "g", "choices": [{"message": {"content": content}}]},
        },
    }
    file = write("out.jsonl", json.dumps(reply) + "\n")
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    tried = haechi("import", tmp_path / "s", file, "--dry-run", "--json").json
    assert (tried["replies"], tried["complete"], tried["dry_run"]) == (1, 1, True)
    study = Study(tmp_path / "s")
    assert (study.ratings().height, study.count_items(), study.history()) == (0, 0, [])
    assert haechi("import", tmp_path / "s", file, "--json").json["ratings"]["new"] == 3
