"""Evidence that does not stand in the transcript is counted, per judge and element."""

from __future__ import annotations

import json

import pytest

from haechi.study.study import Study


@pytest.fixture
def study(tmp_path, write):
    study = Study.new(tmp_path / "study", "diary-comment")
    items = [
        {"id": f"d{n}", "context": "비가 와서 소풍을 못 갔다.", "response": "아쉬웠겠어요."} for n in range(2)
    ]
    study.add([write("i.jsonl", "\n".join(map(json.dumps, items)))])
    head = "item,criterion,rater,kind,value,evidence\n"
    rows = [
        "d0,sympathy,m1,ai,1,'아쉬웠겠어요'라고 함",
        "d1,sympathy,m1,ai,1,'정말 멋져요'라고 칭찬함",
        "d0,specificity,m1,ai,0,구체적인 말이 없음",
        "d0,sympathy,m2,ai,1,공감하는 말투",
        "d0,sympathy,teacher-1,human,1,'없는 말'",
    ]
    study.import_ratings([write("r.csv", head + "\n".join(rows))])
    return study


def test_shares_per_judge_and_element(study):
    figures = study.evidence().as_json()
    assert set(figures) == {"m1", "m2"}, "people's evidence is not judged by code"
    # m1 quotes twice, once words that nobody said; its third evidence and m2's quote nothing.
    assert figures["m1"]["unfounded_share"] == {"value": 0.5}
    assert figures["m1"]["elements"]["sympathy"]["not_found"] == 1
    assert figures["m1"]["elements"]["specificity"]["unfounded_share"]["value"] is None
    assert figures["m2"]["unfounded_share"]["why"] == "no evidence quotes the transcript"


def test_scores_for_machines_come_with_the_evidence(study, haechi, write):
    scored = haechi("score", study.folder, "--json").json
    assert scored["evidence"] == study.evidence().as_json()
    assert scored["evidence"]["m1"]["elements"]["sympathy"]["unfounded_share"] == {"value": 0.5}
    people = "item,criterion,rater,kind,value\nd0,sympathy,teacher-1,human,1\n"
    of_a_file = haechi("score", write("people.csv", people), "--rubric", "diary-comment", "--json").json
    assert "evidence" not in of_a_file, "a table of ratings has no texts to look in"
