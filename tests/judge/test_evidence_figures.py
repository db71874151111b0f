"""Evidence that does not stand in the transcript is counted, per judge and element."""

from __future__ import annotations

import json

import polars as pl
import pytest

from haechi.analysis.analysis import Analysis
from haechi.report.findings import findings
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
    assert figures["m1"]["unfounded_share"] == study.evidence().by("rater")["m1"].share.as_json()
    share = figures["m1"]["unfounded_share"]
    assert (share["value"], share["n"]) == (0.5, 2)
    assert figures["m1"]["elements"]["sympathy"]["not_found"] == 1
    assert figures["m1"]["elements"]["specificity"]["unfounded_share"]["value"] is None
    assert figures["m2"]["unfounded_share"]["why"] == "no evidence quotes the transcript"


def test_evidence_about_an_item_without_text_is_nobodys_figure(study, write):
    rows = "item,criterion,rater,kind,value,evidence\nx9,sympathy,m3,ai,1,'없는 말'\nx9,sensibleness,m1,ai,1,'없는 말'"
    before = study.evidence().as_json()
    study.import_ratings([write("bare.csv", rows)], create_items=True)
    found = study.evidence()
    assert (found.total, found.checked) == (6, 4), "nobody can tell what became of two"
    assert set(found.by("rater")) == {"m1", "m2"}
    assert set(found.by("criterion")) == {"sympathy", "specificity"}
    assert found.as_json() == before


def test_scores_for_machines_come_with_the_evidence(study, haechi, write):
    scored = haechi("score", study.folder, "--json").json
    assert scored["evidence"] == study.evidence().as_json()
    assert scored["evidence"]["m1"]["elements"]["sympathy"]["unfounded_share"]["value"] == 0.5
    people = "item,criterion,rater,kind,value\nd0,sympathy,teacher-1,human,1\n"
    of_a_file = haechi("score", write("people.csv", people), "--rubric", "diary-comment", "--json").json
    assert "evidence" not in of_a_file, "a table of ratings has no texts to look in"


def test_a_large_study_has_one_share_of_unfounded_quotes_on_every_surface(tmp_path, haechi):
    study = Study.new(tmp_path / "large", "diary-comment")
    items = [f"d{n}" for n in range(3000)]
    study.add({"id": items, "context": ["비가 왔다"] * 3000, "response": ["아쉬웠겠어요."] * 3000})
    # Of every seven pieces about sympathy one quotes nothing and two what nobody said; of every five about the response, one.
    said = {
        "sympathy": ["'비가 왔다'를 언급"] * 4 + ["'정말 멋져요'라고 함"] * 2 + ["공감하는 말투"],
        "specificity": ["'아쉬웠겠어요'라고 함"] * 4 + ["'소풍'을 언급"],
    }
    rows = [
        (item, criterion, words[n % len(words)])
        for criterion, words in said.items()
        for n, item in enumerate(items)
    ]
    frame = pl.DataFrame(rows, ["item", "criterion", "evidence"], orient="row")
    study.import_ratings(frame.with_columns(rater=pl.lit("m1"), kind=pl.lit("ai"), value=pl.lit(1)))
    quoting = [words for _, _, words in rows if "'" in words]
    wrong = sum("멋져요" in words or "소풍" in words for words in quoting)

    scored = haechi("score", study.folder, "--json").json["evidence"]["m1"]
    share = scored["unfounded_share"]
    assert (share["value"], share["n"]) == (pytest.approx(wrong / len(quoting)), len(quoting))
    assert study.evidence().share.as_json() == share
    listed = haechi("check", study.folder, "--list", "--json").json
    assert listed["evidence.unfounded"] == share
    (finding,) = [one for one in findings(Analysis(study)) if one.rule == "evidence"]
    assert finding.numbers == {"unfounded": share["value"], "quoted": share["n"]}
    checkups = {
        one["name"]: one for one in haechi("rubrics", "doctor", study.folder, "--json").json["criteria"]
    }
    for name in said:
        assert checkups[name]["unfounded"] == scored["elements"][name]["unfounded_share"]
    report = tmp_path / "report"
    haechi("report", study.folder, "-o", report, "--lang", "en")
    page = (report / "report.md").read_text("utf-8")
    assert f"{len(quoting):,} of 6,000 pieces of evidence quote and were looked up." in page
