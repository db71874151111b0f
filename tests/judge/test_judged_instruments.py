"""All four instruments are judged, on the bundled examples, through all three providers."""

from __future__ import annotations

from importlib.resources import files

import pytest
from provider_settings import MODELS

from haechi.judge.judges import judge_live, judges_of
from haechi.study import Study

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
    assert set(frame["criterion"]) == set(study.rubric.rateables)
    assert frame.height == 15 * len(study.rubric.rateables)
