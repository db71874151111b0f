"""A judge that was asked otherwise is another rater: what differs is named, and no difference is taken over it."""

from __future__ import annotations

import json

import pytest
from provider_settings import MODELS

from haechi.analysis.analysis import Analysis
from haechi.study.study import Study

MODEL = MODELS[0]


@pytest.fixture
def versions(server, make_study, haechi):
    """Two studies of the same items, judged by a model whose provider changed it in between."""
    studies = [make_study(6, name=name) for name in ("old", "new")]
    for study, version in zip(studies, ("-2026-01", "-2026-07"), strict=True):
        server.version = version
        assert haechi("judge", study.folder, "--model", MODEL).code == 0
    return studies


def people(study, haechi, write):
    rows = "".join(
        f"{item.id},kim,human,{name},{at % 2}\n"
        for at, item in enumerate(study.items())
        for name in ("sensibleness", "specificity", "sympathy")
    )
    file = write(f"{study.folder.name}.csv", "item,rater,kind,criterion,value\n" + rows)
    assert haechi("import", study.folder, file).code == 0


def test_two_studies_of_another_version_are_not_compared(versions, haechi, tmp_path):
    refused = haechi("report", *(one.folder for one in versions), "-o", tmp_path / "out")
    assert refused.code == 1
    assert "model version that answered (A gpt-5-mini-2026-01, B gpt-5-mini-2026-07)" in refused.err
    assert "haechi anchors" in refused.err


def test_they_are_compared_over_people_and_what_changed_is_named_first(versions, haechi, write, tmp_path):
    for study in versions:
        people(study, haechi, write)
    told = haechi("report", *(one.folder for one in versions), "-o", tmp_path / "out")
    assert told.code == 0
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert page.index("judges not asked alike") < page.index("| B − A")
    assert "model version that answered (A gpt-5-mini-2026-01, B gpt-5-mini-2026-07)" in page
    assert "Compared over the raters common to both: kim" in page


@pytest.mark.parametrize("kept", ["study", "figures"])
def test_a_gate_fails_with_what_changed(versions, haechi, tmp_path, kept):
    old, new = (one.folder for one in versions)
    baseline = old
    if kept == "figures":
        baseline = tmp_path / "baseline.json"
        baseline.write_text(haechi("check", old, "--list", "--json").out, "utf-8")
    told = haechi("check", new, "--no-regression", baseline, "--json")
    assert told.code == 1
    gates = told.json["gates"]
    assert all(not gate["passed"] and gate["value"] is None for gate in gates)
    assert "gpt-5-mini-2026-07" in gates[0]["why"]
    (difference,) = told.json["panel"]["asked"]["differences"]
    assert difference["what"] == "version"
    assert haechi("check", new, "--no-regression", new).code == 0  # with itself it is comparable


def test_groups_that_were_judged_by_another_version_are_not_compared(server, make_study, haechi, write):
    study = make_study(8)
    server.version = "-2026-01"
    haechi("judge", study.folder, "--model", MODEL, "--limit", "4")
    server.version = "-2026-07"
    haechi("judge", study.folder, "--model", MODEL)
    half = {item.id: "first" if at < 4 else "second" for at, item in enumerate(study.items())}
    file = write(
        "meta.jsonl",
        "".join(json.dumps({"id": one, "meta": {"half": of}}) + "\n" for one, of in half.items()),
    )
    assert haechi("add", study.folder, file, "--join").code == 0
    told = haechi("compare", study.folder, "--by", "half", "--json").json
    assert told["panel"]["compared"] == "none"
    assert told["panel"]["asked"]["differences"][0]["what"] == "version"
    two = told["criteria"]["ssa"]["two"] if "two" in told["criteria"]["ssa"] else told["criteria"]["ssa"]
    assert "not asked alike" in json.dumps(two)


def test_another_temperature_is_another_judge_and_another_seed_is_not(server, make_study, haechi):
    folders = []
    for name, options in (("a", ("--seed", "1")), ("b", ("--seed", "2")), ("c", ("--temperature", "1"))):
        folders.append(make_study(4, name=name).folder)
        haechi("judge", folders[-1], "--model", MODEL, *options)
    assert haechi("check", folders[1], "--no-regression", folders[0]).code == 0
    told = haechi("check", folders[2], "--no-regression", folders[0], "--json").json
    assert [one["what"] for one in told["panel"]["asked"]["differences"]] == ["temperature"]


def test_a_baseline_that_does_not_say_how_judges_were_asked_is_compared_and_that_is_said(
    versions, haechi, tmp_path
):
    old, new = (one.folder for one in versions)
    haechi("report", old, "-o", tmp_path / "kept")
    told = haechi("check", new, "--no-regression", tmp_path / "kept" / "scores.csv")
    assert told.code == 0
    assert "gpt-5-mini: only one side says how it was asked" in told.out
    assert "Anchors" not in told.out


def _runs(version: str) -> str:
    payload = json.dumps({"assistantMessage": "조회했습니다", "responseTimeSec": 3}, ensure_ascii=False)
    rows = [
        {"query_id": f"q{n}", "version": version, "round": "1", "질의": f"{n} 보여 줘", "raw_json": payload}
        for n in range(4)
    ]
    return json.dumps(rows, ensure_ascii=False)


def test_a_trend_says_between_which_versions_a_judge_was_not_asked_alike(server, haechi, tmp_path, write):
    study = Study.new(tmp_path / "runs", "hiring-agent")
    for version in ("v1", "v2"):
        study.add([write(f"{version}.json", _runs(version))])
        assert haechi("judge", study.folder, "--model", MODELS[0]).code == 0
    assert Analysis(study).trend.not_comparable == ()
    study.add([write("v3.json", _runs("v3"))])
    server.version = "-2026-07"
    assert haechi("judge", study.folder, "--model", MODELS[0]).code == 0
    trend = Analysis(study).trend
    ((before, after, (one,)),) = trend.not_comparable
    assert (before, after, one.rater, one.what) == ("v2", "v3", "gpt-5-mini", "version")
    assert [(c.before, c.after, c.now) for c in trend.changed if c.what == "judge"] == [
        ("v2", "v3", ("gpt-5-mini-2026-07",))
    ]
    told = trend.as_json()["not_comparable"]
    assert [(one["before"], one["after"]) for one in told] == [("v2", "v3")]
    assert haechi("report", study.folder, "-o", tmp_path / "out").code == 0
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "v2 → v3: gpt-5-mini was not asked alike" in page
    assert "v1 → v2: gpt-5-mini" not in page
