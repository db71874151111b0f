"""What a rubric's ratings say about it: planted faults are found, and a clean rubric is left in peace."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.analysis.rubric_doctor import diagnose
from haechi.study.study import Study

RUBRIC = """
id: planted
title: 심은 결함
about: 결함을 심은 루브릭입니다.
item: reply
speakers: {user: 고객, assistant: 챗봇}
task: 평가하세요.
criteria:
  - {key: clear, name: 분명함, scale: {type: likert, anchors: {1: 하나, 2: 둘, 3: 셋, 4: 넷, 5: 다섯}}}
  - {key: vague, name: 모호함, scale: {type: likert, anchors: {1: 하나, 2: 둘, 3: 셋, 4: 넷, 5: 다섯}}}
  - {key: twin, name: 쌍둥이, scale: {type: likert, anchors: {1: 하나, 2: 둘, 3: 셋, 4: 넷, 5: 다섯}}}
  - {key: narrow, name: 좁음, scale: {type: likert, anchors: {1: 하나, 2: 둘, 3: 셋, 4: 넷, 5: 다섯}}}
  - {key: easy, name: 쉬움, scale: {type: binary}}
  - {key: cause, name: 원인, scale: {type: binary}}
  - {key: effect, name: 결과, scale: {type: binary}}
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doctor")
    (folder / "rubric.yaml").write_text(RUBRIC, "utf-8")
    study = Study.new(folder / "study", folder / "rubric.yaml")
    random = np.random.default_rng(5)
    rows = []
    for number in range(60):
        true = random.integers(1, 6)
        met = int(random.random() < 0.5)
        for rater in ("kim", "lee", "han"):
            near = int(np.clip(true + (random.random() < 0.15) - (random.random() < 0.15), 1, 5))
            values = {
                "clear": near,
                "vague": random.integers(1, 6),
                "twin": near,
                "narrow": 2 + (true > 3),
                "easy": int(random.random() < 0.97),
                "cause": met,
                "effect": max(met, int(random.random() < 0.2)),
            }
            rows += [(f"i{number}", name, rater, "human", str(value)) for name, value in values.items()]
    frame = pl.DataFrame(rows, schema=["item", "criterion", "rater", "kind", "value"], orient="row")
    frame.write_csv(folder / "ratings.csv")
    study.import_ratings([folder / "ratings.csv"])
    return {one.name: one for one in diagnose(Analysis(study)).checkups}, study


def test_planted_faults_are_found(found):
    checkups, _ = found
    assert "ambiguous" in checkups["vague"].complaints
    assert checkups["clear"].follows == ("twin",)
    assert checkups["narrow"].unused == (1.0, 4.0, 5.0)
    assert "crowded" in checkups["easy"].complaints
    assert "effect" in checkups["cause"].follows
    assert "cause" not in checkups["effect"].follows, "the effect comes without the cause, too"


def test_what_mending_would_save(found):
    checkups, _ = found
    vague = checkups["vague"]
    assert vague.raters is None or vague.raters > 10
    assert checkups["clear"].raters == 1


def test_neighbouring_points_are_told_apart_from_others(found):
    checkups, _ = found
    assert checkups["clear"].neighbours.value > 0.9
    assert checkups["vague"].neighbours.value < 0.6


def test_the_command_says_what_to_change(haechi, found):
    _, study = found
    english = haechi("rubrics", "doctor", study.folder, "--lang", "en").out
    for words in ("Reword it", "nobody gave 1, 4, 5", "merged", "stand at one end"):
        assert words in english
    told = haechi("rubrics", "doctor", study.folder, "--json").json
    assert {one["name"] for one in told["criteria"]} >= {"clear", "vague"}


def test_few_items_are_no_ground_for_calling_criteria_redundant(haechi, demo):
    told = haechi("rubrics", "doctor", demo / "maice-qac", "--json").json
    assert not [one for one in told["criteria"] if one["follows"]]
    assert "From 30 items on" in haechi("rubrics", "doctor", demo / "maice-qac", "--lang", "en").out


def test_without_ratings_it_says_what_is_needed(haechi, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "ubica")
    assert haechi("rubrics", "doctor", tmp_path / "s").code == 1
    assert haechi("rubrics", "doctor").code == 2
