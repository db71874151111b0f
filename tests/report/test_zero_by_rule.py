"""A score that is 0 by rule on every run was not measured: it has no interval, and the reason, wherever it is shown."""

from __future__ import annotations

import json
from contextvars import copy_context

import polars as pl
import pytest

import haechi as package
from haechi.analysis.baseline import read_baseline
from haechi.scoring.repeats import repeats
from haechi.scoring.rule_zeros import unmeasured_scores
from haechi.text import speak

WHY = "every value is 0 by rule: nothing was measured"
RULED = ("accuracy", "consistency", "latency_single")
RUNS = "query_id,round,payload\n" + "".join(
    f'q{n},{1 + n % 2},"{{""assistantMessage"": ""네 {n}""}}"\n' for n in range(9)
)
CHECKED = RUNS.replace("query_id,round,", "query_id,round,expected,").replace(
    ',"{', ',"{""assistantMessage"": ""네 3""}","{'
)


@pytest.fixture
def runs(write):
    return write("runs.csv", RUNS), "--rubric", "hiring-agent"


@pytest.fixture
def study(haechi, runs, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "hiring-agent")
    haechi("add", tmp_path / "s", runs[0])
    return tmp_path / "s"


def test_score(haechi, runs):
    for row in haechi("--lang", "en", "score", *runs, "--json").json["summary"]:
        for name in RULED:
            of = row["scores"][name]
            assert (of["mean"], of["ci95"], of["why_no_ci95"]) == (0, None, WHY)
        assert row["scores"]["stability"]["ci95"] is not None


def test_compare(haechi, runs):
    found = haechi("--lang", "en", "compare", *runs, "--by", "round", "--json").json
    for name in RULED:
        own = found["criteria"][name]
        assert {group["mean"]["why_no_ci"] for group in own["groups"]} == {WHY}
        assert "0 by rule" in own["refused"]
        assert found["repeats"]["criteria"][name]["pass_hat_k"]["1"]["why"] == WHY
    assert found["criteria"]["stability"]["groups"][0]["mean"]["ci95"]


def test_check(haechi, runs):
    found = haechi(
        "--lang", "en", "check", *runs, "--min", "accuracy=0", "--min-lower", "accuracy=0", "--json"
    )
    first, second = found.json["gates"]
    assert (first["passed"], first["value"], first["ci95"]) == (True, 0, None)
    assert (second["passed"], second["why"]) == (False, WHY)


def test_report(haechi, study, tmp_path):
    haechi("--lang", "en", "report", study, "-o", tmp_path / "out")
    summary = pl.read_csv(tmp_path / "out" / "summary.csv").filter(pl.col("score").is_in(RULED))
    assert summary.height >= 3
    assert summary.select("ci95_low", "ci95_high").null_count().row(0) == (summary.height,) * 2
    assert {*summary["why_no_ci95"]} == {WHY}
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "| Accuracy | 9 | 0.00 | 0.00 | 0.00 | 0–5 | 0 |" in page


def test_two_studies(haechi, study, tmp_path):
    haechi("--lang", "en", "report", study, study, "-o", tmp_path / "out")
    assert "| Accuracy | 0.00 | 0.00 |" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_against_what_was_measured_it_is_no_change(haechi, study, write, tmp_path):
    other = tmp_path / "measured"
    haechi("new", other, "--rubric", "hiring-agent")
    haechi("add", other, write("checked.csv", CHECKED))
    kept = write("kept.json", haechi("check", other, "--list", "--json").out)
    for baseline in (other, kept):
        gates = haechi("--lang", "en", "check", study, "--no-regression", baseline, "--json").json["gates"]
        (own,) = (one for one in gates if one["score"] == "accuracy")
        assert (own["passed"], own["value"]) == (False, None)
        assert "0 by rule throughout" in own["why"]
    haechi("--lang", "en", "report", other, study, "-o", tmp_path / "out")
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| Accuracy |"))
    assert row.split("|")[3].strip() == "0.00"
    assert "Accuracy got worse" not in page


@pytest.mark.parametrize(("written", "read"), [("ko", "en"), ("en", "ko")])
def test_a_kept_file_tells_it_in_whatever_language_it_was_written(
    haechi, study, runs, write, tmp_path, written, read
):
    """The study itself, its figures, its scores and its report are one baseline, for which no change is looked for."""
    listed = haechi("--lang", written, "check", study, "--list", "--json").out
    scores = haechi("--lang", written, "score", *runs, "--json").out
    report = tmp_path / "out"
    haechi("--lang", written, "report", study, "-o", report)
    other = tmp_path / "measured"
    haechi("new", other, "--rubric", "hiring-agent")
    haechi("add", other, write("checked.csv", CHECKED))
    found = []
    files = write("listed.json", listed), write("scores.json", scores)
    for baseline in (study, *files, report, report / "scores.csv", report / "summary.csv"):
        gates = haechi("--lang", read, "check", other, "--no-regression", baseline, "--json").json["gates"]
        (own,) = (one for one in gates if one["score"] == "accuracy")
        found.append((own["passed"], own["value"], own["why"]))
    assert found == [(False, None, found[0][2])] * 6
    assert read_baseline(report).items.ruled == {*RULED}


def test_scores_made_in_one_language_are_read_in_another(runs):
    """A server makes them once, and shows them to visitors of both languages."""

    def told(lang):
        speak(lang)
        scored = made or package.score(*runs[::2])
        ruled = unmeasured_scores(scored.batches, scored.rubric, scored.names)
        why = scored.reasons["accuracy"][0], next(scored.items())["details"]["reasons"]["accuracy"]
        assert scored.pass_rule is not None
        return scored, ruled, repeats(scored.batches, scored.pass_rule), why

    made = None
    made, *korean = copy_context().run(told, "ko")
    _, *english = copy_context().run(told, "en")
    assert korean[:2] == english[:2]
    assert korean[0] == {(): {*RULED}}
    assert (korean[2], english[2]) == (("체크가 없음",) * 2, ("there is nothing to check",) * 2)


def test_no_value_on_either_side_is_said(haechi, study):
    gates = haechi("--lang", "en", "check", study, "--no-regression", study, "--json").json["gates"]
    (own,) = (one for one in gates if one["score"] == "intent")
    assert (own["passed"], own["why"]) == (True, "neither side has a value to compare")


def test_python(study):
    mean = package.Study(study).compare(by="round").criteria["accuracy"].groups[0].described.mean
    assert (float(mean), mean.ci95, mean.why_no_ci.en) == (0.0, None, WHY)


def test_one_group_that_was_measured_keeps_its_interval(haechi, write):
    """Round 2 has checks: there accuracy is a measurement, and the difference is still none."""
    lines = ["query_id,round,expected,payload"]
    for n in range(12):
        check = '"{""formType"": ""ACTION""}"' if n % 2 else ""
        payload = json.dumps({"assistantMessage": f"네 {n}", "dataUIList": [{"formType": "ACTION"}]})
        lines.append(f"q{n},{1 + n % 2},{check}," + '"' + payload.replace('"', '""') + '"')
    found = haechi(
        "--lang",
        "en",
        "compare",
        write("some.csv", "\n".join(lines)),
        "--rubric",
        "hiring-agent",
        "--by",
        "round",
        "--json",
    ).json["criteria"]["accuracy"]
    first, second = found["groups"]
    assert (first["mean"]["value"], first["mean"]["why_no_ci"]) == (0, WHY)
    assert second["mean"]["value"] == 5
    assert second["mean"]["ci95"][1] == 5
    assert "0 by rule" in found["refused"]
