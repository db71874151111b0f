"""All four instruments are judged, on the bundled examples, through all three providers."""

from __future__ import annotations

from importlib.resources import files

import pytest
from provider_settings import MODELS

from haechi.data.item_questions import item_questions
from haechi.judge.judges import judge_live, judges_of
from haechi.store import large
from haechi.study.study import Study

ITEMS = {
    "ubica": "items.jsonl",
    "hiring-agent": "runs.csv",
    "maice-qac": "sessions.jsonl",
    "diary-comment": "comments.jsonl",
}


@pytest.mark.parametrize("rubric", ITEMS)
def test_the_bundled_examples(server, tmp_path, rubric):
    study = Study.new(tmp_path / "study", rubric, assistant_name="루나", user_name="시청자")
    study.add([str(files("haechi.demo") / "data" / rubric / ITEMS[rubric])])
    for model in MODELS:
        (judge,) = judges_of(study, [model])
        done = judge_live(study, judge, limit=5)
        assert (done.done.answered, done.done.failed, done.stopped) == (5, 0, None)
    frame = study.ratings()
    assert set(frame["status"]) == {"ok"}
    asked = {
        item.id: {*study.rubric.rateables, *item_questions(study.rubric, item)} for item in study.items()
    }
    for (item, _), given in frame.group_by("item", "rater"):
        assert set(given["criterion"]) == asked[item]
        assert given.height == len(asked[item])
    assert frame.select("item", "rater").n_unique() == 15


def test_runs_in_files_are_judged_one_by_one(server, tmp_path, monkeypatch):
    monkeypatch.setattr(large, "LARGE", 10)
    study = Study.new(tmp_path / "study", "hiring-agent")
    assert study.add([str(files("haechi.demo") / "data" / "hiring-agent" / "runs.csv")]).backing == "parquet"
    (judge,) = judges_of(study, MODELS[:1])
    done = judge_live(study, judge, limit=5)
    assert (done.done.answered, done.done.failed) == (5, 0)
    judged = study.scores().frame.filter(kind="ai")
    assert judged.height == 5
    assert judged["intent"].null_count() == 0
    assert study.count_items() == 40
