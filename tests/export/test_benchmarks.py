"""Own criteria out and in again: HealthBench's data and results, and rubrics as rewards."""

from __future__ import annotations

import json

import pytest

from haechi.data.own_criteria import own_criteria_of
from haechi.errors import HaechiError
from haechi.export import FORMATS
from haechi.study.study import Study
from own_criteria import own_study, rubric_file

VERDICTS = {("p1", 1): 1, ("p1", 2): 0, ("p1", 3): 1, ("p2", 1): 0, ("p2", 2): 1}


@pytest.fixture
def study(tmp_path):
    made = own_study(tmp_path)
    rows = [(item, str(number), value) for (item, number), value in VERDICTS.items()]
    items, criteria, values = map(list, zip(*rows, strict=True))
    raters, kinds, said = ["grader"] * len(rows), ["ai"] * len(rows), ["'이렇게 하세요'"] * len(rows)
    made.import_ratings(
        {
            "item": items,
            "criterion": criteria,
            "value": values,
            "rater": raters,
            "kind": kinds,
            "evidence": said,
        }
    )
    return made


def again(folder):
    folder.mkdir()
    return Study.new(folder / "study", rubric_file(folder))


def test_results_go_out_and_come_in_again(study, tmp_path):
    done = FORMATS["healthbench"](study, tmp_path / "out")
    assert done.files == ("data.jsonl", "results-1-grader.json")
    results = json.loads((tmp_path / "out" / "results-1-grader.json").read_text("utf-8"))
    first, second = results["metadata"]["example_level_metadata"]
    assert (first["score"], second["score"]) == ((5 - 4) / 7, -5 / 3), "scores of examples are not cut"
    assert results["score"] == 0.0, "the mean is"
    assert first["rubric_items"][0]["explanation"] == "'이렇게 하세요'"
    other = again(tmp_path / "again")
    file = tmp_path / "out" / "results-1-grader.json"
    other.add([file])
    appended, _ = other.import_scores([file], "healthbench")
    assert appended.new == len(VERDICTS)
    assert other.ratings()["rater"].unique().to_list() == ["healthbench-grader"]
    assert other.scores().frame["own"].to_list() == study.scores().frame["own"].to_list()


def test_data_go_out_and_come_in_again(study, tmp_path):
    FORMATS["healthbench"](study, tmp_path / "out")
    other = again(tmp_path / "again")
    other.add([tmp_path / "out" / "data.jsonl"])
    kept = [
        [(one.text, one.points, one.tags) for one in own_criteria_of(item.content)] for item in study.items()
    ]
    assert [
        [(one.text, one.points, one.tags) for one in own_criteria_of(item.content)] for item in other.items()
    ] == kept


def test_rubrics_as_rewards(study, tmp_path):
    FORMATS["rar"](study, tmp_path / "rar.jsonl")
    records = [json.loads(line) for line in (tmp_path / "rar.jsonl").read_text("utf-8").splitlines()]
    assert [[one["weight"] for one in record["rubric"]] for record in records] == [[5, 2, -4], [3, -5]]
    other = again(tmp_path / "again")
    other.add([tmp_path / "rar.jsonl"])
    assert [len(own_criteria_of(item.content)) for item in other.items()] == [3, 2]


@pytest.mark.parametrize("form", ["healthbench", "rar"])
def test_a_rubric_without_own_criteria_is_refused(tmp_path, form):
    study = Study.new(tmp_path / "diaries", "diary-comment")
    with pytest.raises(HaechiError) as refused:
        FORMATS[form](study, tmp_path / "out")
    assert "own-criteria" in refused.value.problems[0].expected.ko
